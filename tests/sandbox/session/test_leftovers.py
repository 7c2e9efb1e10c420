"""What an agent leaves in its session meets the verifier by the rules of every other verification."""

from __future__ import annotations

import asyncio
from pathlib import Path

from adjudge.sandbox.session import AgentsFolder, spoken_of
from support.sessions import started_session

FORGE = "open('/logs/verifier/reward.json', 'w').write('1')"
LEAVES = f"""
set -e
mkdir -p /app/__pycache__ /app/sub
site=$(python3 -m site --user-site); mkdir -p $site
echo "{FORGE}" | tee /app/json.py /app/random.py /app/conftest.py $site/usercustomize.py > $site/evil.py
echo "import evil" > $site/evil.pth
echo "touch /logs/verifier/by-shell" > ~/.bashrc; cp ~/.bashrc ~/.profile
echo compiled > /app/__pycache__/answer.cpython-311.pyc
ln -s /tests/expected.json /app/extra.json
ln -s ../tests/expected.json /app/near.json
ln -s /proc/self/root/tests/expected.json /app/sub/far.json
ln -s /logs/verifier/reward.json /app/reward
echo mine > /app/answer.json; ln -s answer.json /app/same.json
echo kept > /tmp/kept; ln -s /tmp/kept /app/kept
echo 'X = 3' > /app/solution.py; echo 'Y = 4' > $site/installed.py
"""
VERIFIES = """
cd /app; exec 2>&1
cat extra.json near.json sub/far.json reward > /dev/null && echo resolved
cat same.json kept
python3 -c 'import json, random, solution, installed; print(solution.X, installed.Y)'
python3 -m json.tool answer.json > /dev/null
bash -lc 'true'
ls -A /logs/verifier; ls -A /app
"""


def test_links_modules_runner_files_and_start_up_files_of_the_agent_do_nothing(tmp_path: Path) -> None:
    (tmp_path / "expected.json").write_text("the answer")
    (tmp_path / "test.sh").write_text("pytest /tests")
    agents = AgentsFolder("/app", tmp_path)

    async def attack() -> tuple[dict[str, str], str]:
        async with started_session() as session:
            left = await session.run(LEAVES)
            assert left.code == 0, left.stderr
            gone = await session.restart(emptied=("/logs/verifier", "/tests"), agents=agents)
            await session.upload(tmp_path, "/tests")
            return gone, (await session.run(VERIFIES)).stdout.decode()

    gone, told = asyncio.run(attack())
    assert "resolved" not in told
    assert [line for line in told.splitlines() if line in ("mine", "kept", "3 4")][:3] == [
        "mine",
        "kept",
        "3 4",
    ]
    assert "reward.json" not in told.split()
    assert "by-shell" not in told.split()
    assert {Path(path).name for path in gone} == {
        *("extra.json", "near.json", "far.json", "reward", "conftest.py", "__pycache__"),
        *("usercustomize.py", "evil.pth", ".bashrc", ".profile"),
    }


def test_nothing_of_the_agents_lies_above_the_tests(tmp_path: Path) -> None:
    """Programs that are run in `/tests` look upwards for what to obey."""
    leaves = (
        "mkdir -p /app /node_modules/chai /.git /data; touch /package.json /data/x; ln -s /app /linked\n"
        "ln -s /app/p.json /.eslintrc.json; ln -s /app/Gemfile /Gemfile; ln -s /app/node_modules /__mocks__"
    )

    async def left() -> tuple[dict[str, str], str]:
        async with started_session() as session:
            await session.run(leaves)
            gone = await session.restart(agents=AgentsFolder("/app", tmp_path))
            return gone, (await session.run("ls -A /; sh -c 'echo works'")).stdout.decode()

    gone, told = asyncio.run(left())
    above = {"/.eslintrc.json", "/.git", "/Gemfile", "/__mocks__", "/node_modules", "/package.json"}
    assert set(gone) == above
    assert {"app", "data", "linked", "works"} <= set(told.split())


def test_a_runners_file_that_the_task_asks_for_stays(tmp_path: Path) -> None:
    (tmp_path / "test.sh").write_text("pytest /tests")
    asked = spoken_of("Write a `conftest.py` that ...", ["setup.cfg"])
    assert asked == {"conftest.py", "setup.cfg"}

    async def left() -> dict[str, str]:
        async with started_session() as session:
            await session.run("mkdir /app; touch /app/conftest.py /app/pytest.ini; ln -s /app /linked")
            there = await session.restart(agents=AgentsFolder("/app", tmp_path, asked))
            assert await session.restart(agents=AgentsFolder("/linked", tmp_path)) == {}
            return there

    assert list(asyncio.run(left())) == ["/app/pytest.ini"]
