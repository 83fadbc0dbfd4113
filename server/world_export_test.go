package server

import (
	"context"

	"docspace.dev/wsd/server/web/rest"
)

// Remount replaces the mounted operations, for tests of single endpoints. It panics if a row is invalid.
func (s *Server) Remount(endpoints ...rest.Endpoint) { s.rest.Mount(endpoints...) }

// ScheduleCounts schedules the jobs that count data stored before quotas were counted, for tests.
func ScheduleCounts(ctx context.Context, s *Server) error { return s.scheduleCounts(ctx) }
