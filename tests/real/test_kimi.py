"""The real Kimi Code: every turn saved, rolled back to version 1, continued, saved as a fork."""

from __future__ import annotations

import base64
import json
import re

import pytest

from gitsession.agents.base import Target
from gitsession.agents.kimi import AGENT
from gitsession.agents.pi import AGENT as PI
from gitsession.digests import sha256
from gitsession.environment import Environment
from gitsession.files import make_private
from gitsession.operations.checkouts import convert
from tests.agents.contract import the_source, whole
from tests.kimi_builder import Kimi, put
from tests.operations.test_convert import PICTURE, of_pi

from .conftest import AGENTS, Model, User, assert_fork, assert_rolled_back
from .terminal import terminal
from .written import place, results, sent

KIMI = AGENTS / "kimi" / "node_modules" / ".bin" / "kimi"
_RESUME = re.compile(r"kimi -r (session_[0-9a-f-]+)")


def configured(user: User, model: Model) -> User:
    """The user with this agent set up for the fake model."""
    if not KIMI.exists():
        pytest.skip("Kimi Code is not installed: tests/real/install_more.sh kimi")
    folder = user.home / ".kimi-code"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"""default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "http://127.0.0.1:{model.port}/v1"
api_key = "test-key"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
capabilities = ["image_in"]
"""
    )
    user.variables["KIMI_CODE_NO_AUTO_UPDATE"] = "1"
    return user


@pytest.fixture
def kimi_user(user: User, model: Model) -> User:
    return configured(user, model)


def ask(user: User, prompt: str, *options: str) -> str:
    """One turn in headless mode; the session's id."""
    said = user.run(KIMI, "--output-format", "stream-json", *options, "-p", prompt)
    return _RESUME.findall(said)[-1]


def asked_on(user: User, command: list[str], prompt: str) -> str:
    """A turn with the words of a printed command."""
    return ask(user, prompt, *command[1:])


def test_saved_rolled_back_and_continued(kimi_user: User, model: Model) -> None:
    user, path = kimi_user, kimi_user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    user.gitsession("save")
    second = f"Second beta-222 [[read:{path}]][[edit:{path}|hello = 1|hello = 2]]"
    for prompt in (second, "Third gamma-333"):
        assert ask(user, prompt, "--session", first) == first
        user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    assert [v["number"] for v in user.json("log")["versions"]] == [3, 2, 1]
    files = user.json("show", "HEAD~1")["session"]["files"]
    assert [file["path"] for file in files] == ["a.py"]

    done = user.json("checkout", "HEAD~2")["checkout"]
    assert done["native_id"] != first
    assert done["command"] == ["kimi", "--session", done["native_id"]]
    [row] = [
        row for row in json.loads(user.run(KIMI, "session", "list", "--json"))
        if row["id"] == done["native_id"]
    ]  # fmt: skip
    assert "First alpha-111" in row["title"]
    assert asked_on(user, done["command"], "Continued delta-444") == done["native_id"]
    user.gitsession("save", done["native_id"])
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    assert_fork(user, session)


def test_what_is_written_for_another_folder_gets_new_instructions(
    kimi_user: User, model: Model
) -> None:
    session = Kimi().turn("First alpha-111", command="ls").turn("Second beta-222")
    call = {"command": "false"}
    session.prompt("do two").step("", ("c1", "Bash", call), ("c2", "Bash", call))
    session.result("c2", "two")
    written = place(kimi_user, AGENT, put(kimi_user.home / "other", session.data), foreign=True)
    command = AGENT.start_command(written.native_id, "", str(written.main))
    assert command == ("kimi", "--model", "fake", "--session", written.native_id)
    asked_on(kimi_user, list(command), "Continued omega-777")
    text = sent(model)
    assert all(word in text for word in ("alpha-111", "beta-222", "omega-777"))
    assert results(model) == 3
    assert "/project" not in json.dumps(model.calls()[-1])
    assert model.calls()[-1]["messages"][0]["role"] == "system"


def test_what_was_taken_back_stays_so_and_pictures_go_along(kimi_user: User, model: Model) -> None:
    data = base64.b64decode(PICTURE)
    name = sha256(data).hexdigest()
    shown = {"type": "image_url", "imageUrl": {"url": f"blobref:image/png;{name}"}}
    session = Kimi().turn("First alpha-111")
    line = len(session.rows)
    session.turn("Second beta-222").undo(line).prompt("Third gamma-333", shown).step("seen").done()
    session.end().compact("all of it was about a walrus").turn("Fourth delta-444")
    path = put(kimi_user.home / "other", session.data)
    (path.parent / "blobs").mkdir()
    (path.parent / "blobs" / name).write_bytes(data)
    written = place(kimi_user, AGENT, path)
    ask(kimi_user, "Continued omega-777", "-m", "fake", "--session", written.native_id)
    text = sent(model)
    assert "beta-222" not in text
    words = ("alpha-111", "gamma-333", "about a walrus", "delta-444", "omega-777")
    assert all(word in text for word in words)
    assert json.dumps(model.calls()[-1]).count(PICTURE) == 1


def test_another_agents_conversation_is_taken_over(kimi_user: User, model: Model) -> None:
    stored = whole(PI.read(the_source(PI, of_pi().save(kimi_user.home))))
    prepared = convert.prepare(stored, PI.messages(stored))
    environment = Environment({}, kimi_user.home, str(kimi_user.project))
    target = Target(str(kimi_user.project), title="Named")
    written = convert.compose(AGENT, prepared, stored, target, environment).written
    for path, data in written.files.items():
        make_private(path.parent)
        path.write_bytes(data)
    command = AGENT.start_command(written.native_id, target.cwd, str(written.main))
    assert asked_on(kimi_user, list(command), "Continued omega-777") == written.native_id
    assert results(model) == 2
    text = json.dumps(model.calls()[-1])
    words = ("look at this", "I should list first", "it broke", "omega-777")
    assert all(word in text for word in words)
    assert text.count(PICTURE) == 2


def test_what_the_user_takes_back_is_a_branch_left(kimi_user: User) -> None:
    user = kimi_user
    first = ask(user, "First alpha-111")
    ask(user, "Second beta-222", "--session", first)
    user.gitsession("save")
    with terminal(user, KIMI, "--session", first) as screen:
        assert screen.shows("Trust this folder?", 60), screen.text
        screen.types("\r")
        assert screen.shows("ANSWER to: Second beta-222", 60), screen.text
        screen.types("/undo")
        screen.types("\r")
        assert screen.shows("First alpha-111", 20), screen.text
        screen.types("\r")
        wire = next((user.home / ".kimi-code").rglob("wire.jsonl"))
        assert screen.waits(lambda _: b'"context.undone"' in wire.read_bytes(), 30), screen.text
    ask(user, "Third gamma-333", "--session", first)
    user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    shown = user.json("show", f"{session}/main")["session"]["messages"]
    texts = [part["text"] for m in shown for part in m["parts"] if m["role"] == "user"]
    assert texts == ["First alpha-111", "Third gamma-333"]
    assert len(user.json("log", f"{session}/rewound-1")["versions"]) == 2
