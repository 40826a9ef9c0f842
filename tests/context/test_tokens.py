"""Counting tokens: without a network, linear, safe, and named."""

from __future__ import annotations

import hashlib
import socket
import time
from pathlib import Path

import pytest

from gitsession.context import ranks
from gitsession.context.known_counts import KnownCounts
from gitsession.context.tokens import (
    BLOCK,
    Tiktoken,
    claw_estimate,
    counter,
    lobe_estimate,
    opencode_estimate,
)
from gitsession.errors import UsageError

O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def test_ranks_come_from_the_package_once_and_not_from_the_network(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", _no_network)
    counting = counter("o200k_base", tables)
    assert counting.count("hello world") == 2
    assert counting.name == "tiktoken o200k_base"
    assert [path.name for path in tables.iterdir()] == [O200K]
    content = (tables / O200K).read_bytes()
    assert hashlib.sha256(content).hexdigest() == ranks._SHA256["o200k_base"]
    assert (tables / O200K).stat().st_mode & 0o077 == 0


def _no_network(*_: object, **__: object) -> None:
    raise AssertionError("nothing may be asked online")


def test_a_damaged_table_is_replaced_and_never_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", _no_network)
    (tmp_path / O200K).write_bytes(b"damaged")
    assert ranks._ensure("o200k_base", tmp_path)
    assert (tmp_path / O200K).stat().st_size > 3_000_000


def test_without_the_package_an_estimate_says_that_it_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "find_spec", lambda _: None)
    counting = counter("cl100k_base", tmp_path)
    assert counting.count("x" * 400) == 101
    assert counting.name == "bytes/4+1 (no tables of cl100k_base here)"


def test_the_variable_of_the_process_is_as_before(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/elsewhere")
    counter("o200k_base", tables).count("x")
    import os

    assert os.environ["TIKTOKEN_CACHE_DIR"] == "/elsewhere"


@pytest.mark.parametrize("letter", ["a", " ", "\n", "=", "字", "🙂"])
def test_a_megabyte_of_one_letter_is_linear_and_safe(tables: Path, letter: str) -> None:
    counting = counter("o200k_base", tables)
    counting.count("warm")
    begin = time.process_time()
    small = counting.count(letter * 2 * BLOCK)
    between = time.process_time()
    large = counting.count(letter * 10 * BLOCK)
    end = time.process_time()
    assert large == 5 * small
    assert end - between < max(0.2, 12 * (between - begin))
    assert end - begin < 20


def test_special_words_and_half_surrogates_are_only_text(tables: Path) -> None:
    counting = counter("o200k_base", tables)
    assert counting.count("<|endoftext|>") > 1
    assert counting.count("\ud800 and more" * 10) > 10


def test_a_panic_of_the_extension_becomes_an_estimate(tables: Path) -> None:
    counting = Tiktoken("o200k_base", tables)
    counting.count("x")

    class PanicException(BaseException):
        pass

    class Panicking:
        def encode_ordinary(self, text: str) -> list[int]:
            raise PanicException

    class Stopped:
        def encode_ordinary(self, text: str) -> list[int]:
            raise KeyboardInterrupt

    counting._encoding = Panicking()  # type: ignore[assignment]
    assert counting.count("y" * 100) == 26
    counting._encoding = Stopped()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        counting.count("z" * 100)


def test_what_was_counted_is_not_counted_again(tables: Path) -> None:
    counting = Tiktoken("o200k_base", tables)
    first = counting.count("some longer text " * 50)

    class Broken:
        def encode_ordinary(self, text: str) -> list[int]:
            raise AssertionError("counted again")

    counting._encoding = Broken()  # type: ignore[assignment]
    assert counting.count("some longer text " * 50) == first


def test_estimators_of_the_ancestors() -> None:
    assert [claw_estimate(text) for text in ("", "abc", "abcd", "会话")] == [1, 1, 2, 2]
    assert [opencode_estimate("x" * n) for n in (0, 1, 2, 5, 6, 400)] == [0, 0, 1, 1, 2, 100]
    assert opencode_estimate("🙂🙂") == 1
    assert lobe_estimate("x" * 400) == 125
    for name in ("bytes/4+1", "chars/4", "chars/4*1.25"):
        assert counter(name, Path("/nowhere")).name == name


def test_an_unknown_counter_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no token counter"):
        counter("p50k_base", Path("/nowhere"))


def counting(tables: Path, file: Path, key: bytes = b"k" * 32) -> Tiktoken:
    return Tiktoken("o200k_base", tables, KnownCounts(file, key))


def test_counts_outlive_the_process_and_the_table_is_not_even_loaded(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["a", "", "the cache " * 30, "字" * 100, "\ud800"]
    first = counting(tables, tmp_path / "counts")
    counted = [first.count(text) for text in texts]
    first.remember()
    assert (tmp_path / "counts").stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(Tiktoken, "_load", _no_network)
    again = counting(tables, tmp_path / "counts")
    assert [again.count(text) for text in texts] == counted
    assert again.name == "tiktoken o200k_base"


def test_counts_of_another_key_or_a_damaged_file_are_counted_anew(
    tables: Path, tmp_path: Path
) -> None:
    path = tmp_path / "counts"
    first = counting(tables, path)
    expected = first.count("the cache")
    first.remember()
    for damage in (b"", b"no such file\n", path.read_bytes()[:-3], path.read_bytes() + b"x" * 7):
        path.write_bytes(damage)
        assert counting(tables, path).count("the cache") == expected
        one = counting(tables, path)
        one.count("the cache")
        one.remember()
        assert KnownCounts(path, b"k" * 32).read()
    assert KnownCounts(path, b"o" * 32).name("x") != KnownCounts(path, b"k" * 32).name("x")


def test_estimates_that_stand_in_are_not_kept(tmp_path: Path) -> None:
    one = counting(tmp_path / "none", tmp_path / "counts")
    one._missing = True
    one.count("the cache")
    one.remember()
    assert not (tmp_path / "counts").exists()
