"""git for the sessions of AI coding agents.

    import gitsession
    repository = gitsession.open()
    for version in repository.log(limit=10):
        print(version.id[:8], version.subject)

Every name is loaded on first use, so `import gitsession` costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # known to type checkers; importing `typing` costs more than all of this
if TYPE_CHECKING:
    from typing import Any

    from gitsession.api import clone as clone
    from gitsession.api import init as init
    from gitsession.api import open as open
    from gitsession.builder import SessionBuilder as SessionBuilder
    from gitsession.model.message import Message as Message
    from gitsession.model.message import Part as Part
    from gitsession.model.session import Session as Session
    from gitsession.redaction import redact_all as redact_all
    from gitsession.redaction import redact_json as redact_json
    from gitsession.redaction import redact_text

    redact = redact_text
    from gitsession.repository import Repository as Repository
    from gitsession.version import __version__ as __version__

_PLACES = {
    "open": ("gitsession.api", "open"),
    "init": ("gitsession.api", "init"),
    "clone": ("gitsession.api", "clone"),
    "Repository": ("gitsession.repository", "Repository"),
    "Session": ("gitsession.model.session", "Session"),
    "Message": ("gitsession.model.message", "Message"),
    "Part": ("gitsession.model.message", "Part"),
    "SessionBuilder": ("gitsession.builder", "SessionBuilder"),
    "redact": ("gitsession.redaction", "redact_text"),
    "redact_json": ("gitsession.redaction", "redact_json"),
    "redact_all": ("gitsession.redaction", "redact_all"),
    "__version__": ("gitsession.version", "__version__"),
}

__all__ = [*_PLACES]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'gitsession' has no attribute {name!r}")
    import importlib

    module, attribute = _PLACES[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
