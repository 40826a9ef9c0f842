"""Where a shell worked and what it set up."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .calling import found, ran, told, used


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("cd sub", "sub"),
        ("cd sub && cd deeper", "sub"),
        ("make && cd 'with blank' && ls", "with blank"),
        ("(cd sub; make)", "sub"),
        ("cd /tmp/x;pwd", "/tmp/x"),
        ("cd ~/code && git status", "~/code"),
        ("cd -- -odd", "-odd"),
        ("cd", "~"),
        ("pushd sub", "sub"),
        ("bash -c 'cd inside && ls'", "inside"),
    ],
)
def test_CM7_first_cd_of_a_command(command: str, folder: str) -> None:
    assert told(ran(command), "cwd") == [("cwd", folder)]
    assert [one.priority for one in found(ran(command)) if one.type == "cwd"] == [2]


@pytest.mark.parametrize(
    "command",
    ["echo cd sub", "git commit -m 'cd sub'", "# cd sub", "cat <<X\ncd sub\nX", "cd -",
     "cd $WORK && ls", "cd \"$(mktemp -d)\"", "abcd x"],
)  # fmt: skip
def test_what_is_no_cd_to_a_known_folder(command: str) -> None:
    assert told(ran(command), "cwd") == []


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        # the eighteen
        ("source .venv/bin/activate", "source .venv/bin/activate"),
        (". venv/bin/activate.fish", ". venv/bin/activate.fish"),
        ("export A=1", "export A=***"),
        ("nvm use 20", "nvm use 20"),
        ("pyenv local 3.12", "pyenv local 3.12"),
        ("conda activate base", "conda activate base"),
        ("rbenv global 3.3", "rbenv global 3.3"),
        ("npm install left-pad", "npm install left-pad"),
        ("npm ci", "npm ci"),
        ("pip install 'requests>=2' foo==1.2", "pip install requests>=2 foo==1.2"),
        ("bun install", "bun install"),
        ("yarn add react", "yarn add react"),
        ("pnpm --filter app add zod", "pnpm --filter app add zod"),
        ("cargo add serde", "cargo add serde"),
        ("go get example.com/x@v1", "go get example.com/x@v1"),
        ("rustup default stable", "rustup default stable"),
        ("asdf install", "asdf install"),
        ("volta pin node@20", "volta pin node@20"),
        ("deno install", "deno install"),
        # and more
        ("python3 -m pip install -r a.txt", "python3 -m pip install -r a.txt"),
        ("python -m venv .venv", "python -m venv .venv"),
        ("uv pip install x", "uv pip install x"),
        ("uv sync --all-extras", "uv sync --all-extras"),
        ("sudo apt-get -y install jq", "apt-get -y install jq"),
        ("yarn", "yarn"),
        ("declare -x A=1", "export A=***"),
        ("setx NAME value", "export NAME=***"),
        ("set -gx NAME value", "export NAME=***"),
    ],
)  # fmt: skip
def test_CM7_what_sets_up_an_environment(command: str, shown: str) -> None:
    assert told(ran(command), "env") == [("env", shown)]


@pytest.mark.parametrize(
    "command",
    ["npm test", "pip list", "yarn build", "go test ./...", "echo npm install", "export A",
     "git commit -m 'npm install x'", "declare -A map=(a b)", "set -ex", "source env.sh",
     "A=1 make", "cargo build", "rg 'pip install'"],
)  # fmt: skip
def test_what_sets_up_none(command: str) -> None:
    assert told(ran(command), "env") == []


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("FOO=secret npm install", ["FOO=*** npm install"]),
        ('export B="a b c"', ["export B=***"]),
        ("export A=one B='two three' C=$(cat file)", ["export A=*** B=*** C=***"]),
        ("export A=x; FOO='y z' pip install w", ["export A=***", "FOO=*** pip install w"]),
        ("env TOKEN=x BAR=y npm ci", ["TOKEN=*** BAR=*** npm ci"]),
        ("sudo KEY=x apt install y", ["KEY=*** apt install y"]),
        ("bash -c 'export A=\"b c\"'", ["export A=***"]),
        ("npm install --//registry/:_authToken=abc", ["npm install --//registry/:_authToken=***"]),
        ("npm install --token abc d", ["npm install --token *** d"]),
        ("pip install -i https://u:p@h/simple x", ["pip install -i https://***@h/simple x"]),
        ("export ARRAY=(x y)", ["export ARRAY=***"]),
        ("export A=x\\ y\\\nz", ["export A=***"]),
    ],
)
def test_CM7_values_are_masked_whole(command: str, shown: list[str]) -> None:
    assert [data for _, data in told(ran(command), "env")] == shown


def test_powershell_variables_are_masked() -> None:
    for command in ('$env:TOKEN = "a b"', "$env:TOKEN='x'"):
        assert told(used("powershell", {"command": command})) == [("env", "export TOKEN=***")]


_FRAMES = (
    "{} npm install x", "export {}", "export A=1 {} C=d && git push", "cd a && {} git commit -m m",
    "env {} pip install y", "sudo {} cargo add z", "$({} npm ci)", "export {}; cat f | tee g",
    "cat <<X > h\nv\nX\n{} yarn add w", "declare -x {}", "if true; then export {}; fi",
)  # fmt: skip


@given(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12),
    st.sampled_from(_FRAMES),
    st.booleans(),
)
def test_CM7_no_event_ever_holds_an_assigned_value(
    before: str, after: str, frame: str, outer: bool
) -> None:
    command = frame.format(f"NAME={shlex.quote(f'{before}S3CRET{after}')}")
    if outer:
        command = f"bash -lc {shlex.quote(command)}"
    events = found(ran(command))
    assert not any("S3CRET" in one.data for one in events), (command, events)
    assert events


_UNCLEAN = st.text(alphabet="ab $(){}`;&|<>#\n\t'\"\\=", max_size=10)


@given(_UNCLEAN, _UNCLEAN, _UNCLEAN)
def test_CM7_unclean_values_in_quotes_do_not_leak_either(a: str, b: str, c: str) -> None:
    for quote, text in (("'", f"{a}S3CRET{b}".replace("'", "")),
                        ('"', f"{a}S3CRET{b}".replace('"', "").replace("\\", ""))):  # fmt: skip
        for command in (f"export A={quote}{text}{quote} {c}", f"A={quote}{text}{quote} npm ci"):
            assert not any("S3CRET" in one.data for one in found(ran(command))), command


def test_a_command_that_failed_alone_set_nothing_up() -> None:
    assert found(ran("npm install nope", "404", failed=True)) == []
    assert found(ran("cd nowhere", "no such folder", failed=True)) == []
    assert told(ran("cd a && npm test", "1 failed", failed=True)) == [("cwd", "a")]
    assert found(ran("npm install x", None)) == []
