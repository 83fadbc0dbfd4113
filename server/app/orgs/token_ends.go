package orgs

import (
	"context"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Tokens end at a time, some time after their last use, or at the maximum age of the server, whichever store.TokenPrivate.EndsAt
// returns. The maximum age of an organization applies to requests in it: see rest.Call.CheckTokenHere. Ages are counted from the root of
// a chain, so that a token cannot outlive a bound by making another one.

// tokenIdleTime is the time after its last use at which a token ends that wsd creates by itself.
const tokenIdleTime = 90 * 24 * time.Hour

// WithIdleEnd returns options with which a token ends 90 days after its last use, and not after the maximum age of tokens of the server.
// now is the time of creation.
func (s *Service) WithIdleEnd(o TokenOptions, now time.Time) TokenOptions {
	o.idle = tokenIdleTime
	first := tokenIdleTime
	if s.TokenMaxAge > 0 {
		first = min(first, s.TokenMaxAge)
	}
	o.ExpiresAt = api.At(now.Add(first))
	return o
}

// effectiveEnd returns the time at which a token ends that was last used at a time, zero = it was not used.
func (s *Service) effectiveEnd(d store.TokenDocument, used api.Time) api.Time {
	return d.Private.EndsAt(d.Fields.CreatedAt, used, s.TokenMaxAge)
}

// loadEnds returns the effective ends of tokens of a user by their ids; zero = never. It takes a trip if one of them ends some time
// after its last use.
func (s *Service) loadEnds(ctx context.Context, user string, tokens []store.TokenDocument) (map[string]api.Time, error) {
	b := s.Store.NewBatch()
	uses, idle := make([]*txn.Reply[string], len(tokens)), false
	for i, d := range tokens {
		if d.Private.IdleMillis > 0 {
			uses[i], idle = b.Value(store.UsedKey(user, d.Fields.ID)), true
		}
	}
	if idle {
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("read the use of tokens: %w", err)
		}
	}
	ends := make(map[string]api.Time, len(tokens))
	for i, d := range tokens {
		used := api.Time{}
		if uses[i] != nil {
			var err error
			if used, err = store.ParseUse(uses[i].Value()); err != nil {
				return nil, fmt.Errorf("last use of %s: %w", d.Fields.ID, err)
			}
		}
		ends[d.Fields.ID] = s.effectiveEnd(d, used)
	}
	return ends, nil
}

// ageBounds are the maximum ages of a new token of a person; 0 = none.
type ageBounds struct {
	server, organization time.Duration
}

// loadTokenBounds returns the start of validity of a new token of a person, as boundTokenStart does, and its maximum ages. org is the
// only organization in which it works, "" = all.
func (s *Service) loadTokenBounds(ctx context.Context, user, org string) (since api.Time, bounds ageBounds, err error) {
	bounds.server = s.TokenMaxAge
	if !redis.ValidID(org) {
		return since, bounds, nil
	}
	b := s.Store.NewBatch()
	organization, member := b.Record(store.OrganizationKey(org)), b.Record(store.MemberKey(org, user))
	if err := b.Do(ctx); err != nil {
		return since, bounds, fmt.Errorf("read organization %s: %w", org, err)
	}
	r, there, err := organization.Get()
	var o store.OrganizationDocument
	if err == nil && there {
		err = o.Decode(r)
	}
	if err != nil {
		return since, bounds, fmt.Errorf("organization %s: %w", org, err)
	}
	bounds.organization = store.TokenMaxAge(o.Fields.TokenMaxAgeDays)
	r, there, err = member.Get()
	var m store.MemberDocument
	if err == nil && there {
		err = m.Decode(r)
	}
	if err != nil {
		return since, bounds, fmt.Errorf("member %s of %s: %w", user, org, err)
	}
	return startOfBoundToken(m, s.now()), bounds, nil
}

// limit returns the end of a new token of the caller: ends, or that of the maximum ages if ends is zero. It returns an error if ends is
// later than a maximum age, or if the caller's token has reached that of the organization.
func (a ageBounds) limit(caller *access.Caller, ends api.Time, now time.Time) (api.Time, error) {
	if caller.IsOlderThan(a.organization, now) {
		return ends, auth.TokenTooOldHere(caller.AgeFrom, a.organization, now)
	}
	given := ends
	for _, bound := range []struct {
		maxAge time.Duration
		of     string
	}{{a.server, "on this server"}, {a.organization, "in this organization"}} {
		if bound.maxAge == 0 || caller.IsService {
			continue
		}
		latest := api.At(caller.AgeFrom.Add(bound.maxAge))
		if !given.IsZero() && given.After(latest.Time) {
			return ends, api.InvalidField("expiresAt", "must not be after %s: tokens of people end %s %d days after they, or the first of "+
				"those that made them, were created", latest, bound.of, int(bound.maxAge/(24*time.Hour)))
		}
		if ends.IsZero() || ends.After(latest.Time) {
			ends = latest
		}
	}
	return ends, nil
}
