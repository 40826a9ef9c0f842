"""Two names in a folder change places in one step, so that what a new file replaces can be looked
at before it is gone."""

from __future__ import annotations

import os
import sys

_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_SWAP = 2  # RENAME_EXCHANGE and RENAME_SWAP


def exchange(folder: int, one: str, other: str) -> bool:
    """`folder` is an open folder; False where the system, or the file system, cannot do it."""
    import ctypes

    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), _CALLS[sys.platform])
    except (AttributeError, KeyError, OSError):
        return False
    return bool(call(folder, os.fsencode(one), folder, os.fsencode(other), _SWAP) == 0)
