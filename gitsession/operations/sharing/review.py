"""review: what sharing a session would show, item by item, and the files that result from the
decisions. The store is never changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitsession.errors import FormatError, SecretsFound, UsageError
from gitsession.operations import show
from gitsession.operations.reading import export
from gitsession.redaction.private import CATEGORIES, private_data
from gitsession.redaction.spellings import KnownValues
from gitsession.render.words import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

SECRET = "secret"  # noqa: S105 - the name of a category
CHOICES = ("keep", "redact", "drop")
FORMATS = ("json", "md", "html")
_PLACES = 3


@dataclass(frozen=True, slots=True)
class Item:
    """One value that others would see. `shown` is the value itself for private data, the
    placeholder for a secret; `places` names the first of `count` occurrences."""

    category: str
    placeholder: str
    shown: str
    count: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """What one version contains; `values` must stay in memory."""

    version: Version
    session: Session
    items: tuple[Item, ...]
    values: Mapping[str, bytes]


def review(workspace: Workspace, version: Version, words: Sequence[str] = ()) -> Review:
    """Return everything in one version that a person may not want to share. Writes nothing."""
    session = show.session_of(workspace, version.id)
    scanner = workspace.redactor()
    rows: dict[tuple[str, bytes], list[str]] = {}
    own = [word.encode() for word in words if word]
    for place, data, bare in _material(session):
        for finding in scanner.findings_in(data.decode("utf-8", "replace")):
            rows.setdefault((SECRET, finding.placeholder.encode()), []).append(place)
        for category, value in private_data(bare, own):
            rows.setdefault((category, value), []).append(place)
    learned = {name: value for value, name in scanner.learned().items()}
    items, values = [], {}
    for (category, value), places in rows.items():
        if category == SECRET:
            placeholder = shown = value.decode()
            value = learned.get(placeholder, b"")
        else:
            placeholder, shown = scanner.named(value, category), value.decode("utf-8", "replace")
        first = tuple(dict.fromkeys(places))[:_PLACES]
        items.append(Item(category, placeholder, shown, len(places), first))
        values[placeholder] = value
    order = (SECRET, *CATEGORIES)
    items.sort(key=lambda item: (order.index(item.category), -item.count, item.shown))
    return Review(version, session, tuple(items), values)


def _material(session: Session) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield everything that an export shows: its place, the text as JSON, whose member names hint
    at secrets, and the bare text, since a JSON escape before a word would seem part of it."""
    bare = session._replace(files=(), messages=(), streams=(), sidecars=(), originals=())
    yield "metadata", _text(bare), _bare(bare)
    for number, message in enumerate(session.messages, 1):
        yield f"message {number}", _text(message), _bare(message)
    for file in session.files:
        path = file.path.encode("utf-8", "replace")
        yield f"file {file.path}", path, path
        if file.content is not None:
            yield f"file {file.path}", file.content, file.content


def _text(value: object) -> bytes:
    """Return all strings of a value as one JSON text, without escapes that would hide something."""
    from gitsession.render.json import plain

    return json.dumps(plain(value), ensure_ascii=False).encode("utf-8", "replace")


def _bare(value: object) -> bytes:
    """Return all strings of a value, one per line."""
    from gitsession.render.json import plain

    found: list[str] = []
    left = [plain(value)]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Mapping):
            left += reversed([text for pair in one.items() for text in pair])
        elif isinstance(one, list):
            left += reversed(one)
    return "\n".join(found).encode("utf-8", "replace")


def decisions_in(text: str) -> dict[str, str]:
    """Return the decisions in a file's text: a mapping from a placeholder, a category or `*` to
    keep, redact or drop. Raises FormatError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError("the file of decisions is not JSON") from error
    good = isinstance(document, dict) and all(choice in CHOICES for choice in document.values())
    if not good:
        raise FormatError(
            "the file of decisions is not a mapping to keep, redact or drop",
            hint='like {"secret": "redact", "email": "keep", "*": "redact"}',
        )
    return {str(name): str(choice) for name, choice in document.items()}


def decided(item: Item, decisions: Mapping[str, str]) -> str:
    """Return the decision for an item: its own, its category's, or the general one; "" if none."""
    for name in (item.placeholder, item.category, "*"):
        if name in decisions:
            return decisions[name]
    return ""


def reviewed(found: Review, decisions: Mapping[str, str], form: str = "json") -> bytes:
    """Return the export of a version as decided. Raises SecretsFound for what is undecided."""
    if form not in FORMATS:
        raise UsageError(f"there is no format {form}", hint="one of " + ", ".join(FORMATS))
    choices = {item.placeholder: decided(item, decisions) for item in found.items}
    open_items = [item for item in found.items if not choices[item.placeholder]]
    if open_items:
        raise SecretsFound(
            f"{plural(len(open_items), 'item')} not decided yet; nothing was written",
            hint="run gitsession review in a terminal, or give --decisions FILE",
            candidates=tuple(f"{item.category}  {item.placeholder}" for item in open_items),
        )
    values = found.values
    changed = [name for name, choice in choices.items() if choice != "keep"]
    if missing := [name for name in changed if not values[name]]:
        raise SecretsFound(
            "something cannot be taken out of an export by itself; nothing was written",
            hint="`gitsession redact --rewrite` removes it from the store",
            candidates=tuple(missing),
        )
    hidden = {values[name]: name for name in changed}
    dropped = [values[name] for name, choice in choices.items() if choice == "drop"]
    session = _without(found.session, dropped)
    made = export.rendered(found.version, session, form)
    data = made.encode("utf-8", "backslashreplace") if isinstance(made, str) else made
    return KnownValues(hidden).replace(data, in_json=form == "json") if hidden else data


def _without(session: Session, values: Sequence[bytes]) -> Session:
    """Return the session without the messages and file contents that hold one of these values."""
    if not values:
        return session
    known = KnownValues(dict.fromkeys(values, ""))

    def holds(message: Message) -> bool:
        return known.stands_in(_text(message))

    files = tuple(
        file._replace(content=None, reason="dropped")
        if file.content is not None and known.stands_in(file.content)
        else file
        for file in session.files
    )
    messages = tuple(one for one in session.messages if not holds(one))
    return session._replace(messages=messages, files=files)
