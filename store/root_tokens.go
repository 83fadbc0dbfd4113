package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RootToken is an unbounded token: it has no expiry and was not created by another token.
type RootToken struct {
	ID, User, Name string
	MadeAt         api.Time
}

// rootTokensPageSize is the number of tokens that RootTokens reads at once.
const rootTokensPageSize = 500

// RootTokens returns the oldest unbounded tokens, at most limit, and their total number. It scans every key and is
// used by `wsd doctor`.
func (s *Store) RootTokens(ctx context.Context, limit int) (oldest []RootToken, count int, err error) {
	names, err := s.Scan(ctx)
	if err != nil {
		return nil, 0, err
	}
	var tokens []redis.Key
	for _, name := range names {
		user, token, ok := strings.Cut(strings.TrimPrefix(name, "{u:"), "}:tok:")
		if ok && strings.HasPrefix(name, "{u:") {
			tokens = append(tokens, TokenKey(user, token))
		}
	}
	for page := range slices.Chunk(tokens, rootTokensPageSize) {
		roots, err := s.filterRoots(ctx, page)
		if err != nil {
			return nil, 0, err
		}
		count += len(roots)
		oldest = append(oldest, roots...)
		slices.SortFunc(oldest, func(a, b RootToken) int {
			return cmp.Or(a.MadeAt.Compare(b.MadeAt.Time), strings.Compare(a.ID, b.ID))
		})
		oldest = oldest[:min(limit, len(oldest))]
	}
	return oldest, count, nil
}

// filterRoots reads tokens and returns the unbounded ones.
func (s *Store) filterRoots(ctx context.Context, tokens []redis.Key) (roots []RootToken, err error) {
	b := s.NewBatch()
	records := make([]*txn.Future[txn.Record], len(tokens))
	for i, key := range tokens {
		records[i] = b.Record(key)
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	for i, key := range tokens {
		r, ok, err := records[i].Get()
		if err != nil || !ok {
			continue // damaged, which fsck reports, or revoked concurrently
		}
		var d TokenDocument
		if err := d.Decode(r); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if d.Private.Parent == "" && d.Private.ExpiresAt.IsZero() {
			user := strings.TrimSuffix(strings.TrimPrefix(key.Tag(), "{u:"), "}")
			roots = append(roots, RootToken{ID: d.Fields.ID, User: user, Name: d.Fields.Name, MadeAt: d.Fields.CreatedAt})
		}
	}
	return roots, nil
}
