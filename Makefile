# Targets for people; CI runs the same ones. Needs only Python >= 3.11, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input
REPO ?= .

# Tests start hundreds of processes: without bytecode each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup dev demo test lint types contracts format lock bench bench-model bench-delivery bench-crash bench-scale bench-load bench-questions mutate clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.setup ## set up the environment with .venv/bin/digestbot

dev: $(VENV)/.dev ## set up the environment with tools for tests, linters and benchmarks

define make-venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "digestbot needs Python 3.11 or newer; choose one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
endef

$(VENV)/.setup: requirements.lock pyproject.toml
	$(make-venv)
	@echo "setting up the environment in $(VENV) (once; about a minute)"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# The lock file with the tools names the same releases as the other one, and uv, which installs in a
# tenth of pip's time. Where uv finds no index, as its settings are not pip's, pip installs.
$(VENV)/.dev: requirements.lock requirements-dev.lock pyproject.toml
	$(make-venv)
	@echo "making the environment in $(VENV) with test tools (once)"
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock | $(PIP) install --require-hashes -r /dev/stdin
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock || \
		$(PIP) install --require-hashes -r requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.setup $@

demo: setup ## print the digest of this repository's last active day
	@$(BIN)/digestbot demo .

test: dev ## run all tests
	@$(BIN)/python -m pytest -n auto --dist worksteal

lint: dev ## check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: dev ## check static types of the three packages and the benchmarks
	@$(BIN)/mypy --num-workers auto

contracts: dev ## check which package may import which
	@$(BIN)/lint-imports

format: dev ## apply the code style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: dev ## regenerate the two lock files from pyproject.toml
	@printf 'setuptools>=80\n' | $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		--no-annotate --no-emit-index-url --no-emit-find-links --python-version 3.11 -o requirements.lock pyproject.toml -
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
		--no-annotate --no-emit-index-url --no-emit-find-links --python-version 3.11 --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml

bench: dev ## speed and memory compared with other programs; REPO=path for another clone
	@$(BIN)/python -m benchmarks.run $(REPO)

bench-model: dev ## cost of analyses in addition to the model; REPO=path, DAYS="2026-01-23 ..."
	@$(BIN)/python -m benchmarks.model $(REPO) $(DAYS)
	@$(BIN)/python -m benchmarks.evidence $(REPO) --days $(DAYS)

bench-delivery: dev ## posting and receiving compared with platforms' limits and with Apprise
	@$(BIN)/python -m benchmarks.delivery

bench-crash: dev ## killed processes and servers, full disk, locked archive: the table of docs/reliability.md
	@$(BIN)/python -m benchmarks.crash $(RUNS)

bench-scale: dev ## parallel workers, a backlog, memory, with its own PostgreSQL; REPO=path
	@$(BIN)/python -m benchmarks.scale $(REPO)

bench-load: dev ## 50 questions a second while 5000 digests are due; LOAD="--outage redis" stops a server
	@$(BIN)/python -m benchmarks.load $(LOAD)

bench-questions: dev ## answers from a real clone compared with git's own searches; REPO=path
	@$(BIN)/python -m benchmarks.questions $(REPO)

mutate: dev ## mutation testing; ON="bot/access bot/jobs --count 100"
	@$(BIN)/python -m benchmarks.mutate $(ON)

clean: ## remove the environment and caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache
