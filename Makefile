# Two commands matter: `make run` and `make test`. The rest is named by `make help`.

CARGO ?= cargo
PYTHON ?= python3
VENVS := target/venvs
MODELS := $(CURDIR)/target/models
BIN_DEBUG := $(CURDIR)/target/debug/reflexio
BIN_RELEASE := $(CURDIR)/target/release/reflexio
BUILT := -p reflexio-cli
export CARGO_TERM_COLOR ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo run build release test check fmt clippy unit doc sdk conformance schema browser fuzz fuzz-briefly model test-model bench soak clean

help: ## show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: release ## see it learn: a server with bundled conversations in a temporary folder, in a minute
	@$(BIN_RELEASE) demo

run: release ## build what is missing and serve on http://localhost:8081
	$(BIN_RELEASE) serve

build: ## the debug binary
	$(CARGO) build --locked $(BUILT)

release: ## the release binary with the embedding model inside, target/release/reflexio
	@if REFLEXIO_MODEL_DIR=$(MODELS) tools/model.sh; then \
	  REFLEXIO_BUNDLED_MODEL=$(MODELS)/minilm-l6-v2.rfxm $(CARGO) build --locked --release -p reflexio-cli --features bundled-model; \
	else \
	  echo "no model: building a server that searches by words only"; \
	  $(CARGO) build --locked --release -p reflexio-cli; \
	fi

# After the Rust tests everything is there, if it is asked for with the same features.
test: BUILT := --workspace --bins --tests
test: check unit fuzz-briefly sdk conformance schema browser ## every test of every language, as CI runs them

check: fmt clippy doc ## formatting, lints and documentation, warnings denied

fmt:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --quiet

unit: ## the Rust tests; those of the embedding model only where it can be fetched
	@REFLEXIO_MODEL_DIR=$(MODELS) CARGO_PROFILE=dev tools/model.sh || echo "no model: tests that need it are skipped and say so"
	REFLEXIO_MODEL_DIR=$(MODELS) tools/nextest.sh

sdk: build ## the Python SDK: types, style, unit tests, and every code block of the documents
	REFLEXIO_BIN=$(BIN_DEBUG) tools/sdk-tests.sh

conformance: build ## the public client against our server
	REFLEXIO_BIN=$(BIN_DEBUG) tests/conformance/run.sh

schema: build ## schemathesis against our own OpenAPI document
	REFLEXIO_BIN=$(BIN_DEBUG) tests/schema/run.sh

browser: build ## the interactive API page in a real browser
	REFLEXIO_BIN=$(BIN_DEBUG) tests/browser/run.sh

fuzz: ## every fuzz target for FUZZ_SECONDS (60); what it finds is in fuzz/artifacts
	tools/fuzz.sh

fuzz-briefly:
	FUZZ_SECONDS=10 tools/fuzz.sh

model: ## fetch and convert the embedding model into target/models; its quality tests run with it
	REFLEXIO_MODEL_DIR=$(MODELS) tools/model.sh --f32

test-model: build ## publish, learn and read back with a real, very small language model; takes minutes
	REFLEXIO_BIN=$(BIN_DEBUG) tests/model/run.sh

bench: ## all benchmarks; writes bench/RESULTS.md
	bench/run.sh

soak: build ## kill -9 while publishing and while learning, many times
	REFLEXIO_SOAK_ROUNDS=200 REFLEXIO_SOAK_KILLS=50 $(CARGO) test --locked -p reflexio-cli --test it -- --nocapture killed

clean: ## remove everything that was built
	$(CARGO) clean
