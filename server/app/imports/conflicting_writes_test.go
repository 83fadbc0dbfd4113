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

// An import into a space that is hidden from the caller between the check and the commit is not begun.
func TestImportIntoHiddenSpaceIsNotBegun(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	answer := i.Before(func() { w.Hide(space) }, func() servertest.Answer {
		return servertest.Try(w, "editor", api.CreateImportRun, runOf(w, space))
	})
	if servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	runs := servertest.Do(w, "admin", api.ListImportRuns, api.ListImportRunsInput{Organization: w.Org}).Items
	servertest.Equal(t, "runs", 0, len(runs))
}

// An import into a space that is hidden from the caller between the check and the commit is not cancelled by them.
func TestImportIntoHiddenSpaceIsNotCancelled(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	run := startRun(w, space)
	answer := i.Before(func() { w.Hide(space) }, func() servertest.Answer { return servertest.Try(w, "editor", api.CancelImportRun, run) })
	if servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	servertest.Equal(t, "status", api.RunPending, servertest.Do(w, "admin", api.GetImportRun, run).Status)
}

// A page that is written between the plan and the commit of an import stays.
func TestImportKeepsConcurrentEdit(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	f := newFolder(i.World, map[string]string{"a.md": "# A\n\nText.\n"})
	answer := i.Before(func() { f.edit(servertest.NewPage("Other", "Other text.\n")) }, func() servertest.Answer {
		return servertest.Try(i.World, "editor", api.ImportContent, f.body(nil))
	})
	servertest.Equal(t, "imported", true, servertest.Succeeded(answer))
	for _, title := range []string{"A", "Other"} {
		servertest.Equal(t, "title", title, f.page(title).Title)
	}
}

// A run that is cancelled before any write of its job stays cancelled, and its pages are not written; a run that can no
// longer be cancelled has ended.
func TestCancelledRunWritesNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]api.ImportRunStatus{"source": api.RunCompleted, "deleted source": api.RunFailed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &servertest.WriteHook{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			watched(w)
			if end == api.RunFailed {
				delete(w.Web, runSite)
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
				servertest.Equal(t, "pages were written", want == api.RunCompleted, slices.Contains(titlesIn(w, space), "Start"))
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
