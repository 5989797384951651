# make run     install what is missing, build, start the proxy on 127.0.0.1:3128     ARGS="--workers 2" passes flags on
# make test    the same set-up and what the tests need; unit tests, then end-to-end tests with real servers and clients
# make check   formatting, layering, sizes, forbidden words
# make bench   processor time per 1000 requests, beside haproxy

BUILD_PACKAGES := libcurl4-openssl-dev libc-ares-dev libssl-dev pkg-config ca-certificates
TEST_PACKAGES := nginx-light unbound curl wget aria2 w3m openssl python3 python3-pytest python3-requests
BENCH_PACKAGES := nginx-light wrk haproxy python3

BINARY := .build/release/httpdns-proxy
PYTEST := /usr/bin/python3 -B -m pytest
INSTALL := Tests/Checks/install-packages

.PHONY: run build test unit end-to-end check bench clean

run: build
	@exec $(BINARY) run $(ARGS)

build: toolchain
	@$(INSTALL) $(BUILD_PACKAGES)
	swift build --configuration release --static-swift-stdlib --product httpdns-proxy

test: unit end-to-end

unit: toolchain
	@$(INSTALL) $(BUILD_PACKAGES) openssl
	swift test

end-to-end: build
	@$(INSTALL) $(TEST_PACKAGES)
	$(PYTEST) Tests/Checks Tests/EndToEnd $(PYTEST_ARGS)

check: toolchain
	@$(INSTALL) python3
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
	Tests/Checks/check_sources.py

bench: build
	@$(INSTALL) $(BENCH_PACKAGES)
	/usr/bin/python3 -B Tests/EndToEnd/bench.py

.PHONY: toolchain
toolchain:
	@command -v swift >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux/" >&2; exit 1; }

clean:
	rm -rf .build
