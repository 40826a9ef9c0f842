"""What Claude Code and Qwen Code share: the envelope of a record and the location of its file."""

from __future__ import annotations

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
"""A pattern that matches lower case only, unless the caller ignores case; see `is_uuid`."""
CONSTANTS = ("sessionId", "cwd", "version", "gitBranch")


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID.

    Checked without a pattern, whose compilation takes longer than finding a session.
    """
    dashes = text.count("-") == 4 and text[8:24:5] == "----"
    return len(text) == 36 and dashes and not text.lower().strip("0123456789abcdef-")


def utf16_units(text: str) -> list[int]:
    """Return the UTF-16 code units of a text, in which JavaScript counts."""
    if text.isascii():
        return list(text.encode())
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


def dashed(path: str) -> str:
    """Return a path as a folder name: all UTF-16 units but ASCII letters and digits are dashes."""
    return "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in utf16_units(path))


def moved_cwd(cwd: str, old: str, new: str, *, foreign: bool) -> str:
    """Return a record's folder in the project that the session moves to.

    A folder in the old project becomes the same place in the new one. Other folders are kept for
    the user's own sessions; `foreign` ones become the new project's.
    """
    old = old.rstrip("/")
    if cwd.rstrip("/") == old or not old:
        return new
    if cwd.startswith(old + "/") and "/../" not in cwd + "/":
        return new.rstrip("/") + cwd[len(old) :]
    return new if foreign else cwd
