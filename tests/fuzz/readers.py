"""All readers by name."""

from __future__ import annotations

from tests.fuzz import of_agents, of_databases, of_settings, of_store, of_texts, of_versions
from tests.fuzz.reader import Reader

READERS: dict[str, Reader] = {
    reader.name: reader
    for room in (of_agents, of_databases, of_versions, of_store, of_settings, of_texts)
    for reader in room.readers()
}
