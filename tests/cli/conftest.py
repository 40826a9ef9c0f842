"""The command line in process: arguments in; exit code, standard output and error out."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gitsession.cli.main import main
from gitsession.environment import Environment

if TYPE_CHECKING:
    from .scene import Scene


class Stream(io.TextIOWrapper):
    """A text stream over bytes in memory that can say it is a terminal."""

    def __init__(self, text: str = "", terminal: bool = False) -> None:
        super().__init__(
            io.BytesIO(text.encode("utf-8", "surrogateescape")),
            encoding="utf-8",
            errors="backslashreplace",
            newline="",
        )
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def data(self) -> bytes:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue()


class Done:
    """What one run left behind."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.data = out
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}--- err\n{self.err}"


class Fake:
    """A repository that only needs to be there; tests add the verbs they mean."""

    store_path = "/data/store.git"
    notices = ()

    def close(self) -> None:
        self.closed = True


class Cli:
    """`cli("log", "-n", "5")` runs the program once, as the user of `environment`."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.opener: Callable[..., Any] | None = None
        self.terminal = False

    def __call__(self, *argv: str, stdin: str = "") -> Done:
        out, err = Stream(terminal=self.terminal), Stream(terminal=self.terminal)
        code = main(
            argv,
            environment=self.environment,
            stdin=Stream(stdin, self.terminal),
            stdout=out,
            stderr=err,
            opener=self.opener,
        )
        return Done(code, out.data, err.data)

    def with_variables(self, **variables: str) -> Cli:
        """The same user with more environment variables."""
        base = self.environment
        other = Cli(Environment({**base.variables, **variables}, base.home, base.cwd))
        other.opener, other.terminal = self.opener, self.terminal
        return other

    def fake(self, repository: object) -> Cli:
        """From here on every store is that object."""
        self.opener = lambda *_, **__: repository
        return self


@pytest.fixture
def cli(environment: Environment) -> Iterator[Cli]:
    umask = os.umask(0o022)
    try:
        yield Cli(environment)
    finally:
        os.umask(umask)


@pytest.fixture
def scene(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Three saved turns on the default store, at a fixed time, with a fixed key."""
    from .scene import NOW, Scene

    monkeypatch.setattr("time.time", lambda: float(NOW))
    folder = cli.environment.config_dir
    folder.mkdir(parents=True)
    (folder / "key").write_bytes(bytes(range(32)))
    return Scene(cli, tmp_path).three_turns()
