# `make demo` and `make test` need nothing but Python 3.11+ and do all their own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help install demo docs kit test lint simulate clean
help:
	@echo "make demo     score the example tasks in the sandbox, print the table, write the HTML report"
	@echo "make test     lint, types and the whole test suite"
	@echo "make install  only create .venv, with every extra"
	@echo "make simulate check by simulation that intervals cover what they promise (about two minutes)"
	@echo "make docs     write the command and Python references and the terminal pictures"
	@echo "make kit      copy the authoring kit into the example tasks that use it"

$(VENV)/.core: pyproject.toml
	@echo "installing adjudge into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[reports]'
	@touch $@

$(VENV)/.all: $(VENV)/.core
	@echo "installing every extra and the test tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,dev]'
	@touch $@

install: $(VENV)/.all

demo: $(VENV)/.core
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python examples/demo.py

kit:
	@$(PYTHON) examples/vendor_kit.py

docs: $(VENV)/.all
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/pictures.py

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -n 2

simulate: $(VENV)/.all
	$(BIN)/python -m benchmarks.simulate

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo
