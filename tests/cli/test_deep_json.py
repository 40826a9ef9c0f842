"""JSON nested deeper than a parser takes is read as text: kept whole, named, and masked alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Claude

from .conftest import Cli
from .scene import TOKEN

PASSWORD = "zK8mQ2vRp11"


def lines_of(cli: Cli, depth: int, inside: str) -> tuple[Path, list[str]]:
    agent = Claude(cwd=cli.environment.cwd)
    agent.prompt("hi")
    agent.say("there")
    path = agent.save(Path(cli.environment.home))
    lines = path.read_text().splitlines()
    nested = '{"a":' * depth + inside + "}" * depth
    lines.insert(1, f'{lines[0][:-1]},"extra":{nested}}}')
    path.write_text("\n".join(lines) + "\n")
    return path, lines


@pytest.mark.parametrize("depth", [900, 1_500, 50_000])
def test_it_is_kept_byte_for_byte(cli: Cli, tmp_path: Path, depth: int) -> None:
    path, _ = lines_of(cli, depth, '{"text":"caf\\u00e9", "n": 1.10}')
    saved = cli("save")
    assert saved.code == 0
    assert ("1 damaged record kept byte for byte: record 2" in saved.out) == (depth > 1_000)
    assert cli("checkout", "HEAD", "--raw", str(tmp_path / "raw")).code == 0
    assert (tmp_path / "raw").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("depth", [900, 1_500, 50_000])
@pytest.mark.parametrize(
    "inside",
    [
        json.dumps(f"the token is {TOKEN}"), f'"\\u0067hp_{TOKEN[4:]}"',
        f'{{"password":"{PASSWORD}"}}', json.dumps(f'x\npassword = "{PASSWORD}"'),
        json.dumps({"command": f"curl -u admin:{PASSWORD} https://example.org"}),
    ],
)  # fmt: skip
def test_secrets_in_it_are_masked(cli: Cli, depth: int, inside: str) -> None:
    lines_of(cli, depth, inside)
    assert cli("save").code == 0
    out = cli("show", "--raw").out
    assert TOKEN[4:] not in out and PASSWORD not in out and "__REDACTED_" in out
    assert [len(line) > depth * 6 for line in out.splitlines()].count(True) == 1
