package store_test

import (
	"errors"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// TestTokenEnds checks when tokens end by their expiry, their last use and their age.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	at := func(days int) api.Time { return api.At(time.UnixMilli(0).Add(time.Duration(days) * day)) }
	idle := store.TokenPrivate{ExpiresAt: at(91), IdleMillis: (90 * day).Milliseconds()}
	longer := store.TokenPrivate{ExpiresAt: at(99), IdleMillis: idle.IdleMillis}
	service := store.TokenPrivate{ExpiresAt: at(50), Service: &store.TokenService{}}
	for name, c := range map[string]struct {
		token  store.TokenPrivate
		used   api.Time
		maxAge int // days
		want   api.Time
	}{
		"without an end":                       {want: api.Time{}},
		"at its expiry":                        {token: store.TokenPrivate{ExpiresAt: at(5)}, used: at(4), want: at(5)},
		"unused, with an idle time":            {token: idle, want: at(91)},
		"used early, with an idle time":        {token: longer, used: at(2), want: at(99)},
		"used, with an idle time":              {token: idle, used: at(50), want: api.At(at(140).Add(time.Minute))},
		"without an expiry, with an idle time": {token: store.TokenPrivate{IdleMillis: idle.IdleMillis}, used: at(50), want: api.Time{}},
		"at its maximum age":                   {maxAge: 10, want: at(11)},
		"before its maximum age":               {token: store.TokenPrivate{ExpiresAt: at(5)}, maxAge: 10, want: at(5)},
		"used, at its maximum age":             {token: idle, used: at(50), maxAge: 100, want: at(101)},
		"made by a token that is as old":       {token: store.TokenPrivate{ChainStart: at(-3)}, maxAge: 10, want: at(7)},
		"of a service account":                 {token: service, maxAge: 10, want: at(50)},
		"of an installation":                   {token: store.TokenPrivate{Installation: &store.TokenInstallation{}}, maxAge: 10},
	} {
		if got := c.token.EndsAt(at(1), c.used, store.TokenMaxAge(c.maxAge)); got != c.want {
			t.Errorf("token %s: ends at %s, want %s", name, got, c.want)
		}
	}
}

// TestParseUse checks that damaged times of uses are reported.
func TestParseUse(t *testing.T) {
	t.Parallel()
	if used, err := store.ParseUse(""); err != nil || !used.IsZero() {
		t.Errorf("no use: %s, %v", used, err)
	}
	if used, err := store.ParseUse("60"); err != nil || used != api.At(time.Unix(60, 0)) {
		t.Errorf("a use: %s, %v", used, err)
	}
	if _, err := store.ParseUse("yesterday"); !errors.Is(err, redis.ErrCorrupt) {
		t.Errorf("a damaged use: %v", err)
	}
}
