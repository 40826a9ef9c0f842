"""export --sanitize on the command line."""

from __future__ import annotations

import json

from .conftest import Cli
from .scene import Scene


def test_OC21_only_the_shape_is_exported(cli: Cli, scene: Scene) -> None:
    scene.three_turns()
    assert cli("save").code == 0
    done = cli("export", "--format", "native", "--sanitize")
    rows = [json.loads(line) for line in done.out.splitlines()]
    whole = cli("export", "--format", "native").out.splitlines()
    assert [row["type"] for row in rows] == [json.loads(line)["type"] for line in whole]
    words = ("login", "cookie", "deploy", scene.project.name, str(scene.home))
    assert not [word for word in words if word in done.out]
    assert cli("export", "--sanitize").code == 2
