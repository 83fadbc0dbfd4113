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

// The size of a space is the number of bytes of the objects that are stored in
// it, compressed as they are, whether anything refers to them or not. It lies
// beside them: a HASH with the bytes of 16 parts, by the first digit of the keys
// of the objects, `all` of them together, and when it `changed` last, in
// microseconds of Redis. The scripts that store and remove objects keep it, so it
// is never wrong; what was stored before there were sizes is counted part by part.

// SizeParts are the parts of a space.
const SizeParts = "0123456789abcdef"

// Size is the size of a space, and when it had changed last.
type Size struct{ Bytes, Changed int64 }

// String is the form in which the use of an organization has it.
func (z Size) String() string { return fmt.Sprintf("%d %d", z.Bytes, z.Changed) }

// ParseSize reads the form; what is none is 0.
func ParseSize(text string) Size {
	bytes, changed, _ := strings.Cut(text, " ")
	return Size{Number(bytes), Number(changed)}
}

// stored is what storing objects did.
type stored struct {
	size       Size   // of the space, after it
	added      int64  // bytes that were not there before
	generation string // of the master, if it is to be compared
}

// stored takes over what storing objects of a space did.
func (p *preparation) stored(space string, done stored) {
	p.added += done.added
	if p.room != nil {
		*p.room -= done.added
	}
	p.sizes = append(slices.DeleteFunc(p.sizes, func(h held) bool { return h.space == space }), held{space, done.size.String()})
}

// chunk is one call of the script that stores objects.
type chunk struct {
	keys  []string
	args  []any
	bytes int
}

func (s *Store) newChunk(shard redis.Shard, space string, room *int64) *chunk {
	c := &chunk{keys: []string{s.Name(SizeKey(space))}, args: []any{"", ""}}
	if room != nil {
		c.args[0] = max(*room, 0)
	}
	if s.Compares(shard, SizeKey(space)) {
		c.args[1] = "generation"
	}
	return c
}

// add puts an object into the call.
func (c *chunk) add(key, hash string, data []byte) {
	at := slices.Index(c.keys, key)
	if at < 0 {
		at, c.keys = len(c.keys), append(c.keys, key)
	}
	c.args = append(c.args, at+1, hash, data)
	c.bytes += len(data)
}

func (c *chunk) objects() int { return (len(c.args) - 2) / 3 }

// put makes the call. It is an *Exceeded if there is no room.
func (s *Store) put(ctx context.Context, c *chunk) (done stored, err error) {
	redis.FailBefore("objects.write")
	reply, err := s.putScript.Run(ctx, s.Client, c.keys, c.args...).StringSlice()
	redis.FailAfter("objects.write")
	if err != nil {
		return stored{}, redis.Wrap(ctx, err)
	}
	if len(reply) == 1 && reply[0] == "full" {
		return stored{}, errNoRoom
	}
	if len(reply) != 4 {
		return stored{}, redis.Corrupt("answer of the script that stores objects: %q", reply)
	}
	done = stored{size: Size{Number(reply[0]), Number(reply[1])}, added: Number(reply[2]), generation: reply[3]}
	return done, nil
}

// Measure counts the bytes of the objects of a space, and sets its size right. It
// does so part by part, so that nobody waits long.
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

// Size is the size of a space, as it is counted.
func (s *Store) Size(ctx context.Context, space string) (Size, error) {
	redis.FailBefore("size")
	fields, err := s.Client.HMGet(ctx, s.Name(SizeKey(space)), "all", "changed").Result()
	redis.FailAfter("size")
	if err != nil {
		return Size{}, redis.Wrap(ctx, err)
	}
	bytes, _ := fields[0].(string)
	changed, _ := fields[1].(string)
	return Size{Number(bytes), Number(changed)}, nil
}

// DropObjects removes objects that one key, given as Redis knows it, holds.
func (s *Store) DropObjects(ctx context.Context, space, key string, hashes []string) error {
	args := make([]any, len(hashes))
	for i, hash := range hashes {
		args[i] = hash
	}
	keys := []string{s.Name(SizeKey(space)), key}
	return redis.Wrap(ctx, s.dropScript.Run(ctx, s.Client, keys, args...).Err())
}

// scripts are loaded at the start, so that the first use of one is no slower.
func (s *Store) scripts() []*goredis.Script {
	return []*goredis.Script{s.commit, s.unclaim, s.putScript, s.measureScript, s.dropScript}
}

// newPut, newMeasure and newDrop are the scripts; their texts are constant.
func newPut() *goredis.Script     { return goredis.NewScript(putSource) }
func newMeasure() *goredis.Script { return goredis.NewScript(measureSource) }
func newDrop() *goredis.Script    { return goredis.NewScript(dropSource) }

// StoresObjects reports whether a command runs the script that stores objects.
// Simulations of what breaks count by it.
func StoresObjects(command goredis.Cmder) bool {
	args := command.Args()
	return command.Name() == "evalsha" && args[1] == newPut().Hash() || command.Name() == "eval" && args[1] == putSource
}
