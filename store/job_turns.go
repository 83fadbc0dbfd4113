package store

import (
	"context"
	_ "embed"
	"time"

	"docspace.dev/wsd/store/redis"
)

//go:embed turn.lua
var turnSource string

// OrganizationTurnsKey is the HASH of what is done for an organization one at a time, on all nodes together.
func OrganizationTurnsKey(org string) redis.Key {
	return redis.NewShard("", org).Key(redis.HashKind, "turns")
}

// UserTurnsKey is the HASH of what is done for a user one at a time, in all organizations together.
func UserTurnsKey(user string) redis.Key {
	return redis.NewShard("u:", user).Key(redis.HashKind, "turns")
}

// Turn is leave to do something that is done one at a time. It is lost when it is not renewed: then another one may
// begin, and nothing else happens.
type Turn struct {
	of     redis.Key
	what   string
	holder string
}

// TakeOf takes an organization's turn of something. ok is false while somebody else has it.
func (q *Queue) TakeOf(ctx context.Context, org, what string, length time.Duration) (t Turn, ok bool, err error) {
	return q.take(ctx, OrganizationTurnsKey(org), what, length)
}

// TakeFor takes a user's turn of something. ok is false while somebody else has it.
func (q *Queue) TakeFor(ctx context.Context, user, what string, length time.Duration) (t Turn, ok bool, err error) {
	return q.take(ctx, UserTurnsKey(user), what, length)
}

func (q *Queue) take(ctx context.Context, of redis.Key, what string, length time.Duration) (t Turn, ok bool, err error) {
	t = Turn{of, what, q.store.NextOp()}
	ok, err = q.runTurn(ctx, t, length)
	return t, ok, err
}

// RenewTurn makes a turn last until length from now, if nobody else has it by now.
func (q *Queue) RenewTurn(ctx context.Context, t Turn, length time.Duration) error {
	_, err := q.runTurn(ctx, t, length)
	return err
}

// EndTurn gives a turn back.
func (q *Queue) EndTurn(ctx context.Context, t Turn) error {
	_, err := q.runTurn(ctx, t, 0)
	return err
}

func (q *Queue) runTurn(ctx context.Context, t Turn, length time.Duration) (held bool, err error) {
	held, err = q.turn.Run(ctx, q.store.Client, []string{q.store.Name(t.of)}, q.store.FixedTime(), length.Milliseconds(), t.what, t.holder).Bool()
	return held, redis.Wrap(ctx, err)
}

// Asked is for whom a job is done that waits for others than wsd.
type Asked struct {
	Arg  string
	By   string // the user who asked for it; "" = nobody knows
	Slow bool   // the last time it took long
}
