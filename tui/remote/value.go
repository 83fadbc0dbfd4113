package remote

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Value is a value that is loaded from the server. It keeps what it has while it loads again or fails to.
// Pages hold one for each thing that they show and hand every message to Take.
type Value[T any] struct {
	Condition
	Latest T // the last value that came, the zero value before

	generation int
	cancel     context.CancelFunc
}

// answer is how a load ends.
type answer[T any] struct {
	to         *Value[T]
	generation int
	value      T
	err        error
	at         time.Time
}

// Load begins to load; an answer to an earlier load is ignored from now on.
func (r *Value[T]) Load(c *Connection, get func(context.Context) (T, error)) tea.Cmd {
	if r.cancel != nil {
		r.cancel()
	}
	ctx, cancel := context.WithCancel(c.Ctx)
	r.generation++
	r.Busy, r.cancel = true, cancel
	generation := r.generation
	return func() tea.Msg {
		defer cancel()
		value, err := get(ctx)
		return answer[T]{to: r, generation: generation, value: value, err: err, at: c.Now()}
	}
}

// Take accepts the answer to the latest load and reports whether the message was one.
func (r *Value[T]) Take(msg tea.Msg) bool {
	a, ok := msg.(answer[T])
	if !ok || a.to != r || a.generation != r.generation {
		return false
	}
	r.Busy, r.Err = false, a.err
	if a.err == nil {
		r.Latest, r.Loaded, r.At = a.value, true, a.at
	}
	return true
}

// Forget drops the value: what comes next is about something else.
func (r *Value[T]) Forget() {
	var none T
	r.Latest, r.Loaded, r.Err = none, false, nil
}

// Condition says how fresh a value is.
type Condition struct {
	Busy   bool      // it is being loaded
	Loaded bool      // there is a value, perhaps an old one
	Err    error     // of the last load
	At     time.Time // when the value came
}

// And joins the conditions of two values that are shown together: the worse of the two.
func (c Condition) And(other Condition) Condition {
	out := Condition{Busy: c.Busy || other.Busy, Loaded: c.Loaded && other.Loaded, Err: c.Err, At: c.At}
	if out.Err == nil {
		out.Err = other.Err
	}
	if other.At.Before(out.At) {
		out.At = other.At
	}
	return out
}
