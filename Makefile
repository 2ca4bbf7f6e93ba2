# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   builds an environment, installs, runs a mechanism and shows the result
#   make test   the same, then checks and every test
# and make docs builds the pages of docs/ in build/docs
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2

.PHONY: demo test check docs bench clean

$(VENV)/made: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[plot,files,results,cad,view,test,check]'
	touch $@

$(VENV)/made-docs: $(VENV)/made
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

demo: $(VENV)/made
	$(BIN)/python examples/demo.py

check: $(VENV)/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/layers.py

test: demo check $(VENV)/made-docs
	$(BIN)/python -m pytest -n $(JOBS)

docs: $(VENV)/made-docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	@echo build/docs/index.html

bench: $(VENV)/made
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
