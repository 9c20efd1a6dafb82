# make demo   set up, build, and decrypt states that real OpenTofu encrypted
# make test   set up and run every test
# make guests build the guests of every language into target/guests
# make check  format, lints, docs
# make bench  keyhost beside its peers; writes docs/benchmarks.md, and the figures
#             of docs/state-files.md
# make without-compiler  a keyhost that only runs precompiled components

CARGO ?= cargo
KEYHOST = target/release/keyhost
GUESTS = target/guests

.PHONY: demo test guests rust-guests check bench without-compiler setup keyhost clean

demo: rust-guests
	target/release/examples/demo

test: guests
	$(CARGO) test --release --locked --workspace
	cd guest-providers && $(CARGO) test --quiet --locked --workspace --lib && $(CARGO) test --quiet --locked --doc --package keyhost-guest

rust-guests: keyhost
	sh guest-providers/build.sh "$(CURDIR)/$(KEYHOST)" "$(CURDIR)/$(GUESTS)"

guests: rust-guests
	sh guest-providers/build-other-languages.sh "$(CURDIR)/$(KEYHOST)" "$(CURDIR)/$(GUESTS)"

# With the examples, and so with the tests' dependencies: one set of features,
# one build of everything below.
keyhost: setup
	$(CARGO) build --release --locked --workspace --bins --examples

setup:
	@command -v $(CARGO) >/dev/null || { echo "error: no cargo: install Rust 1.95 or newer, https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "error: no C compiler: install gcc or clang (Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }

check: setup
	$(CARGO) fmt --all --check
	cd guest-providers && $(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	cd guest-providers && $(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps

bench: guests
	$(CARGO) bench --locked --workspace --bench peers -- --write "$(CURDIR)/docs/benchmarks.md"
	$(CARGO) bench --locked --workspace --bench languages -- --write "$(CURDIR)/docs/writing-a-provider.md"
	$(CARGO) bench --locked --workspace --bench rotation -- --write "$(CURDIR)/docs/state-files.md"

# With the same selection as above, all but wasmtime and keyhost are built
# already. The program is put aside, and the whole one put back.
without-compiler: setup
	$(CARGO) build --release --locked --workspace --bins --examples --no-default-features
	mkdir -p target/without-compiler
	cp $(KEYHOST) target/without-compiler/keyhost
	$(CARGO) build --release --locked --workspace --bins --examples

clean:
	$(CARGO) clean
	cd guest-providers && $(CARGO) clean
