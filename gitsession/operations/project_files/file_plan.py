"""checkout --files: decide what to do with each file before doing anything with any.

A file is only replaced while its content is the last one that the session knew. This is pure
comparison; the disk is read, never written.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gitsession.model.call import message_calls
from gitsession.model.report import FileStep
from gitsession.operations.folder import RUNS, SPECIAL, Folder, Seen, is_inside
from gitsession.operations.project_files.backups import Write
from gitsession.operations.project_files.refill import filled, values_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.session import Session
    from gitsession.operations.project_files.refill import Values
    from gitsession.redaction import Redactor

    class State(NamedTuple):
        kind: str
        content: bytes | None = None
        reason: str = ""
        runs: bool = False
else:
    State = namedtuple("State", "kind content reason runs", defaults=(None, "", False))
    State.__doc__ = """A file in a version: `kind` is `content` (with whether it is executable),
    `gone`, `withheld` (with the reason), or `unlisted`: the version does not mention it."""

LARGEST = 64 << 20
"""In bytes; a larger file on disk cannot be one that a version holds."""
_SHELLS = frozenset((
    "bash", "shell", "local_shell", "exec_command", "exec", "run_shell_command", "shell_command",
    "container.exec", "execute_command", "run_command", "run_terminal_cmd", "terminal",
    "powershell", "unified_exec",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """`edited` are the steps that need --force, `writes` is what would be written."""

    steps: tuple[FileStep, ...]
    writes: tuple[Write, ...]
    edited: tuple[FileStep, ...]


def plan(
    target: Session,
    known: Sequence[Session],
    folder: Folder,
    names: Redactor,
    *,
    force: bool = False,
) -> Plan:
    """Plan how the files below a folder get to `target` from what was `known` last: on the branch
    that the folder is on, and on other branches of the session, since a file that one of these left
    is stored as well."""
    judge = _Judge(folder, names, force)
    after = _States(target, known[0])
    before = [_States(session, target) for session in known]
    for path in sorted(after.paths.union(*(states.paths for states in before))):
        judge.file(path, [states.state(path) for states in before], after.state(path))
    return Plan(tuple(judge.steps), tuple(judge.writes), tuple(judge.edited))


class _States:
    """The files of one version; the other's originals supply what this one does not list."""

    def __init__(self, session: Session, other: Session) -> None:
        self._listed = {file.path: file for file in session.files}
        anchor = session.info.changed_from
        self._complete = bool(anchor) and anchor == other.info.changed_from
        both = (*session.originals, *other.originals) if self._complete else ()
        self._originals = {file.path: file for file in both}
        self.paths: set[str] = self._listed.keys() | self._originals.keys()

    def state(self, path: str) -> State:
        file = self._listed.get(path) or self._originals.get(path)
        if file is None:
            return State("gone" if self._complete else "unlisted")
        if file.content is not None:
            return State("content", file.content, "", file.executable)
        if file.reason == "deleted":
            return State("gone")
        return State("withheld", None, file.reason)


class _Judge:
    def __init__(self, folder: Folder, names: Redactor, force: bool) -> None:
        self._folder = folder
        self._names = names
        self._force = force
        self.steps: list[FileStep] = []
        self.edited: list[FileStep] = []
        self.writes: list[Write] = []

    def file(self, path: str, known: Sequence[State], want: State) -> None:
        """Plan one file; `known` are the states that the session knew last, most relevant first."""
        last = next((state for state in known if state.kind != "unlisted"), known[0])
        seen = self._folder.look(path, LARGEST) if is_inside(path) else SPECIAL
        values = self._values(known, seen)
        if want == last and want.kind != "withheld" and values is None:
            self._unaffected(path, last)
        elif not is_inside(path):
            self._skip(path, "outside the project")
        elif want.kind == "withheld":
            self._skip(path, f"its content is not stored ({want.reason})")
        elif want.kind == "unlisted":
            self._skip(path, "not known at that version; it stays as it is")
        elif seen.kind == "special":
            self._skip(path, "a link, a folder, or behind a link")
        elif want.kind == "gone":
            self._remove(path, last, seen, values)
        else:
            self._restore(path, last, want, seen, values)

    def _unaffected(self, path: str, last: State) -> None:
        """Skip a file that is the same in both versions: as in git, later changes stay."""
        if last.kind == "content" and is_inside(path):
            self._skip(path, "changed since, and the same in both versions; it stays as it is")

    def _remove(self, path: str, last: State, seen: Seen, values: Values | None) -> None:
        if seen.kind == "absent":
            return
        if values is None and not self._over(path, last, seen, "remove"):
            return
        reason = "" if values is not None else _reason(last, seen)
        self.steps.append(FileStep(path, "remove", reason))
        self.writes.append(Write(path, None, seen))

    def _restore(
        self, path: str, last: State, state: State, seen: Seen, values: Values | None
    ) -> None:
        want, mode = state.content or b"", _mode(last, state, seen)
        if seen.kind == "file" and values_in(want, seen.content or b"", self._names) is not None:
            if mode not in (0, seen.mode):  # its content is already there
                self.steps.append(FileStep(path, "restore", _MODES[state.runs]))
                self.writes.append(Write(path, seen.content, seen, mode))
            return
        fits = values is not None or (seen.kind == "absent" and last.kind != "content")
        action = "make" if seen.kind == "absent" else "restore"
        if not fits and not self._over(path, last, seen, action):
            return
        content = filled(want, values or {})
        if content is None:
            self._skip(path, "it contains masked values that no file on disk has any more")
            return
        self.steps.append(FileStep(path, action, "" if fits else _reason(last, seen)))
        self.writes.append(Write(path, content, seen, mode))

    def _over(self, path: str, last: State, seen: Seen, action: str) -> bool:
        """Whether force allows overwriting a file other than the last one known; else record it."""
        if seen.kind == "large":
            self._skip(path, "too large")
            return False
        if self._force:
            return True
        if last.kind == "withheld":
            self._skip(
                path, f"the last content that the session knew is not stored ({last.reason})"
            )
        else:
            self.edited.append(FileStep(path, action, _reason(last, seen)))
        return False

    def _values(self, known: Iterable[State], seen: Seen) -> Values | None:
        """Return the masked values of the known content that the disk holds; None if it holds none
        of the known contents."""
        if seen.kind != "file":
            return None
        for state in known:
            if state.content is not None:
                values = values_in(state.content, seen.content or b"", self._names)
                if values is not None:
                    return values
        return None

    def _skip(self, path: str, reason: str) -> None:
        self.steps.append(FileStep(path, "skip", reason))


_MODES = ("no longer executable", "executable again")


def _mode(last: State, want: State, seen: Seen) -> int:
    """Return the mode to give a file, 0 for its own (or the usual one): it is only changed if the
    session saw it change, since an older version may not know it."""
    if seen.kind == "absent":
        return RUNS if want.runs else 0
    if want.runs == last.runs or not seen.mode:
        return 0
    may_read = seen.mode & 0o444
    return seen.mode | may_read >> 2 if want.runs else seen.mode & ~0o111


def _reason(last: State, seen: Seen) -> str:
    if last.kind != "content":
        return "not of this session"
    return "deleted since" if seen.kind == "absent" else "edited since"


def unknown(target: Session, known: Session) -> str:
    """Describe in words the changes between the two versions that neither of them can know."""
    if target.info.changed_from and target.info.changed_from == known.info.changed_from:
        return ""
    commands = len(set(_commands(known)) - set(_commands(target)))
    if not commands:
        return ""
    ran = "1 shell command" if commands == 1 else f"{commands} shell commands"
    return f"{ran} ran after that version; which files they changed is not known"


def _commands(session: Session) -> Iterator[str]:
    for number, message in enumerate(session.messages, 1):
        for call in message_calls(message, number):
            if call.call.name.lower() in _SHELLS:
                yield call.call.call_id or repr((number, call.call.input))


def refusal(edited: Iterable[FileStep]) -> tuple[str, ...]:
    """Return the edited files as an error lists them."""
    return tuple(f"{step.path}: {step.reason}" for step in edited)
