# The two commands of the README, and what developers use beside them.

.PHONY: demo test lint generated

# The service on demonstration data around today, at http://127.0.0.1:8080
demo:
	cargo run --locked -- demo

# Every test. PostgreSQL is tested where WATTBOOK_TEST_POSTGRES_URL says where a server is.
test:
	cargo test --locked --workspace

lint:
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

# Files made from the code: commit them with it
generated:
	cargo run --locked --quiet -- openapi > docs/openapi.json
