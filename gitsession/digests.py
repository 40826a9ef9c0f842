"""Keyed hashes of short texts without loading OpenSSL, which would cost `log` and `list` more than
reading their sessions does. The bytes are those of `hmac` and `hashlib`; a test compares them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256  # CPython 3.11
        except ImportError:
            from hashlib import sha256

_BLOCK = 64


def keyed(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256 (RFC 2104)."""
    block = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in block) + data).digest()
    return sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()
