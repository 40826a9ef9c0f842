"""The real OpenCode in another home, with the project in another place, from version 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Model, User, assert_rolled_back
from .test_moved import clone, elsewhere
from .test_opencode import ask, take_in
from .test_opencode import opencode_user as opencode_user


@pytest.mark.parametrize("own", [True, False], ids=["own", "foreign"])
def test_goes_on_in_another_home(
    opencode_user: User, model: Model, tmp_path: Path, own: bool
) -> None:
    """The store is cloned by its owner elsewhere, or by somebody else; the project is there too."""
    user = opencode_user
    other = elsewhere(user, tmp_path)
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]")
    ask(user, "Second beta-222", "-s", first)
    user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    clone(user, other, tmp_path, own=own)

    done = other.json("checkout", f"{session}~1")["checkout"]
    assert bool(done["losses"]) is not own
    assert Path(done["path"]).is_relative_to(other.home)
    take_in(other, done)
    assert ask(other, "Continued delta-444", "-s", done["native_id"]) == done["native_id"]
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    other.gitsession("save")
    versions = other.json("log", done["branch"])["versions"]
    assert [v["parents"] for v in versions] == [[done["version"]["id"]], []]
