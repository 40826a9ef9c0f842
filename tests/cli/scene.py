"""A person at a prompt with a real store: what is typed and what is answered, as one transcript."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.builders import Claude

from .conftest import Cli, Done

NOW = 1_770_000_000
"""The clock of every snapshot: two days after the sessions of the builder."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_SIZE = re.compile(r"\d+(?:\.\d+)? [KM]?B\b")
_TAG = re.compile(r"(\bat |\bwas )[0-9a-f]{8}\b")
TOKEN = "ghp_" + "R4nd0mT0k3nV4lu3sF0rT3stsOnly9xQ2zLw"[:36]


class Scene:
    """`home` and `project` are folders of one user; `agent` is a Claude Code session there."""

    def __init__(self, cli: Cli, root: Path) -> None:
        self.cli = cli
        self.root = root
        self.home = Path(cli.environment.home)
        self.project = Path(cli.environment.cwd)
        self.agent = Claude(cwd=str(self.project))
        self.said: list[str] = []
        self._names: dict[str, str] = {}

    def live(self) -> Path:
        """Let the agent's file hold what was said so far."""
        return self.agent.save(self.home)

    def three_turns(self) -> Scene:
        """A session with a file that changes, a command, and a secret."""
        page = str(self.project / "login.py")
        self.agent.prompt("write a login page")
        self.agent.write(page, "def login():\n    return 'jwt'\n")
        self.agent.say("The page stands.")
        self.agent.prompt("use cookies instead")
        self.agent.edit(page, "def login():\n    return 'jwt'\n", "'jwt'", "'cookie'")
        self.agent.say("Now it uses cookies.")
        self.agent.prompt(f"deploy it, the token is {TOKEN}")
        self.agent.bash("deploy --dry-run", "ok: 1 file")
        self.agent.say("Deployed.")
        self.live()
        return self

    def __call__(self, *argv: str, stdin: str = "") -> Done:
        """Type a command; it and its answer go to the transcript."""
        done = self.cli(*argv, stdin=stdin)
        said = [f"$ gitsession {shlex.join(argv)}\n", done.out, done.err]
        if done.code:
            said.append(f"[exit {done.code}]\n")
        self.said.append("".join(said))
        return done

    @property
    def transcript(self) -> str:
        """Everything so far, with ids, native ids and folders of this run by name."""
        return self.named("\n".join(self.said))

    def named(self, text: str) -> str:
        self._learn()
        for value, name in sorted(self._names.items(), key=lambda item: -len(item[0])):
            text = text.replace(value, name)
        text = text.replace(re.sub(r"[^A-Za-z0-9]", "-", str(self.root)), "-TMP")
        text = text.replace(str(self.root), "/tmp").replace(TOKEN, "TOKEN")
        text = _SIZE.sub("N KB", _TAG.sub(r"\1tag-----", text))  # both follow the folder's name
        return _UUID.sub(lambda found: self._native(found[0]), text)

    def _learn(self) -> None:
        """Ids are functions of the content; a snapshot shall outlive a change of the format."""
        versions = self.cli("log", "--graph", "-n", "999", "--json")
        if versions.code:
            return
        for version in reversed(versions.json["versions"]):
            identity = version["id"]
            if identity not in self._names:
                number = sum(len(known) == 40 for known in self._names) + 1
                name = f"{'v' + str(number):-<8}"
                self._names[identity] = name * 5
                self._names[identity[:8]] = name

    def _native(self, value: str) -> str:
        if value not in self._names:
            number = sum(bool(_UUID.fullmatch(known)) for known in self._names) + 1
            self._names[value] = f"native-{number}"
        return self._names[value]
