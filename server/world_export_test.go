package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
)

// WithoutPatience makes searches wait for nothing, for tests.
func (s *Server) WithoutPatience() { s.indexing.Patience = 0 }

// Remount replaces what a server serves, for tests of single mounts. It panics as New does when a row is wrong.
func (s *Server) Remount(endpoints ...rest.Endpoint) { s.rest.Mount(endpoints...) }

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
