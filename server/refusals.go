package server

import (
	"context"
	"time"

	"docspace.dev/wsd/server/web/auth"
)

const (
	refusalsInterval = 10 * time.Second // between two reports of refused requests
	refusalsTimeout  = 2 * time.Second  // for the last report of a node that stops
)

// ReportRefusals adds the requests that were refused although their token exists to the logs of their users and organizations, until
// ctx is done.
func (s *Server) ReportRefusals(ctx context.Context) {
	ticker := time.NewTicker(refusalsInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalsTimeout)
			defer cancel()
			s.ReportPendingRefusals(ctx)
			return
		case <-ticker.C:
			s.ReportPendingRefusals(ctx)
		}
	}
}

// ReportPendingRefusals reports the requests that were refused since the last call. Those that could not be reported yet are kept.
func (s *Server) ReportPendingRefusals(ctx context.Context) {
	for _, r := range s.rest.Refusals().Take() {
		switch hasMore, err := s.orgs.ReportRefusal(ctx, r); {
		case err != nil:
			s.log.Warn("refused requests have no event yet", "user", r.User, "count", r.Count, "error", err)
			s.rest.Refusals().Add(r)
		case hasMore:
			s.rest.Refusals().Add(auth.Refusal{User: r.User, Organization: r.Organization})
		}
	}
}
