# Short names for the commands that people type most. Each is one line; type the line if you have no make.
GOLANGCI_LINT_VERSION := v2.15.0
BUILD := CGO_ENABLED=0 go build -trimpath -tags nomsgpack

# What a release is built of; the archives come out the same for the same commit.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
DIST ?= dist
STAMP := -s -w -X main.released=$(VERSION) -X docspace.dev/wsd/cmd/wsctl/app.released=$(VERSION)
DOCUMENTS := LICENSE README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md compose.yaml docs

.PHONY: demo build release test race campaign nightly budgets lint bench image ci

demo: ## A sample organization on loopback; needs nothing but Go.
	go run ./cmd/wsd demo

build: ## Both commands into bin/.
	$(BUILD) -o bin/ ./cmd/...

release: ## Archives of both commands for each of PLATFORMS, with their sums, in DIST. Needs GNU tar.
	rm -rf $(DIST) && mkdir -p $(DIST)
	set -e; for platform in $(PLATFORMS); do \
	  name=wsd_$(VERSION:v%=%)_$$(echo $$platform | tr / _); \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} $(BUILD),timetzdata -ldflags '$(STAMP)' -o $(DIST)/$$name/ ./cmd/wsd ./cmd/wsctl; \
	  cp -r $(DOCUMENTS) $(DIST)/$$name/; \
	  tar -C $(DIST) --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$$(git log -1 --format=%ct 2>/dev/null || echo 0)" \
	    -cf - $$name | gzip -n > $(DIST)/$$name.tar.gz; \
	  rm -r $(DIST)/$$name; \
	done
	cd $(DIST) && sha256sum *.tar.gz > SHA256SUMS

test: ## Everything that can run on this machine.
	go test ./...

race: ## The tests with the race detector; .ci/run runs those of the packages in .ci/race-core.
	bash .ci/races

campaign: ## A long test in full: make campaign NAME=failover. Without a name: all of them. SEED=7 repeats one, RUNS=20 or PERCENT=10 make it shorter.
	SEED=$(SEED) RUNS=$(RUNS) PERCENT=$(PERCENT) bash .ci/campaign $(NAME)

nightly: ## A tenth of every campaign, with new seeds, which it prints. PERCENT=100 runs them in full.
	PERCENT=$(PERCENT) bash .ci/nightly

budgets: ## What input at its limits costs: CPU seconds a MiB and allocated bytes, row by row.
	WSD_TEST_CAMPAIGN=budgets go test -count=1 -v -timeout 1h -run 'TestInputCostIsBoundedCampaign$$' ./server/web/rest

lint:
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) run ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

image: ## The image of wsd, as in compose.yaml.
	docker build --build-arg VERSION=$(VERSION) -t wsd .

ci: ## What the build machine runs; needs Debian and root.
	bash .ci/run
