"""What a person sits in front of: output with or without colour, a pager, progress, questions.

Results go to standard output; everything else (progress, questions, errors) goes to standard error.
Without a terminal, the output is the same minus colour, pager and progress.
"""

from __future__ import annotations

import os
import time

from gitsession.cli.own_commands import PROGRAM, repeated
from gitsession.environment import find_program
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen
    from typing import IO

    from gitsession.environment import Environment

_REFRESH = 0.1
"""Seconds between two redraws of the progress line."""


class Terminal:
    """Three text streams and what may be done with them. `mode` is auto, always or never."""

    def __init__(
        self,
        stdin: IO[str],
        stdout: IO[str],
        stderr: IO[str],
        environment: Environment,
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self._environment = environment
        self._pager: Popen[str] | None = None
        self.mode = "auto"
        self.program = PROGRAM
        """How hints call this program; see `own_commands`."""
        self.may_page = True

    @property
    def is_terminal(self) -> bool:
        return self.stdout.isatty()

    @property
    def interactive(self) -> bool:
        """Whether somebody is there to answer a question."""
        return self.stdin.isatty() and self.stderr.isatty()

    @property
    def color(self) -> bool:
        if self.mode != "auto":
            return self.mode == "always"
        get = self._environment.get
        if get("NO_COLOR") or get("CLICOLOR") == "0":
            return False
        if get("CLICOLOR_FORCE", "0") != "0":
            return True
        return self.stdout.isatty() and get("TERM") != "dumb"

    @property
    def width(self) -> int:
        """Return the columns of the output; 100 if it is not a terminal."""
        columns = self._environment.get("COLUMNS")
        if columns.isdecimal() and int(columns) > 0:
            return int(columns)
        return _columns(self.stdout) or 100

    # -- results ---------------------------------------------------------------------------

    def write(self, text: str) -> None:
        out = self.stdout if self._pager is None or self._pager.stdin is None else self._pager.stdin
        out.write(text)

    def line(self, text: str = "") -> None:
        self.write(text + "\n")

    def write_bytes(self, data: bytes) -> None:
        """Write a result that is not text, unchanged."""
        self.stdout.flush()
        binary = getattr(self.stdout, "buffer", None)
        if binary is None:
            self.stdout.write(data.decode("utf-8", "backslashreplace"))
        else:
            binary.write(data)
            binary.flush()

    def warn(self, text: str) -> None:
        """Print something that is not part of the result."""
        self.stdout.flush()
        self.stderr.write(repeated(text, self.program) + "\n")
        self.stderr.flush()

    # -- pager -----------------------------------------------------------------------------

    def open_pager(self) -> None:
        """Send `write` output to the user's pager from now on, if there is a terminal."""
        if self._pager is not None or not self.may_page or not self.is_terminal:
            return
        chosen = self._environment.get("GITSESSION_PAGER", self._environment.get("PAGER", "less"))
        if chosen.strip() in ("", "cat"):
            return
        import shlex
        import subprocess

        if os.name == "nt":
            chosen = chosen.replace("\\", "/")  # a path separator there, not an escape character
        try:
            program, *words = shlex.split(chosen)
        except ValueError:  # an unclosed quote, or nothing at all
            return
        if not os.path.dirname(program):
            program = find_program(program, self._environment.variables, script=True)
        variables = {"LESS": "-FRX", "LESSCHARSET": "utf-8", **self._environment.variables}
        try:
            self._pager = subprocess.Popen(
                [program, *words], stdin=subprocess.PIPE, text=True, encoding="utf-8",
                errors="backslashreplace", env=variables,
            )  # fmt: skip
        except OSError:
            self._pager = None

    def close_pager(self) -> None:
        """Wait until the reader is done; quitting a pager early is no error."""
        pager, self._pager = self._pager, None
        if pager is None:
            return
        try:
            pager.communicate()
        except (BrokenPipeError, KeyboardInterrupt):
            pager.wait()

    # -- questions -------------------------------------------------------------------------

    def confirm(self, question: str, *, flag: str = "--yes") -> bool:
        """Ask yes or no. Raises UsageError, naming the flag to use, if nobody can answer."""
        if not self.interactive:
            raise UsageError(
                "this needs confirmation, but there is no terminal",
                hint=f"repeat the command with {flag}",
            )
        self.stdout.flush()
        self.stderr.write(f"{question} [y/N] ")
        self.stderr.flush()
        return self.stdin.readline().strip().lower() in ("y", "yes")

    def ask_hidden(self, question: str) -> str:
        """Ask for a line that is not echoed and never becomes an argument. Raises UsageError."""
        if not self.interactive:
            raise UsageError(
                "this asks for a hidden value, but there is no terminal", hint="use --stdin"
            )
        import getpass

        return getpass.getpass(f"{question}: ", stream=self.stderr)  # type: ignore[arg-type]

    # -- progress --------------------------------------------------------------------------

    def progress(self) -> Progress:
        return Progress(self.stderr, _columns(self.stderr))


def _columns(stream: IO[str]) -> int:
    """Return the width of a stream's terminal, 0 if it has none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


class Progress:
    """One line on standard error that is redrawn; nothing if that is not a terminal.

    Called with `(done, total, what)`: in any units, with `total` 0 if it is not known. The text is
    kept within `columns` cells: of a line that the terminal wraps, only the end could be redrawn.
    """

    def __init__(self, stream: IO[str], columns: int = 0) -> None:
        self._stream = stream
        self._room = min(columns or 80, 80) - 1
        self._live = stream.isatty()
        self._last = 0.0
        self._width = 0

    def __call__(self, done: int, total: int = 0, what: str = "") -> None:
        now = time.monotonic()
        if not self._live or now - self._last < _REFRESH:
            return
        self._last = now
        share = f"{100 * done // total:3d} %" if total else f"{done}"
        from gitsession.render import safe

        text = safe.short(f"{share}  {what}", self._room)
        self._stream.write("\r" + safe.pad(text, self._width))
        self._stream.flush()
        self._width = safe.cells(text)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
