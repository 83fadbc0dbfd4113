package server_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// removal is a collection with a space that goes to another organization while something else happens.
type removal struct {
	*world

	to, third    string // other organizations
	outer, space string
	page         string
	draft        api.ChangeRequestRef
	trashed      string // a deleted space of the collection
	beside       string // another collection
	team         api.Team
	secret       string // of an invite link into the space
}

func newRemoval(w *world, to, third string) *removal {
	w.t.Helper()
	r := &removal{world: w, to: to, third: third}
	r.outer, r.beside = w.newCollection("Outer", "").ID, w.newCollection("Beside", "").ID
	r.space, r.trashed = w.newSpaceIn("Docs", r.outer).ID, w.newSpaceIn("Gone", r.outer).ID
	do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: r.trashed})
	first := w.newRequest("editor", r.space)
	r.page = w.change(first, newPage("Page", "Text.\n")).Changes[0].Page.ID
	w.merged(first)
	r.draft = w.newRequest("admin", r.space)
	w.change(r.draft, newPage("Another", "Walrus.\n"))
	return r
}

// transfer moves the collection.
func (r *removal) transfer() answer { return r.give(r.to) }

func (r *removal) give(to string) answer {
	return try(r.world, "admin", api.TransferCollection, api.TransferCollectionInput{Collection: r.outer, Body: api.Transfer{Organization: to}})
}

// get reads the space.
func (r *removal) get(space string) api.Space {
	r.t.Helper()
	return do(r.world, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
}

// owner is the one organization that shows the space, with its content and in its collection.
func (r *removal) owner() string {
	r.t.Helper()
	owner := r.listed(r.space)
	space := r.get(r.space)
	equal(r.t, "organization", owner, space.Organization)
	if space.Parent != "" {
		equal(r.t, "organization of the collection", owner,
			do(r.world, "admin", api.GetCollection, api.CollectionRef{Collection: space.Parent}).Organization)
	}
	text := do(r.world, "admin", api.GetContentPage, api.PageInput{Space: r.space, Page: r.page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
	equal(r.t, "text", "Text.\n", *text.Markdown)
	if owner != r.org {
		r.forgotten(r.space)
		if space.Parent != "" {
			r.forgotten(space.Parent)
		}
	}
	return owner
}

// listed is the one organization that lists a space.
func (r *removal) listed(space string) string {
	r.t.Helper()
	var shown []string
	for _, org := range []string{r.org, r.to, r.third} {
		for _, s := range do(r.world, "admin", api.ListSpaces, api.ListSpacesInput{Organization: org, ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
			if s.ID == space {
				shown = append(shown, org)
			}
		}
	}
	if len(shown) != 1 {
		r.t.Fatalf("%s is listed by %v", space, shown)
	}
	return shown[0]
}

// forgotten fails the test unless the old organization knows no more of something than where it is. A search that was
// under way may have left words: every reader of them asks whether the space is there.
func (r *removal) forgotten(id string) {
	r.t.Helper()
	known := []string{"{" + r.org + "}:mv:" + id, "{" + r.org + "}:shapes", "{" + r.org + "}:sp:" + r.trashed}
	may := func(key string) bool {
		return slices.Contains(known, key) || strings.Contains(key, "}:term:") || strings.Contains(key, "}:tf:") || strings.Contains(key, "}:kept:")
	}
	if left := slices.DeleteFunc(mentionsIn(r.world, r.org, id), may); len(left) > 0 {
		r.t.Errorf("left of %s: %q", id, left)
	}
}

// settled fails the test unless no transfer is under way.
func (r *removal) settled() {
	r.t.Helper()
	for name := range r.dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			r.t.Errorf("%s is left", name)
		}
	}
}

// intrusion is what somebody does while the collection goes to another organization, and what is to be true after it:
// what was acknowledged has happened, what was refused has not.
type intrusion struct {
	everyEngine bool // not on the emulation alone
	late        bool // the transfer goes on when it is over: what that leaves is removed later
	prepare     func(r *removal)
	act         func(r *removal) answer
	then        func(t *testing.T, r *removal, transferred, acted answer)
}

// Whatever somebody does between two writes of a transfer is either done, for good, or refused; and so it is
// with a transfer between two writes of whatever somebody does: before each of them in the campaign, else before some.
func TestTransferIsDisturbedAtEveryWriteCampaign(t *testing.T) {
	t.Parallel()
	percent, seed := storetest.Campaign(t, "disturbances", 34, 100)
	for name, i := range intrusions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere := func(t *testing.T, engine storetest.Engine) {
				t.Helper()
				i.everywhere(t, engine, percent, rand.New(rand.NewPCG(seed, uint64(len(name)))))
			}
			if i.everyEngine {
				suite.Each(t, everywhere)
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
			b := &between{}
			w := newWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
			to, third := organization(w, "Other", "creator", "editor", "reviewer"), organization(w, "Third")
			for range timesPerWorld {
				for n++; random.IntN(100) >= percent; {
					n++
				}
				if more {
					more = i.once(t, newRemoval(w, to, third), b, n, inside)
				}
			}
			w.clean()
		}
	}
}

// once does one thing before the n-th write of the other, and reports whether there is such a write.
func (i intrusion) once(t *testing.T, r *removal, b *between, n int64, inside bool) bool {
	t.Helper()
	if i.prepare != nil {
		i.prepare(r)
	}
	var transferred, acted answer
	first, second := func() { transferred = r.transfer() }, func() { acted = i.act(r) }
	if inside {
		first, second = second, first
	}
	more := b.before(n, second, first)
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
