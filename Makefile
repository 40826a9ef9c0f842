# Every target makes its own virtual environment in .venv; PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
HARNESS ?= ../shared/harness

.PHONY: test check bench test-agents test-agents-all test-long fuzz clean

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(STAMP)
	$(BIN)/ruff format --check gitsession tests bench
	$(BIN)/ruff check gitsession tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m bench

AGENTS := claude codex pi gemini
MORE_AGENTS := qwen opencode copilot cline
OWN_AGENTS := kimi kilo continue vibe

test-agents: $(STAMP)
	bash $(HARNESS)/install_agents.sh $(AGENTS)
	GITSESSION_REAL_AGENTS="$(AGENTS)" $(BIN)/python -m pytest tests/real -n 2 --dist loadfile

test-agents-all: $(STAMP)
	bash $(HARNESS)/install_agents.sh $(AGENTS) $(MORE_AGENTS) opencode-plugin
	bash tests/real/install_more.sh $(OWN_AGENTS)
	GITSESSION_REAL_AGENTS="$(AGENTS) $(MORE_AGENTS) $(OWN_AGENTS)" $(BIN)/python -m pytest tests/real -n 2 --dist loadfile

# Half an hour on two cores. LONG chooses among them: make test-long LONG="random_moments or CL7"
test-long: $(STAMP)
	GITSESSION_LONG=1 $(BIN)/python -m pytest -m slow -k "$(LONG)" -n auto --dist load -rP

# Hostile input for every reader; MINUTES for all of them together, on two processes.
MINUTES ?= 20
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[fast]" --group dev
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache dist
