"""Law 1: no secret in any byte, wherever it stood and whenever the program died."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import random
import string
import time
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import LONG, Person, every_byte
from tests.builders import Claude
from tests.conftest import ROOT

_LETTERS = string.ascii_letters + string.digits
_KIT = Path(os.environ.get("GITSESSION_REDACTION_KIT", ROOT.parent / "shared" / "redaction"))


def fifteen(seed: int) -> dict[str, str]:
    """A made-up value of each kind, from halves, so that none ever stands in a file of ours."""
    chance = random.Random(seed)

    def some(length: int, letters: str = _LETTERS) -> str:
        return "".join(chance.choice(letters) for _ in range(length))

    return {
        "anthropic": "sk-" + "ant-api03-" + some(93) + "AA",
        "openai": "sk-" + "proj-" + some(74) + "T3Blb" + "kFJ" + some(74),
        "github fine-grained": "github" + "_pat_" + some(22) + "_" + some(59),
        "github classic": "gh" + "p_" + some(36),
        "supabase": "sb" + "_secret_" + some(31),
        "google": "AI" + "za" + "Sy" + some(33),
        "npm": "np" + "m_" + some(36),
        "hugging face": "h" + "f_" + some(34, string.ascii_letters),
        "aws": "AK" + "IA" + some(16, string.ascii_uppercase + "234567"),
        "slack": "xoxb-" + some(12, string.digits[1:]) + "-" + some(13, "123456") + "-" + some(24),
        "stripe": "sk" + "_live_" + some(24),
        "gitlab": "glp" + "at-" + some(20),
        "bearer": some(40),
        "dsn": "Pw" + some(14) + "9x",
        "private key": base64.b64encode(chance.randbytes(600)).decode(),
    }


def told(kind: str, value: str) -> str:
    """A value as a program prints it."""
    lines = "\n".join(value[at : at + 64] for at in range(0, len(value), 64))
    begin, end = "-----BEGIN RSA PRIV" + "ATE KEY-----", "-----END RSA PRIV" + "ATE KEY-----"
    return {
        "bearer": f"Authorization: Bearer {value}",
        "dsn": f"DATABASE_URL=postgres://app:{value}@db.internal:5432/app",
        "private key": f"{begin}\n{lines}\n{end}",
    }.get(kind, f'export KEY_OF_{kind.upper().replace(" ", "_")}="{value}"')


def pieces_of(kind: str, value: str) -> list[bytes]:
    """What may not be found: the value, of a key each of its lines."""
    if kind == "private key":
        return [value[at : at + 64].encode() for at in range(0, len(value) - 64, 64)]
    return [value.encode()]


def assert_gone(stored: bytes, planted: dict[str, str]) -> None:
    found = [kind for kind, value in planted.items() for one in pieces_of(kind, value)
             if one in stored]  # fmt: skip
    assert found == []


def test_A7_fifteen_kinds_in_one_tool_result_are_in_no_byte(person: Person) -> None:
    planted = fifteen(1)
    output = "\n".join(told(kind, value) for kind, value in planted.items())
    session = Claude(cwd=str(person.project))
    session.prompt("print the environment")
    session.bash("env", output)
    session.say("That is all.")
    agents = person.writes(session)
    done = person.types("save")
    assert done.code == 0, done
    assert_gone(done.out.encode() + done.err.encode(), planted)
    stored = person.everything_stored() + every_byte(
        person.environment.home, without=(person.environment.home / ".claude",)
    )
    assert_gone(stored, planted)
    assert stored.count(b"That is all.") >= 2, "both ways of looking see what is stored"
    assert agents.read_bytes() == session.data
    for line in person.raw().splitlines():
        json.loads(line)
    listed = person.types("show", "--findings", "--json")
    assert_gone(listed.out.encode(), planted)
    findings = listed.json["findings"]
    assert len({finding["placeholder"] for finding in findings}) >= len(planted)
    assert all(finding["rule"] and finding["place"] for finding in findings)
    assert_gone(person.types("show", "--findings").out.encode(), planted)


def test_A7_everything_of_the_kit(person: Person) -> None:
    """More kinds than here, made by a generator beside the project, where it is there."""
    script = _KIT / "gen.py"
    if not script.is_file():
        pytest.skip("no redaction kit")
    made = _kinds(script)
    planted: dict[str, str] = {}
    session = Claude(cwd=str(person.project))
    for number, (kind, tier, variable, _, make) in enumerate(made.T):
        value = make(made.R(4711 + number))
        if tier != "S" or not isinstance(value, str) or "\n" in value or len(value) < 16:
            continue
        planted[kind] = value
        session.prompt(f"print {variable}")
        session.bash("env", f"{variable}={value}\n")
        session.say("printed")
    assert len(planted) > 40
    person.writes(session)
    person.saves(single=True)
    stored = person.everything_stored()
    missed = [kind for kind, value in planted.items() if value.encode() in stored]
    assert len(missed) <= 0.005 * len(planted), missed


def _kinds(script: Path) -> Any:
    found = importlib.util.spec_from_file_location("redaction_kit", script)
    assert found is not None and found.loader is not None
    kit = importlib.util.module_from_spec(found)
    found.loader.exec_module(kit)
    return kit


def ten(person: Person) -> tuple[Claude, dict[str, str], str]:
    """A session with ten keys in all the places where one can stand, and the eleventh for -m."""
    values = list(fifteen(2).items())[:11]
    planted = dict(values)
    text, argument, output, file, title, branch, folder, name, error, picture, message = (
        value for _, value in values
    )
    session = Claude(cwd=str(person.project))
    session.extra = {"gitBranch": f"feature-{branch}"}
    session.prompt(f"my key is {text}, keep it")
    session.bash(f"curl -H 'X-Api-Key: {argument}' https://example.com", output)
    session.write(str(person.project / "settings.py"), f'API_KEY = "{file}"\n')
    session.write(str(person.project / folder / "a.py"), "x = 1\n")
    session.row(type="custom-title", customTitle=f"about {title}")
    session.result(session.call("Read", {"file_path": f"/tmp/{name}"}), error, error=True)
    session.say(f"Done with {picture}.")
    session.prompt("and again")
    session.say(f"The values were {text} {argument} {output}.")
    return session, planted, message


def test_G10_ten_planted_keys_are_in_no_byte(person: Person, tmp_path: Path) -> None:
    session, planted, message = ten(person)
    person.writes(session)
    done = person.types("save", "-m", f"deploy with {message}")
    assert done.code == 0, done
    tagged = person.types("tag", "decided", "-m", f"because of {message}")
    assert tagged.code == 0, tagged
    for name in (planted["anthropic"], planted["github classic"]):
        person.types("branch", name)
        person.types("tag", name)
        person.types("rename", "HEAD", f"title {name}")
        person.types("checkout", name)
        person.types("log", "--grep", name)
    without = (person.environment.home / ".claude", person.project)
    assert_gone(person.everything_stored() + every_byte(tmp_path, without), planted)
    person.is_sound()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40 if LONG else 6))
def test_G10_not_even_when_killed_in_a_save(person: Person, tmp_path: Path, seed: int) -> None:
    session, planted, message = ten(person)
    for number in range(40):
        session.turn(f"more {number}", "word " * 300 + planted["npm"])
    person.writes(session)
    (tmp_path / "tmp").mkdir()
    process = person.starts("save", "-m", message, TMPDIR=str(tmp_path / "tmp"))
    time.sleep(random.Random(seed).uniform(0.1, 0.9))
    process.kill()
    process.communicate()
    without = (person.environment.home / ".claude", person.project)
    assert_gone(every_byte(tmp_path, without), planted)
    person.is_sound()
    assert person.types("save").code == 0
    stored = every_byte(tmp_path, without)
    assert b"more 39" in stored
    assert_gone(stored, planted)


def test_planted_in_folder_sidecar_and_repeated_bare_later(person: Person, tmp_path: Path) -> None:
    """What was masked once is masked later too, also where nothing beside it says what it is."""
    planted = {kind: value for kind, value in fifteen(3).items() if kind != "private key"}
    folder = person.project / planted["gitlab"]
    folder.mkdir()
    session = Claude(cwd=str(folder))
    session.prompt("print")
    path = session.save(person.environment.home)
    beside = path.with_suffix("") / "tool-results"
    beside.mkdir(parents=True)
    (beside / "b1.txt").write_text("\n".join(told(k, v) for k, v in planted.items()))
    session.bash("env", f"<persisted-output>\nFull output saved to: {beside}/b1.txt\n")
    session.say("\n".join(told(kind, value) for kind, value in planted.items()))
    session.save(person.environment.home)
    assert person.types("save", session.session_id).code == 0
    kept = person.repository.session(session.session_id).sidecars
    assert [sidecar.path for sidecar in kept] == ["tool-results/b1.txt"]
    for value in planted.values():
        session.prompt(f"what was {value} for?")
        session.bash(f"echo {value}", f"{value}\n")
        session.say("It was a key.")
        session.save(person.environment.home)
        done = person.types("save", session.session_id)
        assert done.code == 0, done
    without = (person.environment.home / ".claude", person.project)
    assert_gone(person.everything_stored() + every_byte(tmp_path, without), planted)
    assert_only_values_are_gone(person, session)


def assert_only_values_are_gone(person: Person, session: Claude) -> None:
    for old, new in zip(session.rows, person.raw(session.session_id).splitlines(), strict=True):
        assert set(json.loads(old)) == set(json.loads(new))
