package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
)

// WithoutPatience makes searches wait for nothing, for tests.
func (s *Server) WithoutPatience() { s.searchPatience = 0 }

// Row is the contract's row of a mount, for tests.
func (e Endpoint) Row() api.Row { return e.row }

// Need is the mount's need as the route table shows it, for tests.
func (e Endpoint) Need() string { return e.need.String() }

// Remount replaces what a server serves, for tests of single mounts. It panics as New does when a row is wrong.
func (s *Server) Remount(endpoints ...Endpoint) {
	compiler := api.NewCompiler()
	s.endpoints = nil
	for _, e := range endpoints {
		s.endpoints = append(s.endpoints, e.compile(compiler))
	}
}

// WithoutNeed is the mount as it would be if its need had been forgotten, for tests.
func (e Endpoint) WithoutNeed() Endpoint { e.need = auth.Need{}; return e }

// WithRow is the mount on another row, for tests.
func (e Endpoint) WithRow(row api.Row) Endpoint { e.row = row; return e }

// ComputePages lets every computed page stand for one page with that text, below it another one, for tests.
func (s *Server) ComputePages(markdown string) { s.computer = textComputer(markdown) }

type textComputer string

func (c textComputer) compute(_ context.Context, _ string, source api.Computed) (computation, error) {
	inner := computedPage{key: "inner", title: "Inner", slug: "inner", markdown: []byte(c)}
	outer := computedPage{key: "outer", title: source.Dependencies.Spec.Ref.Spec, slug: "outer", markdown: []byte("# Outer\n"), pages: []computedPage{inner}}
	return computation{seed: string(c), pages: []computedPage{outer}}, nil
}

// PlanCounts plans the jobs that count what was stored before there was a count.
func PlanCounts(ctx context.Context, s *Server) error { return s.planCounts(ctx) }
