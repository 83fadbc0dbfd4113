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
func (e *randomWorld) draw(row api.Row) (as, path string, body any) {
	e.T.Helper()
	s, params := *e.sample, map[string]string{}
	s.Pages = maps.Clone(e.sample.Pages)
	as = "admin"
	names := servertest.Subjects(row)
	if strings.HasPrefix(row.Name, "transfers.") { // each can be used once
		s.Given, s.Asked = e.GivenAway(e.uniqueText("Given")), e.GivenAway(e.uniqueText("Asked"))
		e.AskedBack(s.Asked)
	}
	switch names = append(names, ""); {
	case strings.HasPrefix(row.Name, "change-request-"), row.Name == "change-requests.merge", slices.Contains(names, "changeRequest"):
		e.drawRequest(row, &s, params)
	case names[0] == "space":
		e.drawInSpace(row, &s, params)
	case names[0] == "collection":
		e.drawCollection(row, &s, params)
	case slices.Contains(names, "site"):
		e.drawSite(row, &s, params)
	default:
		as = e.drawOther(row, &s, params)
	}
	in := servertest.Inputs(e.World, &s)[row.Name]
	maps.Copy(params, undrawnParams(in.Params, params))
	return as, e.PathWith(row, &s, params), e.vary(row, in.Body)
}

// undrawnParams returns the parameters that were not drawn.
func undrawnParams(params, drawn map[string]string) map[string]string {
	params = maps.Clone(params)
	maps.DeleteFunc(params, func(name, _ string) bool { _, known := drawn[name]; return known })
	return params
}

// vary replaces values of a body that have to be unique.
func (e *randomWorld) vary(row api.Row, body any) any {
	e.T.Helper()
	if body == nil {
		return nil
	}
	data, err := json.Marshal(body)
	e.Must(err)
	text := string(data)
	for _, word := range []string{`"Renamed"`, `"New"`, `"Another"`, `"other"`, `"book"`, `"Newcomer"`} {
		text = strings.ReplaceAll(text, word, `"`+strings.ReplaceAll(e.uniqueText(strings.Trim(word, `"`)), " ", "-")+`"`)
	}
	switch row.Name {
	case "invites.create":
		text = strings.ReplaceAll(text, "another@", strings.ReplaceAll(e.uniqueText("another"), " ", "-")+"@")
	case "organizations.update":
		text = strings.ReplaceAll(text, `"acme"`, `"`+strings.ReplaceAll(e.uniqueText("acme"), " ", "-")+`"`)
	case "comments.update", "change-request-comments.update":
		text = []string{`{"resolved":true}`, `{"resolved":false}`, `{"addedReactions":["👍"]}`, `{"removedReactions":["👍"]}`}[e.random.IntN(4)]
	case "change-requests.update":
		text = []string{text, text, `{"status":"archived"}`, `{"status":"open"}`, `{"status":"draft"}`}[e.random.IntN(5)]
	case "change-request-content.edit":
		text = strings.ReplaceAll(text, "Use the other package", e.uniqueText("Use the package of day"))
	case "spaces.update":
		text = []string{text, `{"editMode":"live"}`, `{"editMode":"locked"}`, `{"defaultLevel":"read"}`, `{"defaultLevel":null}`, `{"defaultLevel":"inherit"}`}[e.random.IntN(6)]
	}
	return []byte(text)
}

// drawSpace draws a space with pages.
func (e *randomWorld) drawSpace(fits func(map[string]any) bool) string {
	e.T.Helper()
	if e.random.IntN(20) == 0 {
		return e.createSpace("")
	}
	return e.drawItem("/v1/orgs/"+e.Org+"/spaces?limit=100", func(item map[string]any) bool {
		return (fits == nil || fits(item)) && len(e.pageIDs("/v1/spaces/"+item["id"].(string))) > 0
	}, func() string { return e.createSpace("") })
}

// createSpace creates a space with pages that link to each other.
func (e *randomWorld) createSpace(parent string) string {
	e.T.Helper()
	space := e.Space(e.uniqueText("Space"), parent, api.EditLive)
	r := e.Request("creator", space, "Pages")
	e.Edit("creator", r,
		servertest.Named("start", servertest.Insert("Start", "", "# Start\n\nSee [usage](usage.md).\n")), servertest.Insert("Usage", "start", servertest.UsageText),
		servertest.InsertReusable("Note", "A note.\n"), servertest.SetVariables("", "product", "Lamp"))
	e.Merge("admin", r)
	return space
}

// pageIDs returns the pages of a space or change request, given its address.
func (e *randomWorld) pageIDs(at string) (ids []string) {
	e.T.Helper()
	var tree api.PageTree
	e.Must(json.Unmarshal(e.Call("admin", http.MethodGet, at+"/content/pages", nil, http.StatusOK).Body, &tree))
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

// drawPages draws pages of a space or change request for the titles of the sample pages.
func (e *randomWorld) drawPages(s *servertest.Sample, at string) {
	e.T.Helper()
	ids := e.pageIDs(at)
	for title := range s.Pages {
		s.Pages[title] = ids[e.random.IntN(len(ids))]
	}
	s.RequestPage = ids[0]
}

// drawInSpace draws the objects for rows below a space.
func (e *randomWorld) drawInSpace(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	live := func(item map[string]any) bool { return item["editMode"] == string(api.EditLive) }
	switch row.Name {
	case "spaces.transfer":
		params["space"] = e.createSpace("")
		return
	case "spaces.restore":
		params["space"] = e.createSpace("")
		servertest.Do(e.World, "admin", api.DeleteSpace, api.SpaceRef{Space: params["space"]})
		return
	case "spaces.move":
		s.Nested = e.createCollection("")
	case "content.import":
		params["space"] = e.drawSpace(live)
		return
	}
	space := e.drawSpace(nil)
	s.Handbook, params["space"] = space, space
	e.drawPages(s, "/v1/spaces/"+space)
	e.drawGrant(row, "/v1/spaces/"+space, params)
	if strings.HasPrefix(row.Name, "comments.") || strings.HasPrefix(row.Name, "replies.") {
		e.drawComment(row, "/v1/spaces/"+space, s.Pages["Start"], params)
	}
	if row.Name == "revisions.rollback" {
		params["revision"] = e.drawOldRevision(space, s)
	}
}

// drawOldRevision returns a revision of a space other than the current one.
func (e *randomWorld) drawOldRevision(space string, s *servertest.Sample) string {
	e.T.Helper()
	now := servertest.Do(e.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
	r := e.Request("admin", space, e.uniqueText("Change"))
	e.Edit("admin", r, servertest.Update(s.Pages["Start"], e.uniqueText("Other words")+".\n"))
	e.Merge("admin", r)
	return now
}

// drawComment draws a comment and one of its replies in a space or change request, given its address.
func (e *randomWorld) drawComment(row api.Row, at, page string, params map[string]string) {
	e.T.Helper()
	make := func(path string, body any) func() string {
		return func() string {
			var made struct {
				ID string `json:"id"`
			}
			a := e.Raw("admin", http.MethodPost, path, body)
			if json.Unmarshal(a.Body, &made) != nil || made.ID == "" {
				e.T.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
			}
			return made.ID
		}
	}
	comments := at + "/comments"
	if !slices.Contains(servertest.Subjects(row), "comment") {
		return
	}
	said := map[string]any{"body": servertest.Says(e.uniqueText("Comment"))}
	if e.random.IntN(2) == 0 {
		said["page"] = page
	}
	params["comment"] = e.drawItem(comments+"?limit=1000", writtenBy(e.Users["admin"].ID), make(comments, said))
	if slices.Contains(servertest.Subjects(row), "reply") {
		replies := comments + "/" + params["comment"] + "/replies"
		params["reply"] = e.drawItem(replies+"?limit=1000", writtenBy(e.Users["admin"].ID), make(replies, map[string]any{"body": servertest.Says(e.uniqueText("Reply"))}))
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
func (e *randomWorld) drawRequest(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	space := e.drawSpace(nil)
	s.Handbook, params["space"] = space, space
	at := "/v1/spaces/" + space
	unfinished := func(item map[string]any) bool { return item["status"] == "draft" || item["status"] == "open" }
	if row.Name == "change-requests.update" {
		unfinished = func(item map[string]any) bool { return item["status"] != "merged" }
	}
	made := func() string {
		r := e.Request("admin", space, e.uniqueText("Change"))
		e.Edit("admin", r, servertest.Insert(e.uniqueText("Page"), "", "# A page\n\nOf some "+e.uniqueText("text")+".\n"))
		return r.ID
	}
	id := e.drawItem(at+"/change-requests?limit=1000", unfinished, made)
	if row.Name == "change-requests.merge" && e.random.IntN(2) == 0 {
		id = made()
	}
	params["changeRequest"] = id
	at += "/change-requests/" + id
	r := servertest.Do(e.World, "admin", api.GetChangeRequest, api.ChangeRequestRef{Space: space, ChangeRequest: id})
	s.Request = r
	if len(e.pageIDs(at)) == 0 {
		e.Edit("admin", r, servertest.Insert(e.uniqueText("Page"), "", "# A page\n"))
		s.Request = servertest.Do(e.World, "admin", api.GetChangeRequest, servertest.Ref(r))
	}
	e.drawPages(s, at)
	if strings.HasPrefix(row.Name, "change-request-") {
		e.drawComment(row, at, s.Pages["Start"], params)
	}
	if row.Name == "change-requests.remove-reviewer" {
		servertest.Try(e.World, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: servertest.Ref(r), Body: api.ReviewRequest{Users: []string{e.Users["reviewer"].ID}}})
	}
}

// createCollection creates a collection.
func (e *randomWorld) createCollection(parent string) string {
	e.T.Helper()
	return servertest.Do(e.World, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: e.Org, Body: api.CollectionCreate{Title: e.uniqueText("Collection"), Parent: parent},
	}).ID
}

// drawCollection draws a collection.
func (e *randomWorld) drawCollection(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	made := func() string { return e.createCollection("") }
	switch row.Name {
	case "collections.transfer", "collections.delete":
		params["collection"] = e.createCollection("")
		e.createSpace(e.createCollection(params["collection"]))
		return
	case "collections.move":
		params["collection"] = e.createCollection(e.createCollection(""))
		return
	}
	s.Guides = e.drawItem("/v1/orgs/"+e.Org+"/collections?limit=1000", nil, made)
	params["collection"] = s.Guides
	e.drawGrant(row, "/v1/collections/"+s.Guides, params)
}

// drawGrant creates a grant for rows that change or remove one.
func (e *randomWorld) drawGrant(row api.Row, at string, params map[string]string) {
	e.T.Helper()
	if !strings.Contains(row.Name, "-permissions.") {
		return
	}
	params["team"] = e.drawTeam()
	if !strings.HasSuffix(row.Name, ".create") {
		e.Raw("admin", http.MethodPost, at+"/permissions", api.PermissionCreate{
			Role: new(api.RoleEdit), Users: []string{e.Users["reviewer"].ID}, Teams: []string{params["team"]},
		})
	}
}

// drawTeam draws a team.
func (e *randomWorld) drawTeam() string {
	e.T.Helper()
	return e.drawItem("/v1/orgs/"+e.Org+"/teams?limit=1000", nil, func() string { return e.NewTeam("reviewer").ID })
}
