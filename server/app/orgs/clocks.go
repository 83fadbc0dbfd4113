package orgs

import (
	"context"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// The clock of a process may be wrong, and nodes may differ. Permanent deletion uses the time of Redis (store/redis/time.go),
// and a change is never dated before the object that it changes.

// boundTokenStart returns the start of validity of a new token that is bound to an organization. It is zero, which means now,
// unless the user joined in the future according to the local clock: a token older than the membership is not valid for it.
func boundTokenStart(ctx context.Context, s *store.Store, user, org string) (api.Time, error) {
	if !redis.ValidID(org) {
		return api.Time{}, nil
	}
	m, _, err := loadMember(ctx, s, org, user)
	return startOfBoundToken(m, s.Now()), err
}

// startOfBoundToken returns the result of boundTokenStart for a membership, which may not exist.
func startOfBoundToken(m store.MemberDocument, now time.Time) api.Time {
	if !m.Fields.JoinedAt.After(now) {
		return api.Time{}
	}
	return m.Fields.JoinedAt
}
