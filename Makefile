# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   builds an environment, installs, runs a mechanism and shows the result
#   make test   the same, then checks and the tests
# make quick runs the fast tier of tests, make quick-lowest the same with the lowest versions that are promised, make quick-plain on Numba as it is, make test-long those that make test leaves out, make check linting, types and layers, make wheel builds a wheel that carries compiled code,
# make smoke builds sdist and wheel and tries them in a clean environment, make docs builds the pages of docs/ in build/docs, make papers the report on the five papers' examples,
# make bench measures beside other programs and writes benchmarks/beside/README.md, make fuzz draws new random examples for MINUTES minutes, make mutants breaks each function that equations.toml names,
# make arithmetic runs the tests as other processors would compute, and prints a table
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
# with stored bytecode a process starts in half the time, and the tests start many
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long quick quick-lowest quick-plain check generate fuzz arithmetic papers docs bench wheel smoke clean

$(VENV)/made-demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[plot]'
	touch $@

$(VENV)/made: $(VENV)/made-demo
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[plot,files,results,sweep,cluster,cad,view,movie,meshes,test,check]'
	touch $@

$(VENV)/made-docs: $(VENV)/made
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

demo: $(VENV)/made-demo
	$(BIN)/python examples/demo.py

check: $(VENV)/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/layers.py
	$(BIN)/python tools/engine_room.py
	$(BIN)/python tools/wording.py
	$(BIN)/python -W ignore tools/docstrings.py

test: $(VENV)/made demo check $(VENV)/made-docs
	$(BIN)/python -m pytest -n $(JOBS)

# what is marked `long`: many more cases of what make test tries, and what takes its time
test-long: $(VENV)/made-docs
	$(BIN)/python -m pytest -n $(JOBS) -m long

# the developer's loop: the fast tier, on examples that are the same every time; under a minute once kernels are compiled
quick: $(VENV)/made
	$(BIN)/python -m pytest -n $(JOBS) $$(grep -v '^#' tests/quick.txt)

# the fast tier with the lowest versions that pyproject.toml promises, and the tests of what uses the packages of its extras;
# environment and compiled code beside those of the other commands
LOWEST := .venv-lowest
OF_EXTRAS := tests/io/test_results.py tests/view/test_pictures.py tests/view/test_movies.py tests/studies/test_sweep.py
$(LOWEST)/made: pyproject.toml tools/lowest.py
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python tools/lowest.py > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint $(LOWEST)/constraints.txt --editable '.[plot,files,results,sweep,view,movie,meshes]' pytest pytest-xdist hypothesis mpmath
	touch $@

quick-lowest: export NUMBA_CACHE_DIR := $(CURDIR)/$(LOWEST)/kernels
quick-lowest: $(LOWEST)/made
	$(LOWEST)/bin/python -m pytest -n $(JOBS) $$(grep -v '^#' tests/quick.txt) $(OF_EXTRAS)

# the fast tier on Numba as it is, which takes several times as long to compile
quick-plain: $(VENV)/made
	COTREE_PLAIN_NUMBA=1 $(BIN)/python -m pytest -n $(JOBS) $$(grep -v '^#' tests/quick.txt)

# what is made from the package and committed: stub of public names, tables of docs, figures of the stored benchmarks
generate: $(VENV)/made
	$(BIN)/python tools/stubs.py
	$(BIN)/python tools/api_tables.py
	$(BIN)/python tools/figures.py

# new random examples, other than those of the test command: CALLS with wrong values, damaged results FILES, SIGNALS of the real
# clock, and MINUTES of property tests
MINUTES ?= 10
CALLS ?= 20000
FILES ?= 1000
SIGNALS ?= 200
fuzz: $(VENV)/made
	$(BIN)/python -m tools.fuzz_calls --seed $$(date +%s) --calls $(CALLS)
	$(BIN)/python -m tools.fuzz_results --seed $$(date +%s) --files $(FILES)
	$(BIN)/python -m tools.fuzz_alarms --seed $$(date +%s) --signals $(SIGNALS)
	$(BIN)/python tools/fuzz.py --minutes $(MINUTES) --jobs $(JOBS)

# each function of the register is broken in two ways; the tests that are named with it must fail
mutants: $(VENV)/made
	$(BIN)/python -m tools.mutants --jobs $(JOBS)

# the tests with other kernels of OpenBLAS, Numba and NumPy in turn, and beside eight busy processes: all of them, or TESTS="tests/constraints"; VARIANTS="Haswell,load"
TESTS ?=
VARIANTS ?=
arithmetic: $(VENV)/made-docs
	$(BIN)/python tools/arithmetic.py --jobs $(JOBS) --variants "$(VARIANTS)" $(TESTS)

# the papers' examples, run and reported on; the pages carry it
REPORT := build/papers/validation_report
$(REPORT).html: $(VENV)/made $(shell find src/cotree -name '*.py')
	mkdir -p $(@D)
	$(BIN)/cotree papers --out $@ --json > $(REPORT).json

papers: $(REPORT).html
	@echo $<

docs: $(VENV)/made-docs $(REPORT).html
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	@echo build/docs/index.html

# every comparison with other programs (mjbatch, which wants a MuJoCo of its own, in an environment of its own), ROUNDS times in turns, stored with machine and versions; benchmarks/beside/README.md with plots
# (`python -m benchmarks` prints all benchmarks of our own)
ROUNDS ?= 3
bench: $(VENV)/made
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(PYTHON) -m venv $(VENV)/mjbatch && $(VENV)/mjbatch/bin/python -m pip install --quiet mjbatch
	COTREE_MJBATCH_PYTHON=$(CURDIR)/$(VENV)/mjbatch/bin/python $(BIN)/python -m benchmarks.beside.rounds --rounds $(ROUNDS)
	$(BIN)/python -m benchmarks.beside.page
	$(BIN)/python -m benchmarks.store
	$(BIN)/python tools/figures.py

# a wheel in dist/ that carries compiled code for this version of Python and Numba and processors with AVX2
wheel: $(VENV)/made-demo
	$(BIN)/python -m tools.ready_made
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	rm -rf src/cotree/_compiled

# sdist and wheel, the wheel built from the sdist and tried in an environment of its own
smoke: $(VENV)/made
	$(BIN)/python tools/smoke.py

clean:
	rm -rf $(VENV) build dist src/cotree/_compiled
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
