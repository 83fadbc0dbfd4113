package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// RootToken is an unbounded token: it has no expiry and was not created by another token.
type RootToken struct {
	ID, User, Name string
	MadeAt         api.Time
}

// InviteTokenName is the name of the tokens that accepted invites create.
const InviteTokenName = "From an invite"

// RootTokenCounts are numbers of unbounded tokens.
type RootTokenCounts struct {
	All         int
	Admin       int // with the scope admin
	FromInvites int // of those, tokens with InviteTokenName
}

// add counts an unbounded token.
func (c *RootTokenCounts) add(t WalkedToken) {
	c.All++
	if !slices.Contains(t.Private.Scopes, api.ScopeAdmin) {
		return
	}
	c.Admin++
	if t.Fields.Name == InviteTokenName {
		c.FromInvites++
	}
}

// IsUnbounded reports whether a token neither ends at a time nor with another token. maxAge is the maximum age of tokens of people.
func (t WalkedToken) IsUnbounded(maxAge time.Duration) bool {
	return t.Err == nil && t.Private.Parent == "" && t.Private.EndsAt(t.Fields.CreatedAt, api.Time{}, maxAge).IsZero()
}

// RootTokens returns the oldest unbounded tokens, at most limit, and their numbers. maxAge is the maximum age of tokens of people. It
// scans every key and is used by `wsd doctor`. Damaged tokens, which fsck reports, are left out.
func (s *Store) RootTokens(ctx context.Context, limit int, maxAge time.Duration) (oldest []RootToken, counts RootTokenCounts, err error) {
	err = s.WalkTokens(ctx, "", func(page []WalkedToken) error {
		for _, t := range page {
			if t.IsUnbounded(maxAge) {
				counts.add(t)
				oldest = append(oldest, RootToken{ID: t.ID, User: t.User, Name: t.Fields.Name, MadeAt: t.Fields.CreatedAt})
			}
		}
		slices.SortFunc(oldest, func(a, b RootToken) int {
			return cmp.Or(a.MadeAt.Compare(b.MadeAt.Time), strings.Compare(a.ID, b.ID))
		})
		oldest = oldest[:min(limit, len(oldest))]
		return nil
	})
	return oldest, counts, err
}
