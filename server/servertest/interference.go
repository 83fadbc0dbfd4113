package servertest

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// Interference is a world on the emulation in which a test acts between the reads of a request, or between its plan and
// its commit.
type Interference struct {
	*World

	hook  WriteHook
	reads readHook
}

// NewInterference returns a new world in which requests run undisturbed until BeforeWrite or Before is called.
func NewInterference(t *testing.T) *Interference {
	t.Helper()
	i := &Interference{}
	i.World = NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, &i.hook, &i.reads) })
	return i
}

// BeforeWrite runs request and calls act before its n-th write, from 1. more is false if the request made fewer writes.
func (i *Interference) BeforeWrite(n int64, act func(), request func() Response) (a Response, more bool) {
	more = i.hook.Before(n, act, func() { a = request() })
	return a, more
}

// Before runs request and calls act before its first write. It fails the test if the request writes nothing.
func (i *Interference) Before(act func(), request func() Response) Response {
	i.T.Helper()
	a, wrote := i.BeforeWrite(1, act, request)
	if !wrote {
		i.T.Errorf("the request wrote nothing: %d %s", a.Status, a.Body)
	}
	return a
}

// BeforeRead runs request and calls act before the first command with the given lower-case name for a key. It fails the test if
// there is none. Before and BeforeWrite of an outer call do not count the writes of act.
func (i *Interference) BeforeRead(command string, key redis.Key, act func(), request func() Response) Response {
	i.T.Helper()
	i.reads.next.Store(&expectedRead{command, i.Store.Name(key), func() {
		writes := i.hook.Remaining.Swap(0)
		act()
		i.hook.Remaining.Store(writes)
	}})
	a := request()
	if i.reads.next.Swap(nil) != nil {
		i.T.Errorf("the request did not read %s by %s: %d %s", key, command, a.Status, a.Body)
	}
	return a
}

// readHook is a hook that calls a function before one read of a key.
type readHook struct {
	next atomic.Pointer[expectedRead]
}

// expectedRead is the read before which a readHook calls its function.
type expectedRead struct {
	command, key string
	act          func()
}

func (h *readHook) call(commands ...goredis.Cmder) {
	next := h.next.Load()
	if next == nil {
		return
	}
	matches := func(c goredis.Cmder) bool {
		return c.Name() == next.command && slices.Contains(c.Args(), any(next.key))
	}
	if slices.ContainsFunc(commands, matches) && h.next.CompareAndSwap(next, nil) {
		next.act()
	}
}

// DialHook implements redis.Hook.
func (h *readHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (h *readHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		h.call(command)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (h *readHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		h.call(commands...)
		return next(ctx, commands)
	}
}

// Hide removes the default level of a space, which the admin created: only admins keep access.
func (w *World) Hide(space string) {
	w.T.Helper()
	Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
}

// RemoveMember removes a member as another node does: the access model of this node has the member until its next
// request.
func (w *World) RemoveMember(name string) {
	w.T.Helper()
	storetest.Update(w.T, w.Store, w.Org, func(tx *store.Tx) error {
		m, err := tx.Member(w.Org, w.Users[name].ID)
		if err != nil {
			return err
		}
		return tx.DeleteMember(w.Org, m)
	})
}
