package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestRandomEditsKeepPathsUnique lets two users edit, move, delete, revert, update and merge at random. No response may
// be an internal error, and every page of the resulting tree must have a unique path.
//
//wsd:serial
func TestRandomEditsKeepPathsUnique(t *testing.T) {
	t.Parallel()
	servertest.CheckProperty(t, func(r *rapid.T, w *servertest.World, space string) {
		servertest.ReplacePages(w, space)
		requests := []api.ChangeRequestRef{w.NewRequest("editor", space), w.NewRequest("editor", space)}
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			who := rapid.IntRange(0, 1).Draw(r, "who")
			if w.ReadRequest(requests[who]).Status == api.StatusMerged {
				requests[who] = w.NewRequest("editor", space)
			}
			randomStep(w, r, requests[who])
		}
		checkTree(w, r, servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages, "",
			func(path string) servertest.Response {
				return w.Send("reader", http.MethodGet, "/v1/spaces/"+space+"/content/path/"+path, nil)
			})
		for _, ref := range requests {
			checkTree(w, r, w.Pages(ref), "", func(path string) servertest.Response {
				return w.Send("editor", http.MethodGet, contentPath(ref)+"/path/"+path, nil)
			})
		}
	})
}

// randomStep performs a random operation, which may be refused.
func randomStep(w *servertest.World, r *rapid.T, ref api.ChangeRequestRef) {
	var ids []string
	servertest.EachPage(w.Pages(ref), func(p api.RevisionPage) { ids = append(ids, p.ID) })
	ids = append(ids, "p_unknown")
	pick := func(what string) string { return rapid.SampledFrom(ids).Draw(r, what) }
	title := fmt.Sprintf("Title %d", rapid.IntRange(0, 2).Draw(r, "title"))
	at := rapid.IntRange(0, 3).Draw(r, "at")
	text := rapid.SampledFrom([]string{
		"", "One. Two. Three.\n", "One. Two, changed. Three.\n", "One. Two. Three.\n\n- a\n- b\n",
	}).Draw(r, "text")
	var a servertest.Response
	switch step := rapid.SampledFrom([]string{
		"insert", "insert", "write", "write", "move", "move", "delete", "revert", "slug", "merge", "pull",
	}).Draw(r, "step"); step {
	case "merge":
		a = servertest.Try(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref})
	case "pull":
		a = pullAtRandom(w, r, ref)
	default:
		change := map[string]func() api.ContentChange{
			"insert": func() api.ContentChange {
				return servertest.WithParent(servertest.NewPage(title, text), pick("parent"))
			},
			"write":  func() api.ContentChange { return servertest.Write(pick("page"), text) },
			"move":   func() api.ContentChange { return servertest.MovePage(pick("page"), pick("parent"), at) },
			"delete": func() api.ContentChange { return servertest.DeletePage(pick("page")) },
			"revert": func() api.ContentChange {
				return api.ContentChange{Operation: api.RevertPage, Page: pick("page"), Revision: w.ReadRequest(ref).RevisionInitial}
			},
			"slug": func() api.ContentChange {
				return api.ContentChange{Operation: api.UpdatePage, Page: pick("page"), Slug: api.Some(fmt.Sprintf("slug-%d", at))}
			},
		}[step]()
		a = servertest.Try(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{change}},
		})
	}
	if a.Status >= http.StatusInternalServerError {
		r.Fatalf("%d %s", a.Status, a.Body)
	}
}

// pullAtRandom updates a change request and resolves conflicts with a random side until none is left. One resolution
// may cause another conflict.
func pullAtRandom(w *servertest.World, r *rapid.T, ref api.ChangeRequestRef) servertest.Response {
	taken := map[string]api.ResolutionTake{}
	var resolutions []api.Resolution
	for range 10 {
		a := servertest.Try(w, "editor", api.PullChangeRequest, api.PullInput{
			ChangeRequestRef: ref, Body: api.Pull{Resolutions: resolutions},
		})
		var result api.MergeResult
		if a.Status != http.StatusOK || json.Unmarshal(a.Body, &result) != nil || result.Result == api.OutcomeUpdate {
			if len(resolutions) > 0 && a.Status != http.StatusOK && a.Status != http.StatusInternalServerError {
				r.Errorf("the answers were refused: %s", a.Body)
			}
			return a
		}
		resolutions = nil
		for _, c := range result.Conflicts {
			if taken[c.ID] == "" {
				taken[c.ID] = rapid.SampledFrom([]api.ResolutionTake{api.TakeOurs, api.TakeTheirs}).Draw(r, "take")
			}
			resolutions = append(resolutions, api.Resolution{Conflict: c.ID, Take: taken[c.ID]})
		}
	}
	r.Fatalf("the conflicts do not end: %v", resolutions)
	return servertest.Response{}
}

// checkTree fails the test unless every page of a tree is found by its path and its blocks cover its text.
func checkTree(w *servertest.World, r *rapid.T, pages []api.RevisionPage, above string, get func(path string) servertest.Response) {
	for _, p := range pages {
		if want := above + p.Slug; p.Path != want {
			r.Errorf("the page %s is at %q, want %q", p.ID, p.Path, want)
		}
		var found api.RevisionPage
		a := get(p.Path + "?format=markdown")
		if a.Status != http.StatusOK || json.Unmarshal(a.Body, &found) != nil || found.ID != p.ID {
			r.Errorf("at %q is %d %.200s, want the page %s", p.Path, a.Status, a.Body, p.ID)
			continue
		}
		checkBlockCoverage(w.T, p.Path, found)
		checkTree(w, r, p.Pages, p.Path+"/", get)
	}
}
