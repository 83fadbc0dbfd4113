package lifecycle_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// removal is a collection with a space that goes to another organization while something else happens.
type removal struct {
	*servertest.World

	to, third    string // other organizations
	outer, space string
	page         string
	draft        api.ChangeRequestRef
	trashed      string // a deleted space of the collection
	beside       string // another collection
	team         api.Team
	secret       string // of an invite link into the space
}

func newRemoval(w *servertest.World, to, third string) *removal {
	w.T.Helper()
	r := &removal{World: w, to: to, third: third}
	r.outer, r.beside = w.NewCollection("Outer", "").ID, w.NewCollection("Beside", "").ID
	r.space, r.trashed = w.NewSpaceIn("Docs", r.outer).ID, w.NewSpaceIn("Gone", r.outer).ID
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: r.trashed})
	first := w.NewRequest("editor", r.space)
	r.page = w.Change(first, servertest.NewPage("Page", "Text.\n")).Changes[0].Page.ID
	w.Merged(first)
	r.draft = w.NewRequest("admin", r.space)
	w.Change(r.draft, servertest.NewPage("Another", "Walrus.\n"))
	return r
}

// transfer moves the collection.
func (r *removal) transfer() servertest.Answer { return r.give(r.to) }

func (r *removal) give(to string) servertest.Answer {
	return servertest.Try(r.World, "admin", api.TransferCollection, api.TransferCollectionInput{Collection: r.outer, Body: api.Transfer{Organization: to}})
}

// get reads the space.
func (r *removal) get(space string) api.Space {
	r.T.Helper()
	return servertest.Do(r.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
}

// owner is the one organization that shows the space, with its content and in its collection.
func (r *removal) owner() string {
	r.T.Helper()
	owner := r.listed(r.space)
	space := r.get(r.space)
	servertest.Equal(r.T, "organization", owner, space.Organization)
	if space.Parent != "" {
		servertest.Equal(r.T, "organization of the collection", owner,
			servertest.Do(r.World, "admin", api.GetCollection, api.CollectionRef{Collection: space.Parent}).Organization)
	}
	text := servertest.Do(r.World, "admin", api.GetContentPage, api.PageInput{Space: r.space, Page: r.page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
	servertest.Equal(r.T, "text", "Text.\n", *text.Markdown)
	if owner != r.Org {
		r.forgotten(r.space)
		if space.Parent != "" {
			r.forgotten(space.Parent)
		}
	}
	return owner
}

// listed is the one organization that lists a space.
func (r *removal) listed(space string) string {
	r.T.Helper()
	var shown []string
	for _, org := range []string{r.Org, r.to, r.third} {
		for _, s := range servertest.Do(r.World, "admin", api.ListSpaces, api.ListSpacesInput{Organization: org, ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
			if s.ID == space {
				shown = append(shown, org)
			}
		}
	}
	if len(shown) != 1 {
		r.T.Fatalf("%s is listed by %v", space, shown)
	}
	return shown[0]
}

// forgotten fails the test unless the old organization knows no more of something than where it is. A search that was
// under way may have left words: every reader of them asks whether the space is there.
func (r *removal) forgotten(id string) {
	r.T.Helper()
	known := []string{"{" + r.Org + "}:mv:" + id, "{" + r.Org + "}:shapes", "{" + r.Org + "}:sp:" + r.trashed}
	may := func(key string) bool {
		return slices.Contains(known, key) || strings.Contains(key, "}:term:") || strings.Contains(key, "}:tf:") || strings.Contains(key, "}:kept:")
	}
	if left := slices.DeleteFunc(servertest.MentionsIn(r.World, r.Org, id), may); len(left) > 0 {
		r.T.Errorf("left of %s: %q", id, left)
	}
}

// settled fails the test unless no transfer is under way.
func (r *removal) settled() {
	r.T.Helper()
	for name := range r.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			r.T.Errorf("%s is left", name)
		}
	}
}

// intrusion is what somebody does while the collection goes to another organization, and what is to be true after it:
// what was acknowledged has happened, what was refused has not.
type intrusion struct {
	everyEngine bool // not on the emulation alone
	late        bool // the transfer goes on when it is over: what that leaves is removed later
	prepare     func(r *removal)
	act         func(r *removal) servertest.Answer
	then        func(t *testing.T, r *removal, transferred, acted servertest.Answer)
}

// Whatever somebody does between two writes of a transfer is either done, for good, or refused; and so it is
// with a transfer between two writes of whatever somebody does: before each of them in the campaign, else before some.
//
//wsd:serial
func TestTransferIsDisturbedAtEveryWriteCampaign(t *testing.T) {
	t.Parallel()
	percent, seed := storetest.LongCampaign(t, "disturbances", 34, 100)
	for name, i := range intrusions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere := func(t *testing.T, engine storetest.Engine) {
				t.Helper()
				i.everywhere(t, engine, percent, rand.New(rand.NewPCG(seed, uint64(len(name)))))
			}
			if i.everyEngine {
				servertest.Suite.Each(t, everywhere)
				return
			}
			everywhere(t, storetest.Memory())
		})
	}
}

// everywhere intrudes before so many of a hundred writes of a transfer, and transfers before those of the intrusion. The
// world is replaced from time to time: the emulation gets slower with every key.
func (i intrusion) everywhere(t *testing.T, engine storetest.Engine, percent int, random *rand.Rand) {
	const timesPerWorld = 8
	for _, inside := range []bool{false, true} {
		n := int64(0)
		for more := true; more; {
			b := &servertest.Between{}
			w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
			to, third := servertest.Organization(w, "Other", "creator", "editor", "reviewer"), servertest.Organization(w, "Third")
			for range timesPerWorld {
				for n++; random.IntN(100) >= percent; {
					n++
				}
				if more {
					more = i.once(t, newRemoval(w, to, third), b, n, inside)
				}
			}
			w.Clean()
		}
	}
}

// once does one thing before the n-th write of the other, and reports whether there is such a write.
func (i intrusion) once(t *testing.T, r *removal, b *servertest.Between, n int64, inside bool) bool {
	t.Helper()
	if i.prepare != nil {
		i.prepare(r)
	}
	var transferred, acted servertest.Answer
	first, second := func() { transferred = r.transfer() }, func() { acted = i.act(r) }
	if inside {
		first, second = second, first
	}
	more := b.Before(n, second, first)
	if !more {
		second()
	}
	if i.late {
		otherNode(r)
	}
	r.settled()
	i.then(t, r, transferred, acted)
	if t.Failed() {
		t.Fatalf("before write %d (the other way round: %t): transfer %d %.300s\n%d %.300s", n, inside, transferred.Status, transferred.Body, acted.Status, acted.Body)
	}
	return more
}
