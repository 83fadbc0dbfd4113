package inbox

import (
	"context"
	"fmt"
	"sync"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// asked remembers what this node has asked the job for, so that lists that are read again and again do not ask each time.
type asked struct {
	mu   sync.Mutex
	done map[string]bool
}

const (
	askedKept   = 20_000 // beyond it all is forgotten, and asked for again
	askedAtOnce = 100
)

// add reports whether something was not asked for yet.
func (a *asked) add(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.done) >= askedKept || a.done == nil {
		a.done = map[string]bool{}
	}
	if a.done[key] {
		return false
	}
	a.done[key] = true
	return true
}

// forget takes that back.
func (a *asked) forget(keys []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range keys {
		delete(a.done, key)
	}
}

// askKey names a summary as it is missing.
func (r *row) askKey(org string) string {
	return fmt.Sprintf("%s %s %s %s %d", org, r.key, r.state.Head.Revision, r.state.Main, len(r.request.Private.Verdicts))
}

// want has the summaries computed that rows show as missing, before all others. The list is answered whether that is
// written down or not.
func (s *Service) want(ctx context.Context, org string, rows []*row) {
	var ids, keys []string
	for _, r := range rows {
		if key := r.askKey(org); len(ids) < askedAtOnce && r.pending() && s.asked.add(key) {
			ids, keys = append(ids, r.key), append(keys, key)
		}
	}
	if len(ids) == 0 {
		return
	}
	err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, there, err := tx.Head(org, id); err != nil {
				return err
			} else if there {
				tx.Want(org, id, store.WantedByList)
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	s.asked.forget(keys)
	if ctx.Err() == nil {
		s.Log.Warn("summaries of change requests are not asked for", "organization", org, "error", err)
	}
}
