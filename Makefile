# amble. `make help` lists the targets. A fresh machine needs python3 (3.11 or newer), a C++ compiler and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2

# Both names are needed: pip before 25.3 reads the first for isolated builds, later ones the second.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install osmesa demo test test-fast lint bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(READY) ## the virtual environment in .venv, with amble and its tools

$(READY): pyproject.toml constraints.txt CMakeLists.txt $(wildcard src/core/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "amble needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
	    "Name another: make PYTHON=python3.12 …" >&2; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "amble needs a C++17 compiler to build its numeric core, and none was found." \
	    "Install one: apt install g++ (Debian, Ubuntu), xcode-select --install (macOS)." >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) >/dev/null || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' does not work here: apt install python3-venv (Debian, Ubuntu)." >&2; exit 1; }
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

# Pictures and video are drawn in software by OSMesa, amble's one system library; all else works without.
osmesa: $(READY)
	@$(BIN)/python -c 'import ctypes.util as c, sys; sys.exit(not c.find_library("OSMesa"))' || { \
	  get="apt-get install --yes --quiet --no-install-recommends libosmesa6"; \
	  if ! command -v apt-get >/dev/null; then why="there is no apt-get"; \
	  elif [ "$$(id -u)" = 0 ]; then { $$get || { apt-get update --quiet && $$get; }; } >/dev/null || why="apt-get failed"; \
	  elif sudo -n true 2>/dev/null; then { sudo -n $$get || { sudo -n apt-get update --quiet && sudo -n $$get; }; } \
	    >/dev/null || why="apt-get failed"; \
	  else why="it needs root: sudo apt install libosmesa6"; fi; \
	  [ -z "$$why" ] || echo "libosmesa6 could not be installed ($$why): going on without pictures and video." >&2; }

demo: osmesa ## a person walks, another is pushed from eight sides: video, pictures and reports in out/
	@mkdir -p out
	@kinds="npz"; \
	if $(BIN)/python -c "from amble.motion.gl import create_context as c; c(16, 16).free()" 2>/dev/null; then kinds="npz mp4 png"; fi; \
	make_it() { \
	  name=$$1; files=""; for kind in $$kinds; do files="$$files -o out/$$name.$$kind"; done; \
	  echo "amble make $$*$$files --report out/$$name.json"; \
	  $(BIN)/amble make "$$@" $$files --report out/$$name.json; }; \
	make_it humanoid-walk --at 3:speed=3 --at 6:heading=90 --seconds 9 && make_it balance-push

test: lint osmesa ## linters, types and every test
	$(BIN)/pytest -n $(JOBS)

test-fast: $(READY) ## the tests without the long scenarios
	$(BIN)/pytest -n $(JOBS) -m "not slow"

lint: $(READY) ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(READY) ## how fast it is, on this machine
	$(BIN)/amble bench

clean: ## remove what was made, except .venv
	rm -rf build out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -exec rm -rf {} +
