"""What was done with git."""

from __future__ import annotations

import pytest

from .calling import found, ran, told

_HEREDOC = "git commit -m \"$(cat <<'EOF'\nFix the (login)\n\nIt didn't work.\nEOF\n)\""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git add . && git commit -m 'Do it'", [("git", "add ."), ("git_commit", "Do it")]),
        ("git add -A; git commit -am \"a b\"; git push origin main",
         [("git", "add -A"), ("git_commit", "a b"), ("git", "push origin main")]),
        ("git switch -c topic", [("git", "switch -c topic")]),
        ("git restore --staged a.py", [("git", "restore --staged a.py")]),
        ("git revert HEAD~1", [("git", "revert HEAD~1")]),
        ("git rm a && git mv b c", [("git", "rm a"), ("git", "mv b c")]),
        ("git checkout main && git merge topic && git rebase main",
         [("git", "checkout main"), ("git", "merge topic"), ("git", "rebase main")]),
        ("git stash\ngit pull --rebase\ngit stash pop",
         [("git", "stash"), ("git", "pull --rebase"), ("git", "stash pop")]),
        ("git reset --hard HEAD~1 || git cherry-pick abc",
         [("git", "reset --hard HEAD~1"), ("git", "cherry-pick abc")]),
        ("git tag v1 && git fetch && git clone a b && git worktree add ../w",
         [("git", "tag v1"), ("git", "fetch"), ("git", "clone a b"),
          ("git", "worktree add ../w")]),
        ("git status; git log --oneline -5; git diff | head; git branch",
         [("git", "status"), ("git", "log --oneline -5"), ("git", "diff"), ("git", "branch")]),
        ("git -C dir -c user.name='a b' --no-pager commit -m x", [("git_commit", "x")]),
        ("GIT_EDITOR=true git rebase --continue", [("git", "rebase --continue")]),
        ("cd x && sudo -u me /usr/bin/git push", [("git", "push")]),
        (_HEREDOC, [("git_commit", "Fix the (login)\n\nIt didn't work.")]),
        ("git commit -m Title -m 'Body text'", [("git_commit", "Title\n\nBody text")]),
        ("git commit --message='A b' -- a.py", [("git_commit", "A b")]),
        ("git commit -mShort", [("git_commit", "Short")]),
        ("git commit --amend --no-edit", [("git", "commit --amend --no-edit")]),
        ("git commit -F message.txt", [("git", "commit -F message.txt")]),
        ("git clone https://me:pw@host/a.git", [("git", "clone https://***@host/a.git")]),
        ("for b in a b; do git branch -D $b; done", [("git", "branch -D $b")]),
        ("echo git push", []),
        ("git commit -m 'then git push'", [("git_commit", "then git push")]),
        ("cat <<X\ngit push\nX", []),
        ("gitk; git-lfs x; legit push; git", []),
        ("git rev-parse HEAD", []),
    ],
)  # fmt: skip
def test_CM8_every_operation_of_a_command(command: str, expected: list[tuple[str, str]]) -> None:
    assert told(ran(command), "git", "git_commit") == expected
    assert {one.category for one in found(ran(command)) if one.type != "cwd"} <= {"git", "file"}


@pytest.mark.parametrize(
    ("command", "priority"),
    [
        ("git status", 4), ("git log -3", 4), ("git branch", 4), ("git stash list", 4),
        ("git remote -v", 4), ("git worktree list", 4), ("git add a", 4), ("git fetch", 4),
        ("git branch topic", 2), ("git stash", 2), ("git push", 2), ("git tag v1", 2),
        ("git commit -m x", 2), ("git worktree add x", 2),
    ],
)  # fmt: skip
def test_what_only_looks_matters_least(command: str, priority: int) -> None:
    assert [one.priority for one in found(ran(command))] == [priority]


def test_what_failed_is_not_told_as_done() -> None:
    assert found(ran("git push", "rejected", failed=True)) == []
    assert found(ran("git push", None)) == []
    several = ran("git commit -m 'Do it' && git status && git push", "rejected", failed=True)
    assert told(several) == [
        ("git", "commit Do it (in a command that failed)"),
        ("git", "push (in a command that failed)"),
    ]


def test_long_arguments_and_messages_are_cut() -> None:
    (many,) = found(ran("git add " + " ".join(f"file-{n}.py" for n in range(99))))
    assert len(many.data) == 120
    (long,) = found(ran(f"git commit -m '{'word ' * 1000}'"))
    assert len(long.data.encode()) <= 1_024
