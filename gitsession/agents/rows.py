"""The rows of a JSONL session on their way out: kept as text, changed member by member."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gitsession.agents.json_edit import Member, edited, members
from gitsession.agents.lenient import compact, split_objects, text_of
from gitsession.model.record import Record

Row = dict[str, Any]
UUID_LINKS = ("parentUuid", "logicalParentUuid", "leafUuid")


@dataclass(slots=True)
class OutRow:
    """One object of the native file.

    `row` is its value as it will be written, `text` its original text; `changes` holds the
    differences (JSON text, or None to leave the member out).
    """

    text: str
    row: Row
    members: list[Member]
    changes: dict[str, str | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return text_of(self.row.get("uuid"))

    def set(self, key: str, value: object) -> None:
        """Change a member that is present; an absent one stays absent."""
        if key in self.row and self.row[key] != value:
            self.row[key] = value
            self.changes[key] = compact(value)

    def drop(self, key: str) -> None:
        if key in self.row:
            del self.row[key]
            self.changes[key] = None

    def drop_all(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.drop(key)

    def render(self) -> bytes:
        return edited(self.text, self.members, self.changes).encode("utf-8", "replace") + b"\n"


def new_row(row: Mapping[str, Any]) -> OutRow:
    text = compact(row)
    found, value = members(text)
    return OutRow(text, value, found)


class Repairs:
    """What was changed, counted by sentence; `{}` in one is the number, `{s}` the plural."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def note(self, sentence: str, count: int = 1) -> None:
        if count:
            self._counts[sentence] += count

    def texts(self) -> tuple[str, ...]:
        return tuple(
            sentence.replace("{}", str(number)).replace("{s}", "s" * (number > 1))
            for sentence, number in self._counts.items()
        )


def load(records: Iterable[Record], repairs: Repairs) -> list[OutRow]:
    """Return one row per object: glued ones are separated, anything else is left out."""
    from gitsession.agents.lenient import mend_surrogates

    rows: list[OutRow] = []
    for record in records:
        repairs.note("{} half surrogate{s} replaced", mend_surrogates(record.data)[1])
        texts, damaged = split_objects(record.data)
        if damaged:
            torn = not record.data.endswith(b"\n")
            what = "torn last line" if torn else "{} damaged record{s}"
            repairs.note(f"{what} left out" if not texts else "{} damaged record{s} mended")
        if len(texts) > 1:
            repairs.note("{} glued line{s} taken apart")
        for text in texts:
            found, value = members(text)
            rows.append(OutRow(text, value, found))
    return rows


def lighten(rows: list[OutRow], repairs: Repairs) -> None:
    """Replace images that are too much for one request by notes (see `pictures`)."""
    from gitsession.agents.pictures import lighter

    messages, told = lighter([row.row.get("message") for row in rows])
    for row, message in zip(rows, messages, strict=True):
        if message is not row.row.get("message"):
            row.set("message", message)
    if told:
        repairs.note(told)


def without(
    rows: list[OutRow],
    gone: Iterable[OutRow],
    *,
    name: str = "uuid",
    links: tuple[str, ...] = UUID_LINKS,
) -> list[OutRow]:
    """Return the rows that stay; links to removed rows lead to their nearest kept ancestor.

    `name` is the member that names a row; `links` are the members that name another row, the one
    for the parent first.
    """
    ids = {id(row) for row in gone}
    if not ids:
        return rows
    above = {text_of(row.row.get(name)): row.row.get(links[0]) for row in rows if id(row) in ids}
    above.pop("", None)
    kept = [row for row in rows if id(row) not in ids]
    for row in kept:
        for key in links:
            row.set(key, _led_on(row.row.get(key), above))
    return kept


def _led_on(name: object, above: Mapping[str, object]) -> object:
    seen: set[object] = set()
    while isinstance(name, str) and name in above and name not in seen:
        seen.add(name)
        name = above[name]
    return name


def derived_id(native_id: str, *what: str) -> str:
    """Return a UUID for a row that we add; one session under one id always gives the same one."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\n".join((native_id, *what))))
