package redis

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// errorReply is an error reply of Redis.
type errorReply string

func (e errorReply) Error() string { return string(e) }

// RedisError implements redis.Error.
func (errorReply) RedisError() {}

// pipelineReplies is a hook that answers a pipeline: nil is a value, any other element an error. Like the driver, it
// returns the first error.
type pipelineReplies []error

func (pipelineReplies) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (pipelineReplies) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (p pipelineReplies) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(_ context.Context, commands []goredis.Cmder) (first error) {
		for i, command := range commands {
			command.SetErr(p[i])
			if first == nil {
				first = p[i]
			}
		}
		return first
	}
}

// TestExecuteReturnsErrorAfterMissingValue checks that missing values are no errors of a pipeline, and do not hide the errors
// of later commands.
func TestExecuteReturnsErrorAfterMissingValue(t *testing.T) {
	t.Parallel()
	wrongType := errorReply("WRONGTYPE Operation against a key holding the wrong kind of value")
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		replies     pipelineReplies
		want        string // "" = no error
		unavailable bool
	}{
		"values":                           {pipelineReplies{nil, nil}, "", false},
		"missing values":                   {pipelineReplies{goredis.Nil, nil, goredis.Nil}, "", false},
		"wrong type":                       {pipelineReplies{nil, wrongType}, "WRONGTYPE", false},
		"wrong type after a missing value": {pipelineReplies{goredis.Nil, nil, wrongType}, "WRONGTYPE", false},
		"loading after a missing value":    {pipelineReplies{goredis.Nil, errorReply("LOADING Redis is loading")}, "LOADING", true},
		"slot down after a missing value":  {pipelineReplies{goredis.Nil, errorReply("CLUSTERDOWN Slot not served")}, "CLUSTERDOWN", true},
		"node away after a missing value":  {pipelineReplies{goredis.Nil, refused, goredis.Nil}, "refused", true},
	} {
		client := goredis.NewClient(&goredis.Options{})
		t.Cleanup(func() { _ = client.Close() })
		client.AddHook(c.replies)
		pipe := client.Pipeline()
		for range c.replies {
			pipe.HGet(t.Context(), "key", "field")
		}
		err := Execute(t.Context(), "test", pipe)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnavailable) != c.unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
