# Two commands: `make run` (with q="..." for one answer) and `make test`.
PY ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
EXTRAS := local,postgres,otlp,container

.PHONY: setup run test test-model check lock clean

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
	$(BIN)/python -m pytest -n 2 -m "not model" $(args)

test-model: setup
	$(BIN)/hammerstone model pull
	$(BIN)/python -m pytest -m model --timeout 900 $(args)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

lock:
	bash scripts/lock

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis

export q
