package remote

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Value is a value loaded from the server. It keeps its content while it is reloaded or if that fails. Pages hold one
// per displayed object and pass every message to Take.
type Value[T any] struct {
	LoadState
	Latest T // last loaded value, initially zero

	generation int
	cancel     context.CancelFunc
}

// valueMsg is the result of a load.
type valueMsg[T any] struct {
	value      *Value[T]
	generation int
	result     T
	err        error
	loadedAt   time.Time
}

// Load starts to load the value. Responses to earlier loads are ignored from now on.
func (v *Value[T]) Load(c *Connection, get func(context.Context) (T, error)) tea.Cmd {
	if v.cancel != nil {
		v.cancel()
	}
	ctx, cancel := context.WithCancel(c.Ctx)
	v.generation++
	v.Busy, v.StartedAt, v.cancel = true, c.Now(), cancel
	generation, load := v.generation, recordWait(ctx, c, get)
	return func() tea.Msg {
		defer cancel()
		value, err := load()
		return valueMsg[T]{value: v, generation: generation, result: value, err: err, loadedAt: c.Now()}
	}
}

// Take accepts the response to the latest load and reports whether msg is one.
func (v *Value[T]) Take(msg tea.Msg) bool {
	a, ok := msg.(valueMsg[T])
	if !ok || a.value != v || a.generation != v.generation {
		return false
	}
	v.Busy, v.Err = false, a.err
	if a.err == nil {
		v.Latest, v.Loaded, v.LoadedAt = a.result, true, a.loadedAt
	}
	return true
}

// Reset discards the value and its error before another object is loaded.
func (v *Value[T]) Reset() {
	var none T
	v.Latest, v.Loaded, v.Err = none, false, nil
}

// LoadState is the freshness of a value.
type LoadState struct {
	Busy      bool      // a load is in progress
	StartedAt time.Time // start of the last load
	Loaded    bool      // there is a value, possibly outdated
	Err       error     // error of the last load
	LoadedAt  time.Time // time of the last response
}

// And returns the combined state of two values that are displayed together: busy if either is, loaded if both are, with an
// error if either has one, and with the earlier LoadedAt.
func (c LoadState) And(other LoadState) LoadState {
	out := LoadState{Busy: c.Busy || other.Busy, Loaded: c.Loaded && other.Loaded, Err: c.Err, LoadedAt: c.LoadedAt}
	if out.Err == nil {
		out.Err = other.Err
	}
	if other.LoadedAt.Before(out.LoadedAt) {
		out.LoadedAt = other.LoadedAt
	}
	if out.StartedAt = c.StartedAt; other.Busy && (!c.Busy || other.StartedAt.Before(c.StartedAt)) {
		out.StartedAt = other.StartedAt
	}
	return out
}
