"""gc: what is kept and why, what goes, and that nothing goes by itself."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, StoreBusy, UsageError
from gitsession.model.care import Keep
from gitsession.model.history import HEADS, UNDO
from gitsession.repository import Repository, open_repository
from gitsession.store import seal
from gitsession.store.objects import LooseObjects
from tests.builders import Claude, a_uuid
from tests.operations.conftest import LiveSession, assert_clean

DAYS, EACH = 30, 5


class Daily(Claude):
    """Turns on a day of a month, from noon on."""

    day = 0

    def time(self, number: int) -> str:
        moment = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
        moment += datetime.timedelta(days=self.day, seconds=number)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def a_month(environment: Environment, each: int) -> Daily:
    """So many finished turns on every day, on one branch."""
    session = Daily(a_uuid("month"), cwd=environment.cwd)
    for day in range(DAYS):
        session.day = day
        for number in range(each):
            session.turn(f"day {day} turn {number}", f"answer {number} " * 20)
    session.save(Path(environment.home))
    return session


@pytest.fixture
def month(environment: Environment, repository: Repository) -> Repository:
    """Thirty days with a version each."""
    a_month(environment, 1)
    repository.save()
    return repository


def test_G8_gc_makes_a_bulk_save_small(environment: Environment, repository: Repository) -> None:
    """A bulk save writes whole objects into one pack, and git compares none that lie in one."""
    session = a_month(environment, 10)
    repository.save()
    before = versions(repository)
    done = repository.gc()
    assert done.after < done.before * 0.6
    assert versions(repository) == before and not list(repository.fsck())
    assert repository.gc().after == done.after
    session.turn("one more", "answer")
    session.save(Path(environment.home))
    repository.save()
    assert repository.gc().after < done.after + (8 << 10)


def versions(repository: Repository, revision: str = "HEAD") -> list[str]:
    return [version.id for version in repository.log(revision, limit=0)]


def raw(repository: Repository, revision: str = "HEAD") -> bytes:
    target = repository.store_path.parent / "raw"
    repository.checkout_raw(revision, str(target))
    data = target.read_bytes()
    target.unlink()
    return data


def test_G24_a_month_of_days(environment: Environment, repository: Repository) -> None:
    """30 days x 5 versions, --keep-daily 7: 7 remain, and what is tagged, and tips of branches."""
    a_month(environment, EACH)
    repository.save()
    month = repository
    before = month.log("HEAD", limit=0)
    assert len(before) == DAYS * EACH
    month.create_tag("why", "HEAD~100")
    month.create_branch("aside", "HEAD~120")
    contents = {name: raw(month, name) for name in ("HEAD", "HEAD~100", "HEAD~5", "HEAD~120")}
    tagged, aside, sixth = before[100].id, before[120].id, before[5].id
    plan = month.plan_gc(Keep(daily=7))
    assert len(month.log("HEAD", limit=0)) == DAYS * EACH, "a plan changes nothing"
    assert len(plan.going) == DAYS * EACH - 9 and plan.freed > 0
    why = {fate.id: fate.reasons for fate in plan.fates}
    branch = month.head()
    assert why[tagged] == (f"tag {branch.partition('/')[0]}/why",)
    assert f"day 2026-01-30 of {branch}" in why[before[0].id]
    done = month.gc(Keep(daily=7))
    assert (done.versions, len(month.log("HEAD", limit=0))) == (DAYS * EACH - 9, 9)
    days = [time.strftime("%d", time.gmtime(one.time)) for one in month.log("HEAD", limit=7)]
    assert days == ["30", "29", "28", "27", "26", "25", "24"]
    assert raw(month) == contents["HEAD"]
    assert raw(month, "why") == contents["HEAD~100"]
    assert raw(month, sixth[:12]) == contents["HEAD~5"]
    assert raw(month, "aside") == contents["HEAD~120"]
    assert month.resolve(aside).commit == versions(month, "aside")[0]
    assert done.after < done.before
    with pytest.raises(NotFound) as refused:
        month.resolve(before[1].id)
    assert "removed by gc" in str(refused.value)
    assert month.resolve(before[0].id[:12]).commit[:12] in (month.version("HEAD").id[:12],)
    assert month.fsck() == []
    again = month.gc(Keep(daily=7))
    assert (again.versions, again.rewritten) == (0, 0)


def test_a_save_goes_on_after_a_thinning(month: Repository, environment: Environment) -> None:
    """The hint is mended, or the records are compared: no turn is doubled or lost."""
    month.gc(Keep(last=3))
    session = a_month(environment, 1)
    session.turn("one more")
    session.save(Path(environment.home))
    (saved,) = month.save().sessions
    assert len(saved.versions) == 1
    assert raw(month) == session.data
    for folder in (month.store_path / "gitsession" / "state").glob("*"):
        folder.unlink()
    session.turn("and one").save(Path(environment.home))
    (saved,) = month.save().sessions
    assert len(saved.versions) == 1
    assert raw(month) == session.data
    assert month.version("HEAD").trailers["Version"] == str(DAYS + 2)
    assert month.fsck() == []


def test_rules_add_up_and_weeks_are_weeks(month: Repository) -> None:
    plan = month.plan_gc(Keep(last=2, weekly=3))
    kept = [fate for fate in plan.fates if fate.reasons and fate.branch]
    assert len(kept) == 4
    assert {reason.partition(" of ")[0] for fate in kept for reason in fate.reasons} >= {
        "last", "week 2026-W05", "week 2026-W04", "week 2026-W03",
    }  # fmt: skip
    tips = [fate for fate in month.plan_gc(Keep(tagged=True)).fates if fate.reasons]
    assert [fate.number for fate in tips] == [DAYS, DAYS + 1], "the tip and its open tail"
    with pytest.raises(UsageError):
        month.plan_gc(Keep(last=-1))


def test_CM21_nothing_goes_by_itself(month: Repository, environment: Environment) -> None:
    """However old, and however often anything is run: only an explicit gc with a rule removes."""
    before = versions(month)
    plan = month.plan_gc()
    assert not plan.going and not plan.fates
    month.gc()
    assert versions(month) == before
    moment = time.time() - 400 * 86400
    for path in month.store_path.rglob("*"):
        os.utime(path, (moment, moment), follow_symlinks=False)
    with open_repository(environment) as again:
        again.save()
        again.list(everything=True)
        again.status()
        again.gc()
        assert versions(again) == before


def test_age_is_that_of_the_last_activity(month: Repository) -> None:
    """CM21: a session that began long ago and went on is as young as its last turn."""
    row = month.list(everything=True)[0]
    assert time.strftime("%Y-%m-%d", time.gmtime(row.time)) == "2026-01-30"


def test_what_undo_held_goes_and_that_is_said_first(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one").turn("two")
    repository.save()
    repository.create_branch("aside", "HEAD~1")
    repository.delete_branch("aside")
    plan = repository.plan_gc()
    assert plan.loses and plan.operations == 1
    done = repository.gc()
    assert done.operations == 1 and not repository._store.refs(UNDO)
    with pytest.raises(Conflict) as refused:
        repository.undo()
    assert "cannot be undone" in str(refused.value)
    assert not repository.plan_gc().loses


def test_only_a_working_state_that_is_past_is_released(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    repository.save()
    live.prompt("unfinished").assistant([{"type": "text", "text": "…"}], "tool_use")
    repository.save(auto=True)
    branch = repository.head()
    assert repository._store.ref(f"refs/gitsession/wip/{branch}")
    assert repository.plan_gc().wip == ()
    repository.gc()
    assert repository.version(f"{branch}@wip").trailers["Version"] == "2"
    live.assistant([{"type": "text", "text": "done"}], "end_turn")
    wip = repository._store.ref(f"refs/gitsession/wip/{branch}")
    repository.save()
    with repository._store.transaction("test") as change:
        change.move(f"refs/gitsession/wip/{branch}", "", wip)  # as a killed save may leave it
    assert repository.plan_gc().wip == (branch,)
    repository.gc()
    assert not repository._store.ref(f"refs/gitsession/wip/{branch}")


def test_what_a_remote_knows_stays_unless_asked(
    month: Repository, tmp_path: Path, environment: Environment
) -> None:
    bare = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    month.add_remote("origin", str(bare))
    session = month.head().partition("/")[0]
    month.push(month.plan_push("origin", (session,)))
    before = versions(month)
    plan = month.plan_gc(Keep(last=5))
    assert plan.going == ()
    assert any("known to a remote" in fate.reasons for fate in plan.fates)
    month.gc(Keep(last=5))
    assert versions(month) == before
    plan = month.plan_gc(Keep(last=5), pushed=True)
    assert len(plan.going) == len(before) - 5
    done = month.gc(Keep(last=5), pushed=True)
    assert done.remotes == ("origin",) and len(versions(month)) == 5
    transfer = month.push(month.plan_push("origin", (session,), scrubbed=True))
    assert not transfer.rejected
    count = subprocess.run(
        ["git", "-C", str(bare), "rev-list", "--count", f"refs/heads/{month.head()}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert count.stdout.strip() == "5"


def test_foreign_versions_never_become_ones_own(
    month: Repository, environment: Environment
) -> None:
    """Leaving out what somebody else made below it does not make a version mine."""
    store = month._store
    first = versions(month)[-1]
    key, data = store.key, store.reader.of_kind(first, "commit")
    history = list(store.log([store.ref(HEADS + month.head())]))
    # The oldest version gets another message, so that its seal does not fit: foreign.
    broken = data.replace(b"day 0 turn 0", b"day 0 turn x")
    made = subprocess.run(
        ["git", "-C", str(store.path), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=broken, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    at = made
    for version in history[-2::-1]:
        old = store.reader.of_kind(version.id, "commit")
        head, _, message = old.replace(version.parents[0].encode(), at.encode()).partition(b"\n\n")
        sealed = seal.sealed(key, version.tree, (at,), seal.unsealed(message))
        at = LooseObjects(store.folder).put("commit", head + b"\n\n" + sealed)
    with store.transaction("test") as change:
        change.move(HEADS + month.head(), history[0].id, at)
    assert not store.is_own(at)
    month.gc(Keep(last=3))
    tip = store.ref(HEADS + month.head())
    assert tip != at and len(versions(month)) == 3
    assert not store.is_own(tip)
    assert not any(store.is_own(version) for version in versions(month))


def test_nothing_is_dropped_beside_another_at_work(month: Repository) -> None:
    before = versions(month)
    month._workspace.config = month._workspace.config.with_value("lock.timeout", "0.1")
    with (
        open_repository(month._workspace.environment) as other,
        other._store.at_work(),
        pytest.raises(StoreBusy),
    ):
        month.gc(Keep(last=1))
    assert versions(month) == before


def test_two_branches_keep_where_they_part(repository: Repository, live: LiveSession) -> None:
    for number in range(6):
        live.turn(f"turn {number}")
    repository.save()
    fork = repository.version("HEAD~3")
    repository.create_branch("aside", "HEAD~3:2")
    store = repository._store
    plan = repository.plan_gc(Keep(last=1))
    reasons = {fate.id: fate.reasons for fate in plan.fates}
    tips = set(store.refs(HEADS).values())
    assert all(reasons[tip] for tip in tips)
    assert fork.id in reasons
    repository.gc(Keep(last=1))
    assert_clean(repository)
    assert json.dumps([version.subject for version in repository.log("aside")])
