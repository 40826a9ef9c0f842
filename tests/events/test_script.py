"""What a shell would run, read from a command."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.events.commands import commands
from gitsession.events.masking import MASK, masked_command
from gitsession.events.script import Redirect, parse

from .calling import ran


def words(command: str) -> list[list[str]]:
    return [list(simple.words) for simple in commands(ran(command))]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a b", [["a", "b"]]),
        ("a && b || c; d & e | f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a 'b && c' \"d; e\" f\\ g", [["a", "b && c", "d; e", "f g"]]),
        ("a \"it's $HOME \\\"x\\\" \\n\"", [["a", 'it\'s $HOME "x" \\n']]),
        ("a b\\\n  c", [["a", "b", "c"]]),
        ("a # b && c\nd#e", [["a"], ["d#e"]]),
        ("a $(b c) d", [["a", "$(b c)", "d"], ["b", "c"]]),
        ('a "$(b "c d")"', [["a", '$(b "c d")'], ["b", "c d"]]),
        ("a `b c`", [["a", "`b c`"], ["b", "c"]]),
        ("a $((1 + 2)) ${B:-c d} $'it\\'s'", [["a", "$((1 + 2))", "${B:-c d}", "it's"]]),
        ("diff <(a b) <(c)", [["diff", "<(a b)", "<(c)"], ["a", "b"], ["c"]]),
        ("(cd a && b); c", [["cd", "a"], ["b"], ["c"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"], ["fi"]]),
        ("while ! a; do b; done", [["a"], ["b"], ["done"]]),
        ("A=1 B='2 3' c D=4", [["c", "D=4"]]),
        ("sudo -u me A=1 timeout -k 5 60s nice -n 3 env B=2 git push", [["git", "push"]]),
        ("bash -lc 'a && b \"c d\"' && e", [["a"], ["b", "c d"], ["e"]]),
        ("eval 'a; b'", [["a"], ["b"]]),
        ("pwsh -NoProfile -Command 'cd C:\\a; git x'", [["cd", "C:\\a"], ["git", "x"]]),
        ("cmd /c 'git push & dir'", [["git", "push"], ["dir"]]),
        ("bash script.sh -c", [["bash", "script.sh", "-c"]]),
        ("a 2>&1 >/dev/null <in", [["a"]]),
        ("echo 'never closed && b", [["echo", "never closed && b"]]),
        ("case $1 in a) b;; *) c;; esac", [["case", "$1", "in", "a"], ["b"], ["*"], ["c"],
                                           ["esac"]]),
        ("time a", [["a"]]),
        ("", []),
    ],
)  # fmt: skip
def test_simple_commands(command: str, expected: list[list[str]]) -> None:
    assert words(command) == expected


def test_heredocs_are_texts_and_no_commands() -> None:
    command = "cat > f <<'EOF' && a\ncd x && git push\nisn't (closed\nEOF\nb"
    cat, a, b = parse(command)
    assert cat.redirects == (
        Redirect(">", "f"),
        Redirect("<<", "cd x && git push\nisn't (closed\n"),
    )
    assert (a.words, b.words) == (("a",), ("b",))
    tabs = parse("cat <<-END\n\tx\n\tEND\nb")
    assert tabs[0].redirects == (Redirect("<<-", "\tx\n"),)
    assert tabs[1].words == ("b",)
    two = parse("a <<X <<Y\n1\nX\n2\nY\nb")
    assert [one.target for one in two[0].redirects] == ["1\n", "2\n"]
    assert two[1].words == ("b",)
    inside = parse("git commit -m \"$(cat <<'EOF'\nDon't (do it\nEOF\n)\" && git push")
    assert [one.words[:2] for one in inside] == [("git", "commit"), ("cat",), ("git", "push")]
    never = parse("cat <<EOF\nx\ny")
    assert never[0].redirects == (Redirect("<<", "x\ny"),)


def test_values_of_assignments_are_not_looked_into() -> None:
    assert words("A=$(b c) d") == [["d"]]
    assert words('export A="$(npm install b)" && c') == [["export", "A=$(npm install b)"], ["c"]]
    assert words("A=(b c; d) e") == [["e"]]
    assert words("A=" + "$(b " * 40 + ")" * 40 + "; c") == []


def test_what_compares_is_no_assignment() -> None:
    assert masked_command("pip install a==1 && test b==c") == "pip install a==1 && test b==c"
    assert masked_command("export A==b; B==c make") == "export A=***; B=*** make"
    assert masked_command("x A='=b'") == "x A=***"
    assert masked_command("x a==$(B=c d)") == "x a==$(B=*** d)"


def test_powershell_has_no_escaping_backslash() -> None:
    assert parse(r"cd C:\a; git status", backslash=False)[0].words == ("cd", r"C:\a")


@given(st.text(alphabet="ab '\"\\$(){}`;&|<>#\n\t=EOF-1", max_size=60))
def test_any_text_is_read_in_bounded_steps(command: str) -> None:
    for backslash in (True, False):
        for simple in parse(command, backslash=backslash):
            assert simple.words or simple.assignments or simple.redirects


@pytest.mark.parametrize(
    "piece", ["(", "$(", "`", "'", '"', "${", "<<A\n", "$((", "A=(", "a[ ", "a;", "<("]
)
def test_long_commands_take_linear_time(piece: str) -> None:
    assert isinstance(parse(piece * 20_000), tuple)


_WORD = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"),
                min_size=1, max_size=12)  # fmt: skip


@given(st.lists(st.lists(_WORD, min_size=1, max_size=4), min_size=1, max_size=4))
def test_quoted_words_come_back(lines: list[list[str]]) -> None:
    lines = [["run", *line] for line in lines]
    command = " && ".join(map(shlex.join, lines))
    assert [list(simple.words) for simple in parse(command)] == lines


@given(_WORD, st.sampled_from(["{} a", "export {} B=c", "x && {} y | z", "$(w {} v)", "{}\nq"]))
def test_a_masked_command_never_holds_a_value(value: str, frame: str) -> None:
    secret = f"{value}S3CRET{value}"
    for spelled in (shlex.quote(secret), "'" + secret.replace("'", "'\"'\"'") + "'"):
        shown = masked_command(frame.format(f"NAME={spelled}"))
        assert "S3CRET" not in shown
        assert f"NAME={MASK}" in shown
        assert shown.replace(MASK, "") == frame.format("NAME=").replace("B=c", "B=")
