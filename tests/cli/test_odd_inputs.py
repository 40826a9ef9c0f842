"""Whatever is typed, and whatever stands where ours should: one sentence, one hint, the right exit
code; never a bug."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli, Done
from .scene import Scene


def told(done: Done, code: int, *words: str) -> None:
    """An error that says these words."""
    assert done.code == code, done
    lines = [line for line in done.err.splitlines() if not line.startswith("  ")]
    assert [line.partition(":")[0] for line in lines] == ["error", "hint"], done
    for word in words:
        assert word in done.err, done


@pytest.fixture
def saved(scene: Scene) -> Scene:
    assert scene("save").code == 0
    return scene


@pytest.mark.parametrize("value", ["-1", "x", "", "1.5"])
@pytest.mark.parametrize(
    "words",
    [
        ("oplog", "-n"), ("log", "-n"), ("log", "--skip"), ("list", "--limit"), ("du", "--limit"),
        ("search", "x", "--limit"), ("events", "-n"), ("context", "--budget"),
        ("snapshot", "--budget"), ("compact", "--recent"),
        ("checkout", "HEAD", "--budget"),
    ],
)  # fmt: skip
def test_a_number_is_one_from_0_on(cli: Cli, words: tuple[str, ...], value: str) -> None:
    told(cli(*words, value), 2, f"takes a number, 0 or greater, not {value!r}")


@pytest.mark.parametrize(
    "words", [("undo",), ("log", "--at-op"), ("diff", "--at-op"), ("gc", "--keep-last")]
)
@pytest.mark.parametrize("value", ["0", "-1", "x"])
def test_a_number_is_one_from_1_on(cli: Cli, words: tuple[str, ...], value: str) -> None:
    told(cli(*words, value), 2, f"takes a number, 1 or greater, not {value!r}")


def test_what_is_wrong_with_an_option_is_a_sentence(cli: Cli) -> None:
    told(cli("export", "--format", "nope"), 2, "error: --format is one of md, html, json, ")
    told(cli("log", "-n"), 2, "error: --limit needs a value\n")
    told(cli("branch", "-m", "x"), 2, "error: -m needs 2 values\n")


@pytest.mark.parametrize("verb", ["log", "show", "diff", "export", "stats", "checkout", "context"])
def test_revisions_that_name_nothing(saved: Scene, verb: str) -> None:
    cli = saved.cli
    told(cli(verb, "HEAD~999"), 12, "fewer than 999 versions before", "gitsession log")
    told(cli(verb, "HEAD~3"), 12, "fewer than 3 versions before")
    told(cli(verb, "HEAD~2~1"), 12, "before this one")
    told(cli(verb, "0" * 40), 12, "no version 0000", "`gitsession log` the versions")
    told(cli(verb, "x" * 5000), 12, "nothing is named x", "…")
    assert len(cli(verb, "x" * 5000).err) < 500
    told(cli(verb, "HEAD:0"), 2, "start at 1", "gitsession show REV")
    told(cli(verb, "@0"), 12, "nothing was listed in this directory yet", "gitsession list")
    cli("list")
    told(cli(verb, "@0"), 12, "so there is no @0", "gitsession list")


@pytest.mark.parametrize("text", ["A..B", "HEAD..HEAD~1", "..", "HEAD.."])
def test_a_range_where_one_version_is_needed(saved: Scene, text: str) -> None:
    told(saved.cli("show", text), 2, "is a range", "gitsession diff")


def test_an_operation_before_the_first(saved: Scene) -> None:
    told(saved.cli("log", "--at-op", "99"), 12, "the log has no operation 99")


@pytest.mark.parametrize("verb", ["delete", "rename", "archive"])
def test_a_message_is_no_session(saved: Scene, verb: str) -> None:
    """`delete HEAD:2` must not take the whole session away."""
    words = {"delete": ("-y",), "rename": ("title",)}.get(verb, ())
    told(saved.cli(verb, "HEAD:2", *words), 12, "no session has that name")
    assert saved.cli("log").code == 0


@pytest.mark.parametrize("words", [("import", ""), ("exclude", ""), ("scan", ""), ("redact", "")])
def test_an_empty_path_is_not_the_directory(saved: Scene, words: tuple[str, ...]) -> None:
    """As of a variable that is not set."""
    done = saved.cli(*words)
    told(done, 12 if words[0] == "exclude" else 2)


def test_files_that_are_not_there(saved: Scene) -> None:
    cli, place = saved.cli, f"{saved.root}/nowhere"
    told(cli("import", place), 12, f"there is no file {place}")
    told(cli("verify-facts", place), 16, f"there is no file {place}")
    told(cli("redact", place), 16, f"there is no file {place}")
    told(cli("redact", str(saved.root)), 16, "is a folder, not a file")
    told(cli("export", "-o", f"{place}/x.md"), 16, f"there is no file {place}/x.md\n")
    told(cli("config", "trust", place), 12, f"there is no folder {place}")
    told(cli("clone", place), 15, "git ls-remote")
    assert "remote -v" not in cli("clone", place).err


@pytest.mark.parametrize("verb", ["save", "log", "list", "status", "fsck", "gc", "dir"])
def test_a_file_where_the_store_should_be(saved: Scene, verb: str) -> None:
    place = saved.root / "store.git"
    place.write_text("mine")
    told(saved.cli("--store", str(place), verb), 10, "is not a gitsession store", "move it away")
    assert place.read_text() == "mine"


def configured(cli: Cli, text: str) -> Path:
    folder = cli.environment.config_dir
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(text)
    return folder / "config.yaml"


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("lock.timeout: soon", "a number"), ("lock.timeout: -1", "a number"),
        ("lock.timeout: .nan", "a number"), ("capture.max_file_bytes: []", "a whole number"),
        ("capture.max_file_bytes: true", "a whole number"), ("author.name: 5", "a text"),
        ("save.durability: maybe", "one of fast, safe"), ("capture.files: no", "one of touched"),
    ],
)  # fmt: skip
def test_a_setting_of_the_wrong_kind(saved: Scene, setting: str, wanted: str) -> None:
    path = configured(saved.cli, setting + "\n")
    for verb in ("log", "save", "config"):
        told(saved.cli(verb), 17, f"should be {wanted}", str(path))
    assert saved.cli("doctor").code == 1


def test_a_number_without_a_fraction_is_one_all_the_same(saved: Scene) -> None:
    configured(saved.cli, "lock.timeout: 5\n")
    assert saved.cli("log").code == 0
    assert "lock.timeout = 5" in saved.cli("config").out


@pytest.mark.parametrize("value", ["x", "-1", "nan", "inf"])
def test_a_setting_is_not_set_to_what_no_verb_would_take(cli: Cli, value: str) -> None:
    told(cli("config", "lock.timeout", value), 2, "takes a number")
    told(cli("config", "save.durability", "x"), 2, "one of fast, safe")


def test_a_shared_key_that_is_gone_is_named(saved: Scene) -> None:
    configured(saved.cli, f"redaction.key_file: {saved.root}/team.key\n")
    told(saved.cli("log"), 17, f"{saved.root}/team.key does not exist", "key_file ''")


def test_doctor_goes_on_where_the_key_cannot_be_read(saved: Scene) -> None:
    key = saved.cli.environment.config_dir / "key"
    key.unlink()
    key.mkdir()
    done = saved.cli("doctor")
    assert done.code == 1
    assert f"{key} cannot be read" in done.out
    assert "hooks of claude-code" in done.out, "the other checks are made"


def test_doctor_names_rules_that_stand_in_the_way_of_a_save(saved: Scene) -> None:
    rules = saved.cli.environment.config_dir / "redaction.yaml"
    rules.write_text("rules: 5\n")
    saved.live()
    assert saved.cli("save").code in (0, 17)
    done = saved.cli("doctor", "--json")
    assert done.code == 1
    (check,) = [row for row in json.loads(done.out)["checks"] if row["name"] == "redaction"]
    assert check["level"] == "FAIL" and str(rules) in check["message"] and check["hint"]


def test_a_key_that_is_made_anew_beside_a_store_is_told(saved: Scene) -> None:
    (saved.cli.environment.config_dir / "key").unlink()
    done = saved.cli("log")
    assert done.code == 0
    assert done.err.startswith("note: the key was missing and a new one was made")
    assert saved.cli("log").err == ""


def test_the_filter_makes_the_key_and_no_store(cli: Cli) -> None:
    """One value gets one placeholder on this machine, whoever comes first."""
    secret = "password: hunter2hunter9\n"
    first = cli("redact", stdin=secret)
    assert first.code == 0 and "hunter2" not in first.out and first.err == ""
    assert (cli.environment.config_dir / "key").stat().st_size == 32
    assert not cli.environment.data_dir.exists()
    assert cli("redact", stdin=secret).out == first.out
