# Every target makes its own virtual environment in .venv; PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
HARNESS ?= ../shared/harness

.PHONY: test check bench test-agents test-long clean

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(STAMP)
	$(BIN)/ruff format --check gitsession tests bench
	$(BIN)/ruff check gitsession tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m bench

test-agents: $(STAMP)
	bash $(HARNESS)/install_agents.sh claude codex pi gemini qwen
	GITSESSION_REAL_AGENTS=1 $(BIN)/python -m pytest tests/real

# LONG chooses among them: make test-long LONG="random_moments or CL7"
test-long: $(STAMP)
	GITSESSION_LONG=1 $(BIN)/python -m pytest -m slow -k "$(LONG)" -n auto --dist loadfile

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[fast]" --group dev
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache dist
