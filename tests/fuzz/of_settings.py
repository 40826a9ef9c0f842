"""What users, projects and agents write for us: settings, rules, hooks' words, lists, options."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gitsession.agents import hook_files, json_edit, settings_edit
from gitsession.config import load_config
from gitsession.context import limits
from gitsession.operations import own_rules
from gitsession.operations.hooking import hook_call
from gitsession.operations.sharing import review
from gitsession.operations.workspace import Workspace
from gitsession.redaction import Redactor, audit
from tests.fuzz.of_agents import an_environment
from tests.fuzz.reader import Reader

_YAML = (b"&a ", b"*a", b"!!timestamp ", b"!!int ", b"!!float ", b"!!bool ", b"!!binary ", b"<<: ",
         b"? ", b"- ", b"[", b"{", b"0x", b"1:20", b"2001-01-01")  # fmt: skip


def readers() -> Iterator[Reader]:
    yield Reader("config", "text", read_config, config_seeds, _YAML)
    yield Reader("redaction-yaml", "text", read_rules, rule_seeds, _YAML)
    yield Reader("limits-yaml", "text", read_limits, limit_seeds, _YAML)
    yield Reader("hook-call", "json", read_hook, hook_seeds)
    yield Reader("agent-settings", "json", edit_settings, settings_seeds)
    yield Reader("json-members", "json", edit_members, settings_seeds)
    yield Reader("hook-files", "text", read_hook_files, hook_file_seeds)
    yield Reader("decisions", "json", read_decisions, lambda: [b'{"secret":"redact","*":"keep"}'])
    yield Reader("baseline", "json", read_baseline, baseline_seeds)


def read_config(data: bytes, folder: Path) -> None:
    """Read, read again from the cache, and written back."""
    environment = an_environment(folder)
    place = environment.config_dir
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.yaml").write_bytes(data)
    config = load_config(environment)
    again = load_config(environment)
    assert repr(again.values) == repr(config.values) and again.mappings == config.mappings
    config.with_mapping("paused", "/project", "x").save()
    assert load_config(environment).mappings["paused"]["/project"] == "x"


def read_rules(data: bytes, folder: Path) -> None:
    """As the file of a project that nobody trusts, used on a text at once."""
    environment = an_environment(folder)
    project = folder / "project"
    (project / ".gitsession").mkdir(parents=True, exist_ok=True)
    (project / ".gitsession" / own_rules.NAME).write_bytes(data)
    store: Any = None
    workspace = Workspace(store, environment, load_config(environment), b"k" * 32)
    settings = own_rules.settings_for(workspace, str(project))
    assert settings is not None and not settings.allow and not settings.attach
    redactor = Redactor(b"k" * 32, lambda: settings)
    redactor.clean("token internal_abc123def456 " * 40 + "a" * 3000)
    assert isinstance(redactor.provenance["rules"], str)


def read_limits(data: bytes, folder: Path) -> None:
    path = folder / "limits.yaml"
    path.write_bytes(data)
    for model in ("claude-opus-5", "a/b", ""):
        found = limits.limits(model, path)
        assert found.context >= 0


def read_hook(data: bytes, folder: Path) -> None:
    for agent in ("claude-code", "cline"):
        try:
            call = hook_call.parse(agent, data)
        except hook_call.BrokenCall as error:
            assert str(error)
            continue
        assert call.native_id and "/" not in call.native_id
        assert isinstance((call.within_turn, call.ends_turn, call.last), tuple)


def edit_settings(data: bytes, folder: Path) -> None:
    """An element put in and taken out leaves every other byte as it was."""
    text = data.decode("utf-8", "replace")
    try:
        before = settings_edit.parse(text)
        changed, made = settings_edit.append(text, ("hooks", "Stop"), {"ours": 1})
    except ValueError:
        return
    assert {"ours": 1} in settings_edit.elements(changed, ("hooks", "Stop"))
    back = settings_edit.remove(
        changed, ("hooks", "Stop"), lambda element: element == {"ours": 1}, made
    )
    ours = {"ours": 1} in settings_edit.elements(text, ("hooks", "Stop"))
    assert ours or repr(settings_edit.parse(back)) == repr(before)


def edit_members(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace").strip()
    try:
        found, values = json_edit.members(text)
    except (ValueError, RecursionError):
        return
    changed = json_edit.edited(text, found, {"hooks": "1", "env": None})
    assert not is_loose_json(text) or is_loose_json(changed)
    assert set(values) == {member.key for member in found}


def is_loose_json(text: str) -> bool:
    """As agents take it, which let control characters stand in strings."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def read_hook_files(data: bytes, folder: Path) -> None:
    assert all(
        isinstance(name, str) for name in hook_files.programs(data.decode("utf-8", "replace"))
    )


def read_decisions(data: bytes, folder: Path) -> None:
    review.decisions_in(data.decode("utf-8", "replace"))


def read_baseline(data: bytes, folder: Path) -> None:
    audit.baseline_hashes(data.decode("utf-8", "replace"))


def config_seeds() -> Iterable[bytes]:
    yield b"author.name: Ann\nlock.timeout: 2.5\ncapture.max_file_bytes: 1024\n"
    yield b"save.durability: safe\nbindings:\n  /project: x\ntrusted: {/project: yes}\npaused: {}\n"


def rule_seeds() -> Iterable[bytes]:
    yield (
        b"rules:\n  - id: internal\n    anchors: [internal_]\n"
        b"    pattern: 'internal_[a-z0-9]{8,40}'\n    near: [token]\n    random: true\n"
        b"categories: [email]\nwords: [Bluebird]\nallow: []\n"
    )
    yield b"words:\n  - Ann Smith\nallow_paths: ['docs/*']\nattach: ['.env.example']\n"


def limit_seeds() -> Iterable[bytes]:
    yield (Path(limits.__file__).parent / "limits.yaml").read_bytes()[:2000]


def hook_seeds() -> Iterable[bytes]:
    yield json.dumps({"session_id": "1-a", "transcript_path": "/x/1.jsonl", "cwd": "/project",
                      "hook_event_name": "Stop"}).encode()  # fmt: skip
    yield json.dumps({"sessionContext": {"rootSessionId": "1"}, "workspaceRoots": ["/p"],
                      "hookName": "agent_end"}).encode()  # fmt: skip
    yield json.dumps({"sessionId": "x", "toolName": "bash", "cwd": "/p"}).encode()


def settings_seeds() -> Iterable[bytes]:
    yield b"{}"
    yield b'{\n  "model": "m",\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n'
    yield b'{"hooks":{"PreToolUse":[]},"env":{"A":"\\u00e9"}}'


def hook_file_seeds() -> Iterable[bytes]:
    yield hook_files.copilot("gitsession hook copilot", ("agentStop",)).encode()
    yield hook_files.opencode("/usr/bin/gitsession", False, "opencode").encode()
    yield hook_files.script("gitsession hook cline").encode()


def baseline_seeds() -> Iterable[bytes]:
    row = {"type": "Secret Keyword", "hashed_secret": "a" * 40, "is_secret": False}
    yield json.dumps({"version": "1", "results": {"a.py": [row]}}).encode()
