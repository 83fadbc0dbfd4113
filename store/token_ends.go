package store

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

// ParseUse returns the time that UsedKey and UsedHereKey hold, or zero for "". It returns ErrCorrupt for other texts.
func ParseUse(text string) (api.Time, error) {
	if text == "" {
		return api.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return api.Time{}, fmt.Errorf("%w: %q is not a time in seconds", redis.ErrCorrupt, text)
	}
	return api.At(time.Unix(seconds, 0)), nil
}

// IsOfPerson reports whether the token belongs to a person: neither to a service account nor to an installation. Maximum ages
// apply to these tokens only.
func (p *TokenPrivate) IsOfPerson() bool { return p.Service == nil && p.Installation == nil }

// AgeFrom returns the time from which the age of a token that was created at created is counted.
func (p *TokenPrivate) AgeFrom(created api.Time) api.Time {
	return api.Time{Time: cmp.Or(p.ChainStart.Time, created.Time)}
}

// usePrecision is the precision of the stored times of uses.
const usePrecision = time.Minute

// EndsAt returns the time at which a token ends that was created at created and last used in the minute from used on, which is zero
// if it was not used: at ExpiresAt, or at the end of its idle time if that is later, but not after the maximum age of tokens of
// people. Zero means never; so does a maximum age of 0.
func (p *TokenPrivate) EndsAt(created, used api.Time, maxAge time.Duration) api.Time {
	ends := p.ExpiresAt
	if p.IdleMillis > 0 && !ends.IsZero() && !used.IsZero() {
		if idle := used.Add(usePrecision + time.Duration(p.IdleMillis)*time.Millisecond); idle.After(ends.Time) {
			ends = api.At(idle)
		}
	}
	if maxAge > 0 && p.IsOfPerson() {
		if oldest := p.AgeFrom(created).Add(maxAge); ends.IsZero() || ends.After(oldest) {
			ends = api.At(oldest)
		}
	}
	return ends
}

// EarlierEnd returns the earlier of two ends. Zero means never.
func EarlierEnd(a, b api.Time) api.Time {
	if b.IsZero() || !a.IsZero() && a.Before(b.Time) {
		return a
	}
	return b
}
