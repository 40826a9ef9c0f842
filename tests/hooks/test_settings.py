"""Settings of agents: only our entries change, and taking them out gives the old bytes back."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.agents import hooks, registry, settings_edit, settings_line
from gitsession.agents.hooks import Entry, Line, OwnFile, Part
from gitsession.environment import Environment
from gitsession.errors import Conflict, GitSessionError, NotFound, SourceUnreadable
from gitsession.operations.hooking import hooks as work
from gitsession.operations.hooking.hook_memory import Memory
from gitsession.operations.hooking.hook_parts import put, take_out

UPDATE = os.environ.get("GITSESSION_UPDATE_SNAPSHOTS") == "1"
PROGRAM = "/opt/it's here/bin/gitsession"

_scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4),
                                                                          inner, max_size=2),
    max_leaves=5,
)  # fmt: skip
_group = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": st.text()}),
                       max_size=2)}
)  # fmt: skip
_events = st.dictionaries(
    st.sampled_from(["Stop", "PreCompact", "SessionEnd", "PostToolUse", "SessionStart"]),
    st.lists(_group, max_size=2),
    max_size=4,
)
_documents = st.builds(
    lambda before, events, after: {
        **before, **({} if events is None else {"hooks": events}),
        **{f"z{key}": value for key, value in after.items()},
    },
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), _values, max_size=3),
    st.none() | _events,
    st.dictionaries(st.text(max_size=4), _values, max_size=2),
)  # fmt: skip


def _strings(value: Any) -> list[str]:
    """Every key and text in a JSON value."""
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in _strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    return [value] if isinstance(value, str) else []


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """A settings file as some program or person may have written it."""
    indent: Any = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :  ")]))
    document = draw(_documents)
    text = json.dumps(document, indent=indent, separators=separators,
                      ensure_ascii=draw(st.booleans()))  # fmt: skip
    if draw(st.booleans()):
        strings = json.dumps(_strings(document))
        if "[]" not in strings[1:-1] and "{}" not in strings:  # not inside of a string
            text = text.replace("[]", "[ ]").replace("{}", "{\n}")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (
        draw(st.sampled_from(["", "\n", "  "])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    )


def _claude(folder: Path, tools: bool = False, start: bool = False) -> tuple[Part, ...]:
    hooking = hooks.HOOKINGS["claude-code"]
    assert hooking.start is not None
    return hooking.parts(folder, PROGRAM, tools) + hooking.start(folder, PROGRAM) * start


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


def _environment(place: Path) -> Environment:
    return Environment({"HOME": str(place)}, place, str(place))


@settings(max_examples=300, deadline=None)
@given(text=_texts(), tools=st.booleans(), start=st.booleans())
def test_restored_byte_for_byte(place: Path, text: str, tools: bool, start: bool) -> None:
    file = place / "settings.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    before = file.read_bytes()
    memory = Memory(_environment(place), "claude-code")
    parts = _claude(place, tools, start)
    if "\\ud" in text or _doubtful(before):
        return
    put(parts, memory)
    old, new = json.loads(before), json.loads(file.read_bytes())
    for part in parts:
        assert isinstance(part, Entry)
        assert new["hooks"][part.path[1]][-1] == part.element
        assert new["hooks"][part.path[1]][:-1] == old.get("hooks", {}).get(part.path[1], [])
    assert {k: v for k, v in new.items() if k != "hooks"} == {
        k: v for k, v in old.items() if k != "hooks"
    }
    again = file.read_bytes()
    put(parts, Memory(_environment(place), "claude-code"))
    assert file.read_bytes() == again
    take_out(_claude(place, True), Memory(_environment(place), "claude-code"))
    assert file.read_bytes() == before


def _doubtful(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


@settings(max_examples=150, deadline=None)
@given(text=_texts(), key=st.text(max_size=4))
def test_a_setting_made_meanwhile_stays(place: Path, text: str, key: str) -> None:
    """Somebody else's change between install and uninstall is as if we had never been there."""
    assume_new = f"new-{key}"
    if "\\ud" in text or "\ud800" <= max(text + key, default="") <= "\udfff":
        return
    file = place / "settings.json"
    file.write_text(text, newline="")
    put(_claude(place), Memory(_environment(place), "claude-code"))
    ours = file.read_bytes().decode()
    changed, _ = settings_edit.append(ours, (assume_new, "list"), "theirs")
    file.write_text(changed, newline="")
    take_out(_claude(place), Memory(_environment(place), "claude-code"))
    expected, _ = settings_edit.append(text, (assume_new, "list"), "theirs")
    assert json.loads(file.read_bytes()) == json.loads(expected)


@given(
    text=st.sampled_from(
        ["", "model = 'x'\n", "# a comment\n[table]\nkey = 1\n", "a = 1\r\n[b]\r\nc = 2\r\n"]
    ),
    words=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8), max_size=3),
)
def test_a_toml_line_goes_in_and_out(text: str, words: list[str]) -> None:
    ours = [hooks.MARK, *words]
    after = settings_line.put(text, "notify", ours)
    assert settings_line.parse(after) == {"notify": ours, **settings_line.parse(text)}
    assert settings_line.take_out(after, "notify", hooks.is_ours) == text
    theirs = settings_line.put(text, "notify", words)
    assert settings_line.take_out(theirs, "notify", hooks.is_ours) == theirs


@pytest.mark.parametrize("name", work.supported())
def test_nothing_is_left_where_nothing_was(environment: Environment, name: str) -> None:
    home = environment.home
    before = sorted(home.rglob("*"))
    work.install(environment, [name], PROGRAM)
    (row,) = [row for row in work.status(environment) if row.agent == name]
    assert row.state == "installed"
    assert "no longer exists" in row.note
    work.uninstall(environment, [name])
    kept = {environment.state_dir.parent.parent, environment.state_dir.parent,
            environment.state_dir, environment.state_dir / "hooks"}  # fmt: skip
    assert [path for path in sorted(home.rglob("*")) if path not in kept] == before


@pytest.mark.parametrize("name", work.supported())
def test_the_capability_is_true(name: str) -> None:
    assert registry.get(name).capabilities.hooks


def test_no_other_adapter_claims_hooks() -> None:
    claim = {name for name in registry.names() if registry.get(name).capabilities.hooks}
    assert claim == set(work.supported())


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}',
     '{// a comment\n}', '{"hooks": null}', "\ufeff{}",
     '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_untouched(
    environment: Environment, text: str
) -> None:
    file = environment.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(SourceUnreadable) as caught:
        work.install(environment, ["claude-code"], PROGRAM)
    assert "not touched" in str(caught.value)
    assert file.read_text() == text and list(file.parent.iterdir()) == [file]


def _nested(inside: str, depth: int) -> str:
    return "[" * depth + inside + "]" * depth


@pytest.mark.parametrize(
    "text",
    [
        " \n", "\0", "[]", '{"hooks": null}', '{"hooks": []}', '{"hooks": {"Stop": 1}}',
        _nested("", 100_000), '{"hooks": {"Stop": [' + _nested("1", 800) + "]}}",
        '{"hooks": {"Stop": [{"hooks": 5, "as": "gitsession save --auto --hook x"}]}}',
        ('{"hooks": {"Stop": [{"hooks": [null, {"command": 7}, {"command": '
        '"gitsession save --auto --hook claude-code"}]}]}}'),
        '{"hooks": {"Stop": [{"hooks": [{"command": "sh -c \'x --auto --hook"}]}]}}',
    ],
)  # fmt: skip
def test_what_somebody_made_of_the_settings_is_looked_at_and_left(
    environment: Environment, text: str
) -> None:
    """`status` and `uninstall` of hooks work with any file; what is not ours stays to the byte."""
    file = environment.home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert work.status(environment)
    try:
        work.install(environment, ("claude-code",), program=PROGRAM)
    except SourceUnreadable:
        assert file.read_text() == text
    assert work.status(environment)
    with contextlib.suppress(SourceUnreadable):
        work.uninstall(environment, ("claude-code",))
    assert work.status(environment)
    if "--auto --hook" not in text:
        assert file.read_text() == text


def test_a_broken_second_file_stops_the_first(environment: Environment) -> None:
    folder = environment.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text("notify = \n")
    with pytest.raises(SourceUnreadable):
        work.install(environment, ["codex"], PROGRAM)
    assert [path.name for path in folder.iterdir()] == ["config.toml"]


def test_a_notify_of_the_user_stays(environment: Environment) -> None:
    folder = environment.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text('notify = ["say", "done"]\n')
    (row,) = work.install(environment, ["codex"], PROGRAM)
    assert row.state == "installed" and "stays as it is" in row.note
    assert (folder / "config.toml").read_text() == 'notify = ["say", "done"]\n'
    assert list(json.loads((folder / "hooks.json").read_text())["hooks"]) == ["Stop", "PreCompact"]


def test_codex_waits_for_no_hook_where_it_notifies(environment: Environment) -> None:
    folder = environment.home / ".codex"
    folder.mkdir()
    config = folder / "config.toml"
    config.write_text('notify = ["say", "done"]\n')
    work.install(environment, ["codex"], PROGRAM)
    config.write_text('model = "m"\n')
    (row,) = work.install(environment, ["codex"], PROGRAM)
    assert row.state == "installed"
    assert list(json.loads((folder / "hooks.json").read_text())["hooks"]) == ["PreCompact"]
    work.uninstall(environment, ["codex"])
    assert config.read_text() == 'model = "m"\n'
    assert not (folder / "hooks.json").exists()


def test_a_file_of_somebody_else_is_not_replaced(environment: Environment) -> None:
    file = environment.home / ".pi" / "agent" / "extensions" / "gitsession.ts"
    file.parent.mkdir(parents=True)
    file.write_text("// mine\n")
    with pytest.raises(Conflict):
        work.install(environment, ["pi"], PROGRAM)
    work.uninstall(environment, ["pi"])
    assert file.read_text() == "// mine\n"


def test_links_and_modes_are_kept(environment: Environment, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o640)
    link = environment.home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    work.install(environment, ["claude-code"], PROGRAM)
    assert link.is_symlink() and "SessionEnd" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    work.uninstall(environment, [])
    assert link.is_symlink() and real.read_text() == "{}\n"


def test_a_moved_program_is_renewed_in_place(environment: Environment) -> None:
    file = environment.home / ".claude" / "settings.json"
    work.install(environment, ["claude-code"], "/old/gitsession")
    work.install(environment, ["claude-code"], PROGRAM)
    settings = json.loads(file.read_text())
    for event in ("Stop", "PreCompact", "SessionEnd"):
        (group,) = settings["hooks"][event]
        assert "/old/gitsession" not in json.dumps(group)


def test_without_names_only_what_is_there(environment: Environment) -> None:
    with pytest.raises(NotFound):
        work.install(environment, [], PROGRAM)
    (environment.home / ".codex").mkdir()
    assert [row.agent for row in work.install(environment, [], PROGRAM)] == ["codex"]
    assert not (environment.home / ".claude").exists()
    with pytest.raises(GitSessionError):
        work.install(environment, ["generic"], PROGRAM)


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("name", hooks.HOOKINGS)
def test_the_files_in_the_repository_are_what_is_installed(
    name: str, start: bool, tmp_path: Path
) -> None:
    """hooks/ shows what `hooks install` makes for a user without settings, and what it makes with
    `--snapshot`."""
    hooking, program = hooks.HOOKINGS[name], "/usr/local/bin/gitsession"
    if start and hooking.start is None:
        pytest.skip("takes no snapshot")
    folder = Path(__file__).resolve().parents[2] / "hooks"
    shown = folder / "with-snapshot" / name if start else folder / name
    parts = hooking.parts(tmp_path, program, False)
    if start and hooking.start:
        parts += hooking.start(tmp_path, program)
    put(parts, Memory(_environment(tmp_path / "home"), name))
    made = {
        str(part.file.relative_to(tmp_path)): part.file.read_text()
        for part in parts
        if isinstance(part, Entry | Line | OwnFile)
    }
    if UPDATE:
        for file, text in made.items():
            (shown / file).parent.mkdir(parents=True, exist_ok=True)
            (shown / file).write_text(text)
    files = [path for path in shown.rglob("*") if path.is_file()]
    assert {str(path.relative_to(shown)): path.read_text() for path in files} == made
