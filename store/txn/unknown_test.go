package txn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// commitHook is a hook that calls commit, if it is set, instead of sending the commit script, and passes its error to the
// client. send sends the script.
type commitHook struct {
	storetest.Trips
	commit func(send func() error) error
}

func (h *commitHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if h.commit == nil || command.Name() != "evalsha" || !slices.Contains(command.Args(), any("commit")) {
			return next(ctx, command)
		}
		err := h.commit(func() error { return next(ctx, command) })
		command.SetErr(err)
		return err
	}
}

// TestCommitErrorReportsOutcome checks that the error distinguishes a commit whose reply was lost, which may have been applied,
// from one that Redis refused or that was never sent, which was not.
func TestCommitErrorReportsOutcome(t *testing.T) {
	t.Parallel()
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	notEnough := redisError("NOREPLICAS Not enough good replicas to write.")
	for name, c := range map[string]struct {
		commit  func(send func() error) error
		unknown bool
		made    bool
	}{
		"reply lost":                       {func(send func() error) error { _ = send(); return io.EOF }, true, true},
		"reply after the deadline":         {func(send func() error) error { _ = send(); return context.DeadlineExceeded }, true, true},
		"connection closed before sending": {func(func() error) error { return reset }, true, false},
		"no connection":                    {func(func() error) error { return refused }, false, false},
		"no free connection":               {func(func() error) error { return goredis.ErrPoolTimeout }, false, false},
		"too few replicas": {
			func(func() error) error { return notEnough }, false, false,
		},
		"reply lost, then no connection":      {loseReply(refused), true, true},
		"reply lost, then no free connection": {loseReply(goredis.ErrPoolTimeout), true, true},
		"reply lost, then a new master":       {loseReply(redisError("READONLY This is a replica.")), true, true},
		"reply lost, then too few replicas":   {loseReply(notEnough), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &commitHook{}
			s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			ctx, trace := txn.WithTrace(t.Context())
			write := func() error {
				return s.Update(ctx, store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
					tx.SetField(store.HeadsKey("o_1"), "a", "b")
					return nil
				})
			}
			hook.commit = c.commit
			err := write()
			hook.commit = nil
			storetest.WantError(t, err, redis.ErrUnavailable)
			if got := errors.Is(err, redis.ErrUnknown); got != c.unknown {
				t.Errorf("unknown is %t: %v", got, err)
			}
			batch := s.NewBatch()
			head := batch.Field(store.HeadsKey("o_1"), "a")
			storetest.Do(t, batch)
			if _, made := head.Get(); made != c.made || trace.Commits() != 0 {
				t.Errorf("made is %t, and %d commits are traced", made, trace.Commits())
			}
		})
	}
}

// loseReply returns a function for commitHook.commit that sends the first commit and drops its reply. Repeated commits are not
// sent and return next.
func loseReply(next error) func(send func() error) error {
	sent := false
	return func(send func() error) error {
		if sent {
			return next
		}
		sent = true
		_ = send()
		return io.EOF
	}
}

// redisError is an error reply of Redis.
type redisError string

func (e redisError) Error() string { return string(e) }

// RedisError implements redis.Error.
func (redisError) RedisError() {}

// TestCommitOutlivesCaller checks that a commit that has begun is completed even if its caller cancels and the connection
// breaks.
func TestCommitOutlivesCaller(t *testing.T) {
	t.Parallel()
	for name, under := range map[string]func(leave func(), send func() error) error{
		"connection closed while sending": func(leave func(), send func() error) error { leave(); return send() },
		"canceled, reply lost": func(leave func(), send func() error) error {
			leave()
			_ = send()
			return io.EOF
		},
		"canceled, commit lost": func(leave func(), _ func() error) error {
			leave()
			return &net.OpError{Op: "read", Err: syscall.ECONNRESET}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &commitHook{}
			s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			e := storetest.NewFixture(t, s)
			s.AlwaysUseOutbox = true
			ctx, leave := context.WithCancel(t.Context())
			hook.commit = func(send func() error) error {
				hook.commit = nil // the repeated commit succeeds
				return under(leave, send)
			}
			events := storetest.StreamLength(t, s, "{"+e.Org+"}:events")
			options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Fingerprint: "f", Save: true}}
			caller := ctx
			write := func() error {
				return s.Update(caller, store.Organization(e.Org), options, addResource(e, s, name))
			}
			if err := write(); err != nil || ctx.Err() == nil {
				t.Fatalf("a commit whose caller has left (%v): %v", ctx.Err(), err)
			}
			replay := (*txn.ReplayError)(nil)
			caller = t.Context()
			if err := write(); !errors.As(err, &replay) || string(replay.Answer.Body) != "made" {
				t.Errorf("its repeat: %v", err)
			}
			batch := s.NewBatch()
			head := batch.Field(store.HeadsKey(e.Org), e.Space)
			storetest.Do(t, batch)
			text := head.Value()
			now, err := store.ParseHead(text)
			if err != nil {
				t.Fatal(err)
			}
			pages, err := s.Content(e.Space).Get(t.Context(), now.Pages, "p_left")
			if err != nil || len(pages) != 1 {
				t.Errorf("its page: %v, %v", pages, err)
			}
			if n := storetest.StreamLength(t, s, "{"+e.Org+"}:events"); n != events+1 {
				t.Errorf("%d events, want %d", n, events+1)
			}
			if _, posted := storetest.Dump(t, s)["{"+e.Org+"}:outbox"]; !posted {
				t.Error("its objects are not in the outbox")
			}
		})
	}
}

// addResource returns a closure that writes every part of a commit: objects, a head, an event and an answer.
func addResource(e storetest.Fixture, s *store.Store, name string) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		tx.Event(map[string]string{"name": name})
		tx.Answer(txn.Answer{Status: 201, Body: []byte("made")})
		content := s.Content(e.Space)
		text := content.Stage(objects.NewBlob([]byte("text of who left")))
		pages := content.BuildMap(map[string]objects.Entry{"p_left": {Value: []byte("left"), Refs: []string{text}}})
		revision := content.Stage(objects.NewNode([]string{pages}, []byte("left")))
		tx.Objects(e.Space, content.Staged(revision)...)
		tx.SetHead(e.Org, e.Space, store.Head{Revision: revision, Pages: pages, MovedAt: time.UnixMilli(1)})
		return nil
	}
}

// TestCancelBeforeCommitWritesNothing checks that a caller that cancels before the commit begins has written nothing, which the
// error reports.
func TestCancelBeforeCommitWritesNothing(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx, leave := context.WithCancel(t.Context())
	err := s.Update(ctx, store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.SetField(store.HeadsKey("o_1"), "a", "b")
		leave()
		return nil
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, redis.ErrUnknown) {
		t.Errorf("a commit that was not begun: %v", err)
	}
	for key := range storetest.Dump(t, s) {
		if strings.Contains(key, "{o_1}") {
			t.Errorf("%s was written", key)
		}
	}
}

// TestTraceCountsCommits checks that a trace counts commits but not dry runs.
func TestTraceCountsCommits(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx, trace := txn.WithTrace(t.Context())
	for i, dry := range []bool{false, true, false} {
		err := s.Update(ctx, store.Organization("o_1"), txn.UpdateOptions{DryRun: dry}, func(tx *store.Tx) error {
			tx.SetField(store.HeadsKey("o_1"), "a", string(rune('a'+i)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if trace.Commits() != 2 {
		t.Errorf("%d commits are traced, want 2", trace.Commits())
	}
}
