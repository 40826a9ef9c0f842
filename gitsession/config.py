"""The user's configuration: plain values from `config.yaml`, and the personal key next to it.

YAML is parsed once per change of the file. Other runs read a JSON copy from the cache folder, so
that fast commands and saves never load a YAML parser.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence

from gitsession.environment import Environment, say_nothing
from gitsession.errors import FormatError, UsageError, did_you_mean
from gitsession.files import OPEN_FILES_STAY, forget, make_private, overwrite, read, replace, sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEY_BYTES = 32

DEFAULTS: dict[str, Any] = {
    "author.name": "",
    "author.email": "",
    "capture.files": "touched",
    "capture.max_file_bytes": 1 << 20,
    "capture.max_save_bytes": 16 << 20,
    "save.durability": "fast",
    "redaction.key_file": "",
    "lock.timeout": 10.0,
    "context.estimator": "o200k_base",
    "context.summarizer": "",
    "snapshot.budget": 4096,
    "snapshot.startup": "nothing",
    "autosave.policy": "turn",
    "autosave.messages": 5,
}
"""Every setting with its default. The mappings (`_MAPPINGS`) are kept separately."""

_CHOICES = {
    "autosave.policy": ("turn", "messages", "tools", "messages+tools"),
    "capture.files": ("touched", "changed"),
    "save.durability": ("fast", "safe"),
    "snapshot.startup": ("nothing", "claim"),
}
"""Settings that accept only one of a few words."""

_SHOWN = 60
_MAPPINGS = ("bindings", "excluded", "trusted", "paused")


class Config:
    """Settings by dotted name. A plain class, because `log` and `list` read it too."""

    __slots__ = ("folder", "mappings", "unknown", "values")

    def __init__(
        self,
        folder: str,
        values: Mapping[str, Any],
        mappings: Mapping[str, dict[str, str]],
        unknown: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.unknown = tuple(unknown)
        """Sentences about names in the file that are not settings."""
        self.values = {**DEFAULTS, **values}
        self.mappings = {name: dict(mappings.get(name, {})) for name in _MAPPINGS}

    def __getitem__(self, name: str) -> Any:
        if name not in DEFAULTS:
            raise UsageError(
                f"there is no setting {name}",
                hint=did_you_mean(name, DEFAULTS) + "`gitsession config` lists them all",
            )
        return self.values[name]

    @property
    def author(self) -> tuple[str, str]:
        """Name and e-mail address for commits; neutral ones if the user has set none."""
        return (
            self.values["author.name"] or "gitsession",
            self.values["author.email"] or "gitsession@localhost",
        )

    def with_value(self, name: str, text: str) -> Config:
        """Return a copy with one setting changed; `text` is converted to the type of the default.
        Raises UsageError for an unknown setting or an unsuitable value."""
        default = self[name] if name not in DEFAULTS else DEFAULTS[name]
        try:
            value = text if isinstance(default, str) else type(default)(text)
        except ValueError as error:
            raise UsageError(f"{name} takes {_wanted(name)}, not {text!r}") from error
        if not _is_good(name, value):
            raise UsageError(f"{name} takes {_wanted(name)}, not {text!r}")
        return Config(self.folder, {**self.values, name: value}, self.mappings, self.unknown)

    def with_mapping(self, mapping: str, key: str, value: str | None) -> Config:
        """Return a copy with one entry of a mapping (`bindings`, `paused` …) set, or removed if
        `value` is None."""
        changed = dict(self.mappings[mapping])
        if value is None:
            changed.pop(key, None)
        else:
            changed[key] = value
        return Config(self.folder, self.values, {**self.mappings, mapping: changed}, self.unknown)

    def save(self) -> None:
        """Write `config.yaml`: values that differ from the defaults, and what is no setting."""
        import yaml

        document: dict[str, Any] = {
            name: value for name, value in sorted(self.values.items()) if value != DEFAULTS[name]
        }
        document.update({name: entries for name, entries in self.mappings.items() if entries})
        if self.unknown:
            there = _document(self.folder)
            document.update({name: there[name] for name in there if not _is_known(name)})
        make_private(self.folder)
        text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False) if document else ""
        overwrite(os.path.join(self.folder, "config.yaml"), text.encode())


def _is_good(name: str, value: Any) -> bool:
    """Whether a setting may have this value; where the default is a float, an integer will do."""
    default = DEFAULTS[name]
    if isinstance(default, str):
        return isinstance(value, str) and value in _CHOICES.get(name, (value,))
    kinds = (int, float) if isinstance(default, float) else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value < float("inf")


def _wanted(name: str) -> str:
    if name in _CHOICES:
        return f"one of {', '.join(_CHOICES[name])}"
    return {str: "a text", int: "a whole number", float: "a number"}[type(DEFAULTS[name])]


def load_config(environment: Environment) -> Config:
    """Load the user's settings. Raises FormatError if the file is not YAML, not a mapping, or holds
    an unsuitable value."""
    folder = environment.folder("config")
    try:
        status = os.stat(os.path.join(folder, "config.yaml"))
    except OSError:
        return Config(folder, {}, {})
    stamp = [status.st_mtime_ns, status.st_size, status.st_ino]
    cache = os.path.join(environment.folder("cache"), "config.json")
    try:
        cached = json.loads(read(cache))
        if cached["stamp"] == stamp:
            config = Config(folder, cached["values"], cached["mappings"], cached["unknown"])
            if config.unknown and not cached["told"] and _told(environment, config):
                _remember(cache, stamp, config, told=True)
            return config
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    config = _parse(folder)
    _remember(cache, stamp, config, told=_told(environment, config))
    return config


def _told(environment: Environment, config: Config) -> bool:
    """Report unknown names once per state of the file; return whether anybody listens (a hook does
    not)."""
    for sentence in config.unknown:
        environment.tell(sentence)
    return environment.tell is not say_nothing


def _is_known(name: object) -> bool:
    return name in DEFAULTS or name in _MAPPINGS


def _unknown(document: Mapping[Any, Any]) -> Iterator[str]:
    """Yield a sentence for each name that is not a setting."""
    for name, value in document.items():
        if _is_known(name):
            continue
        inside = [known for known in DEFAULTS if known.startswith(f"{name}.")]
        if inside and isinstance(value, dict):
            parts = [f"{name}.{key}" for key in value if f"{name}.{key}" in DEFAULTS] or inside
            meant = f"write {', '.join(parts)} as names of their own, with the dot"
        else:
            meant = did_you_mean(str(name), (*DEFAULTS, *_MAPPINGS)).strip()
        sentence = f"config.yaml: there is no setting {str(name)[:_SHOWN]}, so it is ignored"
        yield f"{sentence}; {meant}" if meant else sentence


def _document(folder: str) -> dict[Any, Any]:
    from gitsession.yaml_values import values_in

    path = os.path.join(folder, "config.yaml")
    try:
        document = values_in(read(path)) or {}
    except (OSError, ValueError) as error:
        raise FormatError(
            "the configuration file cannot be read as YAML", hint=f"check {path}"
        ) from error
    if not isinstance(document, dict):
        raise FormatError("the configuration file is not a mapping", hint=f"check {path}")
    return document


def _parse(folder: str) -> Config:
    document = _document(folder)
    path = os.path.join(folder, "config.yaml")
    values = {name: document[name] for name in DEFAULTS if name in document}
    for name, value in values.items():
        if not _is_good(name, value):
            raise FormatError(
                f"the setting {name} should be {_wanted(name)}", hint=f"correct it in {path}"
            )
    for name in _MAPPINGS:
        if not isinstance(document.get(name) or {}, dict):
            raise FormatError(
                f"the setting {name} should be a mapping", hint=f"correct it in {path}"
            )
    mappings = {
        name: {str(key): str(value) for key, value in document[name].items()}
        for name in _MAPPINGS
        if isinstance(document.get(name), dict)
    }
    return Config(folder, values, mappings, tuple(_unknown(document)))


def _remember(cache: str, stamp: list[int], config: Config, *, told: bool) -> None:
    document = {
        "stamp": stamp, "values": config.values, "mappings": config.mappings,
        "unknown": config.unknown, "told": told,
    }  # fmt: skip
    try:
        make_private(os.path.dirname(cache))
        replace(cache, json.dumps(document).encode())
    except OSError:
        return  # without the cache, loading is only slower


def load_key(environment: Environment, config: Config | None = None) -> bytes:
    """Return this user's 32-byte key, created on first use with mode 0600.

    The key names placeholders, keys every hash of unredacted bytes, and seals the user's own
    commits. A team may share one through `redaction.key_file`. Raises FormatError if the key has
    another size or the shared file does not exist.
    """
    shared = config["redaction.key_file"] if config else ""
    path = os.path.join(environment.folder("config"), "key")
    path = os.path.expanduser(shared) if shared else path
    try:
        key = read(path)
    except FileNotFoundError:
        if shared:
            raise FormatError(
                f"the shared key file {path} does not exist",
                hint="restore it, or give it up: gitsession config redaction.key_file ''",
            ) from None
        key = _make_key(path)
        if _has_store(environment):
            environment.tell(_NEW_KEY)
        return key
    hint = f"restore {path} from a backup; a new key makes your own versions look foreign"
    return checked_key(key, hint)


def checked_key(key: bytes, hint: str) -> bytes:
    """Return `key`. Raises FormatError with this hint if it does not have 32 bytes."""
    if len(key) != KEY_BYTES:
        raise FormatError(f"the key file has {len(key)} bytes instead of {KEY_BYTES}", hint=hint)
    return key


_NEW_KEY = (
    "the key was missing and a new one was made: what was saved with the old one counts as "
    "somebody else's; if you have a copy, put it back"
)


def _has_store(environment: Environment) -> bool:
    try:
        return any(name.endswith(".git") for name in os.listdir(environment.folder("data")))
    except OSError:
        return False


def _make_key(path: str) -> bytes:
    """Create the key exactly once, even if two processes start together or one is killed here."""
    from gitsession.files import Lock

    make_private(os.path.dirname(path))
    new = f"{path}.new"
    with Lock(new) as lock:
        if OPEN_FILES_STAY:
            if not os.path.exists(path):
                replace(path, os.urandom(KEY_BYTES), durable=True)
        elif not os.path.exists(path):
            os.ftruncate(lock.descriptor, 0)
            os.write(lock.descriptor, os.urandom(KEY_BYTES))
            sync(lock.descriptor)
            os.rename(new, path)
            return read(path)
    forget(new)  # no longer needed, or another process was faster
    return read(path)
