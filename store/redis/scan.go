package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

// scanPage is how many keys one SCAN asks for.
const scanPage = 1000

// Scan returns the names, without prefix, of all keys of this store, sorted. It looks at every key of every master: for maintenance, not
// for requests.
func (c *Conn) Scan(ctx context.Context) ([]string, error) { return c.scan(ctx, "") }

// ScanShard is Scan for the keys of one shard: what a purge removes. It looks at every key all the same.
func (c *Conn) ScanShard(ctx context.Context, s Shard) ([]string, error) {
	return c.scan(ctx, s.Tag()+":")
}

// Unlink removes keys, given by name. For what nobody reads or writes any more.
func (c *Conn) Unlink(ctx context.Context, names []string) error {
	for page := range slices.Chunk(names, scanPage) {
		pipe := c.Client.Pipeline()
		for _, name := range page {
			pipe.Unlink(ctx, c.Prefix+name)
		}
		if err := Execute(ctx, "unlink", pipe); err != nil {
			return err
		}
	}
	return nil
}

// scan finds the keys whose names begin so.
func (c *Conn) scan(ctx context.Context, prefix string) ([]string, error) {
	var (
		mu    sync.Mutex
		names []string
	)
	visit := func(ctx context.Context, node goredis.Cmdable) error {
		keys := node.Scan(ctx, 0, globEscape(c.Prefix+prefix)+"*", scanPage).Iterator()
		for keys.Next(ctx) {
			mu.Lock()
			names = append(names, strings.TrimPrefix(keys.Val(), c.Prefix))
			mu.Unlock()
		}
		return keys.Err()
	}
	FailBefore("scan")
	var err error
	if cluster, ok := c.Client.(*goredis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error { return visit(ctx, node) })
	} else {
		err = visit(ctx, c.Client)
	}
	FailAfter("scan")
	if err != nil {
		return nil, Wrap(ctx, err)
	}
	slices.Sort(names)
	return slices.Compact(names), nil // SCAN may answer a key twice
}

// globEscape makes a text stand for itself in a pattern.
func globEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

// Dump returns all keys of this store, without prefix, and what is in them, in
// one spelling: equal databases have equal dumps. For tests and small databases.
func (c *Conn) Dump(ctx context.Context) (map[string]string, error) {
	names, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	dump := make(map[string]string, len(names))
	for page := range slices.Chunk(names, scanPage) {
		if err := c.dumpPage(ctx, page, dump); err != nil {
			return nil, Wrap(ctx, err)
		}
	}
	return dump, nil
}

// dumpPage adds some keys to a dump, in two trips.
func (c *Conn) dumpPage(ctx context.Context, names []string, dump map[string]string) error {
	kinds := make([]*goredis.StatusCmd, len(names))
	if _, err := c.Client.Pipelined(ctx, func(p goredis.Pipeliner) error {
		for i, name := range names {
			kinds[i] = p.Type(ctx, c.Prefix+name)
		}
		return nil
	}); err != nil {
		return err
	}
	spell := make([]func() string, len(names))
	if _, err := c.Client.Pipelined(ctx, func(p goredis.Pipeliner) error {
		for i, name := range names {
			spell[i] = dumpKey(ctx, p, c.Prefix+name, kinds[i].Val())
		}
		return nil
	}); err != nil && !errors.Is(err, goredis.Nil) { // a key may end between the trips
		return err
	}
	for i, name := range names {
		dump[name] = spell[i]()
	}
	return nil
}

// dumpKey asks for the content of one key, and returns what spells it once it is there.
func dumpKey(ctx context.Context, p goredis.Pipeliner, name, kind string) func() string {
	switch kind {
	case "string":
		value := p.Get(ctx, name)
		return func() string { return fmt.Sprintf("%q", value.Val()) }
	case "hash":
		value := p.HGetAll(ctx, name)
		return func() string { return fmt.Sprintf("%q", value.Val()) } // fmt sorts maps
	case "zset":
		value := p.ZRangeWithScores(ctx, name, 0, -1)
		return func() string { return fmt.Sprintf("%v", value.Val()) }
	case "set":
		value := p.SMembers(ctx, name)
		return func() string { return fmt.Sprintf("%q", slices.Sorted(slices.Values(value.Val()))) }
	case "stream":
		value := p.XRange(ctx, name, "-", "+")
		return func() string { return fmt.Sprintf("%v", value.Val()) }
	default:
		return func() string { return kind }
	}
}

// Clear removes all keys of this store. Tests call it when they are done with a database that others use, too: whoever
// looks at all keys looks at theirs as well.
func (c *Conn) Clear(ctx context.Context) error {
	names, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(names, scanPage) {
		if _, err := c.Client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for _, name := range page {
				p.Unlink(ctx, c.Prefix+name)
			}
			return nil
		}); err != nil {
			return Wrap(ctx, err)
		}
	}
	return nil
}
