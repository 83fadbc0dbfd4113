# Short names for the commands that people type most. Each is one line; type the line if you have no make.
GOLANGCI_LINT_VERSION := v2.15.0
BUILD := CGO_ENABLED=0 go build -trimpath -tags nomsgpack

.PHONY: demo build test race campaign budgets lint bench image ci

demo: ## A sample organization on loopback; needs nothing but Go.
	go run ./cmd/wsd demo

build: ## Both commands into bin/.
	$(BUILD) -o bin/ ./cmd/...

test: ## Everything that can run on this machine.
	go test ./...

race: ## Everything but e2e, with the race detector.
	go test -race $$(go list ./... | grep -v '/e2e$$')

campaign: ## A long test in full: make campaign NAME=failover. Without a name: all of them. SEED=7 repeats one, RUNS=20 makes it shorter.
	WSD_TEST_CAMPAIGN=$(or $(NAME),all) WSD_TEST_SEED=$(SEED) WSD_TEST_RUNS=$(RUNS) go test -count=1 -v -timeout 6h -run '$(if $(filter engines,$(NAME)),.,Campaign$$)' ./...

budgets: ## What input at its limits costs: CPU seconds a MiB and allocated bytes, row by row.
	WSD_TEST_CAMPAIGN=budgets go test -count=1 -v -timeout 1h -run 'TestCostsCampaign$$' ./server/rest

lint:
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) run ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

image: ## The image of wsd, as in compose.yaml.
	docker build -t wsd .

ci: ## What the build machine runs; needs Debian and root.
	bash .ci/run
