# Everything runs in a virtual environment that this file makes; nothing else is needed but Python.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements-dev.txt --editable
# What is installed so far: what users need, what the tests need as well, and everything.
INSTALLED = $(VENV)/.installed
INSTALLED_TEST = $(VENV)/.installed-test
INSTALLED_DEV = $(VENV)/.installed-dev

.PHONY: demo studio test test-long simulations coverage browser postgres spark extras lint docs bench bench-full data-check mutants clean

demo: $(INSTALLED)
	$(BIN)/petaudit demo --report demo.html
	@echo
	@echo "Next: open demo.html in a browser. To have petaudit as a command in this shell:"
	@echo "    . $(BIN)/activate"
	@echo "Then, for a table of your own, write what its columns are and run that:"
	@echo "    petaudit init TABLE.csv"
	@echo "    petaudit run audit.yaml --report audit.html"

# The studio on a bundled table, in the browser of this machine; Ctrl-C ends it.
studio: $(INSTALLED)
	$(INSTALL) '.[studio]'
	$(BIN)/petaudit studio benchmark://adult

# Where Python may not keep what it compiles, every program that a test starts would compile it again.
test: $(INSTALLED_TEST)
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 2

# What make test leaves out: the rest of large grids, many more random examples (PETAUDIT_TESTS=random:
# other ones every time), and what needs more than Python (see pytest's markers). Where that is
# missing, tests are skipped, unless PETAUDIT_SPARK, PETAUDIT_POSTGRES and PETAUDIT_BROWSER are "required".
test-long: $(INSTALLED_DEV)
	$(BIN)/python -m compileall -q src
	PETAUDIT_TESTS=$${PETAUDIT_TESTS:-long} $(BIN)/python -m pytest -n 2 --durations 30

# Intervals and false alarms on 400 tables of each kind, the truth of which is known.
simulations: $(INSTALLED_TEST)
	PETAUDIT_TESTS=simulations $(BIN)/python -m pytest -n 2 tests/attacks/test_known_truth.py

# The tests with every line watched, which takes twice as long; before a release.
coverage: $(INSTALLED_DEV)
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered --cov-fail-under=95

# What the tests of the report's page need; without it they are skipped.
browser:
	sh scripts/install_browser.sh

# What the tests of databases need; without it they are skipped.
postgres:
	sh scripts/install_postgres.sh

# Java and PySpark (400 MB), which the tests of Spark need; without them they are skipped.
spark: $(INSTALLED_DEV)
	sh scripts/install_spark.sh
	$(INSTALL) '.[dev,spark]' 'pyspark[connect]'

# Each extra alone in a fresh environment, used once.
extras: $(INSTALLED_DEV)
	$(BIN)/python scripts/try_extras.py

lint: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(INSTALLED_DEV)
	$(BIN)/python scripts/make_yaml_reference.py --check
	$(BIN)/python scripts/make_api_reference.py --check
	$(BIN)/python scripts/make_measure_pages.py --check
	$(BIN)/python benchmarks/page.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict -f mkdocs.zh-TW.yml

# Some minutes; what it leaves out is said.
bench: $(INSTALLED_TEST)
	$(BIN)/python benchmarks/run.py --json benchmarks/results/short.json

# Everything, about half an hour; then page.py makes the page of the documentation from it.
bench-full: $(INSTALLED_TEST)
	$(BIN)/python benchmarks/run.py --full --json benchmarks/results/full.json

data-check: $(INSTALLED_TEST)
	$(BIN)/python scripts/build_datasets.py --check

# How strong the tests are: 300 changes of the source, and which test notices each. Hours.
mutants: $(INSTALLED_DEV)
	$(BIN)/python scripts/mutants.py --coverage $${TMPDIR:-/tmp}/petaudit-mutants.cov --report mutants.json

$(INSTALLED): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "petaudit needs Python 3.11 or newer")'
	@echo "Installing petaudit into $(VENV) (600 MB on disk, a minute or two) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) .
	@touch $@

$(INSTALLED_TEST): $(INSTALLED)
	@echo "Installing what the tests need into $(VENV) ..."
	@$(INSTALL) '.[test]'
	@touch $@

$(INSTALLED_DEV): $(INSTALLED_TEST)
	@echo "Installing the tools of developers into $(VENV) ..."
	@$(INSTALL) '.[dev]'
	@touch $@

clean:
	rm -rf demo.html mutants.json site $(VENV) .venv-* .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis
