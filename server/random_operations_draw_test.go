package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// draw returns the sample request of a row with randomly chosen objects.
func (w *randomWorld) draw(row api.Row) (as, path string, body any) {
	w.T.Helper()
	s, params := *w.sample, map[string]string{}
	s.Pages = maps.Clone(w.sample.Pages)
	as = "admin"
	names := servertest.Subjects(row)
	if strings.HasPrefix(row.Name, "transfers.") { // each can be used once
		s.Given, s.Asked = w.NewTransfer(w.uniqueText("Given")), w.NewTransfer(w.uniqueText("Asked"))
		w.RequestReturn(s.Asked)
	}
	switch names = append(names, ""); {
	case strings.HasPrefix(row.Name, "change-request-"), row.Name == "change-requests.merge", slices.Contains(names, "changeRequest"):
		w.drawRequest(row, &s, params)
	case names[0] == "space":
		w.drawInSpace(row, &s, params)
	case names[0] == "collection":
		w.drawCollection(row, &s, params)
	case slices.Contains(names, "site"):
		w.drawSite(row, &s, params)
	default:
		as = w.drawOther(row, &s, params)
	}
	in := servertest.Inputs(w.World, &s)[row.Name]
	maps.Copy(params, undrawnParams(in.Params, params))
	return as, w.SamplePathWith(row, &s, params), w.vary(row, in.Body)
}

// undrawnParams returns the parameters that were not drawn.
func undrawnParams(params, drawn map[string]string) map[string]string {
	params = maps.Clone(params)
	maps.DeleteFunc(params, func(name, _ string) bool { _, known := drawn[name]; return known })
	return params
}

// vary returns a copy of a body in which the names that have to be unique are replaced by unique ones.
func (w *randomWorld) vary(row api.Row, body any) any {
	w.T.Helper()
	if body == nil {
		return nil
	}
	data, err := json.Marshal(body)
	w.Must(err)
	text := string(data)
	for _, word := range []string{`"Renamed"`, `"New"`, `"Another"`, `"other"`, `"book"`, `"Newcomer"`} {
		text = strings.ReplaceAll(text, word, `"`+strings.ReplaceAll(w.uniqueText(strings.Trim(word, `"`)), " ", "-")+`"`)
	}
	switch row.Name {
	case "invites.create":
		text = strings.ReplaceAll(text, "another@", strings.ReplaceAll(w.uniqueText("another"), " ", "-")+"@")
	case "organizations.update":
		text = strings.ReplaceAll(text, `"acme"`, `"`+strings.ReplaceAll(w.uniqueText("acme"), " ", "-")+`"`)
	case "comments.update", "change-request-comments.update":
		text = []string{
			`{"resolved":true}`, `{"resolved":false}`, `{"addedReactions":["👍"]}`, `{"removedReactions":["👍"]}`,
		}[w.random.IntN(4)]
	case "change-requests.update":
		text = []string{text, text, `{"status":"archived"}`, `{"status":"open"}`, `{"status":"draft"}`}[w.random.IntN(5)]
	case "change-request-content.edit":
		text = strings.ReplaceAll(text, "Use the other package", w.uniqueText("Use the package of day"))
	case "spaces.update":
		text = []string{
			text, `{"editMode":"live"}`, `{"editMode":"locked"}`, `{"defaultLevel":"read"}`, `{"defaultLevel":null}`,
			`{"defaultLevel":"inherit"}`,
		}[w.random.IntN(6)]
	}
	return []byte(text)
}

// drawSpace draws a space with pages.
func (w *randomWorld) drawSpace(fits func(map[string]any) bool) string {
	w.T.Helper()
	if w.random.IntN(20) == 0 {
		return w.createSpace("")
	}
	return w.drawItem("/v1/orgs/"+w.Org+"/spaces?limit=100", func(item map[string]any) bool {
		return (fits == nil || fits(item)) && len(w.pageIDs("/v1/spaces/"+item["id"].(string))) > 0
	}, func() string { return w.createSpace("") })
}

// createSpace creates a space with pages that link to each other.
func (w *randomWorld) createSpace(parent string) string {
	w.T.Helper()
	space := w.CreateSpace(w.uniqueText("Space"), parent, api.EditLive)
	r := w.CreateRequest("creator", space, "Pages")
	w.Edit("creator", r,
		servertest.WithRef("start", servertest.Insert("Start", "", "# Start\n\nSee [usage](usage.md).\n")), servertest.Insert("Usage",
			"start", servertest.UsageText),
		servertest.InsertReusable("Note", "A note.\n"), servertest.SetVariables("", "product", "Lamp"))
	w.Merge("admin", r)
	return space
}

// pageIDs returns the pages of a space or change request, given its address.
func (w *randomWorld) pageIDs(at string) (ids []string) {
	w.T.Helper()
	var tree api.PageTree
	w.Must(json.Unmarshal(w.Call("admin", http.MethodGet, at+"/content/pages", nil, http.StatusOK).Body, &tree))
	var walk func(pages []api.RevisionPage)
	walk = func(pages []api.RevisionPage) {
		for _, p := range pages {
			if p.Type == api.PageDocument {
				ids = append(ids, p.ID)
			}
			walk(p.Pages)
		}
	}
	walk(tree.Pages)
	return ids
}

// drawPages replaces the sample pages with pages drawn from a space or change request.
func (w *randomWorld) drawPages(s *servertest.Sample, at string) {
	w.T.Helper()
	ids := w.pageIDs(at)
	for title := range s.Pages {
		s.Pages[title] = ids[w.random.IntN(len(ids))]
	}
	s.RequestPage = ids[0]
}

// drawInSpace draws the objects for rows below a space.
func (w *randomWorld) drawInSpace(row api.Row, s *servertest.Sample, params map[string]string) {
	w.T.Helper()
	live := func(item map[string]any) bool { return item["editMode"] == string(api.EditLive) }
	switch row.Name {
	case "spaces.transfer":
		params["space"] = w.createSpace("")
		return
	case "spaces.restore":
		params["space"] = w.createSpace("")
		servertest.Do(w.World, "admin", api.DeleteSpace, api.SpaceRef{Space: params["space"]})
		return
	case "spaces.move":
		s.Nested = w.createCollection("")
	case "content.import":
		params["space"] = w.drawSpace(live)
		return
	}
	space := w.drawSpace(nil)
	s.Handbook, params["space"] = space, space
	w.drawPages(s, "/v1/spaces/"+space)
	w.drawGrant(row, "/v1/spaces/"+space, params)
	if strings.HasPrefix(row.Name, "comments.") || strings.HasPrefix(row.Name, "replies.") {
		w.drawComment(row, "/v1/spaces/"+space, s.Pages["Start"], params)
	}
	if row.Name == "revisions.rollback" {
		params["revision"] = w.drawOldRevision(space, s)
	}
}

// drawOldRevision returns a revision of a space other than the current one.
func (w *randomWorld) drawOldRevision(space string, s *servertest.Sample) string {
	w.T.Helper()
	now := servertest.Do(w.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
	r := w.CreateRequest("admin", space, w.uniqueText("Change"))
	w.Edit("admin", r, servertest.Update(s.Pages["Start"], w.uniqueText("Other words")+".\n"))
	w.Merge("admin", r)
	return now
}

// drawComment draws a comment and one of its replies in a space or change request, given its address.
func (w *randomWorld) drawComment(row api.Row, at, page string, params map[string]string) {
	w.T.Helper()
	make := func(path string, body any) func() string {
		return func() string {
			var made struct {
				ID string `json:"id"`
			}
			a := w.Send("admin", http.MethodPost, path, body)
			if json.Unmarshal(a.Body, &made) != nil || made.ID == "" {
				w.T.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
			}
			return made.ID
		}
	}
	comments := at + "/comments"
	if !slices.Contains(servertest.Subjects(row), "comment") {
		return
	}
	said := map[string]any{"body": servertest.CommentBody(w.uniqueText("Comment"))}
	if w.random.IntN(2) == 0 {
		said["page"] = page
	}
	params["comment"] = w.drawItem(comments+"?limit=1000", writtenBy(w.Users["admin"].ID), make(comments, said))
	if slices.Contains(servertest.Subjects(row), "reply") {
		replies := comments + "/" + params["comment"] + "/replies"
		params["reply"] = w.drawItem(replies+"?limit=1000", writtenBy(w.Users["admin"].ID),
			make(replies, map[string]any{"body": servertest.CommentBody(w.uniqueText("Reply"))}))
	}
}

// writtenBy returns a filter for items written by a user.
func writtenBy(user string) func(map[string]any) bool {
	return func(item map[string]any) bool {
		by, _ := item["postedBy"].(map[string]any)
		return by["id"] == user
	}
}

// drawRequest draws an unfinished change request and the objects for rows below it.
func (w *randomWorld) drawRequest(row api.Row, s *servertest.Sample, params map[string]string) {
	w.T.Helper()
	space := w.drawSpace(nil)
	s.Handbook, params["space"] = space, space
	at := "/v1/spaces/" + space
	unfinished := func(item map[string]any) bool { return item["status"] == "draft" || item["status"] == "open" }
	if row.Name == "change-requests.update" {
		unfinished = func(item map[string]any) bool { return item["status"] != "merged" }
	}
	made := func() string {
		r := w.CreateRequest("admin", space, w.uniqueText("Change"))
		w.Edit("admin", r, servertest.Insert(w.uniqueText("Page"), "", "# A page\n\nOf some "+w.uniqueText("text")+".\n"))
		return r.ID
	}
	id := w.drawItem(at+"/change-requests?limit=1000", unfinished, made)
	if row.Name == "change-requests.merge" && w.random.IntN(2) == 0 {
		id = made()
	}
	params["changeRequest"] = id
	at += "/change-requests/" + id
	r := servertest.Do(w.World, "admin", api.GetChangeRequest, api.ChangeRequestRef{Space: space, ChangeRequest: id})
	s.Request = r
	if len(w.pageIDs(at)) == 0 {
		w.Edit("admin", r, servertest.Insert(w.uniqueText("Page"), "", "# A page\n"))
		s.Request = servertest.Do(w.World, "admin", api.GetChangeRequest, servertest.Ref(r))
	}
	w.drawPages(s, at)
	if strings.HasPrefix(row.Name, "change-request-") {
		w.drawComment(row, at, s.Pages["Start"], params)
	}
	if row.Name == "change-requests.remove-reviewer" {
		servertest.Try(w.World, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{
			ChangeRequestRef: servertest.Ref(r), Body: api.ReviewRequest{Users: []string{w.Users["reviewer"].ID}},
		})
	}
}

// createCollection creates a collection in a parent as the admin and returns its id.
func (w *randomWorld) createCollection(parent string) string {
	w.T.Helper()
	return servertest.Do(w.World, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: w.uniqueText("Collection"), Parent: parent},
	}).ID
}

// drawCollection sets the collection of a row: a new one for rows that transfer, delete or move it, else one that it draws.
func (w *randomWorld) drawCollection(row api.Row, s *servertest.Sample, params map[string]string) {
	w.T.Helper()
	made := func() string { return w.createCollection("") }
	switch row.Name {
	case "collections.transfer", "collections.delete":
		params["collection"] = w.createCollection("")
		w.createSpace(w.createCollection(params["collection"]))
		return
	case "collections.move":
		params["collection"] = w.createCollection(w.createCollection(""))
		return
	}
	s.Guides = w.drawItem("/v1/orgs/"+w.Org+"/collections?limit=1000", nil, made)
	params["collection"] = s.Guides
	w.drawGrant(row, "/v1/collections/"+s.Guides, params)
}

// drawGrant draws a team for a row on permissions, and grants the team and a user a role if the row changes or removes a grant.
func (w *randomWorld) drawGrant(row api.Row, at string, params map[string]string) {
	w.T.Helper()
	if !strings.Contains(row.Name, "-permissions.") {
		return
	}
	params["team"] = w.drawTeam()
	if !strings.HasSuffix(row.Name, ".create") {
		w.Send("admin", http.MethodPost, at+"/permissions", api.PermissionCreate{
			Role: new(api.RoleEdit), Users: []string{w.Users["reviewer"].ID}, Teams: []string{params["team"]},
		})
	}
}

// drawTeam draws a team, or creates one if there is none, and returns its id.
func (w *randomWorld) drawTeam() string {
	w.T.Helper()
	return w.drawItem("/v1/orgs/"+w.Org+"/teams?limit=1000", nil, func() string { return w.NewTeam("reviewer").ID })
}
