"""`REV:N` means the message, or is refused: no verb takes it for the whole version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Claude

from .conftest import Cli
from .scene import Scene


@pytest.mark.parametrize(
    "typed",
    [
        "log HEAD:2", "log HEAD~1:2..HEAD", "log HEAD..HEAD:2 --oneline", "stats HEAD:2",
        "show HEAD:2 --findings", "show HEAD:2 --tool-call toolu_1", "checkout HEAD:2 --raw out",
        "checkout HEAD:2 --clean", "fsck --session HEAD:2", "fsck --session HEAD:2 --repair",
        "review HEAD:2 --dry-run", "search cookies --session HEAD:2", "push HEAD:2",
    ],
)  # fmt: skip
def test_what_takes_whole_versions_refuses_a_message(scene: Scene, typed: str) -> None:
    scene.cli("save")
    scene.cli("remote", "add", "origin", str(scene.root / "r.git"))
    done = scene.cli(*typed.split())
    assert done.code == 2 and not done.out, done
    assert "hint: " in done.err
    assert not (scene.project / "out").exists()


@pytest.mark.parametrize("verb", ["rename HEAD:2 x", "archive HEAD:2", "delete HEAD:2 --yes"])
def test_a_message_is_no_session(scene: Scene, verb: str) -> None:
    scene.cli("save")
    assert scene.cli(*verb.split()).code == 12
    assert scene.cli("log").code == 0


@pytest.mark.parametrize("form", ["md", "html", "json", "lobe", "native"])
def test_an_export_ends_with_the_message(scene: Scene, form: str) -> None:
    scene.cli("save")
    whole = scene.cli("export", "HEAD", "--format", form).out
    done = scene.cli("export", "HEAD:4", "--format", form)
    assert done.code == 0, done
    assert "use cookies instead" in done.out and "write a login page" in done.out
    for later in ("Now it uses cookies", "deploy it", "Deployed."):
        assert later in whole and later not in done.out
    before = len(scene.cli("log", "--json").json["versions"])
    assert before == 3, "looking makes no version"


def test_an_export_up_to_the_last_message_is_the_whole(scene: Scene) -> None:
    scene.cli("save")
    count = len(scene.cli("show", "--json").json["session"]["messages"])
    for form in ("native", "json"):
        whole = scene.cli("export", "--format", form).out
        assert scene.cli("export", f"HEAD:{count}", "--format", form).out == whole
    assert scene.cli("export", f"HEAD:{count + 1}").code == 12


def test_an_export_holds_the_files_of_its_message(scene: Scene) -> None:
    """Message 3 ends the first turn, before the file was edited."""
    scene.cli("save")
    told = scene.cli("export", "HEAD:3", "--format", "json").out
    assert "'jwt'" in told and "'cookie'" not in told


def test_a_difference_between_messages(scene: Scene) -> None:
    scene.cli("save")
    done = scene.cli("diff", "HEAD:3", "HEAD:6")
    assert "use cookies instead" in done.out and "deploy it" not in done.out
    assert "login.py" in done.out
    assert done.out.splitlines()[0].count(":") == 2
    assert scene.cli("diff", "HEAD:6", "HEAD:6", "--exit-code").code == 0
    assert scene.cli("diff", "HEAD:3..HEAD:6").out == done.out
    assert scene.cli("diff", "HEAD:99", "HEAD").code == 12
    now = scene.cli("diff", "HEAD:6")
    assert "deploy it" in now.out and "use cookies" not in now.out


def test_the_raw_records_of_a_message(scene: Scene) -> None:
    scene.cli("save")
    whole = scene.cli("show", "--raw").out
    parts = []
    for number in range(1, 10):
        done = scene.cli("show", f"HEAD:{number}", "--raw")
        assert done.code == 0
        parts.append(done.out)
    assert "".join(parts) == whole and all(parts)
    assert "use cookies instead" in parts[3]
    told = scene.cli("show", "HEAD:4", "--raw", "--json").json["records"]
    assert "".join(told) == parts[3]


def test_a_checkout_of_a_message_in_a_damaged_version_takes_the_message(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--fallback: the version before still has message 1."""
    agent = Claude(cwd=cli.environment.cwd)
    for text in ("first", "second"):
        agent.prompt(text)
        agent.say(f"{text} done")
    agent.save(Path(cli.environment.home))
    cli("save")
    newest = cli("log", "--json").json["versions"][0]["id"]
    from gitsession.operations.checkouts import fallback

    real = fallback.damage
    monkeypatch.setattr(
        fallback, "damage", lambda w, commit: "bad" if commit == newest else real(w, commit)
    )
    done = cli("checkout", "HEAD:1", "--fallback", "--json")
    assert done.code == 0, done
    text = Path(done.json["checkout"]["path"]).read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    assert "first" in text and "first done" not in text, rows


def test_an_api_session_of_a_message_has_the_messages_up_to_it(scene: Scene) -> None:
    from gitsession.repository import open_repository

    scene.cli("save")
    repository = open_repository(scene.cli.environment)
    assert len(repository.session("HEAD:3").messages) == 3
    repository.close()
