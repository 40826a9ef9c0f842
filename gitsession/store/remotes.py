"""Remotes of a store: names and addresses in its own configuration, and which are allowed."""

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
_ASIDE = "removed-remote"
"""The section that keeps the settings of a removed remote for an undo."""
_LONGEST_USER = 20
"""Characters; a longer user name before the `@` of an https address is a token."""


def every(store: Store) -> dict[str, str]:
    """Address of every remote by name, sorted."""
    found = {}
    for line in _config(store, "--get-regexp", "-z", r"^remote\..*\.url$").split("\0"):
        key, newline, url = line.partition("\n")
        if newline:
            found[key[len("remote.") : -len(".url")]] = url
    return dict(sorted(found.items()))


def url(store: Store, name: str) -> str:
    """The address of a remote, as it was given. Raises NotFound."""
    remotes = every(store)
    if name not in remotes:
        raise NotFound(
            f"there is no remote called {name}",
            hint="`gitsession remote -v` lists them, `gitsession remote add NAME URL` adds one",
            candidates=tuple(remotes),
        )
    return remotes[name]


def add(store: Store, name: Clean, address: Clean) -> None:
    """Add a remote. Raises UsageError for an invalid name or address, SecretsFound for an address
    with a password or token, Conflict if the name is taken."""
    if not isinstance(name, Clean) or not isinstance(address, Clean):
        raise TypeError("name and address of a remote must be Clean")
    if not _NAME(name) or not names.is_ref(names.remote_ref(name, "x/y")):
        raise UsageError("not a name for a remote", hint="letters, digits, `-`, `_` and `.`")
    check(address)
    with store.lock("config"):
        if name in every(store):
            raise Conflict(
                f"a remote called {name} exists", hint=f"`gitsession remote rm {name}` removes it"
            )
        _config(store, "--add", f"remote.{name}.url", address)
        _config(store, "--add", f"remote.{name}.fetch", f"+refs/heads/*:refs/remotes/{name}/*")
        _config(store, "--add", f"remote.{name}.tagOpt", "--no-tags")


def remove(store: Store, name: str, directory: str = "") -> None:
    """Forget the address and the refs fetched from it; undo and `bring_back` restore them."""
    url(store, name)
    with store.transaction("remote-rm", directory) as change:
        for prefix in (f"refs/remotes/{name}/", f"{names.REMOTE_TAGS}{name}/"):
            for ref, identity in store.refs(prefix).items():
                change.move(ref, identity, "")
    set_aside(store, name)


def set_aside(store: Store, name: str) -> None:
    """Remove a remote, but keep its address until it is brought back or set aside again."""
    with store.lock("config"):
        if _config(store, "--get-regexp", rf"^{_ASIDE}\.{re.escape(name)}\."):
            _config(store, "--remove-section", f"{_ASIDE}.{name}")
        _config(store, "--rename-section", f"remote.{name}", f"{_ASIDE}.{name}")


def bring_back(store: Store, name: str) -> None:
    """Make a remote of what was set aside, unless another one has taken its name."""
    with store.lock("config"):
        if name not in every(store) and _config(
            store, "--get-regexp", rf"^{_ASIDE}\.{re.escape(name)}\."
        ):
            _config(store, "--rename-section", f"{_ASIDE}.{name}", f"remote.{name}")


def check(address: str) -> None:
    """Check that an address can be stored and handed to git: no option, control character, password
    or token. Raises UsageError, SecretsFound."""
    if not address or address.startswith("-") or not address.isprintable():
        raise UsageError("not the URL of a git repository")
    scheme = _SCHEME.match(address)
    user = _USER_PART.search(address) if scheme else None
    name, _, password = (user[0] if user else "").partition(":")
    web = scheme is not None and scheme[1].lower() not in ("ssh", "git+ssh", "file")
    if password or (web and len(name) > _LONGEST_USER) or _QUERY.search(address):
        raise SecretsFound(
            "the URL contains a password or token, which would be stored in plain text",
            hint="leave it out; git asks its credential helper, or uses an ssh key",
        )


def protocol(address: str) -> str:
    """git's name for the protocol of this address: https, ssh, file, or the name of a helper."""
    if helper := _HELPER.match(address):
        return helper[1].lower()
    if scheme := _SCHEME.match(address):
        return {"git+ssh": "ssh", "ssh+git": "ssh"}.get(scheme[1].lower(), scheme[1].lower())
    before_slash = address.partition("/")[0]
    return "ssh" if ":" in before_slash else "file"


def masked(text: str) -> str:
    """Mask user names, passwords and tokens in addresses within a text (git's output, for
    instance), and replace characters that a terminal would interpret."""
    text = _QUERY.sub(r"\1***", _USER_PART.sub("***", text))
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def _config(store: Store, *arguments: str) -> str:
    """Run `git config` on the store's file, ignoring the user's. Raises Conflict if it fails."""
    import subprocess

    command = store.git("config", "--file", f"{store.folder}/config", *arguments)
    result = subprocess.run(
        command, env=store.variables, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    if result.returncode not in (0, 1):
        raise Conflict("the store's configuration could not be changed", "is it locked?")
    return result.stdout.decode("utf-8", "replace")
