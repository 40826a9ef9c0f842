"""What a person sits at: output with or without colour, a pager, progress, questions.

Results go to standard output, everything said on the way (progress, questions, errors) to
standard error. Without a terminal the output is the same minus colour, pager and progress.
"""

from __future__ import annotations

import os
import time

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
        """Columns of the output; 100 where it is not a terminal."""
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
        """A result that is not text, as it is."""
        self.stdout.flush()
        binary = getattr(self.stdout, "buffer", None)
        if binary is None:
            self.stdout.write(data.decode("utf-8", "backslashreplace"))
        else:
            binary.write(data)
            binary.flush()

    def warn(self, text: str) -> None:
        """Something said beside the result."""
        self.stdout.flush()
        self.stderr.write(text + "\n")
        self.stderr.flush()

    # -- pager -----------------------------------------------------------------------------

    def open_pager(self) -> None:
        """From here on `write` goes through the user's pager, if there is a terminal."""
        if self._pager is not None or not self.may_page or not self.is_terminal:
            return
        chosen = self._environment.get("GITSESSION_PAGER", self._environment.get("PAGER", "less"))
        if chosen.strip() in ("", "cat"):
            return
        import shlex
        import subprocess

        words = shlex.split(chosen)
        variables = {"LESS": "-FRX", "LESSCHARSET": "utf-8", **self._environment.variables}
        try:
            self._pager = subprocess.Popen(
                words, stdin=subprocess.PIPE, text=True, encoding="utf-8",
                errors="backslashreplace", env=variables,
            )  # fmt: skip
        except OSError:
            self._pager = None

    def close_pager(self) -> None:
        """Wait until the reader is done; a pager that was quit early is no error."""
        pager, self._pager = self._pager, None
        if pager is None:
            return
        try:
            pager.communicate()
        except (BrokenPipeError, KeyboardInterrupt):
            pager.wait()

    # -- questions -------------------------------------------------------------------------

    def confirm(self, question: str, *, flag: str = "--yes") -> bool:
        """Ask; nobody there to answer is an error that names the flag which answers it."""
        if not self.interactive:
            raise UsageError(
                "this needs a confirmation, and there is no terminal to ask on",
                hint=f"run it again with {flag}",
            )
        self.stdout.flush()
        self.stderr.write(f"{question} [y/N] ")
        self.stderr.flush()
        return self.stdin.readline().strip().lower() in ("y", "yes")

    def ask_hidden(self, question: str) -> str:
        """A line that is not echoed and never becomes an argument."""
        if not self.interactive:
            raise UsageError(
                "this asks for a hidden value, and there is no terminal", hint="use --stdin"
            )
        import getpass

        return getpass.getpass(f"{question}: ", stream=self.stderr)  # type: ignore[arg-type]

    # -- progress --------------------------------------------------------------------------

    def progress(self) -> Progress:
        return Progress(self.stderr, _columns(self.stderr))


def _columns(stream: IO[str]) -> int:
    """How wide the terminal of a stream is, 0 where it has none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


class Progress:
    """One line on standard error that is redrawn; nothing where that is not a terminal.

    Called with `(done, total, what)`: any units, `total` 0 when it is not known. It keeps within
    `columns` cells: of a line that a terminal broke only the end could be drawn over.
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
