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

// cutting is a hook that loses answers of Redis: those of scripts, or those of the reads behind a script.
type cutting struct {
	storetest.Trips
	scripts, after, cut atomic.Bool
}

func (h *cutting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		script := command.Name() == "evalsha" && slices.Contains(command.Args(), any("commit"))
		h.cut.CompareAndSwap(false, script && h.after.Load())
		if script && h.scripts.Load() {
			command.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}

func (h *cutting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if !h.cut.Load() {
			return next(ctx, commands)
		}
		for _, command := range commands {
			command.SetErr(errGone)
		}
		return errGone
	}
}

func (h *cutting) heal() {
	h.scripts.Store(false)
	h.after.Store(false)
	h.cut.Store(false)
}

// When the answer of a commit is lost, 503 says that the outcome is unknown. With a key the repeat is invited, and
// finds what was made; without one nobody is asked to repeat it.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &cutting{}
		w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		create := func(headers ...string) servertest.Answer {
			return w.Raw("admin", http.MethodPost, "/v1/orgs/"+w.Org+"/spaces", api.SpaceCreate{Title: "Once"}, headers...)
		}
		hook.scripts.Store(true)
		keyed, bare := create("Idempotency-Key", "k1"), create()
		hook.heal()
		wantUnknown(t, keyed, true)
		wantUnknown(t, bare, false)
		repeat := create("Idempotency-Key", "k1")
		if repeat.Status != http.StatusCreated || repeat.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the repeat: %d %s", repeat.Status, repeat.Body)
		}
		spaces := servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
		if spaces.Count != 2 { // one of each: the commits were made
			t.Errorf("%d spaces, want 2", spaces.Count)
		}
	})
}

func wantUnknown(t *testing.T, a servertest.Answer, again bool) {
	t.Helper()
	e, retry := a.Error(), a.Header.Get("Retry-After") != ""
	if a.Status != http.StatusServiceUnavailable || e.Reason != api.ReasonOutcomeUnknown || retry != again || !strings.Contains(e.Hint, "Idempotency-Key") {
		t.Errorf("%d with Retry-After %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
	}
}

// What fails behind a commit does not say that nothing was changed: a user's change plans a job for each of their
// organizations first.
func TestFailureBehindACommit(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &cutting{}
		w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		rename := func(headers ...string) servertest.Answer {
			return w.Raw("editor", http.MethodPatch, "/v1/users/"+w.Users["editor"].ID, api.UserPatch{DisplayName: api.Some("New")}, headers...)
		}
		hook.after.Store(true)
		a := rename("Idempotency-Key", "k1")
		hook.heal()
		wantUnknown(t, a, true)
		if a = rename("Idempotency-Key", "k1"); a.Status != http.StatusOK {
			t.Errorf("the repeat: %d %s", a.Status, a.Body)
		}
	})
}
