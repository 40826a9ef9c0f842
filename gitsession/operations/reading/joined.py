"""A session and its continuation, joined into one value."""

from __future__ import annotations

from gitsession.model.record import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.session import Session


def joined(session: Session, part: Session) -> Session:
    """Return a whole session and one continuation of it as a whole session."""
    new = {stream.name: stream for stream in part.streams}
    streams = [
        Stream(s.name, s.records + new.pop(s.name).records, 0, s.offset) if s.name in new else s
        for s in session.streams
    ]
    files = {file.path: file for file in (*session.files, *part.files)}
    originals = {file.path: file for file in (*session.originals, *part.originals)}
    return part._replace(
        streams=(*streams, *new.values()),
        files=tuple(files.values()),
        originals=tuple(originals.values()),
        sidecars=(*session.sidecars, *part.sidecars),
    )
