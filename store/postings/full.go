package postings

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// aborted is why Redis discarded a transaction: what it said of one of the commands.
func aborted(commands []goredis.Cmder, err error) error {
	if !goredis.HasErrorPrefix(err, "EXECABORT") {
		return err
	}
	for _, command := range commands {
		if cause := command.Err(); cause != nil && !goredis.HasErrorPrefix(cause, "EXECABORT") {
			return fmt.Errorf("%w: %w", cause, err)
		}
	}
	return err
}

// whileSource carries out commands if keys have their values: Redis lets a script do so though its memory is full, but
// no transaction.
//
// KEYS  of the values, then all others
// ARGV  how many values there are; the values; and the commands, each behind the number of its words.
const whileSource = `
local checks = tonumber(ARGV[1])
for i = 1, checks do
  if (redis.call('GET', KEYS[i]) or '') ~= ARGV[1 + i] then return 0 end
end
local at = 2 + checks
while at <= #ARGV do
  local words = {}
  for i = 1, tonumber(ARGV[at]) do words[i] = ARGV[at + i] end
  redis.call(unpack(words))
  at = at + 1 + #words
end
return 1`

// maxWords is how many words of a command Lua can hand on.
const maxWords = 7000

// whileFull is while, for what makes room in a Redis whose memory is full.
func (x *Index) whileFull(ctx context.Context, keys []string, want map[string]string, queue func(pipe goredis.Pipeliner)) error {
	args := []any{len(keys)}
	for _, key := range keys {
		args = append(args, want[key])
	}
	pipe := x.store.Client.Pipeline()
	queue(pipe)
	for _, command := range pipe.Cmds() {
		words := command.Args()
		if len(words) > maxWords {
			return fmt.Errorf("%w: a command of %d words", redis.ErrFull, len(words))
		}
		if key, ok := words[1].(string); ok {
			keys = append(keys, key)
		}
		args = append(append(args, len(words)), words...)
	}
	answer := x.store.Client.Eval(ctx, whileSource, keys, args...)
	done, err := x.store.RunWhenFull(ctx, answer, whileSource, keys, args).Int()
	if err == nil && done == 0 {
		err = redis.ErrStale
	}
	return err
}
