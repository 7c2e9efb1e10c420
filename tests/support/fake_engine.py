"""A stand-in for `docker` where no engine runs: the same words, obeyed through bubblewrap and nsenter.

`run` builds a place from the options it is given and nothing else; `exec` enters it; `rm` ends it. Options it
does not know are an error, so a wrong argument of the backend fails here as it would with an engine. What it
cannot do: images (the host's programs stand for one) and accounting of memory and processes.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

WITH_VALUE = {
    *("--name", "--network", "--user", "--cap-drop", "--security-opt", "--memory", "--memory-swap"),
    *("--pids-limit", "--ulimit", "--shm-size", "--hostname", "--mount", "--tmpfs", "--entrypoint", "--cpus"),
    *("--workdir", "--env", "--stop-signal"),
}
FLAGS = {"--detach", "--rm", "--read-only", "--interactive", "--force"}


def parse(arguments: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    options: dict[str, list[str]] = {}
    while arguments and arguments[0].startswith("-"):
        name = arguments.pop(0)
        if name in FLAGS:
            options[name] = []
        elif name in WITH_VALUE:
            options.setdefault(name, []).append(arguments.pop(0))
        else:
            sys.exit(f"unknown flag: {name}")
    return options, arguments


def run(state: Path, options: dict[str, list[str]], rest: list[str], bwrap: str) -> None:
    assert options["--network"] == ["none"]
    assert options["--cap-drop"] == ["ALL"]
    assert options["--security-opt"] == ["no-new-privileges"]
    assert {"--detach", "--rm", "--read-only"} <= options.keys()
    assert options["--memory"] == options["--memory-swap"]
    assert int(options["--pids-limit"][0]) > 0
    user, group = options["--user"][0].split(":")
    command = [
        bwrap,
        "--unshare-all",
        "--unshare-user",
        "--uid",
        user,
        "--gid",
        group,
        "--new-session",
        "--as-pid-1",
    ]
    command += ["--hostname", options["--hostname"][0], "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            command += ["--symlink", str(Path("/", name).readlink()), f"/{name}"]
    for name in ("alternatives", "ld.so.cache"):
        command += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    # bubblewrap's own --dev would need a second user namespace, which an ordinary user cannot enter
    command += ["--proc", "/proc", "--tmpfs", "/dev"]
    for name in ("null", "zero", "full", "random", "urandom"):
        command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}.items():
        command += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    for mount in options.get("--mount", []):
        fields = dict(part.partition("=")[::2] for part in mount.split(","))
        assert fields.keys() == {"type", "source", "target", "readonly"}
        command += ["--ro-bind", fields["source"], fields["target"]]
    for tmpfs in options["--tmpfs"]:
        target, _, flags = tmpfs.partition(":")
        values = dict(flag.partition("=")[::2] for flag in flags.split(","))
        size = int(values["size"].removesuffix("m")) << 20
        command += ["--perms", values["mode"], "--size", str(size), "--tmpfs", target]
    command += ["--remount-ro", "/", "--", *options["--entrypoint"], *rest[1:]]
    reading, writing = os.pipe()
    subprocess.Popen(
        [*command[:1], "--info-fd", str(writing), *command[1:]],
        pass_fds=[writing],
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # else whoever reads this program's errors would wait for the sleeper
        start_new_session=True,
    )
    os.close(writing)
    with os.fdopen(reading) as info:
        pid = json.load(info)["child-pid"]
    started = Path(f"/proc/{pid}/comm")
    until = time.monotonic() + 10
    while started.read_text() != f"{options['--entrypoint'][0]}\n" and time.monotonic() < until:
        time.sleep(0.002)
    record = {"pid": pid, "limits": options.get("--ulimit", [])}
    (state / options["--name"][0]).write_text(json.dumps(record))
    print(options["--name"][0])


def execute(state: Path, options: dict[str, list[str]], rest: list[str]) -> int:
    record = json.loads((state / rest[0]).read_text())
    folder = options.get("--workdir", ["/"])[0]
    enter = ["nsenter", "--target", str(record["pid"]), "--preserve-credentials"]
    enter += ["--user", "--mount", "--pid", "--net", "--ipc", "--uts", f"--wdns={folder}"]
    variables = options.get("--env", ["PATH=/usr/local/bin:/usr/bin:/bin"])
    drop = ["setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    for limit in record["limits"]:
        name, _, value = limit.partition("=")
        soft, hard = (int(part) for part in value.split(":"))
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (soft, hard))
    stdin = None if "--interactive" in options else subprocess.DEVNULL
    done = subprocess.run(
        [*enter, "--", *drop, "env", "-i", *variables, *rest[1:]],
        stdin=stdin,
        env={"PATH": os.environ["PATH"]},
    )
    return 128 - done.returncode if done.returncode < 0 else done.returncode


def main(state: Path, bwrap: str) -> int:
    verb, *arguments = sys.argv[1:]
    options, rest = parse(arguments)
    if verb == "version":
        return 0
    if verb == "run":
        run(state, options, rest, bwrap)
        return 0
    if verb == "exec":
        return execute(state, options, rest)
    if verb == "rm":
        record = state / rest[0]
        os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
        record.unlink()
        return 0
    sys.exit(f"docker: {verb!r} is not a docker command")
