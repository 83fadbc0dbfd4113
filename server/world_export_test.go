package server

import (
	"context"

	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/web/rest"
)

// DisableSearchWait makes searches not wait for an index, for tests.
func (s *Server) DisableSearchWait() { s.indexing.MaxIndexWait = 0 }

// Remount replaces the mounted operations, for tests of single endpoints. It panics if a row is invalid.
func (s *Server) Remount(endpoints ...rest.Endpoint) { s.rest.Mount(endpoints...) }

// SetComputedPages makes every computed page stand for a page with the given text and one below it, for tests.
func (s *Server) SetComputedPages(markdown string) { s.pages.Computer = textComputer(markdown) }

type textComputer string

func (c textComputer) Compute(_ context.Context, of pages.ComputeInput) (pages.ComputeResult, error) {
	inner := pages.ComputedPage{Key: "inner", Title: "Inner", Slug: "inner", Markdown: []byte(c)}
	outer := pages.ComputedPage{Key: "outer", Title: of.Source.Dependencies.Spec.Ref.Spec, Slug: "outer", Markdown: []byte("# Outer\n"), Pages: []pages.ComputedPage{inner}}
	return pages.ComputeResult{Seed: string(c), Pages: []pages.ComputedPage{outer}}, nil
}

// ScheduleCounts schedules the jobs that count data stored before quotas were counted, for tests.
func ScheduleCounts(ctx context.Context, s *Server) error { return s.scheduleCounts(ctx) }
