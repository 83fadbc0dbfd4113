package store

import (
	"context"
	_ "embed"
	"time"

	"docspace.dev/wsd/store/redis"
)

//go:embed permit.lua
var permitSource string

// OrganizationPermitsKey returns the key of the HASH of an organization's permits, each for an activity that runs once at a time across
// all nodes.
func OrganizationPermitsKey(org string) redis.Key {
	return redis.NewShard("", org).Key(redis.HashKind, "turns")
}

// UserPermitsKey returns the key of the HASH of a user's permits across all organizations.
func UserPermitsKey(user string) redis.Key {
	return redis.NewShard("u:", user).Key(redis.HashKind, "turns")
}

// Permit is a permit for an activity that runs once at a time. It expires unless it is renewed; another holder may then
// start.
type Permit struct {
	key    redis.Key
	name   string
	holder string
}

// AcquireOrganizationPermit acquires a permit of an organization; ok is false while it has another holder.
func (q *Queue) AcquireOrganizationPermit(ctx context.Context, org, name string, length time.Duration) (t Permit, ok bool, err error) {
	return q.acquire(ctx, OrganizationPermitsKey(org), name, length)
}

// AcquireUserPermit acquires a permit of a user; ok is false while it has another holder.
func (q *Queue) AcquireUserPermit(ctx context.Context, user, name string, length time.Duration) (t Permit, ok bool, err error) {
	return q.acquire(ctx, UserPermitsKey(user), name, length)
}

func (q *Queue) acquire(ctx context.Context, key redis.Key, name string, length time.Duration) (t Permit, ok bool, err error) {
	t = Permit{key, name, q.store.NextOp()}
	ok, err = q.runPermit(ctx, t, length)
	return t, ok, err
}

// RenewPermit extends a permit to length from now unless it has another holder.
func (q *Queue) RenewPermit(ctx context.Context, t Permit, length time.Duration) error {
	_, err := q.runPermit(ctx, t, length)
	return err
}

// ReleasePermit releases a permit.
func (q *Queue) ReleasePermit(ctx context.Context, t Permit) error {
	_, err := q.runPermit(ctx, t, 0)
	return err
}

func (q *Queue) runPermit(ctx context.Context, t Permit, length time.Duration) (ok bool, err error) {
	ok, err = q.permitScript.Run(ctx, q.store.Client, []string{q.store.Name(t.key)}, q.store.FixedTime(), length.Milliseconds(), t.name,
		t.holder).Bool()
	return ok, redis.Wrap(ctx, err)
}

// Requester identifies the requester of a job that waits for external systems.
type Requester struct {
	Arg     string
	By      string // requesting user; "" = unknown
	SlowRun bool   // the last run was slow
}
