"""Private data that is not secret: network and e-mail addresses, host names, home folders, and the
user's own words. Searched for only on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from gitsession.redaction.patterns import Lazy

ADDRESS, HOST, EMAIL, HOME, WORD = "private-address", "host-name", "email", "home-path", "word"
CATEGORIES = (ADDRESS, HOST, EMAIL, HOME, WORD)

_IPV4 = Lazy(rb"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d]|\.\d)")
_IPV6 = Lazy(
    rb"(?<![\w:.])(?:[fF][cCdD][0-9a-fA-F]{2}|[fF][eE][89abAB][0-9a-fA-F])"
    rb":[0-9a-fA-F:]{2,40}(?![\w:])"
)
_EMAIL = Lazy(
    rb"(?<![\w.+-])[\w+-][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)
_HOST = Lazy(
    rb"(?<![\w.@/-])(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}"
    rb"(?:internal|intranet|corp|lan|local|localdomain|home\.arpa)(?![\w-]|\.\w)"
)
_HOME = Lazy(
    rb"(?<![\w.])(?:/home|/Users|/var/home|/export/home)/[^/\s\x22\x27\\:;,<>()\[\]{}|*?`$]{1,64}"
    rb"|[A-Za-z]:\\{1,4}Users\\{1,4}[^\\/\s\x22\x27:;,<>|*?]{1,64}"
)
_PATTERNS = ((HOST, _HOST), (EMAIL, _EMAIL), (HOME, _HOME))
_NOBODY = (b"git@", b"noreply@", b"no-reply@")
_SHARED_HOMES = (b"/Users/Shared", b"/home/linuxbrew")


def private_data(text: bytes, words: Sequence[bytes] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield (category, value) of everything private in a text, once per occurrence."""
    yield from ((ADDRESS, value) for value in _addresses(text))
    for category, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = match.group()
            if not value.startswith(_NOBODY) and value not in _SHARED_HOMES:
                yield category, value
    lower = text.lower() if words else b""
    for word in words:
        at = lower.find(word.lower())
        while at >= 0:
            yield WORD, text[at : at + len(word)]
            at = lower.find(word.lower(), at + len(word))


def private_spans(
    text: bytes, categories: AbstractSet[str], words: Sequence[str]
) -> list[tuple[int, int, str]]:
    """Spans of the private data of these categories."""
    found = []
    for category, value in dict.fromkeys(private_data(text, [word.encode() for word in words])):
        at = text.find(value) if category in categories else -1
        while at >= 0:
            found.append((at, at + len(value), category))
            at = text.find(value, at + len(value))
    return found


def _addresses(text: bytes) -> Iterable[bytes]:
    """Addresses of private networks; those of this machine itself reveal nothing."""
    import ipaddress

    for pattern in (_IPV4, _IPV6):
        for match in pattern.finditer(text):
            try:
                address = ipaddress.ip_address(match.group().decode())
            except ValueError:
                continue
            loose = address.is_loopback or address.is_unspecified or address.is_multicast
            if address.is_private and not loose and not _is_example(address.packed):
                yield match.group()


def _is_example(packed: bytes) -> bool:
    """Whether it is in a network reserved for documentation, `0.…`, or a broadcast address."""
    starts = (b"\xc0\x00\x02", b"\xc6\x33\x64", b"\xcb\x00\x71")
    return packed[:3] in starts or packed[0] in (0, 240, 255)
