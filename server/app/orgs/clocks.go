package orgs

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// The clock of a process may be wrong, and nodes may differ. What goes for good goes by the time of
// Redis (store/redis/time.go); what is told is never before what it comes after.

// boundSince is since when a new token for one organization works there: zero, which is now, unless its user joined by a
// clock that was ahead. One from before a membership is not good for it.
func boundSince(ctx context.Context, s *store.Store, user, org string) (api.Time, error) {
	if !redis.ValidID(org) {
		return api.Time{}, nil
	}
	b := s.Pipeline()
	record := b.Record(store.MemberKey(org, user))
	if err := b.Do(ctx); err != nil {
		return api.Time{}, err
	}
	r, ok, err := record.Get()
	var m store.MemberDocument
	if ok && err == nil {
		err = m.Decode(r)
	}
	if !m.Fields.JoinedAt.After(s.Now()) {
		return api.Time{}, err
	}
	return m.Fields.JoinedAt, err
}
