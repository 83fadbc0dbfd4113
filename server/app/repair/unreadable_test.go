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

// broken is a world in which objects can be taken away.
type broken struct {
	*servertest.World

	breaker storetest.Breaker
	prefix  string
}

func newBroken(t *testing.T, engine storetest.Engine) *broken {
	t.Helper()
	b := &broken{}
	b.World = servertest.NewWorld(t, engine, func(c *store.Config) {
		b.prefix = c.Prefix
		c.Hooks = append(c.Hooks, &b.breaker)
	})
	return b
}

// lose takes objects of a space away. Nobody has them in memory any more.
func (b *broken) lose(space string, hashes ...string) {
	b.T.Helper()
	for _, hash := range hashes {
		b.breaker.Lose(b.T, b.Store, b.prefix, space, hash)
	}
	b.Serve()
}

// head is the head of a space or, by its number, of a change request.
func (b *broken) head(space string, request int) store.Head {
	b.T.Helper()
	heads, err := b.Store.HeadsOf(b.T.Context(), b.Org, space)
	b.Must(err)
	if request == 0 {
		return heads[space]
	}
	return heads[store.RequestID(space, request)]
}

// leading finds an object of a space that leads to another one.
func (b *broken) leading(space, to string) string {
	b.T.Helper()
	found := ""
	b.Must(b.Store.ObjectsIn(b.T.Context(), space, func(o objects.Object) error {
		refs, err := o.Refs()
		if slices.Contains(refs, to) && !o.IsNode() {
			found = o.Hash
		}
		return err
	}))
	return found
}

// look asks a row whatever it answers.
func (b *broken) look(path string) servertest.Answer {
	b.T.Helper()
	r := httptest.NewRequestWithContext(b.T.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+b.Tokens["admin"])
	recorder := httptest.NewRecorder()
	b.Handler.ServeHTTP(recorder, r)
	return servertest.Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// mend repairs everything and lists what was damaged.
func (b *broken) mend() []repair.Damage {
	b.T.Helper()
	report, err := fsck.Run(b.T.Context(), b.Store, fsck.Options{})
	b.Must(err)
	repair, err := repair.New(b.T.Context(), b.Store, b.Clock.Now, report.Unreadable)
	b.Must(err)
	_, err = repair.Mend(b.T.Context())
	b.Must(err)
	b.Serve()
	servertest.RunJobs(b.World)
	b.Fsck()
	return repair.Damages()
}

// goesOn are rows that go on whatever is damaged in a space.
func goesOn(row api.Row) bool {
	switch row.Name {
	case "organizations.search", "spaces.get", "spaces.list", "change-requests.list", "change-requests.list-queue", "change-requests.get",
		"comments.list", "comments.get", "change-request-comments.list", "change-request-comments.get", "change-request-replies.list",
		"collections.list-spaces", "change-requests.list-reviewers":
		return true
	}
	return row.Name != "content.find" && !slices.Contains(servertest.Subjects(row), "space") // sites, members and the like
}

// What cannot be read is refused with one reason by the rows that need it, and stops nothing beside it.
func TestUnreadableHead(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]func(b *broken, s *servertest.Sample) string{
		"revision": func(b *broken, s *servertest.Sample) string {
			return strings.TrimPrefix(b.head(s.Handbook, 0).Revision, "r_")
		},
		"tree":       func(b *broken, s *servertest.Sample) string { return b.head(s.Handbook, 0).Pages },
		"files":      func(b *broken, s *servertest.Sample) string { return b.head(s.Handbook, 0).Files },
		"links":      func(b *broken, s *servertest.Sample) string { return b.head(s.Handbook, 0).Links },
		"text":       func(b *broken, s *servertest.Sample) string { return b.textOf(s.Handbook, s.Pages["Usage"]) },
		"of request": func(b *broken, s *servertest.Sample) string { return b.head(s.Handbook, s.Request.Number).Pages },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t, storetest.Memory())
			b.Unsound = true
			s := b.Populate()
			servertest.Do(b.World, "admin", api.PublishSite, api.SiteRef{Organization: b.Org, Site: s.Site})
			servertest.Do(b.World, "admin", api.CreateComment, api.CreateCommentInput{Space: s.Notes, Body: api.CommentCreate{Body: servertest.Says("Healthy.")}})
			before, healthy := map[string]servertest.Answer{}, map[string]string{"space": s.Notes}
			for _, row := range reading() {
				before[row.Name] = b.look(b.PathOf(row, s))
			}
			b.lose(s.Handbook, object(b, s))
			refused := 0
			for _, row := range reading() {
				a := b.look(b.PathOf(row, s))
				switch e := a.Error(); {
				case e.Reason == api.ReasonContentUnreadable && a.Status == http.StatusInternalServerError && !goesOn(row):
					refused++
					if !strings.Contains(e.Message, s.Handbook) || !strings.Contains(e.Hint, "wsd fsck --repair") {
						t.Errorf("%s: %s", row.Name, a.Body)
					}
				case a.Status != before[row.Name].Status:
					t.Errorf("%s: %d, before %d\n%s", row.Name, a.Status, before[row.Name].Status, a.Body)
				}
				if slices.Contains(servertest.Subjects(row), "space") && !slices.Contains(servertest.Subjects(row), "changeRequest") && !slices.Contains(servertest.Subjects(row), "revision") {
					if a := b.look(b.PathWith(row, s, healthy)); a.Status >= http.StatusInternalServerError {
						t.Errorf("%s of the healthy space: %d %s", row.Name, a.Status, a.Body)
					}
				}
			}
			if refused == 0 {
				t.Error("no row refused")
			}
			t.Logf("%d of %d rows refuse", refused, len(before))
			b.Call("admin", http.MethodDelete, "/v1/spaces/"+s.Handbook+"?dryRun=true", nil, http.StatusOK)
			without := b.look("/v1/orgs/" + b.Org + "/search?query=usage").Header.Get("X-Unreadable-Spaces")
			if name == "tree" && without != s.Handbook {
				t.Errorf("the search goes on without %q", without)
			}
			b.mend()
			for _, row := range reading() {
				if a := b.look(b.PathOf(row, s)); a.Status >= http.StatusInternalServerError {
					t.Errorf("%s after the repair: %d %s", row.Name, a.Status, a.Body)
				}
			}
		})
	}
}

// reading are the rows that read.
func reading() []api.Row {
	return slices.DeleteFunc(api.Rows(), func(row api.Row) bool { return row.Writes() })
}

// textOf is the hash of a page's text.
func (b *broken) textOf(space, page string) string {
	b.T.Helper()
	return servertest.Do(b.World, "admin", api.GetContentPage, api.PageInput{Space: space, Page: page}).DocumentID
}

// estate is a space of many pages with twenty later revisions of several people.
type estate struct {
	*broken

	space string
	pages []string
	wrote map[string]string // by page, what was written last
	by    []int             // numbers of the change requests, in turn
}

// estateRevisions is how many revisions are made beside the first.
const estateRevisions = 20

func newEstate(t *testing.T) *estate {
	t.Helper()
	e := &estate{broken: newBroken(t, storetest.Memory()), wrote: map[string]string{}}
	e.space = e.Space("Estate", "", "")
	first := e.Request("creator", e.space, "Pages")
	for i := range 6 {
		var changes []api.ContentChange
		for j := range 50 {
			changes = append(changes, servertest.Insert(fmt.Sprintf("Page %d", i*50+j), "", fmt.Sprintf("# Page %d\n\nThe first text.\n", i*50+j)))
		}
		for _, effect := range e.Edit("creator", first, changes...).Changes {
			e.pages = append(e.pages, effect.Page.ID)
		}
	}
	e.Merge("admin", first)
	for _, page := range e.pages {
		e.wrote[page] = e.written(page)
	}
	for i := range estateRevisions {
		author := []string{"editor", "creator", "reviewer"}[i%3]
		r := e.Request(author, e.space, fmt.Sprintf("Change %d", i))
		e.Clock.Advance(time.Minute)
		text := fmt.Sprintf("# Page %d\n\nWhat %s wrote in change %d.\n", i, author, i)
		e.Edit(author, r, servertest.Update(e.pages[i], text))
		e.Merge("admin", r)
		e.wrote[e.pages[i]], e.by = text, append(e.by, r.Number)
	}
	return e
}

func (e *estate) written(page string) string {
	e.T.Helper()
	return *servertest.Do(e.World, "admin", api.GetContentPage, api.PageInput{Space: e.space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}}).Markdown
}

// Beneath twenty later revisions of others something is lost: all else of them is there after the repair, and what was
// lost is said.
//
//wsd:serial
func TestRepairBeneathLaterRevisions(t *testing.T) {
	t.Parallel()
	const changed, shared = 4, 7 // changes whose text and whose bucket are lost
	text := func(e *estate) string { return e.textOf(e.space, e.pages[changed]) }
	bucket := func(e *estate) string { return e.leading(e.space, e.textOf(e.space, e.pages[shared])) }
	revision := func(e *estate) string {
		return strings.TrimPrefix(servertest.Do(e.World, "admin", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: e.space}).Items[10].ID, "r_")
	}
	head := func(e *estate) string { return strings.TrimPrefix(e.head(e.space, 0).Revision, "r_") }
	for name, lost := range map[string][]func(e *estate) string{
		"text": {text}, "bucket": {bucket}, "revision": {revision}, "head": {head}, "all": {text, bucket, revision}, "all and the head": {text, bucket, revision, head},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t)
			e.Unsound = true
			open := e.Request("editor", e.space, "Open")
			e.Edit("editor", open, servertest.Update(e.pages[100], "# Page 100\n\nStill open.\n"))
			before := servertest.Do(e.World, "admin", api.ListSpaceRevisions, api.SpaceRevisionsInput{Space: e.space}).Count
			var hashes []string
			for _, find := range lost {
				hashes = append(hashes, find(e))
			}
			e.lose(e.space, hashes...)
			damages := e.mend()
			for _, d := range damages {
				t.Log(d)
			}
			gone := slices.ContainsFunc(damages, func(d repair.Damage) bool {
				return d.Kind == repair.DamagedPage && d.ID == e.pages[changed] && d.Author == e.Users["creator"].ID
			})
			for i, page := range e.pages {
				want := e.wrote[page]
				if i == changed && strings.Contains(name, "text") || i == changed && strings.Contains(name, "all") {
					want = fmt.Sprintf("# Page %d\n\nThe first text.\n", i)
				}
				if got := e.written(page); got != want {
					t.Errorf("page %d is %q, not %q", i, got, want)
				}
			}
			if wanted := strings.Contains(name, "text") || strings.Contains(name, "all"); gone != wanted {
				t.Errorf("the lost text of a page is named: %t", gone)
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
			if wanted := strings.Count(strings.ReplaceAll(name, "all", "revision"), "revision") + strings.Count(name, "head"); gaps != wanted {
				t.Errorf("%d gaps in the history, not %d", gaps, wanted)
			}
			e.Merge("admin", open)
			if got := e.written(e.pages[100]); !strings.Contains(got, "Still open.") {
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

// What is readable of a lost text elsewhere, as an earlier draft of it in a change request, is kept as a draft.
func TestRepairKeepsWhatIsReadableElsewhere(t *testing.T) {
	t.Parallel()
	b := newBroken(t, storetest.Memory())
	space, page := b.Seed("# Page\n\nThe first text.\n")
	r := b.Request("editor", space, "Better")
	for _, text := range []string{"An earlier draft.", "The last word."} {
		b.Clock.Advance(time.Minute)
		b.Edit("editor", r, servertest.Update(page, "# Page\n\n"+text+"\n"))
	}
	b.Merge("admin", r)
	b.lose(space, b.textOf(space, page))
	damages := b.mend()
	if len(damages) != 1 || damages[0].Author != b.Users["editor"].ID || !damages[0].GivenUp {
		t.Errorf("what was lost is %v", damages)
	}
	servertest.Equal(t, "text", "# Page\n\nThe first text.\n", b.Text(space, page))
	list := servertest.Do(b.World, "admin", api.ListChangeRequests, api.ListChangeRequestsInput{Space: space, Status: api.StatusDraft}).Items
	if len(list) != 1 {
		t.Fatalf("the drafts are %+v", list)
	}
	servertest.Equal(t, "kept", "# Page\n\nAn earlier draft.\n", *b.DraftPage(servertest.Ref(list[0]), page).Markdown)
	b.Merge("admin", list[0])
	servertest.Equal(t, "merged", "# Page\n\nAn earlier draft.\n", b.Text(space, page))
}
