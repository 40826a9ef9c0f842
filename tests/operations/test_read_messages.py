"""What was read once is not read again, and says the same; whatever is wrong with it is noticed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from gitsession.agents import registry
from gitsession.context.build import STRATEGIES
from gitsession.context.entry import Context
from gitsession.environment import Environment
from gitsession.model.message import Message, Part, Usage
from gitsession.operations import read_messages, show
from gitsession.operations.sealed import Sealed
from gitsession.repository import Repository, open_repository
from tests.context.making import random_session
from tests.operations.conftest import LiveSession

WORD = "xylophone-decision"


@pytest.fixture(autouse=True)
def _short_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_messages, "LEAST", 1)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The versions whose records were read, one by one."""
    seen: list[str] = []
    whole = show.session_of

    def noted(workspace: object, commit: str) -> object:
        seen.append(commit)
        return whole(workspace, commit)  # type: ignore[arg-type]

    monkeypatch.setattr(show, "session_of", noted)
    return seen


@pytest.fixture
def talk(repository: Repository, live: LiveSession) -> Repository:
    for number in range(12):
        said = f"We decided to use {WORD} {number}. " + "so it is " * 40
        live.turn(f"step {number}: it must go on " + "with details " * 20, said, "output\n" * 80)
    repository.save()
    return repository


def file(environment: Environment) -> Path:
    (found,) = (environment.cache_dir / "messages").iterdir()
    return found


def contexts(environment: Environment) -> Iterator[Context]:
    """As a new process builds them."""
    for strategy in STRATEGIES:
        for budget in (900, 2_500, 100_000):
            with open_repository(environment) as repository:
                yield repository.context(budget=budget, strategy=strategy, keys=(3,))


def test_every_context_is_the_same_with_and_without_it(
    talk: Repository, environment: Environment, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Sealed, "read", lambda *_: None)
        without = list(contexts(environment))
    assert len(reads) == len(without) == 3 * len(STRATEGIES)
    assert list(contexts(environment)) == without
    assert len(reads) == len(without)
    del talk


_TEXTS = some.text(some.characters(categories=["L", "N", "P", "Z", "C"]), max_size=30)
_VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | _TEXTS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)
_PARTS = some.builds(
    Part, _TEXTS, _TEXTS, _TEXTS, _TEXTS, _VALUES, some.booleans(), some.booleans(), _VALUES
)
_NUMBERS = some.integers(0, 1 << 70)
_MESSAGES = some.builds(
    Message,
    _TEXTS,
    some.lists(_PARTS, max_size=3).map(tuple),
    _TEXTS,
    _TEXTS,
    _TEXTS,
    _TEXTS,
    some.integers(-1, 1 << 40),
    some.none() | some.builds(Usage, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS),
    some.dictionaries(_TEXTS, _VALUES, max_size=2),
)


@given(some.lists(_MESSAGES, max_size=4).map(tuple))
@settings(max_examples=150, deadline=None)
def test_messages_come_back_as_they_were(messages: tuple[Message, ...]) -> None:
    data = read_messages.as_bytes(messages, "{}")
    assert data
    again, head = read_messages.from_bytes(data)
    assert (again, head) == (messages, "{}")
    assert [type(one.usage) for one in again] == [type(one.usage) for one in messages]


def test_random_sessions_come_back_as_they_were() -> None:
    for seed in range(200):
        messages = random_session(seed).messages
        assert read_messages.from_bytes(read_messages.as_bytes(messages))[0] == messages


def test_a_value_that_is_none_of_json_is_not_remembered() -> None:
    odd = Message("user", (Part("opaque", native=object()),))
    assert read_messages.as_bytes((odd,)) == b""


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _turned(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes((data[middle] ^ 1,)) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage", [_cut, _turned, lambda data: data + b"x", lambda _: b"", lambda _: b"{}"],
    ids=["cut", "turned", "longer", "empty", "another"],
)  # fmt: skip
def test_a_damaged_file_is_as_none(
    talk: Repository, environment: Environment, reads: list[str], damage: Callable[[bytes], bytes]
) -> None:
    before = talk.context(budget=2_000)
    path = file(environment)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert talk.context(budget=2_000) == before
    assert len(reads) == 2
    assert path.read_bytes() == whole
    assert talk.context(budget=2_000) == before
    assert len(reads) == 2


def test_another_key_s_and_another_version_s_file_is_as_none(tmp_path: Path) -> None:
    mine, other = Sealed(tmp_path, b"k" * 32), Sealed(tmp_path, b"o" * 32)
    mine.write("one", b"content")
    other.write("one", b"theirs")
    assert (mine.read("one"), other.read("one"), mine.read("two")) == (b"content", b"theirs", None)
    ours, theirs = (tmp_path / sealed._path("one").name for sealed in (mine, other))
    theirs.write_bytes(ours.read_bytes())
    assert other.read("one") is None
    two = mine._path("two")
    two.write_bytes(ours.read_bytes())
    assert mine.read("two") is None


def test_a_folder_that_cannot_be_written_costs_time_only(
    talk: Repository, environment: Environment, reads: list[str]
) -> None:
    (environment.cache_dir / "messages").parent.mkdir(parents=True, exist_ok=True)
    (environment.cache_dir / "messages").write_text("a file stands here")
    assert talk.context(budget=2_000) == talk.context(budget=2_000)
    assert len(reads) == 2


def test_every_version_and_branch_has_its_own(
    talk: Repository, live: LiveSession, reads: list[str]
) -> None:
    first = talk.context(budget=100_000)
    live.turn("and one more", "Yes.")
    talk.save()
    second = talk.context(budget=100_000)
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[-1].text == "Yes."
    assert talk.context("HEAD~1", budget=100_000) == first
    assert talk.context("HEAD", budget=100_000) == second
    assert len(reads) == 2
    cut = talk.context("HEAD:4", budget=100_000)
    assert cut.messages == second.messages[:4]
    assert len(reads) == 2


def test_another_state_of_the_adapters_reads_anew(
    talk: Repository, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.context(budget=2_000)
    monkeypatch.setattr(read_messages, "__version__", "another")
    talk.context(budget=2_000)
    assert len(reads) == 2


def test_what_another_package_s_adapter_read_is_not_remembered(
    talk: Repository, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = registry.get("claude-code")
    others = {name: module for name, module in registry.MODULES.items() if name != "claude-code"}
    monkeypatch.setattr(registry, "MODULES", others)  # the table itself: its order is shown
    monkeypatch.setattr(registry, "get", lambda _: ours)
    assert talk.context(budget=2_000).messages
    assert not (environment.cache_dir / "messages").exists()


def test_nothing_of_the_session_can_be_read_in_it(
    talk: Repository, environment: Environment
) -> None:
    import zlib

    talk.context(budget=2_000)
    path = file(environment)
    data = path.read_bytes()
    assert WORD.encode() not in data
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for at in range(len(data) - 2):
        with pytest.raises(zlib.error):
            zlib.decompress(data[at : at + 200])
        if at > 100:
            break


def test_a_scrub_and_a_purge_leave_nothing_of_it(
    talk: Repository, environment: Environment
) -> None:
    folder = environment.cache_dir / "messages"
    talk.context(budget=2_000)
    assert list(folder.iterdir())
    values, _ = talk.plan_scrub(WORD)
    talk.scrub(values)
    assert not list(folder.iterdir())
    assert WORD not in str(talk.context(budget=100_000))
    assert list(folder.iterdir())
    session = talk.list(everything=True)[0].session
    talk.delete(session, purge=True)
    assert not list(folder.iterdir())


def test_what_may_not_be_shown_as_it_is_is_not_remembered(
    talk: Repository, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show, "is_suspect", lambda *_: True)
    talk.context(budget=2_000)
    assert not (environment.cache_dir / "messages").exists()


def test_a_key_tag_s_version_is_read_once(talk: Repository, reads: list[str]) -> None:
    talk.create_tag("chosen", "HEAD~3:2", key=True)
    first = talk.context(budget=1_500)
    assert len(reads) == 2
    assert talk.context(budget=1_500) == first
    assert len(reads) == 2


def test_the_folder_stays_within_its_size(tmp_path: Path) -> None:
    sealed = Sealed(tmp_path / "s", b"k" * 32, most=10_000)
    for number in range(9):
        sealed.write(str(number), bytes([number]) * 3_000)
        os.utime(sealed._path(str(number)), (number, number))
        if number >= 3:
            assert sealed.read("1") == b"\1" * 3_000  # what is used stays
            os.utime(sealed._path("1"), (number + 0.5, number + 0.5))
    there = [number for number in range(9) if sealed.read(str(number))]
    assert there == [1, 7, 8]
    assert sum(path.stat().st_size for path in (tmp_path / "s").iterdir()) <= 10_000


def test_an_empty_file_and_the_same_content_twice(tmp_path: Path) -> None:
    sealed = Sealed(tmp_path, b"k" * 32)
    sealed.write("", b"")
    assert sealed.read("") == b""
    sealed.write("a", b"same" * 50)
    sealed.write("b", b"same" * 50)
    first, second = (sealed._path(name).read_bytes() for name in "ab")
    assert first != second and first[-200:] == second[-200:]
    sealed.forget_all()
    assert [sealed.read(name) for name in ("", "a", "b")] == [None] * 3


def test_a_message_knows_what_it_knew(talk: Repository) -> None:
    """Through a whole store: ids, times, records, usage, what tools got and gave."""
    commit = talk.resolve().commit
    whole = show.session_of(talk._workspace, commit)
    first = read_messages.session_of(talk._workspace, commit)
    again = read_messages.session_of(talk._workspace, commit)
    assert first == again
    assert again.messages == whole.messages
    assert (again.info, again.state, again.counts) == (whole.info, whole.state, whole.counts)
