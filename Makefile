# The two commands of the README, and what developers use beside them.

.PHONY: demo test install deb lint generated frontend screenshots

# Where `make install` puts programs; with DESTDIR below another folder.
PREFIX ?= /usr/local
export PREFIX

# The service on demonstration data around today, at http://127.0.0.1:8080
demo:
	cargo run --locked -- demo

# Every test, and at the end what was left out. PostgreSQL is tested on the server that
# WATTBOOK_TEST_POSTGRES_URL names, or on one of the tests' own where its programs are installed.
test:
	.ci/test --workspace

# A release build with its man pages, completions, systemd units and settings (docs/INSTALL.md)
install:
	cargo build --release --locked
	api/packaging/install target/release/wattbook "$(DESTDIR)"

# The same as a Debian package, in target/release
deb:
	cargo build --release --locked
	api/packaging/deb target/release/wattbook target/release

lint:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

# Files made from the code: commit them with it
generated:
	cargo run --locked --quiet -- openapi > docs/openapi.json

# The web page, for which Node 20 or later is needed: commit frontend/dist with its sources
frontend:
	cd frontend && npm ci --no-progress && npm run --silent types && npm run --silent check && npm run build

# Pictures of every page, by Debian's chromium and the binary that is built, to frontend/screenshots
# and four of them to docs
screenshots:
	cargo build --locked
	cd frontend && npm run screenshots
