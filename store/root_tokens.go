package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// RootToken is an unbounded token: it has no expiry and was not created by another token.
type RootToken struct {
	ID, User, Name string
	MadeAt         api.Time
}

// RootTokens returns the oldest unbounded tokens, at most limit, and their total number. It scans every key and is
// used by `wsd doctor`. Damaged tokens, which fsck reports, are left out.
func (s *Store) RootTokens(ctx context.Context, limit int) (oldest []RootToken, count int, err error) {
	err = s.WalkTokens(ctx, "", func(page []WalkedToken) error {
		for _, t := range page {
			if t.Err == nil && t.Private.Parent == "" && t.Private.ExpiresAt.IsZero() {
				count++
				oldest = append(oldest, RootToken{ID: t.ID, User: t.User, Name: t.Fields.Name, MadeAt: t.Fields.CreatedAt})
			}
		}
		slices.SortFunc(oldest, func(a, b RootToken) int {
			return cmp.Or(a.MadeAt.Compare(b.MadeAt.Time), strings.Compare(a.ID, b.ID))
		})
		oldest = oldest[:min(limit, len(oldest))]
		return nil
	})
	return oldest, count, err
}
