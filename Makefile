# `make demo` shows it, `make test` checks it. Both install what they need first.
.PHONY: help demo test check lint docs dist changelog bench faults hostile scale strength mutants full audit requirements clean
.DEFAULT_GOAL := help

BIN := .venv/bin
export PYTHON
# Tests start hundreds of processes: each would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

demo: ## seed a site, play a tournament, serve it (ONCE=1: stop after the table)
	@scripts/setup.sh site
	@exec $(BIN)/python manage.py demo $(if $(ONCE),--once)

test: ## run every test, at small size where there is a larger one, and lint beside them
	@scripts/setup.sh test
	@scripts/test.sh $(ARGS)

lint: ## style and types of Python, templates, CSS and JavaScript; imports; whether models have their migrations
	@scripts/setup.sh test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djangofmt --check platform/cardroom/templates
	@scripts/lint_pages.sh
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py makemigrations --check --dry-run

check: lint ## the quick loop: style, types, imports, and the tests that need no site
	$(BIN)/pytest -q -n auto --dist loadfile -x tests/engine tests/tournaments $(ARGS)

docs: ## build the documentation site into build/docs, links checked
	@scripts/setup.sh test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

dist: ## build the source distribution and the compiled wheel, and try the wheel in an empty place
	@scripts/setup.sh test
	@scripts/dist.sh

changelog: ## show what changes/ says; VERSION=1.2.0 writes it into CHANGELOG.md
	@scripts/setup.sh test
	$(BIN)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

bench: ## measure against peers, print ratios of one run
	@scripts/setup.sh bench
	$(BIN)/python -m tests.benchmarks $(ARGS)

faults: ## kill, freeze, cut off and fill up parts of a site, at full size; write the table in docs/
	@scripts/setup.sh test
	CARDROOM_FULL=1 $(BIN)/pytest tests/faults $(ARGS)

hostile: ## try to break out of the sandbox in every way we know, print a table
	@scripts/setup.sh test
	$(BIN)/python -m tests.hostile $(ARGS)

scale: ## make a site of 200,000 matches (ARGS=--matches=N), print what reading each address costs
	@scripts/setup.sh test
	$(BIN)/python -m tests.scale $(ARGS)

strength: ## play deal groups, say how many were won: ARGS='cassino/standard/1v1?deals=1 expert:400 house:cassino'
	@scripts/setup.sh test
	$(BIN)/python -m tests.strength $(ARGS)

mutants: ## change scoring and move lists of each game in thousands of ways, list the changes that no test notices
	@scripts/setup.sh mutants
	$(BIN)/mutmut run $(ARGS)
	$(BIN)/mutmut results

full: ## every test at full size, one after the other, then the mutants; takes hours
	@scripts/setup.sh test
	CARDROOM_FULL=1 $(BIN)/pytest $(ARGS)
	@$(MAKE) --no-print-directory mutants ARGS=

audit: ## known holes in what is installed, risky code, secrets left in files; asks the package index
	@scripts/setup.sh audit
	$(BIN)/ruff check
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook --exclude-files '^(requirements/|package-lock.json)' \
		--disable-plugin KeywordDetector --disable-plugin HexHighEntropyString \
		--exclude-lines 'postgres://user:password@host'
	$(BIN)/pip-audit --strict --disable-pip -r requirements/site.txt

requirements: ## pin again what pyproject.toml and package.json ask for, with hashes
	@scripts/setup.sh test
	$(BIN)/python scripts/requirements.py
	npm install --package-lock-only --omit-lockfile-registry-resolved=false
	sed -i '/"resolved":/d' package-lock.json # names no registry's address

clean: ## remove what was made here, the site's data in var/ excepted
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
