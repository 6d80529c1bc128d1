# Everything runs in a virtual environment that this file makes; nothing else is needed but Python.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: demo test test-extras coverage browser postgres spark extras lint docs bench bench-full data-check mutants clean

demo: $(STAMP)
	$(BIN)/petaudit demo --report demo.html

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

# Only the tests that need more than Python (see pytest's markers); where that is missing they are
# skipped, unless PETAUDIT_SPARK, PETAUDIT_POSTGRES and PETAUDIT_BROWSER are "required".
test-extras: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m "spark or postgres or browser or shared"

# The same with every line watched, which takes twice as long; before a release.
coverage: $(STAMP)
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered --cov-fail-under=95

# What the tests of the report's page need; without it they are skipped.
browser:
	sh scripts/install_browser.sh

# What the tests of databases need; without it they are skipped.
postgres:
	sh scripts/install_postgres.sh

# Java and PySpark (400 MB), which the tests of Spark need; without them they are skipped.
spark: $(STAMP)
	sh scripts/install_spark.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements-dev.txt --editable '.[dev,spark]'

# Each extra alone in a fresh environment, used once.
extras: $(STAMP)
	$(BIN)/python scripts/try_extras.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/python scripts/make_yaml_reference.py --check
	$(BIN)/python benchmarks/page.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict -f mkdocs.zh-TW.yml

# Some minutes; what it leaves out is said.
bench: $(STAMP)
	$(BIN)/python benchmarks/run.py --json benchmarks/results/short.json

# Everything, about half an hour; then page.py makes the page of the documentation from it.
bench-full: $(STAMP)
	$(BIN)/python benchmarks/run.py --full --json benchmarks/results/full.json

data-check: $(STAMP)
	$(BIN)/python scripts/build_datasets.py --check

# How strong the tests are: 300 changes of the source, and which test notices each. Hours.
mutants: $(STAMP)
	$(BIN)/python scripts/mutants.py --coverage $${TMPDIR:-/tmp}/petaudit-mutants.cov --report mutants.json

$(STAMP): pyproject.toml requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "petaudit needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements-dev.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf demo.html mutants.json site $(VENV) .venv-* .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis
