"""The page of agents is what the adapters say; `python docs/make_agents_reference.py` renews it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_what_the_adapters_say() -> None:
    spec = importlib.util.spec_from_file_location("maker", DOCS / "make_agents_reference.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert maker.PAGE.read_text(encoding="utf-8") == maker.page()
