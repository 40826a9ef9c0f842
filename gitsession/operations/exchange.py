"""Swap two names in a folder in one step, so that the file a new one replaces can be checked before
it is deleted."""

from __future__ import annotations

import os
import sys

_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_SWAP = 2  # RENAME_EXCHANGE and RENAME_SWAP


def exchange(folder: int, one: str, other: str) -> bool:
    """Swap two names in `folder`, an open descriptor; return False if the operating system or the
    file system cannot."""
    import ctypes

    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), _CALLS[sys.platform])
    except (AttributeError, KeyError, OSError):
        return False
    return bool(call(folder, os.fsencode(one), folder, os.fsencode(other), _SWAP) == 0)
