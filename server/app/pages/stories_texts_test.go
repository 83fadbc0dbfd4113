package pages_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestTextOptionsSelectReplacements checks that only the requested replacements are made, that the document records
// them, and that it is then refused in edits.
func TestTextOptionsSelectReplacements(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		made := w.Change(ref,
			servertest.WithRef("note", servertest.InsertReusable("Note", "Of {{ space.vars.name }}.\n")),
			servertest.NewPage("Page", "Hello {{ space.vars.name }}.\n\n{% include \"reusable:note\" %}\n"),
			servertest.SetVariables("", "name", "world"))
		note, page := made.Changes[0].ReusableContent.ID, made.Changes[1].Page.ID
		w.MustMerge(ref)
		include := `{% include "reusable:` + note + `" %}`
		const variable = "{{ space.vars.name }}"
		for _, asked := range []struct {
			query                   string
			says, note              string
			evaluated, dereferenced bool
		}{
			{"", variable, include, false, false},
			{"&evaluated=false&dereferenced=false", variable, include, false, false},
			{"&evaluated=true", "world", "Of world.", true, true},
			{"&evaluated=deterministic-only", "world", include, true, false},
			{"&dereferenced=true", variable, "Of " + variable + ".", false, true},
			{"&dereferenced=reusable-contents", variable, "Of " + variable + ".", false, true},
			{"&evaluated=deterministic-only&dereferenced=reusable-contents", "world", "Of world.", true, true},
		} {
			for _, path := range []string{
				"/content/page/" + page, "/content/path/page", "/change-requests/" + ref.ChangeRequest + "/content/page/" + page,
			} {
				at := "/v1/spaces/" + ref.Space + path
				var shown api.RevisionPage
				servertest.Decode(w, w.Send("editor", "GET", at+"?format=markdown"+asked.query, nil), &shown)
				servertest.Equal(t, asked.query, "Hello "+asked.says+".\n\n"+asked.note+"\n", *shown.Markdown)
				servertest.Decode(w, w.Send("editor", "GET", at+"?format=document"+asked.query, nil), &shown)
				servertest.Equal(t, "evaluated with "+asked.query, asked.evaluated, shown.Document.Data.Evaluated)
				servertest.Equal(t, "dereferenced with "+asked.query, asked.dereferenced, shown.Document.Data.Dereferenced)
				if last := shown.Document.Nodes[len(shown.Document.Nodes)-1]; (last.Type == "reusable-content") == asked.dereferenced {
					t.Errorf("%s: the include is %s", asked.query, last.Type)
				}
				if asked.dereferenced {
					next := w.NewRequest("editor", ref.Space)
					data, err := json.Marshal(shown.Document)
					w.Must(err)
					w.ChangeRefused(next, "changes[0].document.document.data.dereferenced",
						updateDocument(page, &api.Document{Document: data}))
				}
			}
		}
		a := w.Send("editor", "GET", "/v1/spaces/"+ref.Space+"/content/page/"+page+"?evaluated=maybe", nil)
		servertest.Equal(t, "any other value", http.StatusBadRequest, a.Status)
	})
}

// TestLinksByIDKeepTargets checks that links converted to ids keep the targets of the stored links, in the resolver and in
// documents, and that block ids and offsets are kept.
func TestLinksByIDKeepTargets(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := w.NewSpace().ID
		from := w.NewRequest("editor", other)
		there := w.InsertPage(from, servertest.NewPage("There", "# There\n"))
		w.MustMerge(from)
		servertest.NewSpec(w, "shop", `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"paths":{}}`)
		ref := w.NewRequest("editor", w.NewSpace().ID)
		files := w.Change(ref, api.ContentChange{
			Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "dot.png", ContentType: "image/png", Base64: servertest.OnePixel}},
		})
		file := files.InsertedFiles[0].File.ID
		target := w.InsertPage(ref, servertest.NewPage("Target", "# Target\n\n## Part two\n\nText.\n"))
		text := strings.Join([]string{
			"# Here\n", "## Own\n",
			"[page](target.md) and [part](target?x=1#part-two) and [own](#own).\n",
			"![dot](dot.png) and <a href=\"target\">html</a> and [ref][r].\n",
			"[app](" + servertest.PublicURL + "/app/pages/" + other + "~" + there + ") and [spec](/openapi/shop) and [space](/spaces/" +
				other + ").\n",
			"[broken](nowhere.md), [lost](target#nowhere), `[code](target.md)`, [var]({{ space.vars.x }}), [web](https://example.com/a).\n",
			"{% content-ref url=\"target.md\" %}\n",
			"[r]: target.md\n",
		}, "\n")
		page := w.InsertPage(ref, servertest.NewPage("Here", text))
		stable := strings.NewReplacer(
			"(target.md) and", "(/pages/"+target+") and", "(target?x=1#part-two)", "(/pages/"+target+"?x=1#part-two)", "(#own)", "(/pages/"+
				page+"#own)",
			"(dot.png)", "(/files/"+file+")", "\"target\"", "\"/pages/"+target+"\"", "[r]: target.md", "[r]: /pages/"+
				target, "url=\"target.md\"", "url=\"/pages/"+target+"\"",
			servertest.PublicURL+"/app/pages/"+other+"~"+there, "/spaces/"+other+"/pages/"+there,
		).Replace(text)
		in := api.ChangeRequestPageInput{
			ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown, Refs: api.RefsStable},
		}
		shown := servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
		servertest.Equal(t, "stable", stable, *shown.Markdown)
		in.Refs = api.RefsRelative
		stored := servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
		servertest.Equal(t, "relative", text, *stored.Markdown)
		servertest.Equal(t, "blocks", len(stored.Blocks), len(shown.Blocks))
		for i, block := range shown.Blocks {
			servertest.Equal(t, "id of a block", stored.Blocks[i].ID, block.ID)
			begins := strings.Fields(text[stored.Blocks[i].Start:stored.Blocks[i].End])[0]
			if got := strings.Fields(stable[block.Start:block.End])[0]; got[0] != begins[0] {
				t.Errorf("block %d begins with %q, not %q", i, got, begins)
			}
		}

		leads := func() map[string]string {
			to := map[string]string{}
			list := servertest.Do(w, "editor", api.ListChangeRequestContentLinks, api.ListChangeRequestLinksInput{
				ChangeRequestRef: ref, Page: page,
			})
			for _, l := range list.Items {
				switch r := l.Target; {
				case r == nil:
					to["broken "+l.Href] = string(l.Problem)
				case r.Page != nil && r.InternalLocation != nil:
					to["#"+r.InternalLocation.Anchor+" of "+r.Page.ID] = string(r.Kind)
				case r.Page != nil:
					to[r.Space.ID+" "+r.Page.ID] = string(r.Kind)
				case r.File != nil:
					to[r.File.ID] = string(r.Kind)
				case r.OpenAPISpec != nil:
					to[r.OpenAPISpec.Slug] = string(r.Kind)
				case r.Space != nil:
					to[r.Space.ID] = string(r.Kind)
				default:
					to[r.URL] = string(r.Kind)
				}
			}
			return to
		}
		want := map[string]string{
			ref.Space + " " + target: "page", "#part-two of " + target: "page", "#own of " + page: "page", file: "file", "shop": "openapi",
			other:               "space",
			other + " " + there: "page", "https://example.com/a": "url", "broken nowhere.md": "page_not_found",
			"broken target#nowhere": "anchor_not_found",
		}
		before := leads()
		delete(before, "broken {{ space.vars.x }}")
		servertest.Equal(t, "as it was written", want, before)
		w.Change(ref, servertest.Write(page, stable))
		servertest.Equal(t, "written back", stable, *w.DraftPage(ref, page).Markdown)
		after := leads()
		delete(after, "broken {{ space.vars.x }}")
		servertest.Equal(t, "by ids", want, after)

		refs := map[string]bool{}
		d := documentOf(w, ref, page)
		var walk func(nodes []api.DocumentNode)
		walk = func(nodes []api.DocumentNode) {
			for _, n := range nodes {
				if r, ok := n.Data["ref"].(map[string]any); ok {
					refs[strings.TrimSpace(r["kind"].(string))] = true
				}
				walk(n.Nodes)
			}
		}
		walk(d.Nodes)
		servertest.Equal(t, "kinds in the document", map[string]bool{
			"page": true, "anchor": true, "file": true, "openapi": true, "space": true, "url": true,
		}, refs)

		w.Change(ref, servertest.Write(page, "[a](/openapi/none) and [b](/spaces/"+other+"/pages/p_none) and [c](/spaces/"+ref.Space+
			"/pages/"+target+") and [d](/spaces/s_none).\n"))
		servertest.Equal(t, "what is not there", map[string]string{
			"broken /openapi/none": "specification_not_found", "broken /spaces/" + other + "/pages/p_none": "page_not_found",
			ref.Space + " " + target: "page", "broken /spaces/s_none": "space_not_found",
		}, leads())
	})
}

// TestEditReturnsChangeRequestByDefault checks that the result is only the change request unless the full result is requested,
// with the same effect.
func TestEditReturnsChangeRequestByDefault(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		path := "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest + "/content"
		for i, query := range []string{"", "?compat=true", "?compat=false"} {
			body := map[string]any{
				"changes": []any{
					map[string]any{"operation": "insert_page", "title": "New", "document": map[string]any{"markdown": "Text.\n"}},
				},
			}
			a := w.Send("editor", "POST", path+query, body)
			servertest.Equal(t, "status of "+query, http.StatusOK, a.Status)
			var members map[string]json.RawMessage
			servertest.Decode(w, a, &members)
			request := a.Body
			if query == "?compat=false" {
				if request = members["changeRequest"]; members["changes"] == nil {
					t.Errorf("%s: %s", query, a.Body)
				}
			}
			var made api.ChangeRequest
			w.Must(json.Unmarshal(request, &made))
			shown := w.ReadRequest(ref)
			servertest.Equal(t, "revision after "+query, shown.Revision, made.Revision)
			servertest.Equal(t, "object of "+query, "change-request", made.Object)
			servertest.Equal(t, "pages after "+query, i+1, len(w.Pages(ref)))
			servertest.Equal(t, "tag of "+query, true, a.Header.Get("Etag") != "")
			var typed api.ContentResult
			servertest.Decode(w, a, &typed)
			servertest.Equal(t, "typed answer of "+query, made.ID, typed.ChangeRequest.ID)
			servertest.Equal(t, "effects in the answer of "+query, query == "?compat=false", len(typed.Changes) == 1)
		}
	})
}
