# `make demo` and `make test` set themselves up; everything runs from .venv.
PYTHON ?= python3
BIN := .venv/bin
# Two tests at once, even on a single core; those with servers wait for them much of the time, so there are three of them.
TWICE := -n 2 --dist worksteal
THRICE := -n 3 --dist loadgroup
# `pytest` alone collects the folders of `make test`.
EVERYWHERE := tests packs/pbem-chess/tests packs/pbem-classics/tests pbem/conformance/template/tests
# What databases may do differently; each of these tests passes on both.
ABOUT_SQL := $(addprefix tests/,abuse by_mail community conversation games house ratings stories tournaments operating/test_upgrades.py operating/test_backup.py operating/test_show.py operating/test_identity.py)
# What happens by time: due dates, clocks, and dates in messages.
BY_THE_CLOCK := tests/clocks tests/matches tests/templates tests/pbem/test_digest.py tests/pbem/test_retention.py
# Without bytecode every process of the tests would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all browser check lint soak mutants fuzz audit golden bench arena wishes memory lock format docs screenshots clean

demo: .venv/ready            ## play a whole match by email, without accounts or servers
	@$(BIN)/pbem demo

test: .venv/ready            ## a minute: what needs no server, all stories, messages of most kinds, a few processes; on SQLite
	$(BIN)/pytest -q $(TWICE)

# Each part runs on one of the days on which clocks are odd: summer time begins, it ends, a year ends.
test-all: test browser       ## everything else; what databases may do differently on PostgreSQL, too
	TZ=Europe/Vienna .ci/at "2027-03-28 01:59:30" $(BIN)/pytest -q $(THRICE) --hypothesis-profile=long -m "(slow or hypothesis) and not soak" $(EVERYWHERE)
	PBEM_TEST_DATABASE=postgresql TZ=America/New_York .ci/at "2027-11-07 01:59:30" $(BIN)/pytest -q $(THRICE) -m "not soak" $(ABOUT_SQL)
	TZ=Pacific/Kiritimati .ci/at "2027-12-31 23:59:30" $(BIN)/pytest -q $(TWICE) -m "not soak" $(BY_THE_CLOCK)

browser: .venv/ready         ## what the tests of the published site need, besides chromium
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r deploy/lock/browser.txt

check: lint test             ## everything that must pass at every commit

lint: .venv/ready            ## what reads the code without running it
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/cog --check $(COGGED)

soak: .venv/ready            ## what repeats: crashes at every step and at random, again and again, and long years
	PBEM_TEST_SEEDS=10 $(BIN)/pytest -q -s -m soak --timeout=3600 $(EVERYWHERE)

mutants: .venv/ready         ## break 40 places on purpose, and name the test that notices (MUTANTS="--with test-all 7 12")
	$(BIN)/python -m tests.mutations $(MUTANTS)

audit: .venv/audit/ready     ## known vulnerabilities in dependencies (1: there are some, 2: the database is unreachable)
	@.venv/audit/bin/python .ci/audit.py .venv/audit/bin/pip-audit

.venv/audit/ready: deploy/lock/audit.txt
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r deploy/lock/audit.txt
	@touch $@

SECONDS ?= 60
fuzz: .venv/ready            ## fuzz all parsers, SECONDS for each target
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r deploy/lock/fuzz.txt
	$(BIN)/python -m tests.fuzz.run $(SECONDS)

golden: .venv/ready          ## regenerate the golden files; review them as a diff
	PBEM_GOLDEN=write $(BIN)/pytest -q -m golden tests/playthroughs tests/stories tests/templates

COGGED := $(shell grep -rl '\[\[\[cog' README.md docs 2>/dev/null)
docs: .venv/ready            ## regenerate the generated parts of the documents
	$(BIN)/cog -r $(COGGED)

screenshots: .venv/ready     ## regenerate the pictures in docs/mails and docs/site (needs chromium)
	$(BIN)/python docs/screenshots.py

format: .venv/ready
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: .venv/ready           ## measure against the floors in the same run (PUBLISH=--publish writes docs/performance.csv)
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r deploy/lock/bench.txt
	@for each in engines.py mail.py daemons.py memory.py growth.py "growth.py --database postgresql"; do \
	    $(BIN)/python -P bench/$$each $(PUBLISH) || result=$$?; \
	done; exit $${result:-0}

arena: .venv/ready           ## level against level of the house in every game; adds to the rows of docs/arena.csv (ARENA="--matches 100 --game hexaphages")
	$(BIN)/python -P bench/arena.py $(ARENA)

wishes: .venv/ready          ## learn again which wish a sentence has, from the sentences in bench/wishes, and measure it
	$(BIN)/python -P bench/learn_wishes.py

memory: .venv/ready          ## the memory of a daemon: at rest, under load, after hostile messages (MEMORY="--messages 5000": does it grow?)
	$(BIN)/python -P bench/memory.py $(MEMORY)

lock:                        ## update the pinned versions (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links --extra dev --extra build --extra postgres --extra dkim pyproject.toml -o deploy/lock/dev.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links --extra build --extra postgres --extra dkim -c deploy/lock/dev.txt pyproject.toml -o deploy/lock/run.txt
	printf '%s\n' 'chess>=1.11' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links - -o deploy/lock/bench.txt
	printf '%s\n' 'axe-playwright-python>=0.1.8' 'jsonschema>=4.26' 'playwright>=1.65' 'tinyhtml5>=2.1' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links -c deploy/lock/dev.txt - -o deploy/lock/browser.txt
	printf '%s\n' 'open-spiel>=2.0.2,<3' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links --no-deps - -o deploy/lock/classics.txt
	printf '%s\n' 'pip-audit>=2.9' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links - -o deploy/lock/audit.txt
	printf '%s\n' 'atheris>=3,<3.1' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links - -o deploy/lock/fuzz.txt

.venv/ready: deploy/lock/dev.txt deploy/lock/classics.txt deploy/lock/bench.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("pbem needs Python 3.11 or newer: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check --no-compile --no-deps --require-hashes --only-binary :all: \
	    --no-binary dkimpy,authres,chess -r deploy/lock/dev.txt -r deploy/lock/classics.txt -r deploy/lock/bench.txt
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf .venv dist
