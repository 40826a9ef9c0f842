"""When a session built by a program saves itself: after so many messages, so many seconds after a
change, or after a tool's answer."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Autosave:
    """Calls `save` from `changed`, or from its own thread `seconds` after the first unsaved change.
    The next `changed` raises what a save in that thread raised."""

    def __init__(
        self, save: Callable[[], object], messages: int = 0, seconds: float = 0, tools: bool = False
    ) -> None:
        self._save = save
        self._messages, self._seconds, self._tools = messages, seconds, tools
        self._timer: threading.Timer | None = None
        self._error: Exception | None = None

    def changed(self, unsaved: int, *, tool: bool = False) -> None:
        """React to an addition; `unsaved` messages are waiting now."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        if (self._tools and tool) or (self._messages and unsaved >= self._messages):
            self._save()
        elif self._seconds and self._timer is None:
            self._timer = threading.Timer(self._seconds, self._in_time)
            self._timer.daemon = True
            self._timer.start()

    def saved(self) -> None:
        """Cancel the timer: nothing is waiting any more."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _in_time(self) -> None:
        self._timer = None
        try:
            self._save()
        except Exception as error:  # noqa: BLE001  (raised again by `changed`, in the right thread)
            self._error = error
