package repair_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// damagedWorld is a world in which objects can be removed.
type damagedWorld struct {
	*servertest.World

	breaker storetest.Breaker
	prefix  string
}

func newDamagedWorld(t *testing.T, engine storetest.Engine) *damagedWorld {
	t.Helper()
	b := &damagedWorld{}
	b.World = servertest.NewWorld(t, engine, func(c *store.Config) {
		b.prefix = c.Prefix
		c.Hooks = append(c.Hooks, &b.breaker)
	})
	return b
}

// loseObjects removes objects of a space from the store and from all caches.
func (dw *damagedWorld) loseObjects(space string, hashes ...string) {
	dw.T.Helper()
	for _, hash := range hashes {
		dw.breaker.RemoveObject(dw.T, dw.Store, dw.prefix, space, hash)
	}
	dw.Serve()
}

// head returns the head of a space or, if request is not 0, of a change request.
func (dw *damagedWorld) head(space string, request int) store.Head {
	dw.T.Helper()
	heads, err := dw.Store.LoadHeads(dw.T.Context(), dw.Org, space)
	dw.Must(err)
	if request == 0 {
		return heads[space]
	}
	return heads[store.RequestID(space, request)]
}

// findReferrer returns the hash of an object of a space that refers to another one.
func (dw *damagedWorld) findReferrer(space, to string) string {
	dw.T.Helper()
	found := ""
	dw.Must(dw.Store.VisitObjects(dw.T.Context(), space, func(o objects.Object) error {
		refs, err := o.Refs()
		if slices.Contains(refs, to) && !o.IsNode() {
			found = o.Hash
		}
		return err
	}))
	return found
}

// request sends a GET request for a path as the admin and returns the response, whatever its status.
func (dw *damagedWorld) request(path string) servertest.Response {
	dw.T.Helper()
	r := httptest.NewRequestWithContext(dw.T.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+dw.Tokens["admin"])
	recorder := httptest.NewRecorder()
	dw.Handler.ServeHTTP(recorder, r)
	return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// repairAll repairs all spaces with unreadable content, checks that fsck then passes, and returns the damages.
func (dw *damagedWorld) repairAll() []repair.Damage {
	dw.T.Helper()
	report, err := fsck.Run(dw.T.Context(), dw.Store, fsck.Options{})
	dw.Must(err)
	repair, err := repair.NewPlan(dw.T.Context(), dw.Store, dw.Clock.Now, report.Unreadable)
	dw.Must(err)
	_, err = repair.Apply(dw.T.Context())
	dw.Must(err)
	dw.Serve()
	servertest.RunJobs(dw.World)
	dw.Fsck()
	return repair.Damages()
}

// isUnaffected reports whether an operation works even if content of a space is damaged.
func isUnaffected(row api.Row) bool {
	switch row.Name {
	case "organizations.search", "spaces.get", "spaces.list", "change-requests.list", "change-requests.list-queue", "change-requests.get",
		"comments.list", "comments.get", "change-request-comments.list", "change-request-comments.get", "change-request-replies.list",
		"collections.list-spaces", "change-requests.list-reviewers":
		return true
	}
	return row.Name != "content.find" && !slices.Contains(servertest.Subjects(row), "space") // operations on sites, members and so on
}

// TestUnreadableHeadReturnsError checks that operations that need unreadable content return one error reason; all others work.
func TestUnreadableHeadReturnsError(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]func(b *damagedWorld, s *servertest.Sample) string{
		"revision": func(b *damagedWorld, s *servertest.Sample) string {
			return strings.TrimPrefix(b.head(s.Handbook, 0).Revision, "r_")
		},
		"tree":         func(b *damagedWorld, s *servertest.Sample) string { return b.head(s.Handbook, 0).Pages },
		"files":        func(b *damagedWorld, s *servertest.Sample) string { return b.head(s.Handbook, 0).Files },
		"links":        func(b *damagedWorld, s *servertest.Sample) string { return b.head(s.Handbook, 0).Links },
		"text":         func(b *damagedWorld, s *servertest.Sample) string { return b.textHash(s.Handbook, s.Pages["Usage"]) },
		"request tree": func(b *damagedWorld, s *servertest.Sample) string { return b.head(s.Handbook, s.Request.Number).Pages },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDamagedWorld(t, storetest.Memory())
			b.SkipFsck = true
			s := b.Populate()
			servertest.Do(b.World, "admin", api.PublishSite, api.SiteRef{Organization: b.Org, Site: s.Site})
			servertest.Do(b.World, "admin", api.CreateComment, api.CreateCommentInput{
				Space: s.Notes, Body: api.CommentCreate{Body: servertest.CommentBody("Healthy.")},
			})
			before, healthy := map[string]servertest.Response{}, map[string]string{"space": s.Notes}
			for _, row := range readOnlyRows() {
				before[row.Name] = b.request(b.SamplePath(row, s))
			}
			b.loseObjects(s.Handbook, object(b, s))
			refused := 0
			for _, row := range readOnlyRows() {
				a := b.request(b.SamplePath(row, s))
				switch e := a.Error(); {
				case e.Reason == api.ReasonContentUnreadable && a.Status == http.StatusInternalServerError && !isUnaffected(row):
					refused++
					if !strings.Contains(e.Message, s.Handbook) || !strings.Contains(e.Hint, "wsd fsck --repair") {
						t.Errorf("%s: %s", row.Name, a.Body)
					}
				case a.Status != before[row.Name].Status:
					t.Errorf("%s: %d, before %d\n%s", row.Name, a.Status, before[row.Name].Status, a.Body)
				}
				if slices.Contains(servertest.Subjects(row), "space") && !slices.Contains(servertest.Subjects(row), "changeRequest") &&
					!slices.Contains(servertest.Subjects(row), "revision") {
					if a := b.request(b.SamplePathWith(row, s, healthy)); a.Status >= http.StatusInternalServerError {
						t.Errorf("%s of the healthy space: %d %s", row.Name, a.Status, a.Body)
					}
				}
			}
			if refused == 0 {
				t.Error("no row refused")
			}
			t.Logf("%d of %d rows refuse", refused, len(before))
			b.Call("admin", http.MethodDelete, "/v1/spaces/"+s.Handbook+"?dryRun=true", nil, http.StatusOK)
			without := b.request("/v1/orgs/" + b.Org + "/search?query=usage").Header.Get("X-Unreadable-Spaces")
			if name == "tree" && without != s.Handbook {
				t.Errorf("the search goes on without %q", without)
			}
			b.repairAll()
			for _, row := range readOnlyRows() {
				if a := b.request(b.SamplePath(row, s)); a.Status >= http.StatusInternalServerError {
					t.Errorf("%s after the repair: %d %s", row.Name, a.Status, a.Body)
				}
			}
		})
	}
}

// readOnlyRows returns the rows of the operations that do not write.
func readOnlyRows() []api.Row {
	return slices.DeleteFunc(api.Rows(), func(row api.Row) bool { return row.Writes() })
}

// textHash returns the hash of the text of a page.
func (dw *damagedWorld) textHash(space, page string) string {
	dw.T.Helper()
	return servertest.Do(dw.World, "admin", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
}

// largeSpace is a space of many pages with twenty later revisions by several authors.
type largeSpace struct {
	*damagedWorld

	space          string
	pages          []string
	lastTexts      map[string]string // last text by page
	requestNumbers []int             // numbers of the change requests, in order
}

// largeSpaceRevisions is the number of revisions after the first one.
const largeSpaceRevisions = 20

func newLargeSpace(t *testing.T) *largeSpace {
	t.Helper()
	e := &largeSpace{damagedWorld: newDamagedWorld(t, storetest.Memory()), lastTexts: map[string]string{}}
	e.space = e.CreateSpace("Estate", "", "")
	first := e.CreateRequest("creator", e.space, "Pages")
	for i := range 6 {
		var changes []api.ContentChange
		for j := range 50 {
			changes = append(changes, servertest.Insert(fmt.Sprintf("Page %d", i*50+j), "",
				fmt.Sprintf("# Page %d\n\nThe first text.\n", i*50+j)))
		}
		for _, effect := range e.Edit("creator", first, changes...).Changes {
			e.pages = append(e.pages, effect.Page.ID)
		}
	}
	e.Merge("admin", first)
	for _, page := range e.pages {
		e.lastTexts[page] = e.lastText(page)
	}
	for i := range largeSpaceRevisions {
		author := []string{"editor", "creator", "reviewer"}[i%3]
		r := e.CreateRequest(author, e.space, fmt.Sprintf("Change %d", i))
		e.Clock.Advance(time.Minute)
		text := fmt.Sprintf("# Page %d\n\nWhat %s wrote in change %d.\n", i, author, i)
		e.Edit(author, r, servertest.Update(e.pages[i], text))
		e.Merge("admin", r)
		e.lastTexts[e.pages[i]], e.requestNumbers = text, append(e.requestNumbers, r.Number)
	}
	return e
}

func (ls *largeSpace) lastText(page string) string {
	ls.T.Helper()
	return *servertest.Do(ls.World, "admin", api.GetContentPage, api.PageInput{
		Space: ls.space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	}).Markdown
}

// If an object is lost below twenty later revisions, the repair keeps all their other content and reports the loss.
//
//wsd:serial
func TestRepairKeepsLaterRevisions(t *testing.T) {
	t.Parallel()
	const changed, shared = 4, 7 // indexes of the changes whose text and whose bucket, respectively, are lost
	text := func(e *largeSpace) string { return e.textHash(e.space, e.pages[changed]) }
	bucket := func(e *largeSpace) string { return e.findReferrer(e.space, e.textHash(e.space, e.pages[shared])) }
	ownBucket := func(e *largeSpace) string { return e.findReferrer(e.space, e.textHash(e.space, e.pages[changed])) }
	revision := func(e *largeSpace) string {
		return strings.TrimPrefix(servertest.Do(e.World, "admin", api.ListSpaceRevisions,
			api.SpaceRevisionsInput{Space: e.space}).Items[10].ID, "r_")
	}
	head := func(e *largeSpace) string { return strings.TrimPrefix(e.head(e.space, 0).Revision, "r_") }
	for name, lost := range map[string][]func(e *largeSpace) string{
		"text": {text}, "bucket": {bucket}, "revision": {revision}, "head": {head}, "all": {text, bucket, revision},
		"text and its bucket": {text, ownBucket},
		"all and the head":    {text, bucket, revision, head},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newLargeSpace(t)
			e.SkipFsck = true
			open := e.CreateRequest("editor", e.space, "Open")
			e.Edit("editor", open, servertest.Update(e.pages[100], "# Page 100\n\nStill open.\n"))
			before := servertest.Do(e.World, "admin", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: e.space}).Count
			var hashes []string
			for _, find := range lost {
				hashes = append(hashes, find(e))
			}
			e.loseObjects(e.space, hashes...)
			damages := e.repairAll()
			for _, d := range damages {
				t.Log(d)
			}
			reported := slices.ContainsFunc(damages, func(d repair.Damage) bool {
				return d.Kind == repair.DamagedPage && d.ID == e.pages[changed] && d.Author == e.Users["creator"].ID
			})
			for i, page := range e.pages {
				want := e.lastTexts[page]
				if i == changed && strings.Contains(name, "text") || i == changed && strings.Contains(name, "all") {
					want = fmt.Sprintf("# Page %d\n\nThe first text.\n", i)
				}
				if got := e.lastText(page); got != want {
					t.Errorf("page %d is %q, not %q", i, got, want)
				}
			}
			if wanted := strings.Contains(name, "text") || strings.Contains(name, "all"); reported != wanted {
				t.Errorf("the lost text of a page is named: %t", reported)
			}
			if len(damages) != len(lost) {
				t.Errorf("%d things were lost, %d are listed", len(lost), len(damages))
			}
			after := servertest.Do(e.World, "admin", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: e.space})
			gaps := 0
			for _, entry := range after.Items {
				if entry.Lost {
					gaps++
				}
			}
			t.Logf("%d revisions before, %d after, %d gaps", before, after.Count, gaps)
			if wanted := strings.Count(strings.ReplaceAll(name, "all", "revision"), "revision") +
				strings.Count(name, "head"); gaps != wanted {
				t.Errorf("%d gaps in the history, not %d", gaps, wanted)
			}
			e.Merge("admin", open)
			if got := e.lastText(e.pages[100]); !strings.Contains(got, "Still open.") {
				t.Errorf("what was merged after the repair is %q", got)
			}
			e.Fsck()
			swept, err := fsck.Run(t.Context(), e.Store, fsck.Options{GC: true})
			e.Must(err)
			if !swept.Clean() {
				t.Errorf("sweep: %v", swept.Findings)
			}
		})
	}
}

// TestRepairKeepsReadableTextAsDraft checks that a lost text that is readable elsewhere, such as an earlier version in a change
// request, is kept as a draft.
func TestRepairKeepsReadableTextAsDraft(t *testing.T) {
	t.Parallel()
	b := newDamagedWorld(t, storetest.Memory())
	space, page := b.NewSpaceWithPage("# Page\n\nThe first text.\n")
	r := b.CreateRequest("editor", space, "Better")
	for _, text := range []string{"An earlier draft.", "The last word."} {
		b.Clock.Advance(time.Minute)
		b.Edit("editor", r, servertest.Update(page, "# Page\n\n"+text+"\n"))
	}
	b.Merge("admin", r)
	b.loseObjects(space, b.textHash(space, page))
	damages := b.repairAll()
	if len(damages) != 1 || damages[0].Author != b.Users["editor"].ID || !damages[0].GivenUp {
		t.Errorf("what was lost is %v", damages)
	}
	servertest.Equal(t, "text", "# Page\n\nThe first text.\n", b.PageText(space, page))
	list := servertest.Do(b.World, "admin", api.ListChangeRequests, api.ListChangeRequestsInput{
		Space: space, Status: api.StatusDraft,
	}).Items
	if len(list) != 1 {
		t.Fatalf("the drafts are %+v", list)
	}
	servertest.Equal(t, "kept", "# Page\n\nAn earlier draft.\n", *b.DraftPage(servertest.Ref(list[0]), page).Markdown)
	b.Merge("admin", list[0])
	servertest.Equal(t, "merged", "# Page\n\nAn earlier draft.\n", b.PageText(space, page))
}
