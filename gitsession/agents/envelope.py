"""What Claude Code and Qwen Code share: the envelope of a record and where its file lies."""

from __future__ import annotations

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
"""A pattern for whatever case; see `is_uuid`."""
CONSTANTS = ("sessionId", "cwd", "version", "gitBranch")


def is_uuid(text: str) -> bool:
    """Without a pattern, which takes longer to compile than to look for a session."""
    dashes = text.count("-") == 4 and text[8:24:5] == "----"
    return len(text) == 36 and dashes and not text.lower().strip("0123456789abcdef-")


def utf16_units(text: str) -> list[int]:
    """The units that JavaScript counts a text in."""
    if text.isascii():
        return list(text.encode())
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


def dashed(path: str) -> str:
    """A path as the name of a folder: every UTF-16 unit that is no ASCII letter or digit a dash."""
    return "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in utf16_units(path))


def moved_cwd(cwd: str, old: str, new: str, *, foreign: bool) -> str:
    """A record's folder in the project that the session moves to: below the old project the same
    place below the new one; others stay as they are in one's own sessions."""
    old = old.rstrip("/")
    if cwd.rstrip("/") == old or not old:
        return new
    if cwd.startswith(old + "/") and "/../" not in cwd + "/":
        return new.rstrip("/") + cwd[len(old) :]
    return new if foreign else cwd
