"""The deny list: scrubbed values that no later save, import or fetch may bring back.

It is a file in the user's configuration folder, outside every store, readable by its owner only,
and encrypted with a key derived from the user's key. That protects against accidental reading, not
against anyone with the user's rights.
"""

from __future__ import annotations

import base64
import hmac
import json
import os

from gitsession.errors import RedactionFailed
from gitsession.files import Lock, make_private, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cryptography.fernet import Fernet

    from gitsession.environment import Environment

NAME = "denied"
_LABEL = b"gitsession deny list"


def read(environment: Environment, key: bytes) -> list[tuple[bytes, str]]:
    """Return the denied values, each with its rule. Raises RedactionFailed if the list cannot be
    read with this key: a value that cannot be read could not be kept out."""
    path = environment.config_dir / NAME
    try:
        lines = path.read_bytes().split()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable() from error
    if not lines:
        return []
    from cryptography.fernet import InvalidToken

    box, found = _box(key), []
    for line in lines:
        try:
            row = json.loads(box.decrypt(line))
            found.append((base64.b64decode(row["value"]), str(row["rule"])))
        except (InvalidToken, ValueError, KeyError, TypeError) as error:
            raise _unreadable() from error
    return found


def add(environment: Environment, key: bytes, values: dict[bytes, str]) -> None:
    """Add values with their rules; a value that is already listed keeps its rule."""
    make_private(environment.config_dir)
    path = environment.config_dir / NAME
    with Lock(environment.config_dir / f"{NAME}.lock"):
        known = dict(read(environment, key))
        if not values.keys() - known.keys():
            return
        box = _box(key)
        rows = [
            {"value": base64.b64encode(value).decode(), "rule": rule}
            for value, rule in {**values, **known}.items()
        ]
        data = b"".join(box.encrypt(json.dumps(row).encode()) + b"\n" for row in rows)
        replace(path, data, mode=0o600)
        os.chmod(path, 0o600)


def _box(key: bytes) -> Fernet:
    from cryptography.fernet import Fernet

    own = hmac.digest(key, _LABEL, "sha256")
    return Fernet(base64.urlsafe_b64encode(own))


def _unreadable() -> RedactionFailed:
    return RedactionFailed(
        "the list of scrubbed values cannot be read with this key, so nothing was read or written",
        hint=f"restore the key it was made with, or move `{NAME}` out of the configuration folder",
    )
