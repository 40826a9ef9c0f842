"""The hidden branches of a ChatGPT conversation: regenerated answers and edited prompts.

Each of them becomes a conversation of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitsession.agents.lenient import mapping_of, text_of

Values = dict[str, Any]


class Line(NamedTuple):
    """A hidden branch as a conversation.

    `name` is that of its first node, `place` its number among its siblings, `values` the
    conversation as its export would be if this branch were shown and the others left out.
    """

    name: str
    place: str
    values: Values


def hidden(values: Values) -> Iterator[Line]:
    """Yield the branches that do not lead to the current node, in the order of the nodes."""
    nodes = {name: mapping_of(node) for name, node in mapping_of(values.get("mapping")).items()}
    children: dict[str, list[str]] = {}
    for name, node in nodes.items():
        children.setdefault(text_of(node.get("parent")), []).append(name)
    shown = _up(nodes, text_of(values.get("current_node")))
    for name, kids in children.items() if shown else ():
        chosen = next((kid for kid in kids if kid in shown), kids[-1])
        for number, kid in enumerate(kids, 1):
            below = _down(children, kid) if name in nodes and kid != chosen else {}
            if any(_says(nodes[one]) for one in below):
                path = _up(nodes, name) | below
                mapping = {one: node for one, node in nodes.items() if one in path}
                line = {**values, "current_node": [*below][-1], "mapping": mapping}
                yield Line(kid, f"{number} of {len(kids)}", line)


def as_bytes(line: Line, native_id: str) -> bytes:
    """Return the branch as a conversation with that id."""
    values = {**line.values, "conversation_id": native_id, "id": native_id}
    return json.dumps(values).encode()


def _up(nodes: dict[str, Values], name: str) -> dict[str, None]:
    """Return a node and all its ancestors."""
    found: dict[str, None] = {}
    while name in nodes and name not in found:
        found[name] = None
        name = text_of(nodes[name].get("parent"))
    return found


def _down(children: dict[str, list[str]], name: str) -> dict[str, None]:
    """Return a node and what continues it, taking the newest answer each time."""
    found = {name: None}
    while name in children and children[name][-1] not in found:
        name = children[name][-1]
        found[name] = None
    return found


def _says(node: Values) -> bool:
    message = mapping_of(node.get("message"))
    role = text_of(mapping_of(message.get("author")).get("role"))
    content = mapping_of(message.get("content"))
    return role in ("user", "assistant", "tool") and any(
        content.get(key) for key in ("parts", "text", "thoughts")
    )
