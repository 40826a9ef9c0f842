"""The program without its start-up: one Python process with everything loaded, a fork for each
command, so that thousands of them can be killed. `python -m tests.robustness.forking` serves it.

Beside it `Killer`: where `interposed.c` can be built, it counts and logs each call that changes
a file, in the program and in the git programs it starts, and kills them all before a chosen one.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import ROOT

SOURCE = Path(__file__).with_name("interposed.c")
NAMESPACES = ("unshare", "--uts", "--pid", "--fork", "--kill-child")
_CONTROL = "lll1000s1000s"
_TWO = "GITSESSION_TESTS_TWO"


class Ended(NamedTuple):
    """`code` is negative for a signal, as in `subprocess`."""

    code: int
    out: bytes
    err: bytes


class Killer:
    """The switchboard of the interposed library, shared with the programs under it."""

    def __init__(self, folder: Path) -> None:
        self.library = folder / "interposed.so"
        self._control, self._log = folder / "control", folder / "calls"
        command = ["gcc", "-shared", "-fPIC", "-O2", "-D_LARGEFILE64_SOURCE"]
        subprocess.run([*command, "-o", self.library, SOURCE, "-ldl"], check=True)
        self._root = b""
        self._write(0, 0, 0)

    @property
    def variables(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "DYING_CONTROL": str(self._control)}

    def arm(self, root: Path, at: int = 0) -> None:
        """From here on calls below `root` count; the `at`-th is not reached."""
        self._log.unlink(missing_ok=True)
        self._root = f"{root}/".encode()
        self._write(1, 0, at)

    def disarm(self) -> int:
        """How many calls there were."""
        count = int(struct.unpack_from("lll", self._control.read_bytes())[1])
        self._write(0, 0, 0)
        return count

    def calls(self) -> list[tuple[str, str, str]]:
        """What was done, in order: word, path, other path. Of a killed run what came before."""
        if not self._log.exists():
            return []
        rows = self._log.read_text(errors="surrogateescape").splitlines()
        return [(word, path, other) for word, path, other in (row.split("\t") for row in rows)]

    def _write(self, armed: int, count: int, at: int) -> None:
        data = struct.pack(_CONTROL, armed, count, at, self._root, str(self._log).encode())
        mode = "r+b" if self._control.exists() else "wb"
        with self._control.open(mode) as stream:
            stream.write(data)


def can_interpose() -> bool:
    return sys.platform == "linux" and shutil.which("gcc") is not None


class Server:
    """Starts the program by forking; one command at a time, or several that are waited for."""

    def __init__(self, killer: Killer | None = None, host: str = "", *, two: bool = False) -> None:
        """Of a machine called `host`, for which Linux and its administrator are needed. `two`:
        what is written as a pack is written by two processes, however little it is."""
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        variables |= killer.variables if killer else {}
        variables |= {_TWO: "1"} if two else {}
        self._killer = killer
        self._process = subprocess.Popen(
            [*named(host), sys.executable, "-m", "tests.robustness.forking"],
            env=variables, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def start(
        self, argv: tuple[str, ...], folder: Path, variables: dict[str, str], given: str = ""
    ) -> int:
        """The process number; it leads a process group of its own."""
        more = self._killer.variables if self._killer else {}
        return int(self._ask({"argv": list(argv), "folder": str(folder), "given": given,
                              "variables": {**variables, **more}})["pid"])  # fmt: skip

    def wait(self, pid: int) -> Ended:
        told = self._ask({"wait": pid})
        return Ended(told["code"], *(told[name].encode("latin-1") for name in ("out", "err")))

    def wait_any(self) -> tuple[int, Ended]:
        """Whichever of those that were started ends first."""
        told = self._ask({"wait": -1})
        ended = Ended(told["code"], *(told[name].encode("latin-1") for name in ("out", "err")))
        return told["pid"], ended

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait(timeout=30)


def named(host: str) -> list[str]:
    """What starts a program on a machine of that name, with process numbers of its own."""
    rename = f'hostname {host} && exec "$@"'
    return [*NAMESPACES, "sh", "-c", rename, "sh"] if host else []


def serve() -> None:
    _load()
    outputs: dict[int, tuple[int, int]] = {}
    for line in sys.stdin.buffer:
        question = json.loads(line)
        if "wait" in question:
            pid, status = os.waitpid(question["wait"], 0)
            while pid not in outputs:  # the first process of a machine inherits orphans
                pid, status = os.waitpid(question["wait"], 0)
            out, err = map(_content, outputs.pop(pid))
            code = os.waitstatus_to_exitcode(status)
            answer = {"pid": pid, "code": code, "out": out, "err": err}
        else:
            files = (os.memfd_create("out"), os.memfd_create("err"))
            pid = os.fork()
            if not pid:
                _run(question, files)
            outputs[pid] = files
            answer = {"pid": pid}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _load() -> None:
    """Everything that a command would import, and the tables that redaction builds."""
    import importlib
    import pkgutil

    from gitsession.redaction import redact_text

    for room in ("cli.commands", "cli", "operations", "store", "snapshot", "redaction", "render"):
        package = importlib.import_module(f"gitsession.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"gitsession.{room}.{module.name}")
    for name in ("gitsession.agents.claude_code", "gitsession.repository", "pygit2", "yaml"):
        importlib.import_module(name)
    redact_text("password: nothing-of-the-kind")
    if os.environ.get(_TWO):
        from gitsession.operations.saving import grow
        from gitsession.redaction import together

        grow.MUCH_BYTES = together.MUCH_BYTES = 0
        os.sched_getaffinity = lambda _: {0, 1}


def _content(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, size, 0)
    os.close(descriptor)
    return data.decode("latin-1")


def _run(question: dict[str, Any], files: tuple[int, int]) -> None:
    """The child: a process group of its own, its streams and variables, the program; no return."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(question["folder"])
    given = os.memfd_create("given")
    os.write(given, question["given"].encode())
    os.lseek(given, 0, os.SEEK_SET)
    for target, descriptor in enumerate((given, *files)):
        os.dup2(descriptor, target)
    os.environ.clear()
    os.environ.update(question["variables"])
    sys.stdin = open(0)  # noqa: SIM115
    sys.argv = ["gitsession", *question["argv"]]
    code = 3
    try:
        from gitsession.cli.main import entry

        entry()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
