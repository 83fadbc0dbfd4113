package store

import (
	"context"
	_ "embed"
	"time"

	"docspace.dev/wsd/store/redis"
)

//go:embed permit.lua
var permitSource string

// OrganizationTurnsKey is the HASH of an organization's permits, each for an activity that runs once at a time across
// all nodes.
func OrganizationTurnsKey(org string) redis.Key {
	return redis.NewShard("", org).Key(redis.HashKind, "turns")
}

// UserTurnsKey is the HASH of a user's permits across all organizations.
func UserTurnsKey(user string) redis.Key {
	return redis.NewShard("u:", user).Key(redis.HashKind, "turns")
}

// Turn is a permit for an activity that runs once at a time. It expires unless it is renewed; another holder may then
// start.
type Turn struct {
	of     redis.Key
	what   string
	holder string
}

// TakeOf acquires a permit of an organization; ok is false while it has another holder.
func (q *Queue) TakeOf(ctx context.Context, org, what string, length time.Duration) (t Turn, ok bool, err error) {
	return q.acquire(ctx, OrganizationTurnsKey(org), what, length)
}

// TakeFor acquires a permit of a user; ok is false while it has another holder.
func (q *Queue) TakeFor(ctx context.Context, user, what string, length time.Duration) (t Turn, ok bool, err error) {
	return q.acquire(ctx, UserTurnsKey(user), what, length)
}

func (q *Queue) acquire(ctx context.Context, of redis.Key, what string, length time.Duration) (t Turn, ok bool, err error) {
	t = Turn{of, what, q.store.NextOp()}
	ok, err = q.runPermit(ctx, t, length)
	return t, ok, err
}

// RenewTurn extends a permit to length from now unless it has another holder.
func (q *Queue) RenewTurn(ctx context.Context, t Turn, length time.Duration) error {
	_, err := q.runPermit(ctx, t, length)
	return err
}

// EndTurn releases a permit.
func (q *Queue) EndTurn(ctx context.Context, t Turn) error {
	_, err := q.runPermit(ctx, t, 0)
	return err
}

func (q *Queue) runPermit(ctx context.Context, t Turn, length time.Duration) (held bool, err error) {
	held, err = q.turn.Run(ctx, q.store.Client, []string{q.store.Name(t.of)}, q.store.FixedTime(), length.Milliseconds(), t.what, t.holder).Bool()
	return held, redis.Wrap(ctx, err)
}

// Asked identifies the requester of a job that waits for external systems.
type Asked struct {
	Arg  string
	By   string // requesting user; "" = unknown
	Slow bool   // the last run was slow
}
