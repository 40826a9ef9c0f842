"""`save --all` of much: helper processes, and the same outcome as from one."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Source
from gitsession.environment import Environment
from gitsession.errors import RedactionFailed
from gitsession.model.history import HEADS
from gitsession.model.saved import Saved, Tally
from gitsession.operations.saving import crew, save
from gitsession.operations.saving.grown import Wishes
from gitsession.repository import Repository, open_repository
from gitsession.store import care
from tests.builders import Claude, a_uuid
from tests.codex_builder import Codex
from tests.pi_builder import Pi

TOKEN = "gh" + "p_" + "1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R"


@pytest.fixture
def machine(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """A HOME with sessions of three agents, and a file that is damaged."""
    monkeypatch.setattr(save, "MUCH", 1)
    for number in range(3):
        session = Claude(a_uuid(number), environment.cwd)
        for turn in range(3):
            session.turn(f"question {number}.{turn}", "text " * 400, command="ls")
        session.save(environment.home)
    Codex(cwd=environment.cwd).turn("one", f"the token is {TOKEN}").save(environment.home)
    Pi(cwd=environment.cwd).turn("two").turn("three").save(environment.home)
    damaged = Codex(a_uuid("damaged"), environment.cwd).save(environment.home)
    damaged.with_suffix(".jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd not what it seems")
    damaged.unlink()
    return environment


def refs(repository: Repository) -> dict[str, str]:
    return repository._workspace.store.refs(HEADS)


def test_helpers_make_the_same_versions_as_one_process(
    machine: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_repository(machine, store=tmp_path / "by-helpers") as repository:
        monkeypatch.setattr(save, "_helpers", lambda *_: 2)
        by_helpers = repository.save(everything=True)
        made = refs(repository)
    with open_repository(machine, store=tmp_path / "alone") as repository:
        monkeypatch.setattr(save, "_helpers", lambda *_: 1)
        alone = repository.save(everything=True)
        assert refs(repository) == made and len(made) == 5
    told = [one._replace(error="") for one in by_helpers.sessions]
    assert told == [one._replace(error="") for one in alone.sessions]
    assert sorted(one.outcome for one in told) == ["saved"] * 5 + ["unreadable"]
    assert sum(one.made for one in told) == 3 * 3 + 1 + 2


def test_helpers_leave_nothing_that_looks_killed(machine: Environment) -> None:
    with open_repository(machine) as repository:
        repository.save(everything=True)
        left = list((repository.store_path / "gitsession" / "running").iterdir())
        assert [path.name for path in left] == [repository._workspace.store.presence.owner]
        assert not repository.notices
    with open_repository(machine) as repository:
        repository.save()
        assert not repository.notices


def test_lost_bindings_are_found_again_with_one_look_at_the_tips(
    machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_repository(machine) as repository:
        repository.save(everything=True)
        made = refs(repository)
    for kind in ("native", "state"):
        shutil.rmtree(repository.store_path / "gitsession" / kind)
    for number in range(3):
        session = Claude(a_uuid(number), machine.cwd)
        for turn in range(4):
            session.turn(f"question {number}.{turn}", "text " * 400, command="ls")
        session.save(machine.home)
    looks = []
    monkeypatch.setattr(save, "_helpers", lambda *_: 1)
    with open_repository(machine) as repository:
        store, real = repository._workspace.store, repository._workspace.store.tips
        monkeypatch.setattr(store, "tips", lambda prefix: looks.append(prefix) or real(prefix))
        report = repository.save(everything=True)
        assert looks.count(HEADS) <= 1
        assert refs(repository).keys() == made.keys()
        assert sum(one.made for one in report.sessions) == 3
        looks.clear()
        repository.save(everything=True)
        assert looks.count(HEADS) <= 1


def test_a_session_that_comes_without_a_binding_meanwhile_is_not_made_twice(
    machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save that was killed between its refs and its binding, while many are being saved."""
    session = Claude(a_uuid(0), machine.cwd)
    session.turn("question 0.0", "text").save(machine.home)
    with open_repository(machine) as repository:
        repository.save((session.session_id,))
        made = refs(repository)
        workspace = repository._workspace
        workspace.natives_of_tips = {}  # as it was read before that save
        for kind in ("native", "state"):
            shutil.rmtree(repository.store_path / "gitsession" / kind)
        session.turn("question 0.1", "text").save(machine.home)
        source = next(iter(registry.get("claude-code").find(
            machine, native_id=session.session_id)))  # fmt: skip
        saved = save.save_one(workspace, source, Wishes(keep_head=True), anew=False)
        assert saved.outcome == "saved" and refs(repository).keys() == made.keys()
        assert f"refs/heads/{saved.branch}" in made


def test_progress_tells_sessions_bytes_and_what_was_masked(machine: Environment) -> None:
    tallies: list[Tally] = []
    with open_repository(machine) as repository:
        report = repository.save(everything=True, progress=tallies.append)
    assert [tally.done for tally in tallies] == list(range(7))
    assert tallies[0].total == 6 and tallies[0].size == 0
    assert tallies[-1].size == tallies[-1].total_size > 10_000
    assert tallies[-1].masked == sum(len(one.findings) for one in report.sessions) > 0


def test_sessions_with_nothing_new_write_nothing(machine: Environment) -> None:
    def written(store: Path) -> dict[str, int]:
        """Objects may be touched: that keeps them from a collector."""
        found = (path for path in store.rglob("*") if path.is_file())
        names = {str(path.relative_to(store)): path.stat().st_mtime_ns for path in found}
        return {name: 0 if name.startswith("objects/") else at for name, at in names.items()
                if not name.startswith("gitsession/locks/")}  # fmt: skip

    with open_repository(machine) as repository:
        repository.save(everything=True)
        with care.settled(repository._workspace.store):
            pass  # what it packs in the background is packed
    before = written(machine.data_dir / "store.git")
    with open_repository(machine) as repository:
        repository.save(everything=True)
    assert written(machine.data_dir / "store.git") == before


def test_what_is_saved_already_needs_no_helpers(
    machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_repository(machine) as repository:
        repository.save(everything=True)
        monkeypatch.setattr(crew, "Crew", None)
        again = repository.save(everything=True)
    assert {one.outcome for one in again.sessions} == {"nothing", "unreadable"}


def test_a_helper_that_dies_takes_one_session_with_it(machine: Environment) -> None:
    with open_repository(machine) as repository:
        helper = crew.Helper(repository._workspace, Wishes())
        good, helper._command = helper._command, [sys.executable, "-c", "raise SystemExit(7)"]
        source = _source_of(machine)
        died = helper.save(source)
        assert (died.outcome, died.native_id) == ("unreadable", source.native_id)
        assert "(7)" in died.error
        helper._command = good
        assert helper.save(source).outcome == "saved"
        assert helper.stop() == -signal.SIGKILL


def _source_of(environment: Environment) -> Source:
    from gitsession.agents import registry

    return next(iter(registry.get("pi").find(environment)))


def test_what_the_helper_raises_is_raised_here() -> None:
    def fails(source: Source, wishes: Wishes) -> Saved:
        assert source.path == Path("/there") and wishes.single
        raise RedactionFailed("the detector failed", "run doctor")

    source = Source("pi", "id", Path("/there"), 3, 5, streams={"subagents/a": Path("/a")})
    answers = io.BytesIO()
    questions = io.BytesIO(crew._line(Wishes(single=True)) + crew._written(source))
    crew.serve(fails, questions, answers)
    with pytest.raises(RedactionFailed, match="the detector failed") as raised:
        crew._read(answers.getvalue())
    assert raised.value.hint == "run doctor"


def test_sources_of_one_native_session_belong_together() -> None:
    names = ["a", "b", "a", "c"]
    sources = [Source("pi", name, Path(f"/{n}"), 1, 0) for n, name in enumerate(names)]
    assert crew._jobs(sources) == [[0, 2], [1], [3]]


def test_killed_in_the_middle_it_goes_on_where_it_stopped(environment: Environment) -> None:
    sessions = [Claude(a_uuid("large", number), environment.cwd) for number in range(6)]
    for session in sessions:
        for turn in range(30):
            session.turn(f"question {turn}", f"{session.session_id} {turn} " * 1500)
        session.save(environment.home)
    command = [sys.executable, "-P", "-m", "gitsession", "save", "--all"]
    started = subprocess.Popen(
        command, env=environment.variables, cwd=environment.cwd, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    store = environment.data_dir / "store.git"
    log = store / "gitsession" / "oplog.jsonl"
    while started.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= 2):
        time.sleep(0.005)
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL
    again = subprocess.run(
        [*command, "--json"], env=environment.variables, cwd=environment.cwd,
        capture_output=True, check=True,
    )  # fmt: skip
    outcomes = [one["outcome"] for one in json.loads(again.stdout)["report"]["sessions"]]
    assert outcomes.count("saved") >= 1 and set(outcomes) <= {"saved", "nothing"}
    with open_repository(environment, create=False) as repository:
        for session in sessions:
            branch = next(
                ref for ref in refs(repository) if session.session_id in _native(repository, ref)
            )
            versions = repository.log(branch.removeprefix(HEADS), limit=0)
            assert len(list(versions)) == 30
    assert subprocess.run(["git", "-C", store, "fsck", "--strict"], check=False).returncode == 0


def _native(repository: Repository, ref: str) -> str:
    store = repository._workspace.store
    return store.version(store.ref(ref)).trailers["Session"]


def test_a_crew_that_is_given_up_starts_nothing_new(machine: Environment) -> None:
    with open_repository(machine) as repository:
        helper = crew.Helper(repository._workspace, Wishes())
        helper.end()
        assert helper.save(_source_of(machine)).outcome == "busy"
        assert helper._process is None


def test_a_bug_in_one_session_stops_no_other(
    machine: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saved alone, it is a bug as any other."""
    monkeypatch.setattr(save, "_helpers", lambda *_: 1)
    attempts = save._attempts

    def stumbles(workspace: object, agent: object, source: Source, wishes: Wishes) -> Saved:
        if source.agent == "codex":
            raise RecursionError(TOKEN)
        return attempts(workspace, agent, source, wishes)  # type: ignore[arg-type]

    monkeypatch.setattr(save, "_attempts", stumbles)
    with open_repository(machine) as repository:
        told = {one.agent: one for one in repository.save(everything=True).sessions}
        assert told["codex"].outcome == "unreadable" and "RecursionError" in told["codex"].error
        assert told["pi"].outcome == told["claude-code"].outcome == "saved"
        assert TOKEN not in repr(told)
        with pytest.raises(RecursionError):
            repository.save((), agent="codex")
