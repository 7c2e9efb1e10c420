"""A Dockerfile is read, not built: its files, variables and folder are there, the rest is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.packages import named_packages
from adjudge.scoring import Outcome, files_of_image, outcome_of
from adjudge.tasks import image_recipe, load_task, provided_files, written_files
from support.task_folders import write_task

CONTEXT: dict[str, str | bytes] = {
    "environment/data/a.csv": "1\n",
    "environment/data/deep/b.csv": "2\n",
    "environment/run.sh": "echo hi\n",
}


def image(folder: Path, dockerfile: str, **more: str) -> Path:
    files = {**CONTEXT, "environment/Dockerfile": dockerfile}
    return write_task(folder, toml=more.get("toml", ""), files=files)


@pytest.mark.parametrize(
    ("lines", "placed"),
    [
        ("COPY data /app/data", {"/app/data/a.csv": "data/a.csv", "/app/data/deep/b.csv": "data/deep/b.csv"}),
        ("COPY run.sh /app/", {"/app/run.sh": "run.sh"}),
        ("WORKDIR /app\nCOPY run.sh /app", {"/app/run.sh": "run.sh"}),
        ("COPY run.sh /app/start", {"/app/start": "run.sh"}),
        ("WORKDIR /srv/x\nCOPY run.sh .", {"/srv/x/run.sh": "run.sh"}),
        ("RUN mkdir -p /in /app/out\nCOPY run.sh /in", {"/in/run.sh": "run.sh"}),
        ("COPY data/*.csv /in/", {"/in/a.csv": "data/a.csv"}),
        ('COPY ["run.sh", "/app/my run.sh"]', {"/app/my run.sh": "run.sh"}),
        (
            "COPY --chown=a:b \\\n  # why\n  run.sh \\\n  data/a.csv /in",
            {"/in/run.sh": "run.sh", "/in/a.csv": "data/a.csv"},
        ),
        ("ARG D=/in\nENV E=$D/deep\nCOPY run.sh ${E}/", {"/in/deep/run.sh": "run.sh"}),
        ("COPY run.sh /app", {"/app/run.sh": "run.sh"}),
        ("COPY run.sh /usr/bin/run.sh", {}),
        ("COPY ../../secret /app/", {}),
        ("COPY data /app/x\nFROM y\nCOPY run.sh /b/", {"/b/run.sh": "run.sh"}),
        ("COPY --from=build /bin/x /app/x", {}),
        ("COPY data /app\nRUN rm -rf /app/deep", {"/app/a.csv": "data/a.csv"}),
        ("WORKDIR /app\nCOPY data .\nRUN rm -f a.csv && echo 0 > deep/b.csv", {}),
        ("COPY data /app\nRUN true; rm /app/*.csv 2>/dev/null", {"/app/deep/b.csv": "data/deep/b.csv"}),
        ("RUN rm -rf /in\nCOPY run.sh /in/", {"/in/run.sh": "run.sh"}),
        ("COPY run.sh /in/\nRUN /in/run.sh >> /in/log && alarm /in/run.sh", {"/in/run.sh": "run.sh"}),
    ],
)
def test_files_lie_where_the_image_has_them(tmp_path: Path, lines: str, placed: dict[str, str]) -> None:
    task = load_task(image(tmp_path / "t", f"FROM x\n{lines}\n"))
    found = {
        path: str(file.relative_to(task.folder / "environment"))
        for path, file in provided_files(task).items()
    }
    assert found == placed


def test_an_image_may_be_built_from_the_folder_of_the_task(tmp_path: Path) -> None:
    """Nothing beside the Dockerfile answers to what it copies: then its sources lie where the task does."""
    copies = "FROM x\nCOPY app/ /app/\n"
    files = {"app/data/log.txt": "a\n", "environment/Dockerfile": copies}
    task = load_task(write_task(tmp_path / "t", files={**files}))
    assert provided_files(task) == {"/app/data/log.txt": task.folder / "app/data/log.txt"}


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (r"RUN printf 'a,b\n1,2\n' > /in/x.csv", {"/in/x.csv": b"a,b\n1,2\n"}),
        ('RUN mkdir -p /in && echo "two words" > /in/x', {"/in/x": b"two words\n"}),
        ("WORKDIR /in\nRUN echo 1 > x; echo 2 >> x", {"/in/x": b"1\n2\n"}),
        (
            r"RUN echo -ne 'a\tb' > /in/x" + " \\\n && echo ';&&' > /in/y",
            {"/in/x": b"a\tb", "/in/y": b";&&\n"},
        ),
        ("RUN echo 1 > /in/x\nRUN rm -rf /in", {}),
        ("RUN echo $HOME > /in/x && echo `id` > /in/y", {}),
        ("RUN printf '%s' a > /in/x && echo 'a\\b' > /in/y && printf 'a\\x' > /in/z", {}),
        ("RUN echo 1 | tee > /in/x && echo 'open > /in/y", {}),
        ("RUN date > /in/x && echo 1 > /etc/x", {}),
        ("FROM y\nRUN echo 1 > /in/x\nFROM z", {}),
        ("COPY <<EOT /app/a.log\none\n  two\nEOT\nRUN true", {"/app/a.log": b"one\n  two\n"}),
        ("COPY <<'EOT' /app/\n$HOME\nEOT", {"/app/EOT": b"$HOME\n"}),
        ("COPY <<EOT /app/a.log\n$HOME\nEOT", {}),
        ("RUN cat > /app/a.py <<'EOF'\nprint('$x')\nEOF", {"/app/a.py": b"print('$x')\n"}),
        ("RUN mkdir -p /in && cat <<EOF >> /in/a\n1\nEOF\nRUN echo 2 >> /in/a", {"/in/a": b"1\n2\n"}),
        ("RUN cat > /app/a.py <<EOF\n$(date)\nEOF", {}),
        ("RUN cat <<'EOF' | sort > /app/a\n1\nEOF", {}),
    ],
)
def test_texts_written_out_in_full_are_there(tmp_path: Path, lines: str, written: dict[str, bytes]) -> None:
    task = load_task(image(tmp_path / "t", f"FROM x\n{lines}\n"))
    assert written_files(task) == written
    assert {path: file.data for path, file in files_of_image(task).items()} == written


def test_variables_and_what_is_not_done(tmp_path: Path) -> None:
    dockerfile = (
        'FROM python:3.12-slim\nENV A=1 B="two words"\nENV C see me\nENV PATH=/opt/x:$PATH\n'
        "RUN apt-get update && apt-get install -y ffmpeg && rm -rf /var/lib/apt\n"
        "RUN pip install numpy\nRUN sort > /app/x <<'EOF'\nCOPY run.sh /nowhere/\nEOF\nUSER bob\n"
    )
    task = load_task(image(tmp_path / "t", dockerfile, toml='[environment.env]\nA = "9"\n'))
    assert task.env == {"A": "9", "B": "two words", "C": "see me"}
    assert image_recipe(task).image == "python:3.12-slim"
    (said,) = task.not_honoured
    assert "'python:3.12-slim'" in said
    assert "RUN apt-get install -y ffmpeg; RUN sort > /app/x <<'EOF'; USER bob" in said.replace('\\"', '"')
    assert provided_files(task) == {}


def test_the_verifier_of_an_environment_of_its_own_has_its_own_image(tmp_path: Path) -> None:
    files = {**CONTEXT, "environment/Dockerfile": "FROM a\nWORKDIR /app\n"}
    files["tests/Dockerfile"] = "FROM b\nWORKDIR /check\nCOPY truth.json /truth/truth.json\n"
    files["tests/truth.json"] = "{}"
    shared = load_task(write_task(tmp_path / "s", files=files))
    assert (shared.workdir, image_recipe(shared).image) == ("/app", "a")
    assert any("tests/Dockerfile is not read" in line for line in shared.not_honoured)
    toml = '[verifier]\nenvironment_mode = "separate"\n'
    apart = load_task(write_task(tmp_path / "p", toml=toml, files=files))
    assert (apart.workdir, list(provided_files(apart))) == ("/check", ["/truth/truth.json"])


def test_packages_of_the_image_that_the_verifier_asks_for(tmp_path: Path) -> None:
    dockerfile = "FROM x\nRUN pip install --no-cache-dir pytest==8.4.1 pandas==2.3.2 Pillow torch\n"
    files = {"environment/Dockerfile": dockerfile, "tests/test_a.py": "from PIL import Image\n"}
    script = "#!/bin/bash\npytest /tests/test_a.py -rA\necho 1 > /logs/verifier/reward.txt\n"
    task = load_task(write_task(tmp_path / "t", script=script, files=dict(files)))
    assert named_packages(task).requirements == ("Pillow", "pytest==8.4.1")
    (task.folder / "solution").mkdir()
    (task.folder / "solution/solve.py").write_text("import pandas as pd\n")
    assert named_packages(task).requirements == ("Pillow", "pandas==2.3.2", "pytest==8.4.1")
    runs = load_task(
        write_task(tmp_path / "r", toml="[verifier]\nruns_output = true\n", script=script, files=dict(files))
    )
    assert named_packages(runs).requirements == ("Pillow", "pandas==2.3.2", "pytest==8.4.1", "torch")


SUM = """#!/bin/bash
python3 - <<'EOF'
total = sum(int(line) for line in open("/app/data/a.csv"))
open("/logs/verifier/reward.txt", "w").write(str(int(open("/app/answer.txt").read() == str(total))))
EOF
"""


def test_a_verifier_finds_the_inputs_of_the_task(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {**CONTEXT, "environment/Dockerfile": "FROM x\nCOPY data /app/data\n"}
    files["solution/solve.sh"] = "cat /app/data/a.csv | tr -d '\\n' > /app/answer.txt\n"
    task = load_task(
        write_task(tmp_path / "t", instruction="Write the sum to /app/answer.txt.", script=SUM, files=files)
    )
    answer = tmp_path / "answer.txt"
    answer.write_text("1")
    assert adjudge.score(task, answer).reward == 1.0
    answer.write_text("5")
    wrong = adjudge.score(task, answer)
    assert (wrong.reward, outcome_of(wrong)) == (0.0, Outcome.WRONG)  # the solution passes, inputs included

    workspace = tmp_path / "whole"  # as the agent left it: it removed the inputs
    workspace.mkdir()
    (workspace / "answer.txt").write_text("1")
    assert adjudge.score(task, workspace).reward == 0.0


def test_a_solution_that_changes_nothing_convicts_nobody(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **CONTEXT,
        "environment/Dockerfile": "FROM x\nWORKDIR /app\nCOPY . .\n",
        "solution/solution.py": "def answer():\n    return 42\n",  # to be imported by something else
    }
    script = "#!/bin/bash\ngrep -q 42 /app/mine.txt\necho $((1 - $?)) > /logs/verifier/reward.txt\n"
    task = load_task(write_task(tmp_path / "t", instruction="Do it here.", script=script, files=files))
    mine = tmp_path / "mine.txt"
    mine.write_text("41")
    assert outcome_of(adjudge.score(task, mine)) is Outcome.WRONG


def test_a_solution_that_makes_a_program_keeps_it_one(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "environment/Dockerfile": "FROM x\nWORKDIR /app\n",
        "solution/solve.sh": "printf '#!/bin/sh\\necho 42\\n' > tool; chmod +x tool\n",
    }
    script = '#!/bin/bash\n[ "$(/app/tool)" = 42 ]\necho $((1 - $?)) > /logs/verifier/reward.txt\n'
    task = load_task(write_task(tmp_path / "t", instruction="Make a tool.", script=script, files=files))
    assert task.output.is_folder
    bad = tmp_path / "out"
    bad.mkdir()
    (bad / "tool").write_text("#!/bin/sh\necho 41\n")
    (bad / "tool").chmod(0o755)
    assert outcome_of(adjudge.score(task, bad)) is Outcome.WRONG
