package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// scanPage is how many keys one SCAN asks for.
const scanPage = 1000

// scan returns the names, without prefix, of all keys of this store, sorted. It looks at every key of every master: for maintenance, not
// for requests.
func (s *Store) scan(ctx context.Context) ([]string, error) {
	var (
		mu    sync.Mutex
		names []string
	)
	visit := func(ctx context.Context, node redis.Cmdable) error {
		keys := node.Scan(ctx, 0, globEscape(s.prefix)+"*", scanPage).Iterator()
		for keys.Next(ctx) {
			mu.Lock()
			names = append(names, strings.TrimPrefix(keys.Val(), s.prefix))
			mu.Unlock()
		}
		return keys.Err()
	}
	failBefore("scan")
	var err error
	if cluster, ok := s.client.(*redis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return visit(ctx, node) })
	} else {
		err = visit(ctx, s.client)
	}
	failAfter("scan")
	if err != nil {
		return nil, wrap(ctx, err)
	}
	slices.Sort(names)
	return slices.Compact(names), nil // SCAN may answer a key twice
}

// globEscape makes a text stand for itself in a pattern.
func globEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

// UnknownKeys returns the names, without prefix, of keys of this store that are
// not in the catalogue.
func (s *Store) UnknownKeys(ctx context.Context) ([]string, error) {
	names, err := s.scan(ctx)
	if err != nil {
		return nil, err
	}
	find := catalogueMatcher()
	return slices.DeleteFunc(names, func(name string) bool {
		_, known := find(name)
		return known
	}), nil
}

// Dump returns all keys of this store, without prefix, and what is in them, in
// one spelling: equal databases have equal dumps. For tests and small databases.
func (s *Store) Dump(ctx context.Context) (map[string]string, error) {
	names, err := s.scan(ctx)
	if err != nil {
		return nil, err
	}
	dump := make(map[string]string, len(names))
	for _, name := range names {
		kind, err := s.client.Type(ctx, s.prefix+name).Result()
		if err != nil {
			return nil, wrap(ctx, err)
		}
		if dump[name], err = s.dumpKey(ctx, s.prefix+name, kind); err != nil {
			return nil, wrap(ctx, err)
		}
	}
	return dump, nil
}

// dumpKey spells the content of one key.
func (s *Store) dumpKey(ctx context.Context, name, kind string) (string, error) {
	switch kind {
	case "string":
		value, err := s.client.Get(ctx, name).Result()
		return fmt.Sprintf("%q", value), err
	case "hash":
		value, err := s.client.HGetAll(ctx, name).Result()
		return fmt.Sprintf("%q", value), err // fmt sorts maps
	case "zset":
		value, err := s.client.ZRangeWithScores(ctx, name, 0, -1).Result()
		return fmt.Sprintf("%v", value), err
	case "set":
		value, err := s.client.SMembers(ctx, name).Result()
		slices.Sort(value)
		return fmt.Sprintf("%q", value), err
	case "stream":
		value, err := s.client.XRange(ctx, name, "-", "+").Result()
		return fmt.Sprintf("%v", value), err
	}
	return kind, nil
}
