package remote

import (
	"context"
	"errors"
	"testing"
	"time"
)

func loadFunc(value string, err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return value, err }
}

// TestValueTakesLatestResponse checks that only the response to the latest load is accepted, and that the value is kept until
// then.
func TestValueTakesLatestResponse(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	c := &Connection{Ctx: t.Context(), Now: func() time.Time { return now }}
	var v, other Value[string]
	early := v.Load(c, loadFunc("early", nil))
	late := v.Load(c, loadFunc("late", nil))
	if v.Take(early()) || other.Take(late()) || !v.Busy || v.Loaded {
		t.Errorf("after an answer that is not the one: %+v", v)
	}
	if !v.Take(late()) || v.Latest != "late" || v.Busy || !v.Loaded || !v.LoadedAt.Equal(now) {
		t.Errorf("loaded: %+v", v)
	}
	failed := errors.New("connection refused")
	if !v.Take(v.Load(c, loadFunc("", failed))()) || v.Latest != "late" || !v.Loaded || !errors.Is(v.Err, failed) {
		t.Errorf("failed: %+v", v)
	}
	if v.Reset(); v.Latest != "" || v.Loaded || v.Err != nil {
		t.Errorf("forgotten: %+v", v)
	}
}

// TestSupersededLoadIsCanceled checks that a superseded load is canceled, and that all loads are canceled when the screen
// exits.
func TestSupersededLoadIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	c := &Connection{Ctx: ctx, Now: time.Now}
	var v Value[string]
	wait := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	first := v.Load(c, wait)
	second := v.Load(c, wait)
	first() // returns
	end()
	if !v.Take(second()) || !errors.Is(v.Err, context.Canceled) {
		t.Errorf("after the end: %+v", v)
	}
}

func TestLoadStateAnd(t *testing.T) {
	t.Parallel()
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	failed := errors.New("connection refused")
	got := LoadState{Loaded: true, LoadedAt: late}.And(LoadState{Busy: true, Err: failed, LoadedAt: early})
	if want := (LoadState{Busy: true, Err: failed, LoadedAt: early}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
