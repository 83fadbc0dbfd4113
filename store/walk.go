package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// walkPageSize is the number of records that a walk reads at once.
const walkPageSize = 500

// userTagPrefix is the beginning of the hash tags of users.
const userTagPrefix = "{u:"

// WalkedUser is a user found by a walk over the keys.
type WalkedUser struct {
	ID string
	UserDocument
	Err error // the record is damaged and the document empty
}

// WalkedToken is a token found by a walk over the keys.
type WalkedToken struct {
	User, ID string
	TokenDocument
	Err error // the record is damaged and the document empty
}

// WalkUsers calls visit with all users, a page at a time, in no particular order. It scans every key, so it is for the
// commands of the operator. A user that is created or deleted during the walk may be missing.
func (s *Store) WalkUsers(ctx context.Context, visit func(page []WalkedUser) error) error {
	parse := func(name string) (redis.Key, bool) {
		user, ok := strings.CutSuffix(strings.TrimPrefix(name, userTagPrefix), "}:user")
		return UserKey(user), ok && strings.HasPrefix(name, userTagPrefix)
	}
	return walk(ctx, s, userTagPrefix+"*}:user", parse, func(key redis.Key, r txn.Record, err error) WalkedUser {
		u := WalkedUser{ID: userOfTag(key), Err: err}
		if err == nil {
			u.Err = u.Decode(r)
		}
		return u
	}, visit)
}

// WalkTokens calls visit with all tokens, as WalkUsers does. With a user it visits the tokens of the user only, in the
// order of their ids and without a scan.
func (s *Store) WalkTokens(ctx context.Context, user string, visit func(page []WalkedToken) error) error {
	newItem := func(key redis.Key, r txn.Record, err error) WalkedToken {
		_, id := RecordName(key.Name())
		t := WalkedToken{User: userOfTag(key), ID: id, Err: err}
		if err == nil {
			t.Err = t.Decode(r)
		}
		return t
	}
	if user != "" {
		return s.walkTokensOf(ctx, user, newItem, visit)
	}
	parse := func(name string) (redis.Key, bool) {
		user, token, ok := strings.Cut(strings.TrimPrefix(name, userTagPrefix), "}:tok:")
		return TokenKey(user, token), ok && strings.HasPrefix(name, userTagPrefix)
	}
	return walk(ctx, s, userTagPrefix+"*}:tok:*", parse, newItem, visit)
}

// walkTokensOf visits the tokens of a user.
func (s *Store) walkTokensOf(
	ctx context.Context, user string, newItem func(redis.Key, txn.Record, error) WalkedToken, visit func([]WalkedToken) error,
) error {
	for after := ""; ; {
		b := s.NewBatch()
		index := b.Range(TokensKey(user), after, walkPageSize, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read the tokens of %s: %w", user, err)
		}
		ids := index.Value()
		keys := []redis.Key{}
		for _, id := range ids {
			keys = append(keys, TokenKey(user, id))
		}
		page, err := readWalked(ctx, s, keys, newItem)
		if err == nil && len(page) > 0 {
			err = visit(page)
		}
		if err != nil || len(ids) < walkPageSize {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// walk scans the keys that match a glob pattern, reads those whose names parse accepts, and calls visit with full pages
// of what newItem returns for their records; the last page may be short. Keys that were deleted since are left out.
func walk[T any](
	ctx context.Context, s *Store, pattern string, parse func(name string) (redis.Key, bool),
	newItem func(redis.Key, txn.Record, error) T, visit func([]T) error,
) error {
	seen := map[string]bool{} // SCAN may return a key twice
	var waiting []redis.Key
	flush := func(least int) error {
		for len(waiting) >= least && len(waiting) > 0 {
			chunk := waiting[:min(walkPageSize, len(waiting))]
			page, err := readWalked(ctx, s, chunk, newItem)
			if err == nil && len(page) > 0 {
				err = visit(page)
			}
			if err != nil {
				return err
			}
			waiting = slices.Clone(waiting[len(chunk):])
		}
		return nil
	}
	err := s.ScanPages(ctx, pattern, func(names []string) error {
		for _, name := range names {
			key, ok := parse(name)
			if ok && key.Valid() && !seen[name] {
				seen[name] = true
				waiting = append(waiting, key)
			}
		}
		return flush(walkPageSize)
	})
	if err != nil {
		return err
	}
	return flush(0)
}

// readWalked reads records in one trip and returns what newItem returns for those that exist.
func readWalked[T any](
	ctx context.Context, s *Store, keys []redis.Key, newItem func(redis.Key, txn.Record, error) T,
) (page []T, err error) {
	b := s.NewBatch()
	records := []*txn.Future[txn.Record]{}
	for _, key := range keys {
		records = append(records, b.Record(key))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	for i, key := range keys {
		if r, there, err := records[i].Get(); there || err != nil {
			page = append(page, newItem(key, r, err))
		}
	}
	return page, nil
}

// userOfTag returns the user whose shard contains a key.
func userOfTag(key redis.Key) string {
	return strings.TrimSuffix(strings.TrimPrefix(key.Tag(), userTagPrefix), "}")
}

// TokenOwners returns the users who have a token with the id. It scans every key.
func (s *Store) TokenOwners(ctx context.Context, id string) (users []string, err error) {
	err = s.ScanPages(ctx, userTagPrefix+"*}:tok:"+id, func(names []string) error {
		for _, name := range names {
			user, token, _ := strings.Cut(strings.TrimPrefix(name, userTagPrefix), "}:tok:")
			if token == id && !slices.Contains(users, user) {
				users = append(users, user)
			}
		}
		return nil
	})
	return users, err
}
