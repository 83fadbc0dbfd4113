package postings

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// abortError adds the error of the first rejected command to err if Redis discarded a transaction because of it. Otherwise it
// returns err.
func abortError(commands []goredis.Cmder, err error) error {
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

// execIfSource executes commands if keys have given values. Unlike a transaction, Redis allows a script to do so while
// memory is full.
//
//	KEYS  keys of the values, then all others
//	ARGV  number of values; the values; the commands, each preceded by its number of words
const execIfSource = `
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

// maxCommandArgs is the number of arguments of a command that Lua can unpack.
const maxCommandArgs = 7000

// execIfFull is like execIfUnchanged for commands that free space in a Redis whose memory is full. If a key has
// another value, it returns goredis.TxFailedErr.
func (x *Index) execIfFull(ctx context.Context, keys []string, want map[string]string, queue func(pipe goredis.Pipeliner)) error {
	args := []any{len(keys)}
	for _, key := range keys {
		args = append(args, want[key])
	}
	pipe := x.store.Client.Pipeline()
	queue(pipe)
	for _, command := range pipe.Cmds() {
		words := command.Args()
		if len(words) > maxCommandArgs {
			return fmt.Errorf("%w: a command of %d words", redis.ErrFull, len(words))
		}
		if key, ok := words[1].(string); ok {
			keys = append(keys, key)
		}
		args = append(append(args, len(words)), words...)
	}
	answer := x.store.Client.Eval(ctx, execIfSource, keys, args...)
	done, err := x.store.RunWhenFull(ctx, answer, execIfSource, keys, args).Int()
	if err == nil && done == 0 {
		err = goredis.TxFailedErr
	}
	return err
}
