package server

import (
	"context"

	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/web/rest"
)

// WithoutPatience makes searches wait for nothing, for tests.
func (s *Server) WithoutPatience() { s.indexing.Patience = 0 }

// Remount replaces what a server serves, for tests of single mounts. It panics as New does when a row is wrong.
func (s *Server) Remount(endpoints ...rest.Endpoint) { s.rest.Mount(endpoints...) }

// ComputePages lets every computed page stand for one page with that text, below it another one, for tests.
func (s *Server) ComputePages(markdown string) { s.pages.Computer = textComputer(markdown) }

type textComputer string

func (c textComputer) Compute(_ context.Context, of pages.Computing) (pages.Computation, error) {
	inner := pages.ComputedPage{Key: "inner", Title: "Inner", Slug: "inner", Markdown: []byte(c)}
	outer := pages.ComputedPage{Key: "outer", Title: of.Source.Dependencies.Spec.Ref.Spec, Slug: "outer", Markdown: []byte("# Outer\n"), Pages: []pages.ComputedPage{inner}}
	return pages.Computation{Seed: string(c), Pages: []pages.ComputedPage{outer}}, nil
}

// PlanCounts plans the jobs that count what was stored before there was a count.
func PlanCounts(ctx context.Context, s *Server) error { return s.scheduleCounts(ctx) }
