"""Files that are withheld as a whole because of their names, and the values assigned in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gitsession.redaction.keynames import PASSWORD_WORDS, TOKEN_WORDS
from gitsession.redaction.patterns import Lazy
from gitsession.redaction.shapes import (
    is_code,
    is_filler,
    is_identifier,
    is_password,
    is_random,
)
from gitsession.redaction.words import is_wordy

_NAMES = frozenset((
    ".env", ".envrc", "credentials", "auth.json", ".netrc", "_netrc", ".npmrc", ".pypirc",
    ".pgpass", "kubeconfig", ".git-credentials", ".htpasswd",
))  # fmt: skip
_STARTS = (".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials.", ".credentials")
_ENDS = (".env", ".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".ppk",
         ".kubeconfig")  # fmt: skip
_PLACES = ("/.kube/config", "/.docker/config.json", "/.aws/credentials", "/.config/gh/hosts.yml")
_OPEN = (".example", ".sample", ".template", ".dist", ".pub")
_LINE = Lazy(
    rb"(?m)^[ \t]*(?:export[ \t]+|set[ \t]+)?[\x22\x27]?(?P<name>[A-Za-z_][A-Za-z0-9_.\-]{0,80})"
    rb"[\x22\x27]?[ \t]*[:=][ \t]*(?P<quote>[\x22\x27]?)(?P<value>[^\r\n]{4,4096})$"
)
_COMMENT = Lazy(rb"[ \t]+#.*$")
_PLAIN = Lazy(rb"(?:\w+\.)+\w+(?::\d+)?|/[\w./-]*|[\d.:, -]+|[a-z+]+://[^@]*")


@lru_cache(maxsize=1024)
def is_secret_path(path: str) -> bool:
    """Whether the content of this file is withheld (`.env`, keys, credential stores)."""
    lower = path.lower().replace("\\", "/")
    name = lower.rsplit("/", 1)[-1]
    if name.endswith(_OPEN):
        return False
    if name in _NAMES or name.startswith(_STARTS) or name.endswith(_ENDS):
        return True
    return f"/{lower}".endswith(_PLACES) or "/.ssh/id_" in f"/{lower}"


def assigned_values(data: bytes) -> Iterator[bytes]:
    """Yield the values of `NAME=value` or `name: value` lines that are worth masking elsewhere: not
    plain words, hosts, paths or numbers."""
    for match in _LINE.finditer(data):
        value, quote = match["value"].strip().rstrip(b",;"), match["quote"]
        value = value.split(quote, 1)[0] if quote else _COMMENT.sub(b"", value)
        if _is_worth_it(match["name"].lower(), value):
            yield value


def _is_worth_it(name: bytes, value: bytes) -> bool:
    if len(value) < 8 or is_filler(value) or _PLAIN.fullmatch(value) or is_code(value):
        return False
    if any(word in name for word in (*PASSWORD_WORDS, *TOKEN_WORDS)):
        return True
    if is_identifier(value) and is_wordy(value):
        return False
    return is_password(value, True) or is_random(value, 12)
