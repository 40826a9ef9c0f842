"""Options that are only valid together, or not together: refuse what would be ignored."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def exclusive(given: Mapping[str, object]) -> None:
    """Raises UsageError if more than one of these options is given; keys are names as typed."""
    names = [name for name, value in given.items() if value]
    if len(names) > 1:
        raise UsageError(
            f"{' and '.join((', '.join(names[:-1]), names[-1]))} exclude each other",
            hint="leave one out",
        )


def goes_with(given: Mapping[str, object], needed: str, there: object) -> None:
    """Raises UsageError if one of these options is given without the one that it needs."""
    for name, value in given.items():
        if value and not there:
            hint = f"add {needed}, or leave {name} out"
            raise UsageError(f"{name} goes with {needed}", hint=hint)
