package inbox

import (
	"context"
	"fmt"
	"sync"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// requestedSummaries remembers the summaries that this node has requested from the job, so that repeated reads of a
// list do not request them again.
type requestedSummaries struct {
	mu   sync.Mutex
	keys map[string]bool
}

const (
	maxRequestedKeys   = 20_000 // beyond this number all keys are dropped and may be requested again
	maxRequestsPerList = 100
)

// add adds a key and reports whether it was missing.
func (rs *requestedSummaries) add(key string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.keys) >= maxRequestedKeys || rs.keys == nil {
		rs.keys = map[string]bool{}
	}
	if rs.keys[key] {
		return false
	}
	rs.keys[key] = true
	return true
}

// forget removes keys after a failed request.
func (rs *requestedSummaries) forget(keys []string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, key := range keys {
		delete(rs.keys, key)
	}
}

// summaryKey returns a key for the missing summary of a row in its current state.
func (r *row) summaryKey(org string) string {
	return fmt.Sprintf("%s %s %s %s %d", org, r.key, r.state.Head.Revision, r.state.SpaceRevision, len(r.request.Private.Verdicts))
}

// requestSummaries requests the missing summaries of rows with priority. The list is returned even if the request
// fails.
func (s *Service) requestSummaries(ctx context.Context, org string, rows []*row) {
	var ids, keys []string
	for _, r := range rows {
		if key := r.summaryKey(org); len(ids) < maxRequestsPerList && r.isPending() && s.requested.add(key) {
			ids, keys = append(ids, r.key), append(keys, key)
		}
	}
	if len(ids) == 0 {
		return
	}
	err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, exists, err := tx.Head(org, id); err != nil {
				return err
			} else if exists {
				tx.RequestSummary(org, id, store.WantedByList)
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	s.requested.forget(keys)
	if ctx.Err() == nil {
		s.Log.Warn("summaries of change requests are not asked for", "organization", org, "error", err)
	}
}
