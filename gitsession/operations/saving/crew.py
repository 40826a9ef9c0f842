"""Several processes save many sources: each is this program again (`save --helper`), which gets one
source after another on its standard input and answers each JSON line with a JSON line.

The memory that a session needs is freed after its save, so each helper is bounded by one session. A
helper that dies loses only the session that it was working on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from gitsession import errors
from gitsession.agents.base import Source
from gitsession.errors import GitSessionError
from gitsession.model.finding import Finding
from gitsession.model.history import Version
from gitsession.model.saved import Saved
from gitsession.operations.saving.grown import Wishes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

    from gitsession.operations.workspace import Workspace

MOST = 4
"""The most helpers at a time, however many cores there are: each may need some 80 MB."""
_LISTED = 5
"""How many versions of each session an answer lists: a report shows no more of them."""
_PATIENCE = 5.0
"""Seconds that a helper is given to end by itself."""


class Crew:
    """Helpers for one save. Leaving the block ends them; after an error, even those in the middle
    of a session: what they had not published yet is saved next time."""

    def __init__(self, workspace: Workspace, wishes: Wishes, size: int) -> None:
        self._helpers = [Helper(workspace, wishes) for _ in range(size)]
        self._free = list(self._helpers)
        self._pool = ThreadPoolExecutor(size)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        for helper in self._helpers:
            if kind is None:
                helper.dismiss()
            helper.end()
        self._pool.shutdown()

    def save(self, sources: Sequence[Source]) -> Iterator[tuple[int, Saved]]:
        """Yield the position in `sources` and the outcome of each source as it is done. The largest
        are started first, so that none of them runs alone at the end."""
        jobs = sorted(_jobs(sources), key=lambda job: -sum(sources[at].size for at in job))
        waiting: list[Future[list[tuple[int, Saved]]]] = [
            self._pool.submit(self._do, [(at, sources[at]) for at in job]) for job in jobs
        ]
        for done in as_completed(waiting):
            yield from done.result()

    def _do(self, job: list[tuple[int, Source]]) -> list[tuple[int, Saved]]:
        helper = self._free.pop()  # as many as there are threads
        try:
            return [(at, helper.save(source)) for at, source in job]
        finally:
            self._free.append(helper)


def _jobs(sources: Sequence[Source]) -> list[list[int]]:
    """Return jobs of positions in `sources`. Sources of one native session share a job: two helpers
    would wait for each other."""
    jobs: dict[tuple[str, str], list[int]] = {}
    for place, source in enumerate(sources):
        jobs.setdefault((source.agent, source.native_id), []).append(place)
    return list(jobs.values())


class Helper:
    """One process, started with its first source, and again if it died."""

    def __init__(self, workspace: Workspace, wishes: Wishes) -> None:
        # -P: import nothing from the user's current directory.
        self._command = [sys.executable, "-P", "-m", "gitsession", "--store",
                         workspace.store.folder, "save", "--helper"]  # fmt: skip
        environment = workspace.environment
        self._variables = {**environment.variables, "HOME": environment.home_folder}
        self._directory = environment.cwd
        self._wishes = wishes
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def save(self, source: Source) -> Saved:
        """Return what became of a source. Raises what the helper raised."""
        answer = b""
        try:
            if not self._ended:
                answer = _ask(self._process or self._start(), _written(source))
        except OSError:
            pass  # it has died
        if answer.endswith(b"\n"):
            return _read(answer)
        code = self.stop()
        if self._ended:
            return Saved(source.agent, source.native_id, "busy", error="the save was given up")
        said = f"the process that saved it ended ({f'signal {-code}' if code < 0 else code})"
        return Saved(source.agent, source.native_id, "unreadable", title=source.title, error=said)

    def dismiss(self) -> None:
        """Ask for nothing more: the helper ends by itself, leaving nothing behind, if it can."""
        if self._process is None:
            return
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(_PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            return  # `end` will kill it

    def end(self) -> None:
        """End the helper for good, even if another thread is about to ask it."""
        self._ended = True
        self.stop()

    def stop(self) -> int:
        """End the process; return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.poll() is None:
            process.kill()
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue  # input that it no longer reads
        return code

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            self._command, env=self._variables, cwd=self._directory,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdin is not None
        self._process.stdin.write(_line(self._wishes))
        return self._process


def serve(
    save: Callable[[Source, Wishes], Saved], questions: IO[bytes], answers: IO[bytes]
) -> None:
    """Run the helper's side: sources in, outcomes out, until the input ends."""
    wishes = Wishes(*json.loads(questions.readline() or "[]"))
    for question in questions:
        row: Any
        try:
            saved = save(_source(json.loads(question)), wishes)
            row = {"saved": saved._replace(versions=saved.versions[-_LISTED:])}
        except GitSessionError as error:
            row = {"error": [type(error).__name__, str(error), error.hint]}
        answers.write(_line(row))
        answers.flush()


def _ask(process: subprocess.Popen[bytes], question: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(question)
    process.stdin.flush()
    return process.stdout.readline()


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _written(source: Source) -> bytes:
    return _line(source._asdict())


def _source(row: dict[str, Any]) -> Source:
    return Source._make(row.values())


def _read(answer: bytes) -> Saved:
    row = json.loads(answer)
    if "error" in row:
        name, message, hint = row["error"]
        raise getattr(errors, name, GitSessionError)(message, hint)
    saved = Saved(*row["saved"])
    return saved._replace(
        versions=tuple(_version(*row) for row in saved.versions),
        findings=tuple(Finding(*finding) for finding in saved.findings),
        withheld=tuple((path, reason) for path, reason in saved.withheld),
        left=tuple(saved.left),
        damaged_at=tuple(saved.damaged_at),
    )


def _version(*row: Any) -> Version:
    version = Version(*row)
    return version._replace(parents=tuple(version.parents))
