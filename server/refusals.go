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
			s.reportRefusals(ctx, s.rest.Refusals().TakeAll())
			return
		case <-ticker.C:
			s.ReportDueRefusals(ctx)
		}
	}
}

// ReportDueRefusals reports the refused requests that may have an event now.
func (s *Server) ReportDueRefusals(ctx context.Context) {
	s.reportRefusals(ctx, s.rest.Refusals().TakeDue(s.orgs.Clock()))
}

// maxFailedReports is the number of failures after which the other refused requests are reported later.
const maxFailedReports = 3

// reportRefusals reports refused requests. Those that could not be reported are reported again later.
func (s *Server) reportRefusals(ctx context.Context, refusals []auth.Refusal) {
	failures := 0
	for _, r := range refusals {
		if failures < maxFailedReports {
			stored, next, err := s.orgs.ReportRefusal(ctx, r)
			if err == nil {
				r.Count = 0
				s.rest.Refusals().Postpone(r, stored, next)
				continue
			}
			s.log.Warn("refused requests have no event yet", "user", r.User, "count", r.Count, "error", err)
			failures++
		}
		s.rest.Refusals().Postpone(r, false, s.orgs.Clock().Add(refusalsInterval))
	}
}
