package txn

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

//go:embed put.lua
var putSource string

//go:embed measure.lua
var measureSource string

//go:embed drop.lua
var dropSource string

// The size of a space is the number of compressed bytes of its stored objects, referenced or not. It is stored in a
// HASH: the bytes of 16 parts by the first hex digit of the object keys, `all` of them together, and the time when
// the size last `changed`, in microseconds of Redis. The scripts that store and remove objects update it, so it is
// always exact; objects older than this accounting are counted part by part.

// SizeParts are the parts of a space.
const SizeParts = "0123456789abcdef"

// Size is the size of a space in bytes and the time of its last change.
type Size struct{ Bytes, ChangedAt int64 }

// String returns the form that is stored in the organization's usage.
func (z Size) String() string { return fmt.Sprintf("%d %d", z.Bytes, z.ChangedAt) }

// ParseSize parses the form of Size.String; anything else is 0.
func ParseSize(text string) Size {
	bytes, changed, _ := strings.Cut(text, " ")
	return Size{ParseCount(bytes), ParseCount(changed)}
}

// storeResult is the result of storing objects.
type storeResult struct {
	size       Size   // of the space, afterwards
	addedBytes int64  // bytes of newly stored objects
	generation string // generation of the master, if it must be compared
}

// addResult records the size of a space in which objects were stored, and subtracts their bytes from the available quota.
func (p *preparation) addResult(space string, done storeResult) {
	p.addedBytes += done.addedBytes
	if p.available != nil {
		*p.available -= done.addedBytes
	}
	p.sizes = append(slices.DeleteFunc(p.sizes, func(h contentSize) bool {
		return h.space == space
	}), contentSize{space, done.size.String()})
}

// chunk is one call of the script that stores objects.
type chunk struct {
	keys  []string
	args  []any
	bytes int
}

func (s *Store) newChunk(shard redis.Shard, space string, limit *int64) *chunk {
	c := &chunk{keys: []string{s.Name(SizeKey(space))}, args: []any{"", ""}}
	if limit != nil {
		c.args[0] = max(*limit, 0)
	}
	if s.GenerationComparable(shard, SizeKey(space)) {
		c.args[1] = "generation"
	}
	return c
}

// add adds an object to the call.
func (c *chunk) add(key, hash string, data []byte) {
	index := slices.Index(c.keys, key)
	if index < 0 {
		index, c.keys = len(c.keys), append(c.keys, key)
	}
	c.args = append(c.args, index+1, hash, data)
	c.bytes += len(data)
}

func (c *chunk) objects() int { return (len(c.args) - 2) / 3 }

// putChunk calls the script. It returns a *QuotaError if the objects exceed the quota.
func (s *Store) putChunk(ctx context.Context, c *chunk) (done storeResult, err error) {
	redis.FailBefore("objects.write")
	reply, err := s.putScript.Run(ctx, s.Client, c.keys, c.args...).StringSlice()
	redis.FailAfter("objects.write")
	if err != nil {
		return storeResult{}, redis.Wrap(ctx, err)
	}
	if len(reply) == 1 && reply[0] == "full" {
		return storeResult{}, errQuotaExhausted
	}
	if len(reply) != 4 {
		return storeResult{}, redis.Corrupt("answer of the script that stores objects: %q", reply)
	}
	done = storeResult{size: Size{ParseCount(reply[0]), ParseCount(reply[1])}, addedBytes: ParseCount(reply[2]), generation: reply[3]}
	return done, nil
}

// Measure counts the bytes of a space's objects and corrects the stored size. It counts part by part, so that it does
// not block Redis for long.
func (s *Store) Measure(ctx context.Context, space string) (Size, error) {
	for i, part := range SizeParts {
		keys := []string{s.Name(SizeKey(space))}
		for first := range 256 {
			if first>>4 == i {
				keys = append(keys, s.Name(ObjectKey(space, byte(first))))
			}
		}
		redis.FailBefore("measure")
		err := s.measureScript.Run(ctx, s.Client, keys, string(part)).Err()
		redis.FailAfter("measure")
		if err != nil {
			return Size{}, redis.Wrap(ctx, err)
		}
	}
	return s.Size(ctx, space)
}

// Size returns the stored size of a space.
func (s *Store) Size(ctx context.Context, space string) (Size, error) {
	redis.FailBefore("size")
	fields, err := s.Client.HMGet(ctx, s.Name(SizeKey(space)), "all", "changed").Result()
	redis.FailAfter("size")
	if err != nil {
		return Size{}, redis.Wrap(ctx, err)
	}
	bytes, _ := fields[0].(string)
	changed, _ := fields[1].(string)
	return Size{ParseCount(bytes), ParseCount(changed)}, nil
}

// DropObjects removes objects from one key, which is the full name in Redis.
func (s *Store) DropObjects(ctx context.Context, space, key string, hashes []string) error {
	args := make([]any, len(hashes))
	for i, hash := range hashes {
		args[i] = hash
	}
	keys := []string{s.Name(SizeKey(space)), key}
	return redis.Wrap(ctx, s.dropScript.Run(ctx, s.Client, keys, args...).Err())
}

// scripts returns the scripts to load at startup, so that their first use is not slower.
func (s *Store) scripts() []*goredis.Script {
	return []*goredis.Script{s.commitScript, s.unclaimScript, s.putScript, s.measureScript, s.dropScript}
}

// newPutScript, newMeasureScript and newDropScript return scripts with constant texts.
func newPutScript() *goredis.Script     { return goredis.NewScript(putSource) }
func newMeasureScript() *goredis.Script { return goredis.NewScript(measureSource) }
func newDropScript() *goredis.Script    { return goredis.NewScript(dropSource) }
