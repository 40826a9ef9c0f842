"""Hashes of short texts without loading OpenSSL.

Loading OpenSSL would cost `log`, `list` and an everyday `save` more than the hashing itself. For
long texts it is loaded, because it hashes eight times as fast. The digests are those of `hmac` and
`hashlib`; a test compares them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash, blake2b, sha1, sha256
else:
    try:
        from _blake2 import blake2b
        from _sha1 import sha1

        try:
            from _sha2 import sha256  # CPython 3.12 and newer
        except ImportError:
            from _sha256 import sha256  # CPython 3.11
    except ImportError:  # another Python implementation
        from hashlib import blake2b, sha1, sha256

__all__ = ["blake2b", "keyed", "quick_sha1", "sha1_for", "sha256"]

_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ mask for byte in range(256)) for mask in (0x36, 0x5C))
_LONG = 1 << 16


def keyed(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256 (RFC 2104)."""
    if len(data) > _LONG:
        import hmac

        return hmac.digest(key, data, "sha256")
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner = sha256(block.translate(_INNER) + data).digest()
    return sha256(block.translate(_OUTER) + inner).digest()


def sha1_for(size: int) -> _Hash:
    """A fresh SHA-1 object for data of about `size` bytes."""
    if size > _LONG or _loaded:
        return quick_sha1()(usedforsecurity=False)
    return sha1(usedforsecurity=False)


def quick_sha1() -> Callable[..., _Hash]:
    """The fast SHA-1 of OpenSSL, loaded on first use; once loaded it serves short texts too."""
    if not _loaded:
        import hashlib

        _loaded.append(hashlib.sha1)
    return _loaded[0]


_loaded: list[Callable[..., _Hash]] = []
