package rest_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// replyDropper is a hook that drops replies of Redis: those of scripts, or those of the reads after a script.
type replyDropper struct {
	storetest.Trips
	dropScripts, dropReads, dropping atomic.Bool
}

func (d *replyDropper) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		script := command.Name() == "evalsha" && slices.Contains(command.Args(), any("commit"))
		d.dropping.CompareAndSwap(false, script && d.dropReads.Load())
		if script && d.dropScripts.Load() {
			command.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}

func (d *replyDropper) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if !d.dropping.Load() {
			return next(ctx, commands)
		}
		for _, command := range commands {
			command.SetErr(errUnreachable)
		}
		return errUnreachable
	}
}

func (d *replyDropper) reset() {
	d.dropScripts.Store(false)
	d.dropReads.Store(false)
	d.dropping.Store(false)
}

// TestUnknownOutcome checks that a lost response of a commit gives a 503 with an unknown outcome. With an idempotency
// key it asks for a repeat, which finds the result; without one it does not.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &replyDropper{}
		w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		create := func(headers ...string) servertest.Response {
			return w.Send("admin", http.MethodPost, "/v1/orgs/"+w.Org+"/spaces", api.SpaceCreate{Title: "Once"}, headers...)
		}
		hook.dropScripts.Store(true)
		keyed, bare := create("Idempotency-Key", "k1"), create()
		hook.reset()
		wantUnknown(t, keyed, true)
		wantUnknown(t, bare, false)
		repeat := create("Idempotency-Key", "k1")
		if repeat.Status != http.StatusCreated || repeat.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the repeat: %d %s", repeat.Status, repeat.Body)
		}
		spaces := servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
		if spaces.Count != 2 { // one for each request: both commits were made
			t.Errorf("%d spaces, want 2", spaces.Count)
		}
	})
}

func wantUnknown(t *testing.T, a servertest.Response, again bool) {
	t.Helper()
	e, retry := a.Error(), a.Header.Get("Retry-After") != ""
	if a.Status != http.StatusServiceUnavailable || e.Reason != api.ReasonOutcomeUnknown || retry != again ||
		!strings.Contains(e.Hint, "Idempotency-Key") {
		t.Errorf("%d with Retry-After %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
	}
}

// TestFailureAfterCommitHasUnknownOutcome checks that a failure after a commit does not claim that nothing was
// changed: the change of a user first schedules a job for each of the user's organizations.
func TestFailureAfterCommitHasUnknownOutcome(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &replyDropper{}
		w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		rename := func(headers ...string) servertest.Response {
			return w.Send("editor", http.MethodPatch, "/v1/users/"+w.Users["editor"].ID, api.UserPatch{DisplayName: api.Some("New")},
				headers...)
		}
		hook.dropReads.Store(true)
		a := rename("Idempotency-Key", "k1")
		hook.reset()
		wantUnknown(t, a, true)
		if a = rename("Idempotency-Key", "k1"); a.Status != http.StatusOK {
			t.Errorf("the repeat: %d %s", a.Status, a.Body)
		}
	})
}
