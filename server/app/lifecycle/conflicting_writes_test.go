package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// beforeEachWrite calls run for n = 1, 2, ... until it reports that a request made fewer than n writes.
func beforeEachWrite(t *testing.T, run func(n int64) (more bool)) {
	t.Helper()
	for n := int64(1); run(n); n++ {
		if t.Failed() || n > 100 {
			t.Fatalf("before write %d", n)
		}
	}
}

// newTransferInterference returns a world whose admin, creator and stranger may make many organizations.
func newTransferInterference(t *testing.T) *servertest.Interference {
	t.Helper()
	i := servertest.NewInterference(t)
	allowOrganizations(i.World)
	return i
}

// allowOrganizations lets the admin, the creator and the stranger make many organizations.
func allowOrganizations(w *servertest.World) {
	w.T.Helper()
	for _, name := range []string{"admin", "creator", "stranger"} {
		id := w.Users[name].ID
		w.Must(orgs.Accounts{Store: w.Store}.SetLimits(w.T.Context(), store.User(id), store.UserQuotaKey(id), map[string]*int64{
			"organizations": new(int64(1000)),
		}))
	}
}

// swapSpaces moves the space inside out of a collection, and the space outside into it, which keeps the number of spaces
// there. Either may be refused.
func swapSpaces(w *servertest.World, as, collection, inside, outside string) {
	w.T.Helper()
	if servertest.Succeeded(servertest.Try(w, as, api.MoveSpace, api.MoveSpaceInput{
		Space: inside, Body: api.Move{Parent: api.Null[string]()},
	})) {
		servertest.Try(w, as, api.MoveSpace, api.MoveSpaceInput{Space: outside, Body: api.Move{Parent: api.Some(collection)}})
		servertest.ReadSpaceAs(w, as, outside) // updates the access model of the node
	}
}

// checkParent fails the test unless a space is at the top level of its organization, or in a collection of it.
func checkParent(w *servertest.World, space string) {
	w.T.Helper()
	found := servertest.ReadSpaceAs(w, "admin", space)
	if found.Parent == "" {
		return
	}
	parent := servertest.Try(w, "admin", api.GetCollection, api.CollectionRef{Collection: found.Parent})
	var collection api.Collection
	if servertest.Succeeded(parent) {
		servertest.Decode(w, parent, &collection)
	}
	servertest.Equal(w.T, "organization of the parent of "+found.Title, found.Organization, collection.Organization)
}

// TestTakeBackDuringExchangeKeepsCollectionTogether checks that if the other organization exchanges a space of a collection for
// one of its own before any write of a take-back, with or without agreement to the return, the collection is not split: every
// space is in a collection of its organization.
func TestTakeBackDuringExchangeKeepsCollectionTogether(t *testing.T) {
	t.Parallel()
	for name, agreed := range map[string]bool{"unchanged": false, "agreed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newTransferInterference(t)
			w := i.World
			beforeEachWrite(t, func(n int64) bool {
				g := servertest.TransferAway(w, true)
				own := servertest.Do(w, "creator", api.CreateSpace, api.CreateSpaceInput{
					Organization: g.ToOrganization, Body: api.SpaceCreate{Title: fmt.Sprint("Own ", n)},
				}).ID
				if agreed {
					servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
				}
				act := func() { swapSpaces(w, "creator", g.NestedCollection, g.Space, own) }
				_, more := i.BeforeWrite(n, act, func() servertest.Response {
					if agreed {
						return servertest.Try(w, "admin", api.AgreeTransfer, g.TargetRef())
					}
					return servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef())
				})
				checkParent(w, own)
				checkParent(w, g.Space)
				return more
			})
		})
	}
}

// TestTransferDuringExchangeKeepsCollectionTogether checks that if a space of a collection is exchanged for another one before
// any write of its transfer, the collection is not split.
func TestTransferDuringExchangeKeepsCollectionTogether(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	beforeEachWrite(t, func(n int64) bool {
		to := servertest.NewOrganization(w, "Other")
		collection := w.NewCollection("Collection", "").ID
		inside, outside := w.CreateSpace("Inside", collection, ""), w.CreateSpace("Outside", "", "")
		_, more := i.BeforeWrite(n, func() { swapSpaces(w, "admin", collection, inside, outside) }, func() servertest.Response {
			return servertest.Try(w, "admin", api.TransferCollection, api.TransferCollectionInput{
				Collection: collection, Body: api.Transfer{Organization: to},
			})
		})
		checkParent(w, inside)
		checkParent(w, outside)
		return more
	})
}

// TestSpaceCreatedDuringTransferFollowsCollection checks that a space that is created in a collection before any write of its
// transfer is in the same organization as the collection afterwards.
func TestSpaceCreatedDuringTransferFollowsCollection(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	beforeEachWrite(t, func(n int64) bool {
		to := servertest.NewOrganization(w, "Other")
		collection := w.NewCollection("Collection", "").ID
		var created servertest.Response
		_, more := i.BeforeWrite(n, func() {
			created = servertest.Try(w, "admin", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Title: "New", Parent: collection},
			})
			servertest.Try(w, "admin", api.GetCollection, api.CollectionRef{Collection: collection}) // updates the access model of the node
		}, func() servertest.Response {
			return servertest.Try(w, "admin", api.TransferCollection, api.TransferCollectionInput{
				Collection: collection, Body: api.Transfer{Organization: to},
			})
		})
		if more && servertest.Succeeded(created) {
			var space api.Space
			servertest.Decode(w, created, &space)
			checkParent(w, space.ID)
		}
		return more
	})
}

// TestOneAnswerToTransferTakesEffect checks that if a transfer is answered a second time before a write of the first answer,
// only one of the answers takes effect.
func TestOneAnswerToTransferTakesEffect(t *testing.T) {
	t.Parallel()
	type response func(w *servertest.World, from, to api.TransferRef) servertest.Response
	take := func(w *servertest.World, from, _ api.TransferRef) servertest.Response {
		return servertest.Try(w, "admin", api.TakeTransferBack, from)
	}
	ask := func(w *servertest.World, from, _ api.TransferRef) servertest.Response {
		return servertest.Try(w, "admin", api.AskTransfer, from)
	}
	refuse := func(w *servertest.World, _, to api.TransferRef) servertest.Response {
		return servertest.Try(w, "admin", api.RefuseTransfer, to)
	}
	agree := func(w *servertest.World, _, to api.TransferRef) servertest.Response {
		return servertest.Try(w, "admin", api.AgreeTransfer, to)
	}
	for name, c := range map[string]struct {
		asked         bool
		first, second response
	}{
		"refused before agreement":       {true, refuse, agree},
		"agreed before refusal":          {true, agree, refuse},
		"taken back before the request":  {false, take, ask},
		"taken back before agreement":    {true, take, agree},
		"taken back before refusal":      {true, take, refuse},
		"agreed before the take-back":    {true, agree, take},
		"refused before another request": {true, refuse, ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newTransferInterference(t)
			w := i.World
			beforeEachWrite(t, func(n int64) bool {
				g := servertest.TransferAway(w, false)
				if c.asked {
					servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
				}
				var first servertest.Response
				_, more := i.BeforeWrite(n, func() { first = c.first(w, g.SourceRef(), g.TargetRef()) }, func() servertest.Response {
					return c.second(w, g.SourceRef(), g.TargetRef())
				})
				state := servertest.Do(w, "admin", api.GetTransfer, g.SourceRef()).State
				g.WantState(state)
				space := servertest.ReadSpaceAs(w, "admin", g.Space)
				servertest.Equal(t, "taken back", state == api.TransferTakenBack, space.Organization == w.Org)
				if name == "refused before agreement" && n == 1 && servertest.Succeeded(first) {
					servertest.Equal(t, "state", api.TransferRefused, state)
				}
				return more
			})
		})
	}
}

// TestReturnRequestDoesNotHideFurtherTransfer checks that if a space is transferred to a third organization before any write of
// a request for its return, the request does not hide this transfer.
func TestReturnRequestDoesNotHideFurtherTransfer(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	third := servertest.NewOrganization(w, "Third")
	beforeEachWrite(t, func(n int64) bool {
		g := servertest.TransferAway(w, false)
		_, more := i.BeforeWrite(n, func() {
			servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(g.Space, third))
		}, func() servertest.Response { return servertest.Try(w, "admin", api.AskTransfer, g.SourceRef()) })
		if more {
			g.WantState(api.TransferPassedOn)
		}
		return more
	})
}

// TestConcurrentCopiesOfTransferCreateOneSpace checks that if a transfer is copied or taken back just before one of the writes
// of a copy, that copy is rejected, and only one new space remains.
func TestConcurrentCopiesOfTransferCreateOneSpace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first api.Route[api.TransferRef, api.TransferRecord]
		state api.TransferState
	}{
		"copied":     {api.CopyTransfer, api.TransferCopied},
		"taken back": {api.TakeTransferBack, api.TransferTakenBack},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newTransferInterference(t)
			w := i.World
			beforeEachWrite(t, func(n int64) bool {
				before := countSpaces(w)
				g := servertest.TransferAway(w, false)
				var first servertest.Response
				a, more := i.BeforeWrite(n, func() {
					first = servertest.Try(w, "admin", c.first, g.SourceRef())
				}, func() servertest.Response { return servertest.Try(w, "admin", api.CopyTransfer, g.SourceRef()) })
				switch {
				case servertest.Succeeded(a): // it was not disturbed, or only after its commit
					more = false
					g.WantState(api.TransferCopied)
				default:
					servertest.Equal(t, "status of the copy", 409, a.Status)
					servertest.Equal(t, "status of the other request", 200, first.Status)
					g.WantState(c.state)
				}
				servertest.Equal(t, "new spaces", 1, countSpaces(w)-before)
				return more
			})
		})
	}
}

// TestOrganizationIsNotDeletedDuringTransfer checks that an organization is not deleted if one of its spaces is transferred
// away before the commit, because the transfer can be taken back.
func TestOrganizationIsNotDeletedDuringTransfer(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	own, to := servertest.NewOrganization(w, "Own"), servertest.NewOrganization(w, "Other")
	space := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: own}).ID
	in := deleteOrganizationInput(w, own)
	deleted := i.Before(func() {
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(space, to))
	}, func() servertest.Response { return servertest.Try(w, "admin", api.DeleteOrganization, in) })
	servertest.Equal(t, "status", 409, deleted.Status)
	for _, made := range servertest.ListTransfers(w, own) {
		servertest.Do(w, "admin", api.TakeTransferBack, api.TransferRef{Organization: own, Transfer: made.ID})
	}
	servertest.Equal(t, "organization", own, servertest.ReadSpaceAs(w, "admin", space).Organization)
}

// TestDuplicateOfPurgedSpaceIsNotFound checks that a space that is purged before the first write of its copy is not found.
func TestDuplicateOfPurgedSpaceIsNotFound(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, _ := w.NewSpaceWithPage("Text.\n")
	duplicated := i.Before(func() {
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
	}, func() servertest.Response {
		return servertest.Try(w, "admin", api.DuplicateSpace, api.SpaceRef{Space: space})
	})
	servertest.Equal(t, "status", 404, duplicated.Status)
}

// TestSpaceIsFoundDuringTransfer checks that a space is found until it has left the giving organization, and again once it has
// arrived. This is also true for a transfer to the organization in which the space was created, whose pointer redirects to its
// current one.
func TestSpaceIsFoundDuringTransfer(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	from := servertest.NewOrganization(w, "Other")
	var missed []int // numbers of writes before which the space is not found
	for _, to := range []string{servertest.NewOrganization(w, "Third"), w.Org} {
		notFound := 0
		beforeEachWrite(t, func(n int64) bool {
			w.Clock.Advance(time.Minute) // ends permits that were not released because Fsck took long
			space := w.CreateSpace("Docs", "", "")
			servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(space, from))
			var found servertest.Response
			_, more := i.BeforeWrite(n, func() {
				found = servertest.Try(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
				w.Fsck()
			}, func() servertest.Response {
				return servertest.Try(w, "admin", api.TransferSpace, servertest.TransferInput(space, to))
			})
			if more && !servertest.Succeeded(found) {
				notFound++
			}
			return more
		})
		missed = append(missed, notFound)
	}
	if missed[0] == 0 || missed[1] > missed[0] {
		t.Errorf("not found before %d writes of a transfer to a third organization, and %d of one home", missed[0], missed[1])
	}
}

// countSpaces returns the number of spaces of the organization.
func countSpaces(w *servertest.World) int {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Count
}
