package lifecycle_test

import (
	"fmt"
	"testing"

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
	for _, name := range []string{"admin", "creator", "stranger"} {
		user := store.User(i.Users[name].ID)
		limits := map[string]*int64{"organizations": new(int64(1000))}
		i.Must(orgs.Accounts{Store: i.Store}.SetLimits(t.Context(), user, store.UserQuotaKey(i.Users[name].ID), limits))
	}
	return i
}

// exchange moves the space inside out of a collection, and the space outside into it, which keeps the number of spaces
// there. Either may be refused.
func exchange(w *servertest.World, as, collection, inside, outside string) {
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

// If the other organization exchanges a space of a collection for one of its own before any write of a take-back,
// whether or not it agrees, the collection is not split: every space lies in a collection of its organization.
func TestTakeBackDuringExchange(t *testing.T) {
	t.Parallel()
	for name, agreed := range map[string]bool{"unchanged": false, "agreed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newTransferInterference(t)
			w := i.World
			beforeEachWrite(t, func(n int64) bool {
				g := servertest.TransferAway(w, true)
				own := servertest.Do(w, "creator", api.CreateSpace, api.CreateSpaceInput{
					Organization: g.To, Body: api.SpaceCreate{Title: fmt.Sprint("Own ", n)},
				}).ID
				if agreed {
					servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
				}
				_, more := i.BeforeWrite(n, func() { exchange(w, "creator", g.Inner, g.Space, own) }, func() servertest.Answer {
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

// If a space of a collection is exchanged for another one before any write of its transfer, the collection is not
// split.
func TestTransferDuringExchange(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	beforeEachWrite(t, func(n int64) bool {
		to := servertest.NewOrganization(w, "Other")
		collection := w.NewCollection("Collection", "").ID
		inside, outside := w.CreateSpace("Inside", collection, ""), w.CreateSpace("Outside", "", "")
		_, more := i.BeforeWrite(n, func() { exchange(w, "admin", collection, inside, outside) }, func() servertest.Answer {
			return servertest.Try(w, "admin", api.TransferCollection, api.TransferCollectionInput{
				Collection: collection, Body: api.Transfer{Organization: to},
			})
		})
		checkParent(w, inside)
		checkParent(w, outside)
		return more
	})
}

// A space that is made in a collection before any write of its transfer lies in a collection of its organization.
func TestTransferDuringCreation(t *testing.T) {
	t.Parallel()
	i := newTransferInterference(t)
	w := i.World
	beforeEachWrite(t, func(n int64) bool {
		to := servertest.NewOrganization(w, "Other")
		collection := w.NewCollection("Collection", "").ID
		var created servertest.Answer
		_, more := i.BeforeWrite(n, func() {
			created = servertest.Try(w, "admin", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Title: "New", Parent: collection},
			})
			servertest.Try(w, "admin", api.GetCollection, api.CollectionRef{Collection: collection}) // updates the access model of the node
		}, func() servertest.Answer {
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

// Of two answers to a transfer, of which one is given before any write of the other, one takes effect.
func TestOneAnswerToTransferTakesEffect(t *testing.T) {
	t.Parallel()
	type answer func(w *servertest.World, from, to api.TransferRef) servertest.Answer
	take := func(w *servertest.World, from, _ api.TransferRef) servertest.Answer {
		return servertest.Try(w, "admin", api.TakeTransferBack, from)
	}
	ask := func(w *servertest.World, from, _ api.TransferRef) servertest.Answer {
		return servertest.Try(w, "admin", api.AskTransfer, from)
	}
	refuse := func(w *servertest.World, _, to api.TransferRef) servertest.Answer {
		return servertest.Try(w, "admin", api.RefuseTransfer, to)
	}
	agree := func(w *servertest.World, _, to api.TransferRef) servertest.Answer {
		return servertest.Try(w, "admin", api.AgreeTransfer, to)
	}
	for name, c := range map[string]struct {
		asked         bool
		first, second answer
	}{
		"refused before it is agreed":      {true, refuse, agree},
		"agreed before it is refused":      {true, agree, refuse},
		"taken back before it is asked":    {false, take, ask},
		"taken back before it is agreed":   {true, take, agree},
		"taken back before it is refused":  {true, take, refuse},
		"agreed before it is taken back":   {true, agree, take},
		"refused before it is asked again": {true, refuse, ask},
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
				var first servertest.Answer
				_, more := i.BeforeWrite(n, func() { first = c.first(w, g.SourceRef(), g.TargetRef()) }, func() servertest.Answer {
					return c.second(w, g.SourceRef(), g.TargetRef())
				})
				state := servertest.Do(w, "admin", api.GetTransfer, g.SourceRef()).State
				g.WantState(state)
				space := servertest.ReadSpaceAs(w, "admin", g.Space)
				servertest.Equal(t, "taken back", state == api.TransferTakenBack, space.Organization == w.Org)
				if name == "refused before it is agreed" && n == 1 && servertest.Succeeded(first) {
					servertest.Equal(t, "state", api.TransferRefused, state)
				}
				return more
			})
		})
	}
}
