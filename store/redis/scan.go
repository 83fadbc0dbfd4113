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

// scanPageSize is the COUNT of a SCAN.
const scanPageSize = 1000

// Scan returns the sorted names, without prefix, of all keys of this store. It scans every master, so it is for
// maintenance, not for requests.
func (c *Conn) Scan(ctx context.Context) ([]string, error) { return c.scan(ctx, "") }

// ScanShard returns the keys of one shard, for a purge. It scans every key, like Scan.
func (c *Conn) ScanShard(ctx context.Context, s Shard) ([]string, error) {
	return c.scan(ctx, s.Tag()+":")
}

// Unlink removes keys by name. The keys must not be in use.
func (c *Conn) Unlink(ctx context.Context, names []string) error {
	for page := range slices.Chunk(names, scanPageSize) {
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

// scan returns the keys whose names begin with prefix.
func (c *Conn) scan(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	err := c.ScanPages(ctx, escapeGlob(prefix)+"*", func(page []string) error {
		names = append(names, page...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.Compact(names), nil // SCAN may return a key twice
}

// ScanPages calls visit with the names, without prefix, of the keys that match a glob pattern. Pages may be empty, are in
// no particular order, and may repeat a name. The next page is read after visit has returned; an error of visit ends the scan.
// It scans every master, one after the other, so it is for maintenance, not for requests.
func (c *Conn) ScanPages(ctx context.Context, pattern string, visit func(names []string) error) error {
	var mu sync.Mutex // a Cluster client calls from one goroutine for each master
	scan := func(ctx context.Context, node goredis.Cmdable) error {
		mu.Lock()
		defer mu.Unlock()
		for cursor := uint64(0); ; {
			keys, next, err := node.Scan(ctx, cursor, escapeGlob(c.Prefix)+pattern, scanPageSize).Result()
			if err != nil {
				return Wrap(ctx, err)
			}
			for i := range keys {
				keys[i] = strings.TrimPrefix(keys[i], c.Prefix)
			}
			if err := visit(keys); err != nil {
				return err
			}
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	}
	FailBefore("scan")
	var err error
	if cluster, ok := c.Client.(*goredis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error { return scan(ctx, node) })
	} else {
		err = scan(ctx, c.Client)
	}
	FailAfter("scan")
	return err
}

// escapeGlob escapes the special characters of a glob pattern.
func escapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

// Dump returns the contents of all keys of this store in a canonical form, by name without prefix: equal databases
// have equal dumps. It is for tests and small databases.
func (c *Conn) Dump(ctx context.Context) (map[string]string, error) {
	names, err := c.Scan(ctx)
	if err != nil {
		return nil, err
	}
	dump := make(map[string]string, len(names))
	for page := range slices.Chunk(names, scanPageSize) {
		if err := c.dumpPage(ctx, page, dump); err != nil {
			return nil, Wrap(ctx, err)
		}
	}
	return dump, nil
}

// dumpPage adds some keys to a dump in two trips.
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
	}); err != nil && !errors.Is(err, goredis.Nil) { // a key may expire between the trips
		return err
	}
	for i, name := range names {
		dump[name] = spell[i]()
	}
	return nil
}

// dumpKey queues the read of one key and returns a function that formats the reply.
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

// Clear removes all keys of this store. Tests call it after they used a shared database, because scans of other tests would
// return the keys.
func (c *Conn) Clear(ctx context.Context) error {
	names, err := c.Scan(ctx)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(names, scanPageSize) {
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
