package servertest

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// Interference is a world on the emulation in which a test acts between the plan and the commit of a request.
type Interference struct {
	*World

	hook WriteHook
}

// NewInterference returns a world without interference.
func NewInterference(t *testing.T) *Interference {
	t.Helper()
	i := &Interference{}
	i.World = NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, &i.hook) })
	return i
}

// BeforeWrite runs request and calls act before its n-th write, from 1. more is false if the request made fewer writes.
func (i *Interference) BeforeWrite(n int64, act func(), request func() Answer) (a Answer, more bool) {
	more = i.hook.Before(n, act, func() { a = request() })
	return a, more
}

// Before runs request and calls act before its first write. It fails the test if the request writes nothing.
func (i *Interference) Before(act func(), request func() Answer) Answer {
	i.T.Helper()
	a, wrote := i.BeforeWrite(1, act, request)
	if !wrote {
		i.T.Errorf("the request wrote nothing: %d %s", a.Status, a.Body)
	}
	return a
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
