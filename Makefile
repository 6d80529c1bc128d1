# Everything runs in a virtual environment that this file makes; nothing else is needed but Python.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: demo test browser lint docs bench data-check clean

demo: $(STAMP)
	$(BIN)/petaudit demo --report demo.html

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered --cov-fail-under=95

# What the tests of the report's page need; without it they are skipped.
browser:
	sh scripts/install_browser.sh

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/python scripts/make_yaml_reference.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict -f mkdocs.zh-TW.yml

bench: $(STAMP)
	$(BIN)/python benchmarks/run.py

data-check: $(STAMP)
	$(BIN)/python scripts/build_datasets.py --check

$(STAMP): pyproject.toml requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "petaudit needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements-dev.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf demo.html site $(VENV) .venv-* .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis
