package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// remote is a value that is loaded from the server. It keeps what it has while it loads again or fails to.
type remote[T any] struct {
	generation int
	busy       bool
	loaded     bool // there is a value, perhaps an old one
	value      T
	err        error // of the last load
	at         time.Time
	cancel     context.CancelFunc
}

// answer is how a load ends.
type answer[T any] struct {
	to         *remote[T]
	generation int
	value      T
	err        error
	at         time.Time
}

// load begins to load; an answer to an earlier load is ignored from now on.
func (r *remote[T]) load(s *session, get func(context.Context) (T, error)) tea.Cmd {
	if r.cancel != nil {
		r.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	r.generation++
	r.busy, r.cancel = true, cancel
	generation := r.generation
	return func() tea.Msg {
		defer cancel()
		value, err := get(ctx)
		return answer[T]{to: r, generation: generation, value: value, err: err, at: s.now()}
	}
}

// take accepts the answer to the latest load and reports whether the message was one.
func (r *remote[T]) take(msg tea.Msg) bool {
	a, ok := msg.(answer[T])
	if !ok || a.to != r || a.generation != r.generation {
		return false
	}
	r.busy, r.err = false, a.err
	if a.err == nil {
		r.value, r.loaded, r.at = a.value, true, a.at
	}
	return true
}

func (r *remote[T]) condition() condition {
	return condition{busy: r.busy, loaded: r.loaded, err: r.err, at: r.at}
}

// condition is how a remote stands.
type condition struct {
	busy, loaded bool
	err          error
	at           time.Time
}

// and joins the conditions of two values that are shown together: the worse of the two.
func (c condition) and(other condition) condition {
	out := condition{busy: c.busy || other.busy, loaded: c.loaded && other.loaded, err: c.err, at: c.at}
	if out.err == nil {
		out.err = other.err
	}
	if other.at.Before(out.at) {
		out.at = other.at
	}
	return out
}

// trouble says in a few words why there is no newer value: denied, not there, offline.
func trouble(err error) string {
	refused, ok := api.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case !ok:
		return "offline"
	case refused.Code == 401:
		return "not signed in"
	case refused.Code == 403:
		return "not allowed"
	case refused.Code == 404:
		return "not found"
	case refused.Code == 429, refused.Code >= 500:
		return "server busy"
	default:
		return "refused"
	}
}
