"""`--json`: exact, safe for a terminal, and as docs/reference/json-output.md says."""

# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections import namedtuple
from collections.abc import Mapping
from pathlib import Path

import render_story as story
from render_snapshot import same_as_file
from test_render_snapshots import BACK, PLAN, ROWS, SAVED, STORE

from gitsession.compare import compare
from gitsession.errors import NotFound
from gitsession.model.call import find_call
from gitsession.model.history import Tip
from gitsession.model.message import Part, Usage
from gitsession.model.report import (
    Native,
    Operation,
    Problem,
    SaveReport,
    Status,
    Transfer,
)
from gitsession.render.json import answer, plain

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "json-output.md"
REF = f"refs/heads/{story.HEAD}"

HEAD = """# JSON output

Every verb takes `--json` and then prints one object on standard output (`watch` one for each save);
an error is one object on standard error, with the exit code it always has. `schema` names the shape and its number, for
example `gitsession.log/1`. Within a number, keys may be added, but none is renamed, removed or given
another meaning.

- The text is ASCII: whatever else stands in a session is written as `\\uXXXX`, so nothing of it can
  steer a terminal. Values are exact, half surrogates included.
- Times are ISO-8601 in UTC, sizes are bytes, ids are full.
- Where a value is unknown, strings are `""`, numbers 0, everything else `null`. Of a message's part
  only the keys that hold something are there.
- Contents of files are not printed; `diff` prints their hunks.

The examples below are made by the code that prints them.
"""


def examples() -> dict[str, tuple[str, Mapping[str, object]]]:
    """Schema → what it is about, and the members that the verb hands over."""
    after = story.after()
    session = after._replace(messages=after.messages[3:])
    newest, older = story.VERSIONS[0], story.VERSIONS[3]
    tip = Tip(REF, newest.id, newest.time, newest.subject, newest.trailers)
    tag = namedtuple("TagRow", "ref id time subject trailers message key record")(
        f"refs/tags/{story.SESSION}/cause-found", newest.id, newest.time, "It was the order.", {}, 3,
        True, "main:5",
    )  # fmt: skip
    native = Native(
        "claude-code", story.INFO.native_id, story.HEAD, "/home/user/a.jsonl", "live", 4, 5_100
    )
    operation = Operation(12, story.NOW, "checkout", ((REF, older.id, newest.id),), "/project")
    kept = story.compacted()
    return {
        "log": ("`log`: newest first. `refs` are the full names of what points at a version, `more` says that older ones follow (`--skip`).",
                {"head": story.HEAD, "refs": {newest.id: [REF]}, "more": True, "versions": [newest]}),
        "list": ("`list`", {"sessions": ROWS[:1]}),
        "show": ("`show REV`: messages count from 1, a tool result stands with its call. A message with attached files also has `files`, their paths. `subagents` names the streams of subagents; with `--stream` the messages are those of one.",
                 {"head": story.HEAD, "refs": [REF], "version": newest, "session": session, "subagents": []}),
        "message": ("`show REV:N`", {"number": 3, "message": after.messages[2]}),
        "tool-call": ("`show --tool-call ID`: `status` is `ok`, `error`, `interrupted` or `open`; without a result `output` is `null`.",
                      {"call": find_call(after.messages, "toolu_02")}),
        "findings": ("`show --findings` and `scan`: rule, place and placeholder, never the value.",
                     {"findings": story.FINDINGS}),
        "diff": ("`diff`: `status` is `added`, `removed` or `changed`; a number is 0 on the side where the thing does not exist. `hunks` is `null` where there is no text to compare, and the two reasons say why. `left_context` is what a compaction took out of the model's view.",
                 {"compared": "version cccccccc with version aaaaaaaa", "diff": compare(story.before()._replace(messages=()), kept._replace(messages=kept.messages[3:], files=after.files))}),
        "status": ("`status`", {"status": Status(STORE, story.HEAD, newest, (native,), ((".env", "secret"),), dirty=True)}),
        "branches": ("`branch`", {"head": story.HEAD, "branches": [tip]}),
        "tags": ("`tag`: `message` is the message that it marks (0 for the version as a whole).", {"tags": [tag]}),
        "oplog": ("`oplog`", {"operations": [operation]}),
        "operation": ("`undo`, `redo`: the operation that was taken back or done again.", {"operation": operation}),
        "save": ("`save`, `import`: versions are listed oldest first. `damaged` counts over the whole session, `damaged_at` names those of this save: `<stream>:<number>`, from 1 (in a file of lines: the line).", {"report": SaveReport((SAVED._replace(versions=(newest,)),), STORE)}),
        "checkout": ("`checkout`, `resume`: `command` is to be run in `cwd`.", {"checkout": BACK}),
        "push-plan": ("`push`, before anything leaves; `findings` (version, place, rule) and `problems` refuse it.", {"plan": PLAN}),
        "transfer": ("`push`, `fetch`, `pull`: refs as (name, old, new); what was rejected with the reason.",
                     {"transfer": Transfer("team", ((REF, "", newest.id),))}),
        "fsck": (FSCK, {"problems": [Problem("object", "streams/main/00/00/03.jsonl", "is damaged", older.id)]}),
        "error": ("Any verb that fails, on standard error.", {
            "error": "there is no session named x", "hint": "gitsession list --all", "exit_code": 12,
            "kind": NotFound.__name__, "candidates": (),
        }),
    }  # fmt: skip


FSCK = "`fsck`. After `--repair`, `done` lists in sentences what was done, and `problems` what is left."
SMALL = {
    "agents": "`agents`: list of `name`, `title`, `home`, `present`, `sessions`, `capabilities`",
    "scan": "`findings`, as in `gitsession.findings/1`",
    "branch": "`branch`: its full name", "tag": "`tag`: its full name",
    "remotes": "`remotes`: object of name and URL", "remote": "`name`, `url`, `removed`",
    "dir": "`store`", "init": "`store`, `name`", "clone": "`store`, `transfer`",
    "config": "`settings`: object; without a name also the mappings",
    "export": "`file` (\"\": none was named; then `text` has it), `bytes`", "rename": "`session`: its new name",
    "relink": "`sessions`: their names, `project`: its id",
    "archive": "`session`, `archived`", "exclude": "`what`, `excluded`",
    "hooks": "`action`, `hooks` (each `agent`, `state`, `files`, `paused`, `note`, `snapshot`: whether "
    "it asks for one)",
    "watch": "one object for each save: `saved`, as in `save`",
    "delete": "`session`, `purged`, `copies`: where copies remain; `held`: refs that hold it until "
    "`gc`",
    "doctor": "`checks`: list of `level` (OK, WARN, FAIL), `name`, `message`, `hint`, `details`",
    "du": "`usage`: `sessions` (list of `session`, `versions`, `objects`, `bytes`, `unique`, "
    "`history`), `disk`, `objects`, `bytes`, `loose`, `loose_bytes`, `slack`, `packs`, `held`, "
    "`unreachable`; sizes in bytes",
    "gc": "`done`: `versions` left out, `rewritten`, `operations` and `wip` released, `before` and "
    "`after` in bytes, `remotes` that still hold what went",
    "gc-plan": "`gc --dry-run`: `plan`: `fates` (list of `id`, `branch`, `number`, `time`, "
    "`subject`, `reasons`; no reason: it goes), `operations`, `wip`, `objects`, `dropped`, `size`, "
    "`freed`, `loose`; `going`: how many versions",
    "context-check": "`check`: tokens `used` by the newest answer, `usable`, whether it was `stated`, "
    "whether it is `over`",
    "context": "`context`: `messages` with their `numbers` in the session (0: made here), `ledger` "
    "(`message`, `fate`, `why`, tokens `before` and `after`, `into`), `tokens`, `budget`, `margin`, "
    "`estimator`, `strategy`, `system`, `repairs`",
    "request": "`format`, `request`: the body as the provider takes it",
    "diagnose": "`fact`, `present` (message, 0 a summary, `null` nowhere), `message`, `cause`, "
    "`version`, `checks` (`cause`, `holds`, `said`, `advice`)",
    "events": "`session` (`<session>/<branch>`), `agent`, `native_id`, `version`, `project` (of the first "
    "event), times `started` and `last`, `count` of all events, `types`: how many of each, "
    "`compactions`, `total` that fit, `more`, `events`, the newest first: `type`, `category`, "
    "`priority` (1 to 4), `data`, `message`, `time`, `tool` (that it came from, \"\": from what was "
    "said), `project`, `attribution` (`path`, `cwd`, `session`) with its `confidence` (0 to 1), bytes "
    "`returned` and `avoided`, `hash` of `data`; see [events](events.md)",
    "snapshot": "`kind`: `snapshot` or `state`, `bytes`, `text`: the XML",
    "stats": "`stats`: `turns`, `prompts`, `messages`, `compactions`, `models`, `tokens`, `tools` (each "
    "`name`, `calls`, `errors`), `loops` (each `tool`, `input`, `times`, `first` and `last` message), `subagents`: how many there are, which the other counts leave out",
    "search": "`answer`: `hits` (each `session`, `branch`, `title`, `agent`, `project`, `version`, "
    "`message`, 0 for a title, `role`, `tool`, `time`, `text`: one line, `marks`: pairs from and to "
    "in that line, `foreign`, `archived`, `stream`: `main` or `subagents/<id>`), `total`, `sessions` searched, `corrected` (`word`, "
    "`used`), `notes`: what could not be searched",
    "verify-facts": "`missing`: list of facts",
    "mark": "`version`, as in `gitsession.log/1`",
    "scrub-plan": "`plan`: `placeholders`, `objects` (number by kind), `total`, `remotes`, `natives`: files",
    "scrub": "`scrub`, `redact --rewrite`: `done`: `placeholders`, `versions`, `contents`, `checked`, "
    "`time`, `remotes`, `natives`",
    "review": "`files`: list of paths; `items`: for each version a list of `category`, `placeholder`, "
    "`shown`, `count`, `places`",
    "raw": "`show --raw`: `version`, as in `gitsession.log/1`; `records`: the native records of the "
    "conversation as texts, in order; a byte that is no UTF-8 is a half surrogate (U+DC80 to U+DCFF)",
    "redact": "`text`: what came in, without the secrets",
    "help": "`verb` (\"\": of all), `text`",
    "completion": "`shell`, `text`: the script",
    "version": "`gitsession --version`: `version`",
    "checkout-raw": "`written`: list of paths", "checkout-clean": "`removed`, `dry_run`",
}  # fmt: skip


def page() -> str:
    said = [HEAD]
    for schema, (about, members) in examples().items():
        said.append(f"## {schema}\n\n{about}\n\n```json\n{answer(schema, members)}```\n")
    said.append("## Small answers\n\n| schema | members |\n|---|---|")
    rows = [f"| `gitsession.{name}/1` | {about} |" for name, about in sorted(SMALL.items())]
    return "\n".join([*said, *rows]) + "\n"


def test_the_page_is_what_the_code_prints() -> None:
    same_as_file(PAGE, page())


def test_every_answer_of_the_command_line_is_documented() -> None:
    printed = set()
    for source in sorted((ROOT / "gitsession" / "cli").rglob("*.py")):
        printed |= set(re.findall(r'\banswer\(\s*"([a-z-]+)"', source.read_text(encoding="utf-8")))
    assert printed, "the command line answers nothing"
    assert printed <= {*examples(), *SMALL}


def test_A5_a_text_comes_back_exactly() -> None:
    odd = "\x1b[2J\u202e外\ud83d\u2028é\x00😀"
    text = answer("x", {"text": odd, "again": {odd: [odd]}})
    assert text.isascii() and text.endswith("}\n")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert json.loads(text) == {"schema": "gitsession.x/1", "text": odd, "again": {odd: [odd]}}


def test_values_of_every_kind() -> None:
    assert plain(Usage(1, 2)) == {"input": 1, "output": 2, "cache_read": 0, "cache_write": 0}
    assert plain([Path("/a"), b"x\xff"]) == ["/a", "x\\xff"]
    assert plain({1: (True, None, 1.5)}) == {"1": [True, None, 1.5]}
    assert plain([float("nan"), float("inf"), 1e400]) == ["nan", "inf", "inf"]
    assert plain(Part("tool_call", input={"a": [1]})) == {"kind": "tool_call", "input": {"a": [1]}}
    assert plain(Part("opaque", native=[1])) == {"kind": "opaque", "native": [1]}


def test_a_finding_says_nothing_of_the_value() -> None:
    text = answer("findings", {"findings": story.FINDINGS})
    assert '"mac"' not in text and '"offset"' not in text and '"length"' not in text


def test_equal_sessions_have_equal_json() -> None:
    one, two = story.after(), story.after()
    assert answer("show", {"session": one}) == answer("show", {"session": two})
    assert answer("show", {"session": one}) != answer("show", {"session": story.before()})
