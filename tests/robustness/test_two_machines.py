"""One store on a network folder, two machines: each its own HOME, name, keys of a team, agents."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.forking import NAMESPACES, Server
from tests.robustness.stages import QuickShell
from tests.robustness.test_many import (
    BUSY,
    CONFLICT,
    REMOTE,
    Worker,
    a_remote,
    all_together,
    assert_every_turn_once,
    grow,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
TIMES = 20 if LONG else 4


class Machine(QuickShell):
    """Works on a store that lies elsewhere; `host` starts its programs under another host name
    where the system allows that."""

    def __init__(self, folder: Path, server: Server, shared: Path) -> None:
        super().__init__(folder, server)
        self._shared = shared

    @property
    def store(self) -> Path:
        return self._shared / "store.git"

    @property
    def variables(self) -> dict[str, str]:
        return {**super().variables, "GITSESSION_DIR": str(self.store)}


def can_rename_host() -> bool:
    return (
        bool(shutil.which("unshare"))
        and not subprocess.run([*NAMESPACES, "true"], check=False, capture_output=True).returncode
    )


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    """Two with the same key, as a team has it."""
    servers = [Server(host=f"machine-{n}" if can_rename_host() else "") for n in (1, 2)]
    made = [Machine(tmp_path / f"machine-{n}", servers[n], tmp_path / "share") for n in (0, 1)]
    (tmp_path / "share").mkdir()
    key = tmp_path / "team.key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    for machine in made:
        machine.does("config", "redaction.key_file", str(key))
    yield made
    for server in servers:
        server.close()


def at_work(machine: Machine, own: list[Claude]) -> Counter[str]:
    """What one machine does: hooks and a hand saving, cleaning up, sending, fetching."""
    workers = [
        Worker(("save", "--auto", session.session_id), TIMES, BUSY,
               ahead=lambda number, s=session: grow(machine, s, f"turn {number}"))
        for session in own
    ]  # fmt: skip
    workers += [
        Worker(("save", own[0].session_id), TIMES, BUSY),
        Worker(("gc", "--yes"), TIMES // 2, BUSY, CONFLICT),
        Worker(("push", "far", "--all", "--yes"), TIMES // 2, BUSY, CONFLICT, REMOTE),
        Worker(("fetch", "far"), TIMES // 2, BUSY, CONFLICT, REMOTE),
    ]
    return all_together(machine, machine.server, workers)


def test_two_machines_on_one_network_folder(tmp_path: Path, machines: list[Machine]) -> None:
    """Savers, gc, push and fetch at once on both; every turn of every session is there once."""
    sessions = []
    for number, machine in enumerate(machines):
        own = [machine.session("start", session_id=a_uuid("own", number, n)) for n in range(2)]
        for session in own:
            machine.writes(session)
        machine.does("save", "--all")
        sessions.append(own)
    a_remote(machines[0])
    with ThreadPoolExecutor(2) as pool:
        codes = pool.map(lambda pair: at_work(*pair), zip(machines, sessions, strict=True))
        print(*(dict(sorted(code.items())) for code in codes), sep="\n")
    for machine, own in zip(machines, sessions, strict=True):
        for session in own:
            assert_every_turn_once(machine, session)
    refs = machines[0].git("for-each-ref", "--format=%(refname)", "refs/heads")
    assert refs.count("\n") == 4
    machines[1].does("gc", "--yes")
    machines[0].is_sound()
    assert machines[0].leftovers() == []
