package store

import (
	"context"
	_ "embed"
	"time"

	"docspace.dev/wsd/store/redis"
)

//go:embed permit.lua
var permitSource string

// OrganizationPermitsKey is the HASH of an organization's permits, each for an activity that runs once at a time across
// all nodes.
func OrganizationPermitsKey(org string) redis.Key {
	return redis.NewShard("", org).Key(redis.HashKind, "turns")
}

// UserPermitsKey is the HASH of a user's permits across all organizations.
func UserPermitsKey(user string) redis.Key {
	return redis.NewShard("u:", user).Key(redis.HashKind, "turns")
}

// Turn is a permit for an activity that runs once at a time. It expires unless it is renewed; another holder may then
// start.
type Turn struct {
	of     redis.Key
	name   string
	holder string
}

// TakeOf acquires a permit of an organization; ok is false while it has another holder.
func (q *Queue) TakeOf(ctx context.Context, org, name string, length time.Duration) (t Turn, ok bool, err error) {
	return q.acquire(ctx, OrganizationPermitsKey(org), name, length)
}

// TakeFor acquires a permit of a user; ok is false while it has another holder.
func (q *Queue) TakeFor(ctx context.Context, user, name string, length time.Duration) (t Turn, ok bool, err error) {
	return q.acquire(ctx, UserPermitsKey(user), name, length)
}

func (q *Queue) acquire(ctx context.Context, key redis.Key, name string, length time.Duration) (t Turn, ok bool, err error) {
	t = Turn{key, name, q.store.NextOp()}
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

func (q *Queue) runPermit(ctx context.Context, t Turn, length time.Duration) (ok bool, err error) {
	ok, err = q.permitScript.Run(ctx, q.store.Client, []string{q.store.Name(t.of)}, q.store.FixedTime(), length.Milliseconds(), t.name, t.holder).Bool()
	return ok, redis.Wrap(ctx, err)
}

// Asked identifies the requester of a job that waits for external systems.
type Asked struct {
	Arg  string
	By   string // requesting user; "" = unknown
	Slow bool   // the last run was slow
}
