# Two commands: `make run` (with q="..." for one answer) and `make test`.
PY ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
EXTRAS := postgres,otlp,container,chat,learn

.PHONY: setup run test test-model eval check docs lock clean

setup: $(STAMP)

$(STAMP): pyproject.toml requirements.lock scripts/setup
	PY="$(PY)" VENV="$(VENV)" EXTRAS="$(EXTRAS)" bash scripts/setup
	@touch $(STAMP)

run: setup
ifdef q
	@$(BIN)/hammerstone ask "$$q"
else
	@$(BIN)/hammerstone serve --open
endif

test: setup
	@bash scripts/setup-tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not model" $(args)

test-model: setup
	$(BIN)/hammerstone model pull
	$(BIN)/python -m pytest -m model --timeout 900 $(args)

eval: setup
	@$(BIN)/hammerstone eval $(args)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open site/index.html"

lock:
	bash scripts/lock

clean:
	rm -rf $(VENV) site .pytest_cache .ruff_cache .hypothesis

export q
