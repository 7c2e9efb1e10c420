# `make demo` and `make test` need nothing but Python 3.11+ and do all their own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Harbor needs Python 3.12 or newer. Each candidate is tried: a pyenv shim may be there and not work, and a
# distribution's Python may come without what makes a virtual environment.
HARBOR_VENV := .venv-harbor
PYTHON312 ?= $(shell for p in python3.12 python3.13 python3.14 python3 "$$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; \
  do "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo "$$p" && break; done)

.PHONY: help install demo docs kit certificates test test-harbor gallery test-app test-journeys fuzz faults callers lock sbom audit-dependencies lint bench bench-peers simulate numbers clean
help:
	@echo "make demo     score the example tasks in the sandbox, print the table, write the HTML report"
	@echo "make test     lint, types and the whole test suite; with a Python 3.12 also that with real Harbor"
	@echo "make fuzz     search for inputs that break a property test or a parser, for FUZZ_SECONDS (60)"
	@echo "make faults   break things while adjudge works (kills, full disks, ...), FAULTS times (50)"
	@echo "make callers  score CALLS times (10000) from threads, forks, Ray, a notebook, a large process; see that nothing grows"
	@echo "make lock     pin every package of development by hash in requirements-dev.lock"
	@echo "make sbom     write the software bill of materials, sbom.cdx.json"
	@echo "make audit-dependencies  ask pip-audit's database for known faults of what is locked (needs the network)"
	@echo "make test-app the long tests of the review app: twenty trials by keyboard, axe-core, schemathesis"
	@echo "make test-journeys whole ways that take long: Ray clusters, audits of every template, other places"
	@echo "make gallery  audit every verifier of the gallery, not only a sample; GALLERY_PART=0/2 is half of it"
	@echo "make install  only create .venv, with every extra"
	@echo "make bench    measure everything side by side, as ratios (several minutes, wants a quiet machine)"
	@echo "make bench-peers  install what others offer for the same, to be measured beside it"
	@echo "make simulate check by simulation that intervals cover what they promise (about two minutes)"
	@echo "make numbers  hold DESIGNS (3000) random designs against plain formulas, one in WHOLE (10) in every format"
	@echo "make docs     write the command and Python references and the terminal pictures"
	@echo "make kit      copy the authoring kit into the example tasks that use it"
	@echo "make certificates  audit the example tasks and write docs/certificates"

$(VENV)/.core: pyproject.toml
	@echo "installing adjudge into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[reports,web]'
	@touch $@

$(VENV)/.all: $(VENV)/.core requirements-dev.lock
	@echo "installing every extra and the test tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock \
	  || echo "the locked packages cannot be had here; taking what pyproject.toml allows"
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

certificates: $(VENV)/.core
	@$(BIN)/adjudge audit examples/tasks --no-ledger --budget 3600 --pages docs/certificates

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

GALLERY_PART ?= 0/1
gallery: $(VENV)/.all
	GALLERY_PART=$(GALLERY_PART) $(BIN)/pytest -n 2 -m gallery tests/audit

test-journeys: $(VENV)/.all
	$(BIN)/pytest -n 2 -m journey

test-app: $(VENV)/.all
	$(BIN)/pytest -n 2 -m app tests/web tests/reports

test: lint
	$(BIN)/pytest -n 2
	@$(MAKE) --no-print-directory test-harbor

lock: $(VENV)/.core
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile pyproject.toml --quiet --extra all --extra dev --universal --python-version 3.11 \
	  --generate-hashes --no-strip-extras --no-emit-index-url --no-annotate --custom-compile-command "make lock" -o requirements-dev.lock

sbom: $(VENV)/.all
	@$(BIN)/python .ci/sbom.py requirements-dev.lock sbom.cdx.json && echo "wrote sbom.cdx.json"

audit-dependencies: $(VENV)/.all
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	@$(BIN)/pip-audit --requirement requirements-dev.lock --require-hashes --disable-pip

DESIGNS ?= 3000
WHOLE ?= 10
SEED ?= 1
numbers: $(VENV)/.all
	@PYTHONPATH=tests $(BIN)/python -m differential.run $(DESIGNS) $(SEED) $(WHOLE)

FUZZ_SECONDS ?= 60
FUZZ_PROCESSES ?= 2
fuzz: $(VENV)/.all
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]' \
	  || echo "no wheel of atheris for this Python: only the property tests search"
	@PYTHONPATH=tests $(BIN)/python -m fuzz.search $(FUZZ_SECONDS) $(FUZZ_PROCESSES)

FAULTS ?= 50
faults: $(VENV)/.all
	@PYTHONPATH=tests $(BIN)/python -m faults.run $(FAULTS) $(SEED)

CALLS ?= 10000
callers: $(VENV)/.all
	@PYTHONPATH=tests $(BIN)/python -m calling.many $(CALLS)

$(HARBOR_VENV)/.all: pyproject.toml
	@echo "installing adjudge and Harbor into $(HARBOR_VENV) ..."
	@$(PYTHON312) -m venv $(HARBOR_VENV)
	@$(HARBOR_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[reports,harbor]' pytest pytest-xdist hypothesis
	@touch $@

# A skip is said by name, and is a failure where ADJUDGE_ALLOW_SKIPS=0.
test-harbor:
	@if [ -z "$(PYTHON312)" ]; then \
	  echo "skipped: tests/harbor (needs Python 3.12 or newer that can make a virtual environment; name one with PYTHON312=...)"; \
	  [ "$$ADJUDGE_ALLOW_SKIPS" != 0 ]; \
	elif ! $(MAKE) --no-print-directory $(HARBOR_VENV)/.all; then \
	  echo "skipped: tests/harbor (Harbor cannot be installed; the reason stands above)"; \
	  [ "$$ADJUDGE_ALLOW_SKIPS" != 0 ]; \
	else \
	  $(HARBOR_VENV)/bin/pytest -n 2 --dist loadfile tests/harbor; \
	fi

bench: $(VENV)/.all
	@echo "== side by side"; $(BIN)/python -m benchmarks.side_by_side --json benchmarks/results/history.jsonl
	@for name in sandbox scoring kit stats audit report ledger runs harbor_import web; do \
	  echo; echo "== $$name"; $(BIN)/python -m benchmarks.$$name || exit 1; done
	@echo; echo "== growth"; $(BIN)/python -m benchmarks.growth --json benchmarks/results/growth.jsonl --plots docs/assets

# Others' programs, each in a virtual environment of its own; one that cannot be had is left out and named.
bench-peers:
	@for name in inspect-ai harbor-rewardkit verifiers; do place=benchmarks/results/peers/$$name; \
	  $(PYTHON312) -m venv $$place && $$place/bin/pip install --quiet $$name || rm -rf $$place; done

simulate: $(VENV)/.all
	$(BIN)/python -m benchmarks.simulate

clean:
	rm -rf $(VENV) $(HARBOR_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo
