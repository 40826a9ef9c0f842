"""Tasks and plans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.events.tasks import Task, open_tasks, tasks
from gitsession.events.used import Found, Used

from .calling import found, told, used


def create(subject: str, number: str) -> Used:
    output = f"Task #{number} created successfully: {subject}"
    return used("TaskCreate", {"subject": subject, "description": "d"}, output)


def update(number: str, **change: str) -> Used:
    return used("TaskUpdate", {"taskId": number, **change}, f"Updated task #{number} status")


def all_of(*calls: Used) -> list[Found]:
    return [one for call in calls for one in found(call)]


def test_CM9_the_one_that_is_not_done_is_open() -> None:
    events = all_of(create("A", "1"), create("B", "2"), update("2", status="completed"))
    assert [(one.type, one.priority, one.data) for one in events] == [
        ("task_create", 1, "#1 [pending] A"),
        ("task_create", 1, "#2 [pending] B"),
        ("task_update", 1, "#2 [completed]"),
    ]
    assert open_tasks(events) == [Task("1", "pending", "A")]
    assert tasks(events)[1] == Task("2", "completed", "B")


def test_CM9_a_list_is_shown_with_each_status() -> None:
    items = [("A", "completed"), ("B [x] #2", "in_progress"), ("C\nD", "pending")]
    todos = [{"content": text, "status": status, "activeForm": "a"} for text, status in items]
    events = all_of(used("TodoWrite", {"todos": todos}))
    assert [one.data for one in events] == ["[completed] A\n[in_progress] B [x] #2\n[pending] C D"]
    assert open_tasks(events) == [
        Task("", "in_progress", "B [x] #2"), Task("", "pending", "C D"),
    ]  # fmt: skip
    later = all_of(used("TodoWrite", {"todos": [{"content": "E", "status": "pending"}]}))
    assert open_tasks([*events, *later]) == [Task("", "pending", "E")]


def test_a_long_list_keeps_all_its_tasks() -> None:
    todos = [{"content": f"{n} {'many words ' * 30}", "status": "pending"} for n in range(40)]
    events = all_of(used("TodoWrite", {"todos": todos}))
    assert [task.text.split()[0] for task in open_tasks(events)] == [str(n) for n in range(40)]


def test_tasks_that_are_renamed_deleted_and_made_anew() -> None:
    events = all_of(
        create("A", "1"), create("B", "2"), create("C", "3"),
        update("1", subject="A2"), update("2", status="deleted"),
        update("3", status="in_progress"), update("3", owner="me"), update("9", status="pending"),
    )  # fmt: skip
    assert open_tasks(events) == [
        Task("1", "pending", "A2"), Task("3", "in_progress", "C"), Task("9", "pending", ""),
    ]  # fmt: skip
    assert open_tasks([*events, *all_of(create("new", "1"))])[0] == Task("1", "pending", "new")


def test_tasks_without_an_id_stay() -> None:
    events = all_of(*(used("TaskCreate", {"subject": one}, "ok") for one in ("A", "B")))
    assert [task.text for task in open_tasks(events)] == ["A", "B"]


def test_what_failed_or_says_nothing_is_no_task() -> None:
    assert found(used("TaskCreate", {"subject": "A"}, "no", failed=True)) == []
    assert found(used("TodoWrite", {"todos": []})) == []
    assert found(used("TodoWrite", {"todos": [None, 3, {"status": "pending"}]})) == []
    assert found(used("TaskUpdate", {"taskId": "1", "owner": "me"})) == []


_TEXT = st.text(max_size=30)


_STATUS = st.sampled_from(("pending", "in_progress", "completed", "odd ]x"))


@given(st.lists(st.tuples(_TEXT, _STATUS), max_size=6))
def test_lists_are_read_as_they_were_written(items: list[tuple[str, str]]) -> None:
    todos = [{"content": text, "status": status} for text, status in items]
    read = tasks(found(used("TodoWrite", {"todos": todos})))
    kept = [(" ".join(text.split()), status) for text, status in items if text]
    assert [(task.text, task.status.replace(")", "]")) for task in read] == kept


_YES = (
    "User has approved your plan. You can now start coding.\n\n## Approved Plan:\n# Do it\n\n1. a"
)
_NO = "The user doesn't want to proceed with this tool use. The tool use was rejected. {}"
_WHY = "The user provided the following reason for the rejection:  Keep the name"
_SAID = (
    "To tell you how to proceed, the user said:\nKeep it small\n\n"
    "Note: The user's next message may contain a correction"
)


def test_CM9_a_plan_is_entered_left_and_approved() -> None:
    allowed = [{"tool": "Bash", "prompt": "run tests"}, {"tool": "Bash", "prompt": "commit"}]
    plan = {"plan": "# Do it\n\n1. a", "allowedPrompts": allowed}
    events = all_of(used("EnterPlanMode", {}), used("ExitPlanMode", plan, _YES))
    assert [(one.type, one.priority, one.data) for one in events] == [
        ("plan_enter", 2, "entered plan mode"),
        ("plan_exit", 2, "exited plan mode (allowed: run tests, commit)"),
        ("plan_approved", 1, "# Do it\n\n1. a"),
    ]
    by_name = used("exit_plan_mode", {"plan_path": "/p/a.md"}, "Plan approved. Go on.")
    assert told(by_name, "plan_approved") == [("plan_approved", "plan approved: /p/a.md")]
    in_file = used("ExitPlanMode", {}, _YES)
    assert told(in_file, "plan_approved") == [("plan_approved", "# Do it\n\n1. a")]


@pytest.mark.parametrize(
    ("output", "failed", "data"),
    [
        (_NO.format(_WHY), True, "plan rejected: Do it: Keep the name"),
        (_NO.format(_SAID), True, "plan rejected: Do it: Keep it small"),
        (_NO.format("STOP what you are doing."), True, "plan rejected: Do it"),
        ("Plan rejected. User feedback: too long", False, "plan rejected: Do it: too long"),
    ],
)
def test_CM9_a_plan_is_rejected(output: str, failed: bool, data: str) -> None:
    one = used("ExitPlanMode", {"plan": "\n# Do it\n1. approved by nobody"}, output, failed=failed)
    assert told(one) == [("plan_exit", "exited plan mode"), ("plan_rejected", data)]


def test_a_plan_nobody_spoke_of() -> None:
    assert found(used("ExitPlanMode", {"plan": "x"}, "You are not in plan mode", failed=True)) == []
    assert told(used("ExitPlanMode", {"plan": "x"}, None)) == [("plan_exit", "exited plan mode")]
    assert found(used("EnterPlanMode", {}, "no", failed=True)) == []


def test_CM9_plan_files() -> None:
    for name, given_ in (
        ("Write", {"file_path": "/h/.claude/plans/a.md", "content": "x"}),
        ("Edit", {"file_path": "/h/.claude/plans/a.md"}),
        ("apply_patch", "*** Begin Patch\n*** Update File: /h/.claude/plans/a.md\n"),
    ):
        assert told(used(name, given_), "plan_file_write") == [
            ("plan_file_write", "plan file: /h/.claude/plans/a.md")
        ]
