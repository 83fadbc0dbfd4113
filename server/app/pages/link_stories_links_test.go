package pages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// formatLinks formats links as "status destination (problem) by match", without empty parts.
func formatLinks(list api.LinkList) []string {
	var lines []string
	for _, l := range list.Items {
		line := string(l.Status) + " " + l.Href
		if l.Problem != "" {
			line += " (" + string(l.Problem) + ")"
		}
		if l.Match != "" {
			line += " by " + string(l.Match)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// checkLines fails the test if the lists differ.
func checkLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func spaceLinks(w *servertest.World, as, space string) api.LinkList {
	w.T.Helper()
	return servertest.Do(w, as, api.ListSpaceLinks, api.ListLinksInput{Space: space})
}

// TestDestinationDependsOnKind resolves one destination to a page as a link and to a file as an image, and the root
// to the first page.
func TestDestinationDependsOnKind(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, first := w.NewSpaceWithPage("# Page\n\n[root](/) [a page](second) ![a picture](second) ![no picture](third)\n")
		ref := w.NewRequest("editor", space)
		made := w.Change(ref, servertest.NewPage("Second", "Text.\n"),
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
				{Name: "second", ContentType: "image/png", Base64: servertest.OnePixel},
			}})
		w.MustMerge(ref)
		checkLines(t, "at first", formatLinks(spaceLinks(w, "reader", space)), "ok /", "ok second", "ok second by name",
			"broken third (file_not_found)")
		root := func() string { return spaceLinks(w, "reader", space).Items[0].Target.Page.ID }
		servertest.Equal(t, "root", first, root())
		ref = w.NewRequest("editor", space)
		w.Change(ref, servertest.MovePage(made.Changes[0].Page.ID, "", 0))
		w.MustMerge(ref)
		servertest.Equal(t, "root after a move", made.Changes[0].Page.ID, root())
	})
}

// TestLinkStatusFollowsTarget checks that the status of a link changes with its target although the page with the
// link does not change.
func TestLinkStatusFollowsTarget(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Linked", "", "")
		first := w.CreateRequest("creator", space, "First")
		made := w.Edit("creator", first,
			servertest.WithRef("guide", servertest.Insert("Guide", "", "# Guide\n\n## Größe der Seite\n\nText.\n")),
			servertest.WithRef("child",
				servertest.Insert("Child", "guide", "# Child\n\nSee [up](../guide.md#größe-der-seite) and [file](assets/pixel.png).\n")),
			servertest.Insert("Hub", "",
				"# Hub\n\n[a](/pages/guide#grosse-der-seite) [b](guide/child) [c](/guide/child/README.md) [d](#hub)\n\n"+
					"[e](/pages/p_none) [f](nowhere) [g](#nowhere) [h](https://example.org/x) ![i](missing.png) [b](guide/child)\n"),
			api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{
					{Name: "pixel.png", ContentType: "image/png", Base64: servertest.OnePixel},
				},
			},
		)
		w.Merge("reviewer", first)
		guide, child, file := made.Changes[0].Page.ID, made.Changes[1].Page.ID, made.InsertedFiles[0].File.ID
		all := spaceLinks(w, "reader", space)
		checkLines(t, "at first", formatLinks(all), "ok ../guide.md#größe-der-seite", "ok assets/pixel.png by name",
			"ok /pages/"+guide+"#grosse-der-seite", "ok guide/child", "ok /guide/child/README.md", "ok #hub",
			"broken /pages/p_none (page_not_found)", "broken nowhere (page_not_found)", "broken #nowhere (anchor_not_found)",
			"ok https://example.org/x", "broken missing.png (file_not_found)")
		if all.Count != 11 || all.Stats.Total != 11 || all.Stats.Broken.Total != 4 || all.Stats.Broken.ChangeRequest != nil {
			t.Errorf("count %d, stats %+v", all.Count, all.Stats)
		}
		uses := servertest.Do(w, "reader", api.ListContentBacklinks, api.ListBacklinksInput{Space: space, File: file})
		if uses.Count != 1 || uses.Items[0].Page.ID != child || uses.Items[0].InternalLocation.Node == "" ||
			uses.Items[0].VersionContext.Revision == nil {
			t.Errorf("uses of the file: %+v", uses)
		}
		checkOmittedLists(t, w, "/v1/spaces/"+space+"/content/files/"+file+"/backlinks")
		checkOmittedLists(t, w, "/v1/spaces/"+space+"/links")

		second := w.CreateRequest("creator", space, "Second")
		w.Edit("creator", second,
			api.ContentChange{Operation: api.UpdatePage, Page: guide, Slug: api.Some("manual")},
			servertest.WithRef("now", servertest.Insert("Nowhere", "", "# Here\n")),
			api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{file}},
			api.ContentChange{
				Operation: api.UpdatePage, Page: guide, Document: &api.Document{Markdown: api.Some("# Manual\n\nNothing of the size.\n")},
			},
		)
		inRequest := servertest.Do(w, "commenter", api.ListChangeRequestContentLinks, api.ListChangeRequestLinksInput{
			ChangeRequestRef: servertest.Ref(second), Page: child,
		})
		checkLines(t, "in the change request", formatLinks(inRequest), "broken ../guide.md#größe-der-seite (page_not_found)",
			"broken assets/pixel.png (file_not_found)")
		if n := inRequest.Stats.Broken.ChangeRequest; n == nil || *n != 2 {
			t.Errorf("the request broke %v links, want 2", n)
		}
		if context := inRequest.Items[0].Locations[0].VersionContext; context.ChangeRequest == nil ||
			context.ChangeRequest.ID != second.ID {
			t.Errorf("the context is %+v", context)
		}
		checkLines(t, "outside of it", formatLinks(spaceLinks(w, "reader", space)), formatLinks(all)...)
		w.Merge("reviewer", second)
		after := spaceLinks(w, "reader", space)
		want := []string{
			"broken ../guide.md#größe-der-seite (page_not_found)", "broken assets/pixel.png (file_not_found)",
			"broken /pages/" + guide + "#grosse-der-seite (anchor_not_found)", "ok guide/child by name",
			"broken /guide/child/README.md (page_not_found)", "ok #hub", "broken /pages/p_none (page_not_found)", "ok nowhere",
			"broken #nowhere (anchor_not_found)", "ok https://example.org/x", "broken missing.png (file_not_found)",
		}
		checkLines(t, "after the merge", formatLinks(after), want...)
		w.Serve() // with empty caches, so that every link is resolved again
		checkLines(t, "from scratch", formatLinks(spaceLinks(w, "reader", space)), want...)
	})
}

// TestLinksAcrossSpaces checks that a link into another space shows only what the caller may see there.
func TestLinksAcrossSpaces(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		secret := w.CreateSpace("Secret", "", "")
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: secret, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		linked := w.CreateSpace("Linked", "", "")
		r := w.CreateRequest("creator", linked, "Links")
		app := servertest.PublicURL + "/app/"
		usage := app + "pages/" + s.Handbook + "~" + s.Pages["Usage"]
		var text strings.Builder
		for _, to := range []string{
			app + "spaces/" + secret, app + "spaces/" + s.Handbook, usage, app + "pages/" + s.Handbook + "~p_none",
			app + "collections/" + s.Guides, app + "spaces/s_none",
		} {
			fmt.Fprintf(&text, "[a](%s)\n", to)
		}
		page := servertest.Insert("Page", "", text.String())
		w.Edit("creator", r, page)
		w.Merge("reviewer", r)
		same := []string{
			"in-app " + app + "spaces/" + s.Handbook, "in-app " + usage,
			"broken " + app + "pages/" + s.Handbook + "~p_none (page_not_found)", "in-app " + app + "collections/" + s.Guides,
			"broken " + app + "spaces/s_none (space_not_found)",
		}
		checkLines(t, "for the admin", formatLinks(spaceLinks(w, "admin", linked)),
			append(slices.Clone(same), "in-app "+app+"spaces/"+secret)...)
		checkLines(t, "for a reader", formatLinks(spaceLinks(w, "reader", linked)),
			append(slices.Clone(same), "broken "+app+"spaces/"+secret+" (space_not_found)")...)
		for _, l := range spaceLinks(w, "reader", linked).Items {
			if p := l.Target; p != nil && p.Kind == api.ReferencePage && p.Page.Path != "usage" {
				t.Errorf("target %+v", p.Page)
			}
		}
	})
}

// TestUpdatedLinkGraphEqualsComputedGraph compares incrementally updated link statuses with a full computation.
func TestUpdatedLinkGraphEqualsComputedGraph(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Linked", "", "")
		var pages []string
		names := []string{"alpha", "beta", "gamma", "delta"}
		text := func(i int) string {
			return fmt.Sprintf("# %s\n\n[x](%s) [y](../%s/%s#%[2]s) [z](/%[1]s)\n", names[i%4], names[(i+1)%4], names[(i+2)%4],
				names[(i+3)%4])
		}
		for round := range 24 {
			r := w.CreateRequest("creator", space, "Round")
			switch {
			case len(pages) < 4 || round%5 == 0:
				pages = append(pages, w.Edit("creator", r, servertest.Insert(names[round%4], "", text(round))).Changes[0].Page.ID)
			case round%5 == 1:
				w.Edit("creator", r, api.ContentChange{Operation: api.UpdatePage, Page: pages[1], Into: api.Some(pages[0])})
			case round%5 == 2:
				w.Edit("creator", r, api.ContentChange{
					Operation: api.UpdatePage, Page: pages[round%len(pages)], Slug: api.Some(fmt.Sprintf("other-%d", round)),
				})
			case round%5 == 3:
				w.Edit("creator", r, servertest.Update(pages[round%len(pages)], text(round)))
			default:
				w.Edit("creator", r, api.ContentChange{
					Operation: api.UpdatePage, Page: pages[2], Slug: api.Some(fmt.Sprintf("%s-%d", names[round%4], round)),
				})
			}
			w.Send("creator", "POST", "/v1/spaces/"+space+"/change-requests/"+r.ID+"/merge", nil)
			grown := formatLinks(spaceLinks(w, "admin", space))
			server := w.Server
			handler := w.Handler
			w.Serve()
			checkLines(t, fmt.Sprintf("round %d", round), grown, formatLinks(spaceLinks(w, "admin", space))...)
			w.Server, w.Handler = server, handler
		}
	})
}

// TestLinksToUnknownNamesAreBroken checks that links to unknown names are broken and become valid when the name is
// assigned, although the page does not change.
func TestLinksToUnknownNamesAreBroken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Named", "", "")
		merge := func(changes ...api.ContentChange) api.ContentResult {
			r := w.CreateRequest("creator", space, "Change")
			made := w.Edit("creator", r, changes...)
			w.Merge("reviewer", r)
			return made
		}
		made := merge(servertest.WithRef("note", servertest.InsertReusable("Note", "A note.\n")),
			servertest.WithRef("page", servertest.NewPage("Page",
				"# Page\n\n{{space.vars.product}} {{ page.vars.level }}\n\n{{ space.vars.product }} `{{ space.vars.code }}`\n\n"+
					"{% include \"reusable:note\" %}\n\n{% include \"reusable:rc_none\" %}\n")))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		const product, level, none = "broken {{ space.vars.product }} (variable_not_found)",
			"broken {{ page.vars.level }} (variable_not_found)",
			`broken {% include "reusable:rc_none" %} (reusable_content_not_found)`
		broken := func() []string { return formatLinks(spaceLinks(w, "reader", space)) }
		checkLines(t, "at first", broken(), product, level, none)
		all := spaceLinks(w, "reader", space)
		servertest.Equal(t, "statistics", [2]int{3, 3}, [2]int{all.Stats.Total, all.Stats.Broken.Total})
		for _, l := range all.Items {
			if want := 1 + strings.Count(l.Href, "product"); len(l.Locations) != want {
				t.Errorf("%s stands in %d blocks, want %d", l.Href, len(l.Locations), want)
			}
		}
		merge(servertest.SetVariables("", "product", "Lamp"))
		checkLines(t, "with a variable of the space", broken(), level, none)
		merge(servertest.SetVariables(page, "level", "easy"))
		checkLines(t, "with one of the page", broken(), none)
		merge(servertest.RemoveVariable("", "product"), api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: note})
		checkLines(t, "without either", broken(), product, none, `broken {% include "reusable:`+note+`" %} (reusable_content_not_found)`)
	})
}

// checkOmittedLists checks that lists that references omit are present and empty.
func checkOmittedLists(t *testing.T, w *servertest.World, path string) {
	t.Helper()
	var response any
	servertest.Decode(w, w.Call("commenter", http.MethodGet, path, nil, http.StatusOK), &response)
	pages, revisions := 0, 0
	eachObject(response, func(o map[string]any) {
		if page, ok := o["page"].(map[string]any); ok {
			pages++
			servertest.Equal(t, path+": pages of a page", any([]any{}), page["pages"])
		}
		if state, ok := o["revision"].(map[string]any); ok {
			revisions++
			servertest.Equal(t, path+": the revision", []any{[]any{}, []any{}, []any{}}, []any{
				state["pages"], state["files"], state["reusableContents"],
			})
			if request, _ := state["mergedFrom"].(map[string]any); request["object"] != "change-request" {
				t.Errorf("%s: merged from %v", path, state["mergedFrom"])
			}
		}
	})
	if pages == 0 || revisions == 0 {
		t.Errorf("%s: %d pages, %d revisions", path, pages, revisions)
	}
}

// eachObject calls fn with every object of a JSON value.
func eachObject(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		fn(v)
		for _, member := range v {
			eachObject(member, fn)
		}
	case []any:
		for _, item := range v {
			eachObject(item, fn)
		}
	}
}
