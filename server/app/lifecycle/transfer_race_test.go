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

// transferScenario is a collection with a space that is transferred while another operation runs.
type transferScenario struct {
	*servertest.World

	targetOrg, thirdOrg string // other organizations
	outer, space        string
	page                string
	draft               api.ChangeRequestRef
	trashedSpace        string // deleted space of the collection
	otherCollection     string // collection that is not transferred
	team                api.Team
	linkSecret          string // secret of an invite link into the space
}

func newTransferScenario(w *servertest.World, to, third string) *transferScenario {
	w.T.Helper()
	r := &transferScenario{World: w, targetOrg: to, thirdOrg: third}
	r.outer, r.otherCollection = w.NewCollection("Outer", "").ID, w.NewCollection("Beside", "").ID
	r.space, r.trashedSpace = w.NewSpaceIn("Docs", r.outer).ID, w.NewSpaceIn("Gone", r.outer).ID
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: r.trashedSpace})
	first := w.NewRequest("editor", r.space)
	r.page = w.Change(first, servertest.NewPage("Page", "Text.\n")).Changes[0].Page.ID
	w.MustMerge(first)
	r.draft = w.NewRequest("admin", r.space)
	w.Change(r.draft, servertest.NewPage("Another", "Walrus.\n"))
	return r
}

// transfer transfers the collection to the target organization.
func (r *transferScenario) transfer() servertest.Response { return r.transferTo(r.targetOrg) }

func (r *transferScenario) transferTo(to string) servertest.Response {
	return servertest.Try(r.World, "admin", api.TransferCollection, api.TransferCollectionInput{
		Collection: r.outer, Body: api.Transfer{Organization: to},
	})
}

// getSpace reads a space as the admin. It fails the test if the request is refused.
func (r *transferScenario) getSpace(space string) api.Space {
	r.T.Helper()
	return servertest.Do(r.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
}

// owner returns the only organization that shows the space, and checks its content and its collection.
func (r *transferScenario) owner() string {
	r.T.Helper()
	owner := r.listingOrganization(r.space)
	space := r.getSpace(r.space)
	servertest.Equal(r.T, "organization", owner, space.Organization)
	if space.Parent != "" {
		servertest.Equal(r.T, "organization of the collection", owner,
			servertest.Do(r.World, "admin", api.GetCollection, api.CollectionRef{Collection: space.Parent}).Organization)
	}
	text := servertest.Do(r.World, "admin", api.GetContentPage, api.PageInput{
		Space: r.space, Page: r.page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	servertest.Equal(r.T, "text", "Text.\n", *text.Markdown)
	if owner != r.Org {
		r.checkRemoved(r.space)
		if space.Parent != "" {
			r.checkRemoved(space.Parent)
		}
	}
	return owner
}

// listingOrganization returns the only organization that lists a space.
func (r *transferScenario) listingOrganization(space string) string {
	r.T.Helper()
	var shown []string
	for _, org := range []string{r.Org, r.targetOrg, r.thirdOrg} {
		for _, s := range servertest.Do(r.World, "admin", api.ListSpaces, api.ListSpacesInput{
			Organization: org, ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items {
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

// checkRemoved fails the test unless the old organization has only a pointer to an entry. A concurrent search may
// have left index words, whose readers check that the space exists.
func (r *transferScenario) checkRemoved(id string) {
	r.T.Helper()
	known := []string{"{" + r.Org + "}:mv:" + id, "{" + r.Org + "}:shapes", "{" + r.Org + "}:sp:" + r.trashedSpace}
	expected := func(key string) bool {
		return slices.Contains(known, key) || strings.Contains(key, "}:term:") || strings.Contains(key, "}:tf:") ||
			strings.Contains(key, "}:kept:")
	}
	if left := slices.DeleteFunc(servertest.KeysWithIDIn(r.World, r.Org, id), expected); len(left) > 0 {
		r.T.Errorf("left of %s: %q", id, left)
	}
}

// checkNoTransfers fails the test if a transfer is in progress.
func (r *transferScenario) checkNoTransfers() {
	r.T.Helper()
	for name := range r.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			r.T.Errorf("%s is left", name)
		}
	}
}

// interference is an operation that runs during the transfer of the collection, and a check of the results: what was
// acknowledged has taken effect, and what was refused has not.
type interference struct {
	everyWrite  bool // runs before every write, not only before a sample
	allEngines  bool // runs on all engines, not only on the emulation
	resumedLate bool // the transfer resumes after its end, and the orphaned data is removed later
	prepare     func(r *transferScenario)
	act         func(r *transferScenario) servertest.Response
	check       func(t *testing.T, r *transferScenario, transferred, acted servertest.Response)
}

// TestWritesDuringTransferAreKeptOrRefusedCampaign runs operations between the writes of a transfer, and transfers
// between the writes of these operations. Each takes effect permanently or is refused. The campaign covers all writes,
// the test a sample.
//
//wsd:serial
func TestWritesDuringTransferAreKeptOrRefusedCampaign(t *testing.T) {
	t.Parallel()
	percent, seed := storetest.LongCampaign(t, "disturbances", 34, 100)
	for name, i := range interferences() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			percent := percent
			if i.everyWrite {
				percent = 100
			}
			everywhere := func(t *testing.T, engine storetest.Engine) {
				t.Helper()
				i.runAtSampledWrites(t, engine, percent, rand.New(rand.NewPCG(seed, uint64(len(name)))))
			}
			if i.allEngines {
				servertest.Suite.Each(t, everywhere)
				return
			}
			everywhere(t, storetest.Memory())
		})
	}
}

// runAtSampledWrites runs the operation before the given percentage of the writes of a transfer, and a transfer before the same
// percentage of the writes of the operation. The world is replaced regularly, because the emulation gets slower with every key.
func (i interference) runAtSampledWrites(t *testing.T, engine storetest.Engine, percent int, random *rand.Rand) {
	const timesPerWorld = 8
	for _, inside := range []bool{false, true} {
		n := int64(0)
		for more := true; more; {
			b := &servertest.WriteHook{}
			w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
			to, third := servertest.NewOrganization(w, "Other", "creator", "editor", "reviewer"), servertest.NewOrganization(w, "Third")
			for range timesPerWorld {
				for n++; random.IntN(100) >= percent; {
					n++
				}
				if more {
					more = i.runBeforeWrite(t, newTransferScenario(w, to, third), b, n, inside)
				}
			}
			w.WantClean()
		}
	}
}

// runBeforeWrite runs one operation before the n-th write of the other and reports whether there was such a write.
func (i interference) runBeforeWrite(t *testing.T, r *transferScenario, b *servertest.WriteHook, n int64, inside bool) bool {
	t.Helper()
	if i.prepare != nil {
		i.prepare(r)
	}
	var transferred, acted servertest.Response
	first, second := func() { transferred = r.transfer() }, func() { acted = i.act(r) }
	if inside {
		first, second = second, first
	}
	more := b.Before(n, second, first)
	if !more {
		second()
	}
	if i.resumedLate {
		resumeOnOtherNode(r)
	}
	r.checkNoTransfers()
	i.check(t, r, transferred, acted)
	if t.Failed() {
		t.Fatalf("before write %d (the other way round: %t): transfer %d %.300s\n%d %.300s", n, inside, transferred.Status,
			transferred.Body, acted.Status, acted.Body)
	}
	return more
}
