package store_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// forwardHook loses the reply to the first commit and sets the clock of Redis forward.
type forwardHook struct {
	armed   bool
	sent    int // commits
	forward func()
}

// DialHook implements redis.Hook.
func (*forwardHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (*forwardHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (h *forwardHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		args := command.Args()
		commit := h.armed && strings.HasPrefix(command.Name(), "eval") && slices.Contains(args, any("commit"))
		err := next(ctx, command)
		if !commit || err != nil {
			return err
		}
		if h.sent++; h.sent == 1 {
			h.forward()
			command.SetErr(io.EOF)
			return io.EOF
		}
		return nil
	}
}

// TestCommitIsNotRepeatedAcrossClockJump checks that a commit without a reply is repeated within one request, but not if
// the clock of Redis was set forward in between, so that Redis has forgotten the commit.
func TestCommitIsNotRepeatedAcrossClockJump(t *testing.T) {
	t.Parallel()
	for jump, sends := range map[time.Duration]int{0: 2, time.Minute: 2, time.Hour: 1} {
		t.Run(jump.String(), func(t *testing.T) {
			t.Parallel()
			hook := &forwardHook{}
			w := newRemovalWorld(t, hook)
			hook.forward = func() {
				w.emulation.FastForward(jump)
				w.redis = w.redis.Add(jump)
			}
			hook.armed = true
			err := w.node.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				tx.Event(map[string]string{"type": "test"})
				return nil
			})
			if sends == 1 && !errors.Is(err, redis.ErrUnknown) || sends == 2 && err != nil {
				t.Errorf("the commit ends with %v", err)
			}
			if hook.sent != sends {
				t.Errorf("the commit was sent %d times, want %d", hook.sent, sends)
			}
			if n := storetest.StreamLength(t, w.node, "{o_1}:events"); n != 1 {
				t.Errorf("%d events, want 1", n)
			}
		})
	}
}
