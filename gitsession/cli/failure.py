"""What went wrong, as a person (or with --json a program) reads it, and its exit code."""

from __future__ import annotations

import contextlib
import errno
import os

from gitsession.cli.exit_codes import BUG, INTERRUPTED
from gitsession.cli.own_commands import repeated
from gitsession.errors import GitSessionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.cli.terminal import Terminal
    from gitsession.environment import Environment

_SYSTEM = frozenset({
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE,
    errno.EIO, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENOENT,
    errno.EFBIG, errno.ETXTBSY, errno.ENOTEMPTY,
})  # fmt: skip
"""What a file system may answer to a correct program; these are not bugs."""
_PLAIN = {errno.ENOENT: "there is no file {}", errno.EISDIR: "{} is a folder, not a file"}


def explain(
    error: BaseException, terminal: Terminal, environment: Environment, as_json: bool
) -> int:
    """Print an error to standard error and return its exit code."""
    expected = _expected(error)
    if expected is not None:
        return _print(expected, expected.exit_code, terminal, as_json)
    if isinstance(error, KeyboardInterrupt):
        return _print(GitSessionError("interrupted"), INTERRUPTED, terminal, as_json)
    path = write_bug_log(error, environment)
    where = f"attach {path} to a report: it contains none of your texts" if path else ""
    sentence = f"this is a bug in gitsession ({type(error).__name__})"
    return _print(GitSessionError(sentence, hint=where), BUG, terminal, as_json)


def _expected(error: BaseException) -> GitSessionError | None:
    if isinstance(error, GitSessionError):
        return error
    if isinstance(error, OSError) and error.errno in _SYSTEM:
        place = error.filename if isinstance(error.filename, str) else ""
        if place and error.errno in _PLAIN:
            return GitSessionError(_PLAIN[error.errno].format(place), hint="check the path")
        reason = os.strerror(error.errno)
        sentence = f"the file system refused {place}: {reason}" if place else reason
        return GitSessionError(sentence, hint="check the path, its permissions and the free space")
    return None


def _print(error: GitSessionError, code: int, terminal: Terminal, as_json: bool) -> int:
    error.hint = repeated(error.hint, terminal.program)
    error = _without_secrets(error)
    if as_json:
        from gitsession.render import json

        text = json.answer("error", {
            "error": str(error), "hint": error.hint, "exit_code": code,
            "kind": type(error).__name__, "candidates": error.candidates,
        })  # fmt: skip
    else:
        text = _sentences(error)
    with contextlib.suppress(OSError):  # perhaps the very error being reported
        terminal.stdout.flush()
    terminal.stderr.write(text)
    terminal.stderr.flush()
    return code


def _without_secrets(error: GitSessionError) -> GitSessionError:
    """Return the same error without secrets that were pasted in the wrong place."""
    from gitsession.redaction import redact_text

    made = type(error)(redact_text(str(error)), redact_text(error.hint))
    made.candidates = tuple(map(redact_text, error.candidates))
    return made


def _sentences(error: GitSessionError) -> str:
    from gitsession.render.safe import line as visible

    lines = [f"error: {error}", *(f"  {candidate}" for candidate in error.candidates)]
    if error.hint:
        lines.append(f"hint: {error.hint}")
    return "".join(visible(line) + "\n" for line in lines)


def write_bug_log(error: BaseException, environment: Environment) -> str:
    """Write frames, exception types and versions, but no message, value or argument; return the
    path, "" if that is not possible."""
    import time

    folder = environment.state_dir / "bugs"
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = folder / f"{moment}-{os.getpid()}-{id(error):x}.log"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write("\n".join([*_versions(), *_frames(error)]) + "\n")
    except OSError:
        return ""
    return str(path)


def _versions() -> list[str]:
    import platform
    from importlib import metadata

    lines = [f"python {platform.python_version()} on {platform.system()} {platform.machine()}"]
    for name in ("gitsession", "pygit2", "dulwich", "detect-secrets", "tiktoken"):
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name} not installed")
    return lines


def _frames(error: BaseException) -> list[str]:
    """Return the chain of exceptions, oldest first, each with the frames it passed through."""
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        block = ["", f"{type(current).__module__}.{type(current).__qualname__}"]
        trace = current.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            block.append(f"  {_short(code.co_filename)}:{trace.tb_lineno} in {code.co_name}")
            trace = trace.tb_next
        lines = block + lines
        current = current.__cause__ or current.__context__
    return lines


def _short(filename: str) -> str:
    """Return the path from the package on: the folders before it would name the user."""
    parts = filename.replace("\\", "/").split("/")
    for anchor in ("site-packages", "gitsession"):
        if anchor in parts:
            index = len(parts) - 1 - parts[::-1].index(anchor)
            return "/".join(parts[index + (anchor == "site-packages") :])
    return parts[-1]
