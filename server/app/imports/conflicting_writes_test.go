package imports_test

import (
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestImportIntoSpaceHiddenDuringRequestIsNotStarted checks that an import into a space that is hidden from the caller between
// the check and the commit is refused and creates no run.
func TestImportIntoSpaceHiddenDuringRequestIsNotStarted(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	response := i.Before(func() { w.Hide(space) }, func() servertest.Response {
		return servertest.Try(w, "editor", api.CreateImportRun, newRunInput(w, space))
	})
	if servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	runs := servertest.Do(w, "admin", api.ListImportRuns, api.ListImportRunsInput{Organization: w.Org}).Items
	servertest.Equal(t, "runs", 0, len(runs))
}

// TestImportIntoSpaceHiddenDuringRequestIsNotCancelled checks that a caller cannot cancel an import if its space is hidden from
// them between the check and the commit.
func TestImportIntoSpaceHiddenDuringRequestIsNotCancelled(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	run := startRun(w, space)
	response := i.Before(func() { w.Hide(space) }, func() servertest.Response {
		return servertest.Try(w, "editor", api.CancelImportRun, run)
	})
	if servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	servertest.Equal(t, "status", api.RunPending, servertest.Do(w, "admin", api.GetImportRun, run).Status)
}

// TestImportKeepsConcurrentEdit checks that a page that is written between the plan and the commit of an import is kept.
func TestImportKeepsConcurrentEdit(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	f := newFolder(i.World, map[string]string{"a.md": "# A\n\nText.\n"})
	response := i.Before(func() { f.edit(servertest.NewPage("Other", "Other text.\n")) }, func() servertest.Response {
		return servertest.Try(i.World, "editor", api.ImportContent, f.input(nil))
	})
	servertest.Equal(t, "imported", true, servertest.Succeeded(response))
	for _, title := range []string{"A", "Other"} {
		servertest.Equal(t, "title", title, f.page(title).Title)
	}
}

// TestCancelledRunWritesNothing checks that a run that is cancelled before any write of its job stays cancelled and writes no
// pages, and that a run that cannot be cancelled any more has ended.
func TestCancelledRunWritesNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]api.ImportRunStatus{"source": api.RunCompleted, "deleted source": api.RunFailed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &servertest.WriteHook{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			serveRunSite(w)
			if end == api.RunFailed {
				delete(w.Web, runSiteURL)
			}
			cancelled := 0
			for n, more := int64(1), true; more; n++ {
				space := w.CreateSpace("Live", "", api.EditLive)
				run := startRun(w, space)
				w.Clock.Advance(time.Minute)
				want := end
				more = hook.Before(n, func() {
					if servertest.Succeeded(servertest.Try(w, "editor", api.CancelImportRun, run)) {
						want = api.RunCancelled
						cancelled++
					}
				}, func() { servertest.RunJobs(w) })
				w.Clock.Advance(time.Minute)
				servertest.RunJobs(w)
				servertest.Equal(t, "status", want, servertest.Do(w, "editor", api.GetImportRun, run).Status)
				servertest.Equal(t, "pages were written", want == api.RunCompleted, slices.Contains(pageTitles(w, space), "Start"))
				if t.Failed() || n > 100 {
					t.Fatalf("cancelled before write %d", n)
				}
			}
			if cancelled < 2 {
				t.Errorf("cancelled %d times", cancelled)
			}
		})
	}
}

// TestImportRunWritesNothingAfterLossOfAccess checks that a run whose user loses access to the space before any write of its
// job fails and writes no pages, unless it has ended before.
func TestImportRunWritesNothingAfterLossOfAccess(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	serveRunSite(w)
	hidden := 0
	for n, more := int64(1), true; more; n++ {
		space := w.CreateSpace("Live", "", api.EditLive)
		run := startRun(w, space)
		status := func() api.ImportRunStatus { return servertest.Do(w, "admin", api.GetImportRun, run).Status }
		w.Clock.Advance(time.Minute)
		want := api.RunCompleted
		more = hook.Before(n, func() {
			if status().Active() {
				want = api.RunFailed
				hidden++
			}
			w.Hide(space)
		}, func() { servertest.RunJobs(w) })
		w.Clock.Advance(time.Minute)
		servertest.RunJobs(w)
		servertest.Equal(t, "status", want, status())
		pages := servertest.Do(w, "admin", api.ListContentPages, api.GetContentInput{Space: space}).Pages
		servertest.Equal(t, "pages were written", want == api.RunCompleted, len(pages) > 0)
		if t.Failed() || n > 100 {
			t.Fatalf("hidden before write %d", n)
		}
	}
	if hidden < 2 {
		t.Errorf("hidden %d times before the end of the run", hidden)
	}
}

// TestRunContinuesAfterChange checks that a run is completed by one job, with one read of its source, if the target or the
// access to it changes before any write of the job.
func TestRunContinuesAfterChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *servertest.World, space string){
		"content changes": func(w *servertest.World, space string) {
			ref := w.NewRequest("admin", space)
			w.InsertPage(ref, servertest.NewPage("Other", "Other text.\n"))
			w.MustMerge(ref)
		},
		"access changes": func(w *servertest.World, space string) {
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
				Space: space, Body: api.SpacePatch{DefaultLevel: api.Some(api.Level(api.RoleReview))},
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &servertest.WriteHook{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			web := serveRunSite(w)
			for n, more := int64(1), true; more; n++ {
				space := w.CreateSpace("Live", "", api.EditLive)
				run := startRun(w, space)
				w.Clock.Advance(time.Minute)
				web.fetched = nil
				more = hook.Before(n, func() { change(w, space) }, func() { servertest.RunJobs(w) })
				servertest.Equal(t, "status", api.RunCompleted, servertest.Do(w, "editor", api.GetImportRun, run).Status)
				servertest.Equal(t, "pages were written", true, slices.Contains(pageTitles(w, space), "Start"))
				starts := 0
				for _, address := range web.fetched {
					if address == runSiteURL {
						starts++
					}
				}
				servertest.Equal(t, "reads of the source", 1, starts)
				if t.Failed() || n > 100 {
					t.Fatalf("before write %d", n)
				}
			}
		})
	}
}
