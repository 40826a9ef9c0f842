"""Every command and every Python line of the documentation runs, and prints what the page says."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.cli.parser import verb_parser
from gitsession.cli.verbs import SUMMARIES, module_of
from gitsession.config import DEFAULTS

from .docs_pages import ROOT, Machine, blocks, check_console

CONSOLE = (
    "README.md",
    "docs/tutorial/first-session.md",
    "docs/how-to/roll-back.md",
    "docs/how-to/find-a-session.md",
    "docs/how-to/get-it-back.md",
    "docs/how-to/mark-decisions.md",
    "docs/how-to/move-to-another-machine.md",
    "docs/how-to/continue-in-a-new-session.md",
    "docs/how-to/make-a-context.md",
    "docs/how-to/install-hooks.md",
    "docs/how-to/share-with-team.md",
)
PAGES = ["README.md", *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", CONSOLE)
def test_console(page: str, tmp_path: Path) -> None:
    check_console(page, Machine(tmp_path / "m"))


def test_an_adapter_of_another_package(tmp_path: Path) -> None:
    page = "docs/how-to/add-an-agent.md"
    machine = Machine(tmp_path / "m")
    home = machine.home("you")
    (adapter,) = (block for block in blocks(page, "python") if block.note == "chatlog.py")
    (chat,) = blocks(page, "json")
    (entry,) = blocks(page, "toml")
    package = home / "site" / "chatlog-1.dist-info"
    package.mkdir(parents=True)
    (home / "site" / "chatlog.py").write_text(adapter.text)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: chatlog\nVersion: 1\n")
    (package / "entry_points.txt").write_text(
        entry.text.replace('[project.entry-points."gitsession.agents"]', "[gitsession.agents]")
        .replace('"', "")
    )  # fmt: skip
    (home / ".chatlog").mkdir()
    (home / ".chatlog" / "tea-7d1c.jsonl").write_text(machine.real(chat.text))
    check_console(page, machine)


@pytest.mark.parametrize(
    "page", ["docs/reference/python-api.md", "docs/tutorial/your-own-agent.md"]
)
def test_python(page: str, tmp_path: Path) -> None:
    """In a process of its own: it opens the store of a user, and leaves no trace in this one."""
    machine = Machine(tmp_path / "m")
    program = f"from tests.docs_pages import check_python; check_python('{page}')"
    assert machine.run(f'"{sys.executable}" -c "{program}"') == ""


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES)
def test_links_into_a_page_find_their_heading(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
        if "://" not in target:
            other = (ROOT / page).parent.joinpath(target) if target else ROOT / page
            titles = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in titles}
            assert heading in anchors, f"{page}: {target}#{heading}"


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    linked = {f"docs/{target}" for target in re.findall(r"\]\(([^)#\s]+)", index)}
    pages = {page for page in PAGES if not page.startswith("docs/decisions/")}
    assert pages - {"README.md", "docs/index.md"} <= linked


@pytest.mark.parametrize("page", PAGES)
def test_only_verbs_that_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|\$ |&& )gitsession ([a-z][a-z-]*)", text))
    assert named <= set(SUMMARIES), named - set(SUMMARIES)


def test_readme_lists_every_verb() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| verb |") : text.index("`gitsession help VERB`")]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert sorted(re.findall(r"`([a-z-]+)`", " ".join(rows))) == sorted(SUMMARIES)


def test_readme_lists_every_agent() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| [^|]+ \| `([a-z-]+)` \|", text, re.MULTILINE) == list(registry.names())


def test_readme_has_one_line_to_begin_with() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- one-line -->\n```sh\n([^\n]+)\n```\n", text)
    assert len(found) == 1 and text.count("<!-- one-line -->") == 1


def test_the_picture_names_every_room() -> None:
    text = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    picture = text[text.index("```") : text.index("The straight paths")]
    rooms = {
        path.name + "/" * path.is_dir()
        for path in (ROOT / "gitsession").iterdir()
        if path.name not in ("__init__.py", "__main__.py", "__pycache__", "py.typed")
    }
    named = set(re.findall(r"(?<![\w/])[a-z_]+(?:/(?![a-z])|\.py)", picture))
    assert named - {"__init__.py"} == rooms


def test_the_configuration_page_lists_every_setting() -> None:
    text = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z]+\.[a-z_]+)` \| `(.*?)` \|", text, re.MULTILINE))
    assert rows == {name: str(value) for name, value in DEFAULTS.items()}


def test_every_page_with_commands_is_run() -> None:
    """But where a hidden answer is typed at a prompt, and what needs a package of its own."""
    elsewhere = {"docs/how-to/remove-a-secret.md", "docs/how-to/add-an-agent.md"}
    assert {page for page in PAGES if blocks(page, "console")} == {*CONSOLE, *elsewhere}


@pytest.mark.parametrize("page", PAGES)
def test_only_options_that_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for verb, rest in re.findall(r"gitsession (?:--store \S+ )?([a-z][a-z-]+)([^`\n|;&)]*)", text):
        if verb in SUMMARIES:
            named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest.partition(" #")[0]))
            known = verb_parser(verb, import_module(module_of(verb)))._option_string_actions
            assert named <= set(known), f"gitsession {verb}{rest}"
