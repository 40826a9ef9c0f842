"""Remotes of a store: names and addresses in its own configuration, and which may stand there."""

from __future__ import annotations

import re

from gitsession.errors import Conflict, NotFound, SecretsFound, UsageError
from gitsession.model.finding import Clean
from gitsession.store import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}").fullmatch
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"([A-Za-z0-9+.-]+)::")
_USER_PART = re.compile(r"(?<=://)[^/\s@]*(?=@)")
_QUERY = re.compile(r"(?i)([?&][^=&\s]*(?:token|password|secret|key|auth)[^=&\s]*=)[^&\s]+")
_LONGEST_USER = 20
"""Characters; longer names before the `@` of an https address are tokens."""


def every(store: Store) -> dict[str, str]:
    """Name and address of every remote, by name."""
    found = {}
    for line in _config(store, "--get-regexp", "-z", r"^remote\..*\.url$").split("\0"):
        key, newline, url = line.partition("\n")
        if newline:
            found[key[len("remote.") : -len(".url")]] = url
    return dict(sorted(found.items()))


def url(store: Store, name: str) -> str:
    """The address as it was given. Raises NotFound."""
    remotes = every(store)
    if name not in remotes:
        raise NotFound(
            f"there is no remote called {name}",
            hint="`gitsession remote -v` lists them, `gitsession remote add NAME URL` adds one",
            candidates=tuple(remotes),
        )
    return remotes[name]


def add(store: Store, name: Clean, address: Clean) -> None:
    """Raises UsageError for an impossible name or address, SecretsFound for one with a password or
    token in it, Conflict if the name is taken."""
    if not isinstance(name, Clean) or not isinstance(address, Clean):
        raise TypeError("name and address of a remote must be Clean")
    if not _NAME(name) or not names.is_ref(names.remote_ref(name, "x/y")):
        raise UsageError("not a name for a remote", hint="letters, digits, `-`, `_` and `.`")
    check(address)
    with store.lock("config"):
        if name in every(store):
            raise Conflict(
                f"a remote called {name} exists", hint=f"gitsession remote rm {name} forgets it"
            )
        _config(store, "--add", f"remote.{name}.url", address)
        _config(store, "--add", f"remote.{name}.fetch", f"+refs/heads/*:refs/remotes/{name}/*")
        _config(store, "--add", f"remote.{name}.tagOpt", "--no-tags")


def remove(store: Store, name: str) -> None:
    """Forget the address and what was fetched from it (undo brings the refs back)."""
    url(store, name)
    with store.transaction("remote-rm") as change:
        for prefix in (f"refs/remotes/{name}/", f"{names.REMOTE_TAGS}{name}/"):
            for ref, identity in store.refs(prefix).items():
                change.move(ref, identity, "")
    with store.lock("config"):
        _config(store, "--remove-section", f"remote.{name}")


def check(address: str) -> None:
    """Whether an address can be stored and handed to git: no option, no control character, no
    password, no token."""
    if not address or address.startswith("-") or not address.isprintable():
        raise UsageError("not the address of a git repository")
    scheme = _SCHEME.match(address)
    user = _USER_PART.search(address) if scheme else None
    name, _, password = (user[0] if user else "").partition(":")
    web = scheme is not None and scheme[1].lower() not in ("ssh", "git+ssh", "file")
    if password or (web and len(name) > _LONGEST_USER) or _QUERY.search(address):
        raise SecretsFound(
            "the address holds a password or token, which would be stored in the open",
            hint="leave it out; git asks its credential helper, or uses an ssh key",
        )


def protocol(address: str) -> str:
    """What git calls the way to this address: https, ssh, file, or a helper's name."""
    if helper := _HELPER.match(address):
        return helper[1].lower()
    if scheme := _SCHEME.match(address):
        return {"git+ssh": "ssh", "ssh+git": "ssh"}.get(scheme[1].lower(), scheme[1].lower())
    before_slash = address.partition("/")[0]
    return "ssh" if ":" in before_slash else "file"


def masked(text: str) -> str:
    """A text of git's or an address, without user names, passwords and tokens of addresses, and
    with nothing a terminal would act on."""
    text = _QUERY.sub(r"\1***", _USER_PART.sub("***", text))
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def _config(store: Store, *arguments: str) -> str:
    """`git config` on the store's file; the user's configuration is not looked at."""
    import subprocess

    command = store.git("config", "--file", f"{store.folder}/config", *arguments)
    result = subprocess.run(
        command, env=store.variables, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    if result.returncode not in (0, 1):
        raise Conflict("the store's configuration could not be changed", "is it locked?")
    return result.stdout.decode("utf-8", "replace")
