# `make demo` runs a demo site, `make test` tests everything. Both first install their requirements.
.PHONY: help demo test check lint docs dist install-test image-test changelog bench faults hostile scale strength mutants full audit requirements clean
.DEFAULT_GOAL := help

BIN := .venv/bin
export PYTHON
# Tests start hundreds of processes, each of which would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

demo: ## seed a site, play tournaments, serve it (PORT=8080; ONCE=1: stop after the tables)
	@scripts/setup.sh demo
	@exec $(BIN)/python manage.py demo $(if $(PORT),--port $(PORT)) $(if $(ONCE),--once)

test: ## run every test (long ones at small size) and lint
	@scripts/setup.sh test
	@scripts/test.sh $(ARGS)

lint: ## check style and types of Python, templates, CSS and JavaScript; imports; missing migrations
	@scripts/setup.sh test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djangofmt --check platform/cardroom/templates
	@scripts/lint_pages.sh
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py makemigrations --check --dry-run

check: lint ## check style, types and imports, and run the tests that need no site
	$(BIN)/pytest -q -n auto --dist loadfile -x tests/engine tests/tournaments $(ARGS)

docs: ## build the documentation site in build/docs, and check its links
	@scripts/setup.sh test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

dist: ## build the source distribution and the compiled wheel, and test the wheel in an empty environment
	@scripts/setup.sh test
	@scripts/dist.sh

install-test: ## type the commands of docs/21-install.md in an empty Debian with systemd (root, mmdebstrap; 10 minutes)
	@scripts/setup.sh test
	$(BIN)/python -m tests.install $(ARGS)

image-test: ## build the container image, start compose.yaml with Podman, play there (root, podman-compose; 15 minutes)
	@scripts/setup.sh test
	$(BIN)/python -m tests.image $(ARGS)

changelog: ## show the text of changes/; VERSION=1.2.0 writes it to CHANGELOG.md
	@scripts/setup.sh test
	$(BIN)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

bench: ## compare speed with other programs, print the ratios
	@scripts/setup.sh bench
	$(BIN)/python -m tests.benchmarks $(ARGS)

faults: ## kill, freeze, cut off and fill up parts of a site, at full size; write the table to docs/
	@scripts/setup.sh test
	CARDROOM_FULL=1 $(BIN)/pytest tests/faults $(ARGS)

hostile: ## try all known ways out of the sandbox, print a table
	@scripts/setup.sh test
	$(BIN)/python -m tests.hostile $(ARGS)

scale: ## create a site of 200,000 matches (ARGS=--matches=N), print the cost of reading each address
	@scripts/setup.sh test
	$(BIN)/python -m tests.scale $(ARGS)

strength: ## play deal groups, print the number won: ARGS='cassino/standard/1v1?deals=1 expert:400 house:cassino'
	@scripts/setup.sh test
	$(BIN)/python -m tests.strength $(ARGS)

mutants: ## mutate scoring and move lists of each game, list the mutants that no test detects
	@scripts/setup.sh mutants
	$(BIN)/mutmut run $(ARGS)
	$(BIN)/mutmut results

full: ## run every test at full size, one after the other, then the mutants; takes hours
	@scripts/setup.sh test
	CARDROOM_FULL=1 $(BIN)/pytest $(ARGS)
	@$(MAKE) --no-print-directory mutants ARGS=

audit: ## find known vulnerabilities in dependencies, risky code, secrets in files; queries the package index
	@scripts/setup.sh audit
	$(BIN)/ruff check
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook --exclude-files '^(requirements/|package-lock.json)' \
		--disable-plugin KeywordDetector --disable-plugin HexHighEntropyString \
		--exclude-lines 'postgres://user:password@host'
	$(BIN)/pip-audit --strict --disable-pip -r requirements/site.txt

requirements: ## pin the requirements of pyproject.toml and package.json again, with hashes
	@scripts/setup.sh test
	$(BIN)/python scripts/requirements.py
	npm install --package-lock-only --omit-lockfile-registry-resolved=false
	sed -i '/"resolved":/d' package-lock.json # keeps registry addresses out

clean: ## remove everything built here, except the site's data in var/
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
