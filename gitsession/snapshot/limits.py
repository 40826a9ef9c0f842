"""The numbers of format v1: where the writer cuts, and the limits beyond which the reader refuses.

The first group is part of the format: changing one gives other trees for the same content. The
second protects readers from untrusted trees and can be raised at any time.
"""

from __future__ import annotations

FORMAT = 1

CUT_STRING = 4 << 10
"""A JSON string of at least this many raw bytes is cut from its record into a blob of its own."""
CUT_TURN = 64 << 10
"""The size in bytes (after redaction, lifting and cutting) beyond which a turn continues in another
blob."""
PART = 32 << 20
"""The largest size of a blob in bytes; anything larger is stored in parts."""
FOLDER = 100
"""The number of entries in one folder of turn blobs, on every level."""
CONSTANT = 1 << 10
"""The longest value, in bytes, that is lifted."""
CONSTANT_FIELDS = 64
"""The most fields that are lifted in one stream."""
CONSTANT_CHANGES = 32
"""The most values of one field that are lifted in one stream; later ones stay in the records, so
that `session.yaml` does not grow with the number of turns."""
COMPONENT = 200
"""The most bytes in one path component; a longer name continues in the next folder."""
PROMPT = 400
"""The number of characters of the prompt that `session.yaml` repeats; the records hold all of
it."""
TITLE = 200
"""The most characters in a title."""
TEXT = 1000
"""The most characters in any other text, such as a folder or a name."""
LISTED = 64
"""The most models, and the most working directories, that `session.yaml` lists."""
WITHHELD = 256
"""The most withheld files that `session.yaml` names, newest last; of the others it holds the
number."""

YAML_BYTES = 1 << 20
YAML_DEPTH = 32
PATH_BYTES = 4000
PATH_DEPTH = 24
"""The most folders above a file; a file nested deeper is withheld."""
TREE_ENTRIES = 2_000_000
RECORD_BYTES = 1 << 30
SESSION_BYTES = 8 << 30
LEAST_BYTES = 1 << 30
"""The bounds on what a whole version may expand to in memory: a quarter of the machine's memory,
but between these two."""
