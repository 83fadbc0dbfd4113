package lifecycle_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// copyRequests returns the paths of a duplicate of a space and of a copy of what was transferred away.
func copyRequests(w *servertest.World) map[string]string {
	w.T.Helper()
	s := w.Populate()
	g := servertest.TransferAway(w, true)
	w.Clock.Advance(time.Minute)
	servertest.RunJobs(w)
	return map[string]string{
		"duplicate": "/v1/spaces/" + s.Handbook + "/duplicate",
		"copy":      "/v1/orgs/" + w.Org + "/transfers/" + g.SourceRef().Transfer + "/copy",
	}
}

// storedKeys returns the keys of the store, except for registries, events and keys that expire.
func storedKeys(w *servertest.World) (names []string) {
	w.T.Helper()
	for name := range w.Dump() {
		tag, rest, _ := strings.Cut(name, "}:")
		if strings.HasPrefix(tag, "{g:") { // registries, which are supersets
			continue
		}
		if kind, _, _ := strings.Cut(rest, ":"); !slices.Contains([]string{"events", "shape", "idem", "op", "turns", "used"}, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestInterruptedCopyLeavesNothing cuts off a duplicate and a copy of a transfer after each of their calls to Redis. Another
// node removes what was copied, and the organization uses as much as before.
func TestInterruptedCopyLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"duplicate", "copy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := &servertest.CallLimit{}
			limit.Remaining.Store(servertest.Unlimited)
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, limit) })
			path := copyRequests(w)[name]
			keys, use := storedKeys(w), servertest.UsageOf(w, w.Org)
			calls, whole := int64(0), false
			for !whole {
				calls++
				limit.Remaining.Store(calls)
				w.Send("admin", http.MethodPost, path, nil)
				whole = limit.Remaining.Load() > 0
				limit.Remaining.Store(servertest.Unlimited)
				now := servertest.UsageOf(w, w.Org)
				completed := now.Records > use.Records+1 || !whole && slices.Contains(spaceTitles(w), "Copy of Handbook")
				w.Clock.Advance(time.Minute)
				servertest.RunJobs(w)
				if whole || completed {
					break // the response was lost, but the copy is complete
				}
				servertest.Equal(t, "keys", strings.Join(keys, "\n"), strings.Join(storedKeys(w), "\n"))
				now = servertest.UsageOf(w, w.Org)
				if more := now.Bytes - use.Bytes; more < 0 || more > 64 { // the versions of members whose grants were removed
					t.Errorf("%d bytes are left", more)
				}
				servertest.Equal(t, "records", use.Records, now.Records)
				if t.Failed() {
					t.Fatalf("cut off after %d calls", calls)
				}
			}
			if calls < 10 {
				t.Errorf("cut off after %d calls only", calls)
			}
		})
	}
}

func spaceTitles(w *servertest.World) (titles []string) {
	w.T.Helper()
	for _, s := range servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Items {
		titles = append(titles, s.Title)
	}
	return titles
}

// TestAbandonedCopyIsRemovedAtOnce checks that a copy whose client leaves before one of its writes has left nothing when the
// request ends, and that it counted towards the quota meanwhile.
func TestAbandonedCopyIsRemovedAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"duplicate", "copy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &servertest.WriteHook{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			path := copyRequests(w)[name]
			keys, use := storedKeys(w), servertest.UsageOf(w, w.Org)
			counted := false
			for n := int64(1); ; n++ {
				ctx, leave := context.WithCancel(t.Context())
				answer := httptest.NewRecorder()
				disturbed := hook.Before(n, func() {
					counted = counted || servertest.UsageOf(w, w.Org).Bytes > use.Bytes
					leave()
				}, func() {
					r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, nil)
					r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
					w.Handler.ServeHTTP(answer, r)
				})
				leave()
				if !disturbed || answer.Code < http.StatusMultipleChoices {
					break
				}
				servertest.Equal(t, "keys", strings.Join(keys, "\n"), strings.Join(storedKeys(w), "\n"))
				now := servertest.UsageOf(w, w.Org)
				servertest.Equal(t, "bytes", use.Bytes, now.Bytes)
				if t.Failed() {
					t.Fatalf("the client left before write %d: %d %s", n, answer.Code, answer.Body)
				}
			}
			servertest.Equal(t, "content counted while it is copied", true, counted)
		})
	}
}

// TestDuplicateIsRefusedAfterItsRemoval checks that a copy that another node took for interrupted is not completed, and that
// nothing is left of it.
func TestDuplicateIsRefusedAfterItsRemoval(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	path := copyRequests(i.World)["duplicate"]
	keys := storedKeys(i.World)
	refused := 0
	for n := int64(1); ; n++ {
		answer, more := i.BeforeWrite(n, func() {
			i.Clock.Advance(time.Minute)
			servertest.RunJobs(i.World)
		}, func() servertest.Response { return i.Send("admin", http.MethodPost, path, nil) })
		if !more || servertest.Succeeded(answer) && refused > 0 {
			break
		}
		i.Clock.Advance(time.Minute)
		servertest.RunJobs(i.World)
		if servertest.Succeeded(answer) { // the job ran before the record of the copy was stored
			keys = storedKeys(i.World)
			continue
		}
		refused++
		servertest.Equal(t, "status", http.StatusServiceUnavailable, answer.Status)
		servertest.Equal(t, "keys", strings.Join(keys, "\n"), strings.Join(storedKeys(i.World), "\n"))
		if t.Failed() {
			t.Fatalf("removed before write %d", n)
		}
	}
	if refused == 0 {
		t.Error("no copy was removed by another node")
	}
}

// TestDuplicateNeedsFreeQuota checks that the content of a copy that is still being made leaves no room for another one.
func TestDuplicateNeedsFreeQuota(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	s := i.Populate()
	size, err := i.Store.Size(t.Context(), s.Handbook)
	i.Must(err)
	limit := servertest.UsageOf(i.World, i.Org).Bytes + size.Bytes*3/2
	servertest.SetQuota(i.World, i.Org, map[string]*int64{"bytes": &limit})
	second := servertest.Response{}
	first, _ := i.BeforeWrite(4, func() {
		second = servertest.Try(i.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: s.Handbook})
	}, func() servertest.Response {
		return servertest.Try(i.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: s.Handbook})
	})
	servertest.Equal(t, "first copy", http.StatusCreated, first.Status)
	servertest.Refusal(i.World, second, http.StatusForbidden, api.ReasonQuotaExceeded)
}

// TestPurgeRemovesInterruptedCopies checks that the purge of an organization removes the content of a copy that was under
// way.
func TestPurgeRemovesInterruptedCopies(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Text.\n")
		heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
		w.Must(err)
		id := w.Store.NewID(txn.HomePrefix(txn.SpacePrefix, w.Org))
		d := store.CopyDocument{Fields: store.CopyFields{ID: id, Entries: []string{id}}}
		storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
			return tx.BeginCopy(w.Org, d, map[string]int64{id: 100}, time.Hour)
		})
		_, err = store.CopyContent(t.Context(), w.Store, space, id, heads[space])
		w.Must(err)
		servertest.Do(w, "admin", api.DeleteOrganization, deleteOrganizationInput(w, w.Org))
		w.Clock.Advance(store.TrashTime + time.Minute)
		servertest.RunJobs(w)
		if left := servertest.KeysWithID(w, id); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	})
}
