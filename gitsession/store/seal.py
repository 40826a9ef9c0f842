"""The seal of a version: a keyed hash in its message that proves "made by me, and unchanged"."""

from __future__ import annotations

from collections.abc import Sequence

from gitsession.digests import keyed

_TRAILER = "Gitsession-Seal: "
_LABEL = b"gitsession 1\0"


def mac(key: bytes, *parts: bytes) -> str:
    """HMAC-SHA256 over the parts, each prefixed with its length, as hex digits."""
    text = b"".join(b"%d:%s" % (len(part), part) for part in parts)
    return keyed(key, _LABEL + text).hex()


def sealed(key: bytes, tree: str, parents: Sequence[str], message: bytes) -> bytes:
    """Return the message with its seal as the last trailer."""
    body = normal(message)
    gap = b"" if _ends_in_trailers(body) else b"\n"
    value = mac(key, tree.encode(), " ".join(parents).encode(), body)
    return body + gap + _TRAILER.encode() + value.encode() + b"\n"


def verify(key: bytes, tree: str, parents: Sequence[str], message: bytes) -> bool:
    """Whether the last line of the message is the seal of the rest under `key`."""
    import hmac

    start = message.rfind(b"\n", 0, len(message) - 1) + 1
    line = message[start:]
    if not line.startswith(_TRAILER.encode()) or not line.endswith(b"\n"):
        return False
    claimed = line[len(_TRAILER) : -1]
    for body in (message[:start], message[: start - 1]):
        value = mac(key, tree.encode(), " ".join(parents).encode(), body)
        if hmac.compare_digest(value.encode(), claimed):
            return True
    return False


def unsealed(message: bytes) -> bytes:
    """Return the message without its last line if that is a seal."""
    start = message.rfind(b"\n", 0, len(message) - 1) + 1
    return message[:start] if message.startswith(_TRAILER.encode(), start) else message


def normal(message: bytes) -> bytes:
    """A commit message as git stores it: no NUL, exactly one final newline, not empty."""
    body = message.replace(b"\0", "\N{REPLACEMENT CHARACTER}".encode()).strip(b"\n")
    return (body or b"(no subject)") + b"\n"


def _ends_in_trailers(body: bytes) -> bool:
    _subject, found, rest = body.partition(b"\n\n")
    return bool(found) and rest.rpartition(b"\n\n")[2].startswith(b"Gitsession-")
