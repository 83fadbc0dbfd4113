package imports_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// watchedWeb is the web of a world that calls a hook before each response.
type watchedWeb struct {
	servertest.Web

	beforeFetch func(address string)
	fetched     []string
}

// GetUpTo implements importer.Fetcher.
func (w *watchedWeb) GetUpTo(ctx context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	w.fetched = append(w.fetched, address)
	if before := w.beforeFetch; before != nil {
		before(address)
	}
	return w.Web.GetUpTo(ctx, address, maxBytes)
}

const runSiteURL = "https://docs.example.com/"

// serveRunSite serves a website of three pages to import runs.
func serveRunSite(w *servertest.World) *watchedWeb {
	w.T.Helper()
	page := func(title, text string) string {
		return "<html><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1>" + text + "</main></body></html>"
	}
	w.Web[runSiteURL] = page("Start", `<p>Go on to <a href="/one.html">one</a> and <a href="/two.html">two</a>.</p>`)
	w.Web[runSiteURL+"one.html"], w.Web[runSiteURL+"two.html"] = page("One", "<p>First.</p>"), page("Two", "<p>Second.</p>")
	w.Web[runSiteURL+"robots.txt"] = "User-agent: *\nAllow: /\n"
	web := &watchedWeb{Web: w.Web}
	w.Serve(func(o *server.Options) { o.Importer = importer.New(web, importer.Limits{}) })
	return web
}

func newRunInput(w *servertest.World, space string) api.CreateImportRunInput {
	return api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
		Source: api.ImportRunSource{Type: api.RunOfWebsite, URL: runSiteURL}, Target: api.ImportRunTarget{Space: space},
	}}
}

// startRun starts an import run as the editor.
func startRun(w *servertest.World, space string) api.ImportRunRef {
	w.T.Helper()
	return api.ImportRunRef{Organization: w.Org, ImportRun: servertest.Do(w, "editor", api.CreateImportRun, newRunInput(w, space)).ID}
}

func pageTitles(w *servertest.World, space string) (titles []string) {
	w.T.Helper()
	for _, p := range servertest.Do(w, "editor", api.ListContentPages, api.GetContentInput{Space: space}).Pages {
		titles = append(titles, p.Title)
	}
	return titles
}

// TestImportRun checks that a run is returned before anything is fetched, and completed with its pages after
// the job.
func TestImportRun(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		web := serveRunSite(w)
		space := w.CreateSpace("Live", "", api.EditLive)
		in := newRunInput(w, space)
		in.Body.Site = servertest.NewSite(w, api.SitePublic, space).Site
		started := servertest.Do(w, "editor", api.CreateImportRun, in)
		if started.Status != api.RunPending || len(web.fetched) > 0 || started.CreatedBy != w.Users["editor"].ID ||
			started.URLs.Location != servertest.PublicURL+"/v1/org/"+w.Org+"/imports/"+started.ID {
			t.Errorf("started %+v, fetched %v", started, web.fetched)
		}
		w.Clock.Advance(time.Second)
		servertest.RunJobs(w)
		ref := api.ImportRunRef{Organization: w.Org, ImportRun: started.ID}
		done := servertest.Do(w, "editor", api.GetImportRun, ref)
		if done.Status != api.RunCompleted || done.Reason != "" || done.StartedAt.IsZero() || done.CompletedAt.IsZero() ||
			done.Target.ChangeRequest != "" || len(done.Pages) != 3 {
			t.Errorf("done %+v", done)
		}
		if !slices.ContainsFunc(done.Pages, func(p api.ImportRunPage) bool {
			return p.SourceURL == runSiteURL+"one.html" && p.Type == api.RunPage
		}) {
			t.Errorf("pages %+v", done.Pages)
		}
		if titles := pageTitles(w, space); !slices.Contains(titles, "Start") {
			t.Errorf("the space has %q", titles)
		}
		servertest.Refused(w, "editor", api.CancelImportRun, ref, http.StatusConflict, api.ReasonState)
		other := startRun(w, w.CreateSpace("Other", "", api.EditLive))
		for _, c := range []struct {
			in   api.ListImportRunsInput
			want []string
		}{
			{api.ListImportRunsInput{}, []string{other.ImportRun, started.ID}},
			{api.ListImportRunsInput{Space: space}, []string{started.ID}},
			{api.ListImportRunsInput{Site: in.Body.Site}, []string{started.ID}},
			{api.ListImportRunsInput{Status: api.RunsActive}, []string{other.ImportRun}},
			{api.ListImportRunsInput{Status: "completed"}, []string{started.ID}},
			{api.ListImportRunsInput{Status: "failed"}, nil},
		} {
			c.in.Organization = w.Org
			var ids []string
			for _, r := range servertest.Do(w, "editor", api.ListImportRuns, c.in).Items {
				ids = append(ids, r.ID)
			}
			servertest.Equal(t, "the runs", c.want, ids)
		}
	})
}

// TestRunIntoLockedSpaceCreatesChangeRequest checks that an import into a locked space creates a change request once
// there is something to write, and names it in the run.
func TestRunIntoLockedSpaceCreatesChangeRequest(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		serveRunSite(w)
		space, page := w.NewSpaceWithPage("Text.\n")
		in := newRunInput(w, space)
		in.Body.Target.Page = page
		ref := api.ImportRunRef{Organization: w.Org, ImportRun: servertest.Do(w, "editor", api.CreateImportRun, in).ID}
		before := pageTitles(w, space)
		servertest.RunJobs(w)
		done := servertest.Do(w, "editor", api.GetImportRun, ref)
		if done.Status != api.RunCompleted || done.Target.ChangeRequest == "" || len(done.Pages) != 3 {
			t.Fatalf("done %+v", done)
		}
		request := api.ChangeRequestRef{Space: space, ChangeRequest: done.Target.ChangeRequest}
		draft := servertest.Do(w, "editor", api.GetChangeRequest, request)
		if draft.Status != api.StatusDraft || !strings.Contains(draft.Subject, "docs.example.com") ||
			draft.CreatedBy.ID != w.Users["editor"].ID {
			t.Errorf("the draft is %+v", draft)
		}
		servertest.Equal(t, "the space itself", before, pageTitles(w, space))
		pages := servertest.Do(w, "editor", api.ListChangeRequestContentPages,
			api.ChangeRequestContentInput{ChangeRequestRef: request}).Pages
		if len(pages) != 1 || pages[0].ID != page || len(pages[0].Pages) == 0 {
			t.Errorf("below the page: %+v", pages)
		}
		again := newRunInput(w, space)
		again.Body.Target.ChangeRequest = done.Target.ChangeRequest
		next := api.ImportRunRef{Organization: w.Org, ImportRun: servertest.Do(w, "editor", api.CreateImportRun, again).ID}
		servertest.RunJobs(w)
		servertest.Equal(t, "into a request", api.RunCompleted, servertest.Do(w, "editor", api.GetImportRun, next).Status)
		servertest.Equal(t, "drafts", 1, servertest.Do(w, "editor", api.ListChangeRequests, api.ListChangeRequestsInput{
			Space: space, Status: api.StatusDraft,
		}).Count)
	})
}

// TestFailedRunReportsReason checks that errors end a run with a reason, without pages or a change request.
func TestFailedRunReportsReason(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		serveRunSite(w)
		space, _ := w.NewSpaceWithPage("Text.\n")
		in := newRunInput(w, space)
		in.Body.Source.URL = "https://gone.example.com/"
		gone := api.ImportRunRef{Organization: w.Org, ImportRun: servertest.Do(w, "editor", api.CreateImportRun, in).ID}
		servertest.RunJobs(w)
		failed := servertest.Do(w, "editor", api.GetImportRun, gone)
		if failed.Status != api.RunFailed || !strings.Contains(failed.Reason, "gone.example.com") || failed.CompletedAt.IsZero() ||
			failed.Target.ChangeRequest != "" {
			t.Errorf("failed %+v", failed)
		}
		servertest.Equal(t, "drafts", 0, servertest.Do(w, "editor", api.ListChangeRequests, api.ListChangeRequestsInput{
			Space: space, Status: api.StatusDraft,
		}).Count)
		late := startRun(w, space)
		w.SetMember("editor", api.RoleRead)
		servertest.RunJobs(w)
		if lost := servertest.Do(w, "creator", api.GetImportRun, late); lost.Status != api.RunFailed ||
			!strings.Contains(lost.Reason, "edit") {
			t.Errorf("without the role %+v", lost)
		}
	})
}

// TestCancelRun cancels runs before their job starts and while it reads.
func TestCancelRun(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		web := serveRunSite(w)
		space := w.CreateSpace("Live", "", api.EditLive)
		early := startRun(w, space)
		servertest.Equal(t, "cancelled", api.RunCancelled, servertest.Do(w, "creator", api.CancelImportRun, early).Status)
		servertest.Equal(t, "again", api.RunCancelled, servertest.Do(w, "editor", api.CancelImportRun, early).Status)
		servertest.RunJobs(w)
		servertest.Equal(t, "fetched", 0, len(web.fetched))
		midway := startRun(w, space)
		web.beforeFetch = func(address string) {
			if address == runSiteURL {
				servertest.Do(w, "editor", api.CancelImportRun, midway)
			}
		}
		servertest.RunJobs(w)
		servertest.Equal(t, "midway", api.RunCancelled, servertest.Do(w, "editor", api.GetImportRun, midway).Status)
		if slices.Contains(web.fetched, runSiteURL+"one.html") {
			t.Errorf("after it was cancelled it went on: %v", web.fetched)
		}
		servertest.Equal(t, "the space", []string(nil), pageTitles(w, space))
	})
}

// TestTakenOverRunIsCommittedOnce checks that a run is committed once when its job is taken over from a slow node.
func TestTakenOverRunIsCommittedOnce(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		web := serveRunSite(w)
		space, _ := w.NewSpaceWithPage("Text.\n")
		ref := startRun(w, space)
		web.beforeFetch = func(address string) {
			if address == runSiteURL+"two.html" {
				web.beforeFetch = nil
				w.Clock.Advance(time.Hour)
				w.Must(w.Server.RunDueJobs(t.Context()))
			}
		}
		servertest.RunJobs(w)
		done := servertest.Do(w, "editor", api.GetImportRun, ref)
		if done.Status != api.RunCompleted || len(done.Pages) != 3 {
			t.Fatalf("done %+v", done)
		}
		request := api.ChangeRequestRef{Space: space, ChangeRequest: done.Target.ChangeRequest}
		made := servertest.Do(w, "editor", api.ListChangeRequests, api.ListChangeRequestsInput{Space: space, Status: api.StatusDraft})
		revisions := servertest.Do(w, "editor", api.ListChangeRequestRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: request})
		servertest.Equal(t, "drafts", 1, made.Count)
		if revisions.Count != 1 {
			t.Errorf("%d revisions of the draft", revisions.Count)
		}
	})
}

// TestCreateImportRunRejectsInvalidRequests checks that predictable errors are returned at once, and that users who may not write
// to the target do not see its runs.
func TestCreateImportRunRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		serveRunSite(w)
		space := w.CreateSpace("Live", "", api.EditLive)
		for field, change := range map[string]func(b *api.ImportRunCreate){
			"enhance": func(b *api.ImportRunCreate) { b.Enhance = true },
			"source.files": func(b *api.ImportRunCreate) {
				b.Source = api.ImportRunSource{Type: api.RunOfFiles, Files: []string{"a"}}
			},
			"source.url":           func(b *api.ImportRunCreate) { b.Source.URL = "" },
			"target.changeRequest": func(b *api.ImportRunCreate) { b.Target.ChangeRequest = "cr_0000_1" },
			"target.page":          func(b *api.ImportRunCreate) { b.Target.Page = "p_0000" },
			"site":                 func(b *api.ImportRunCreate) { b.Site = "site_0000" },
		} {
			in := newRunInput(w, space)
			change(&in.Body)
			e := servertest.Refused(w, "editor", api.CreateImportRun, in, http.StatusUnprocessableEntity, api.ReasonInvalid)
			servertest.Equal(t, "the field", field, e.Fields[0].Path)
		}
		servertest.Refused(w, "reader", api.CreateImportRun, newRunInput(w, space), http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "stranger", api.CreateImportRun, newRunInput(w, space), http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "editor", api.CreateImportRun, newRunInput(w, servertest.AbsentID(space)), http.StatusNotFound,
			api.ReasonNotFound)
		ref := startRun(w, space)
		for who, status := range map[string]int{
			"reader": http.StatusForbidden, "commenter": http.StatusForbidden, "guest": http.StatusNotFound,
			"stranger": http.StatusNotFound,
		} {
			servertest.Equal(t, who+" gets", status, servertest.Try(w, who, api.GetImportRun, ref).Status)
			servertest.Equal(t, who+" cancels", status, servertest.Try(w, who, api.CancelImportRun, ref).Status)
		}
		servertest.Equal(t, "a reader's list", 0,
			servertest.Do(w, "reader", api.ListImportRuns, api.ListImportRunsInput{Organization: w.Org}).Count)
		for range 49 {
			startRun(w, space)
		}
		servertest.Refused(w, "editor", api.CreateImportRun, newRunInput(w, space), http.StatusForbidden, api.ReasonQuotaExceeded)
	})
}

// TestImportWorkIsLimited checks that imports whose work takes too long fail with the limit.
func TestImportWorkIsLimited(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	web := serveRunSite(w)
	small := budgets.Defaults()
	w.Must(small.Set("import-work=1ns"))
	w.Serve(func(o *server.Options) { o.Budgets, o.Importer = small, importer.New(web, importer.Limits{}) })
	space := w.CreateSpace("Live", "", api.EditLive)
	e := servertest.Refused(w, "editor", api.ImportContent, api.ImportInput{
		Space: space, Body: api.Import{URL: runSiteURL, Source: api.ImportWebsite},
	}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	if len(e.Fields) != 1 || e.Fields[0].Path != "url" || !strings.Contains(e.Fields[0].Message, "longer than 1ns") {
		t.Errorf("fields %+v", e.Fields)
	}
	ref := startRun(w, space)
	servertest.RunJobs(w)
	run := servertest.Do(w, "editor", api.GetImportRun, ref)
	if run.Status != api.RunFailed || !strings.Contains(run.Reason, "longer than 1ns") {
		t.Errorf("run %+v", run)
	}
}
