"""checkout --reveal: values come back from the live source, nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.errors import Conflict
from gitsession.repository import Repository
from tests.acceptance.conftest import every_byte
from tests.operations.conftest import LiveSession, goes_on

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join("MIIEowIBAAKCAQEA7" + f"{n}bXq9Zr4TtYw2Kc8Lp0Vd5Ns1Hf6Gj3Qe" * 1 for n in range(12))
    + "\n-----END RSA PRIVATE KEY-----"
)


def three(repository: Repository, live: LiveSession) -> None:
    live.turn(f"export GITHUB_TOKEN={TOKEN}", "ok", tool=PEM)
    live.turn("nested", json.dumps({"token": TOKEN, "key": PEM})).turn("third", "ok")
    repository.save()


def test_values_come_back_from_the_live_source(repository: Repository, live: LiveSession) -> None:
    three(repository, live)
    masked = repository.checkout("HEAD~1", branch="masked")
    assert TOKEN not in Path(masked.path).read_text() and masked.masked
    made = repository.checkout(f"{masked.branch}", branch="open", reveal=True)
    path = Path(made.path)
    text = path.read_text()
    assert text.count(TOKEN) >= 2 and json.dumps(PEM)[1:-1] in text
    assert all(json.loads(line) for line in text.splitlines())
    assert path.stat().st_mode & 0o777 == 0o600
    assert any("filled in" in repair for repair in made.repairs)
    assert TOKEN.encode() not in every_byte(repository.store_path)


def test_the_session_goes_on_and_stays_masked(repository: Repository, live: LiveSession) -> None:
    three(repository, live)
    made = repository.checkout("HEAD~1", reveal=True)
    tip = repository.version(made.branch).id
    goes_on(made.path, made.native_id, live.cwd).turn("and now", f"bare {TOKEN} again")
    saved = repository.save((made.native_id,)).sessions[0]
    assert (saved.outcome, saved.branch) == ("saved", made.branch)
    assert repository.version(made.branch).parents == (tip,)
    assert TOKEN.encode() not in every_byte(repository.store_path)


def test_a_source_that_is_gone_or_changed_gives_nothing(
    repository: Repository, live: LiveSession
) -> None:
    three(repository, live)
    data = live.path.read_bytes()
    live.path.write_bytes(data.replace(TOKEN.encode(), b"x" * len(TOKEN)))
    made = repository.checkout("HEAD~1", reveal=True)
    text = Path(made.path).read_text()
    assert TOKEN not in text and "x" * len(TOKEN) not in text and "__REDACTED_" in text
    live.path.unlink()
    made = repository.checkout("HEAD", branch="later", reveal=True)
    assert "PRIVATE KEY-----\\n" not in Path(made.path).read_text()


def test_foreign_sessions_are_never_filled(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    three(repository, live)
    monkeypatch.setattr(type(repository._store), "is_own", lambda *_: False)
    with pytest.raises(Conflict, match="somebody else"):
        repository.checkout("HEAD", reveal=True, trust=True)
