# The project's commands. Each is a script in Scripts or Benchmarks; `make` alone lists them.
.PHONY: help build package run check test lint format docs bench fuzz hostile soak

help:
	@echo 'make run     build, start the gateway with config.yaml and the sample upstream, print commands to try'
	@echo 'make check   rules, build and tests, for daily work'
	@echo 'make test    every check of continuous integration'
	@echo 'make build   the release build, in .build/release'
	@echo 'make package the release build as a Debian package and as an archive, in .build/packages'
	@echo 'make lint    formatting and rules only'
	@echo 'make format  format the Swift files in place'
	@echo 'make docs    the documentation of the libraries, in .build/docs'
	@echo 'make bench   measure the gateway and its server on this machine'
	@echo 'make fuzz    ten minutes of hostile input for each parser: see Fuzz/README.md'
	@echo 'make hostile hostile clients and upstreams against errand with the address sanitizer'
	@echo 'make soak    a million mutated requests, hostile upstreams, a thousand slow clients, two hundred crashes, a million tasks, an hour of faults'

build:
	@Scripts/setup run
	swift build --configuration release --static-swift-stdlib --product errand

package: build
	@Scripts/setup package
	@Scripts/package

run: build
	@Scripts/run

check:
	@Scripts/setup test
	@Scripts/test --quick

test:
	@Scripts/setup test
	@Scripts/test

lint:
	@Scripts/setup test
	@Scripts/lint

format:
	@Scripts/format

docs:
	@Scripts/setup test
	swift build
	@Scripts/docs

bench: build
	@Scripts/setup bench
	@Benchmarks/server.sh
	@Benchmarks/gateway.sh

fuzz:
	@Scripts/setup test
	@Scripts/fuzz

hostile:
	@Scripts/setup test
	@Scripts/hostile

soak: build
	@Scripts/setup test
	swift build --build-tests
	ERRAND_SOAK=1 ERRAND_PROGRAM=$(CURDIR)/.build/release/errand swift test --skip-build --disable-xctest \
		--filter 'HostileUpstreamTests|StarvationTests|MutatedRequestTests|SlowClientTests|CrashTests|LongRunTests|ChaosTests|CallbackOutageTests|CancelTests|RetryTests|CompressionBombTests|MemoryTests|FlakyDownloadTests|RolloutTests|DispatcherAnyOrder|DispatcherCreationTests|ConfigurationMutationTests'
