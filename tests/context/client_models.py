"""The request models of the providers' own Python clients, made strict: no member that they do not
know, no value of another type. They know shapes; the rules of roles and pairs stand in
`request_rules`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

Body = dict[str, Any]

_GEMINI = {
    "model": None,
    "contents": "Content",
    "systemInstruction": "Content",
    "tools": "Tool",
    "toolConfig": "ToolConfig",
    "generationConfig": "GenerationConfig",
}
"""Members of a body for generateContent, and the client's models of them."""


@cache
def validator(form: str) -> Callable[[Body], None]:
    """What raises pydantic's ValidationError for a body that the client's models do not allow."""
    makers = {"anthropic": _anthropic, "openai": _openai, "gemini": _gemini}
    return makers[form]()


def _anthropic() -> Callable[[Body], None]:
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return _typed(MessageCreateParamsNonStreaming, "anthropic.types")


def _openai() -> Callable[[Body], None]:
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    return _typed(CompletionCreateParamsNonStreaming, "openai.types")


def _typed(shape: Any, package: str) -> Callable[[Body], None]:
    """A validator over the TypedDicts of a client, all of which forbid unknown members."""
    from pydantic import ConfigDict, TypeAdapter
    from typing_extensions import is_typeddict

    for name, module in list(sys.modules.items()):
        if module is not None and f"{name}.".startswith(f"{package}."):
            for one in vars(module).values():
                if is_typeddict(one):
                    one.__pydantic_config__ = ConfigDict(
                        extra="forbid", arbitrary_types_allowed=True
                    )
    adapter = TypeAdapter(shape)
    return lambda body: _read(adapter.validate_python(body, strict=True))


def _read(value: Any) -> None:
    """The items of lists are validated when they are read."""
    if isinstance(value, Mapping):
        for item in value.values():
            _read(item)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for item in value:
            _read(item)


def _gemini() -> Callable[[Body], None]:
    from google.genai import types

    def validate(body: Body) -> None:
        assert set(body) <= set(_GEMINI), set(body) - set(_GEMINI)
        assert isinstance(body["model"], str)
        for member, name in _GEMINI.items():
            if name is None or member not in body:
                continue
            model = getattr(types, name)
            values = body[member] if isinstance(body[member], list) else [body[member]]
            for value in values:
                model.model_validate(value)

    return validate
