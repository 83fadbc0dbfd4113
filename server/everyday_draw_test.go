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

// draw makes a request of a row: its sample request, of things that are drawn from what there is.
func (e *everyday) draw(row api.Row) (as, path string, body any) {
	e.T.Helper()
	s, params := *e.base, map[string]string{}
	s.Pages = maps.Clone(e.base.Pages)
	as = "admin"
	names := servertest.Subjects(row)
	if strings.HasPrefix(row.Name, "transfers.") { // each is done with once
		s.Given, s.Asked = e.GivenAway(e.new("Given")), e.GivenAway(e.new("Asked"))
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
	maps.Copy(params, onlyNew(in.Params, params))
	return as, e.PathWith(row, &s, params), e.vary(row, in.Body)
}

// onlyNew are the parameters that were not drawn.
func onlyNew(params, drawn map[string]string) map[string]string {
	params = maps.Clone(params)
	maps.DeleteFunc(params, func(name, _ string) bool { _, known := drawn[name]; return known })
	return params
}

// vary makes what has to be new in a body so.
func (e *everyday) vary(row api.Row, body any) any {
	e.T.Helper()
	if body == nil {
		return nil
	}
	data, err := json.Marshal(body)
	e.Must(err)
	text := string(data)
	for _, word := range []string{`"Renamed"`, `"New"`, `"Another"`, `"other"`, `"book"`, `"Newcomer"`} {
		text = strings.ReplaceAll(text, word, `"`+strings.ReplaceAll(e.new(strings.Trim(word, `"`)), " ", "-")+`"`)
	}
	switch row.Name {
	case "invites.create":
		text = strings.ReplaceAll(text, "another@", strings.ReplaceAll(e.new("another"), " ", "-")+"@")
	case "organizations.update":
		text = strings.ReplaceAll(text, `"acme"`, `"`+strings.ReplaceAll(e.new("acme"), " ", "-")+`"`)
	case "comments.update", "change-request-comments.update":
		text = []string{`{"resolved":true}`, `{"resolved":false}`, `{"addedReactions":["👍"]}`, `{"removedReactions":["👍"]}`}[e.random.IntN(4)]
	case "change-requests.update":
		text = []string{text, text, `{"status":"archived"}`, `{"status":"open"}`, `{"status":"draft"}`}[e.random.IntN(5)]
	case "change-request-content.edit":
		text = strings.ReplaceAll(text, "Use the other package", e.new("Use the package of day"))
	case "spaces.update":
		text = []string{text, `{"editMode":"live"}`, `{"editMode":"locked"}`, `{"defaultLevel":"read"}`, `{"defaultLevel":null}`, `{"defaultLevel":"inherit"}`}[e.random.IntN(6)]
	}
	return []byte(text)
}

// aSpace draws a space that has pages.
func (e *everyday) aSpace(fits func(map[string]any) bool) string {
	e.T.Helper()
	if e.random.IntN(20) == 0 {
		return e.madeSpace("")
	}
	return e.one("/v1/orgs/"+e.Org+"/spaces?limit=100", func(item map[string]any) bool {
		return (fits == nil || fits(item)) && len(e.pageIDs("/v1/spaces/"+item["id"].(string))) > 0
	}, func() string { return e.madeSpace("") })
}

// madeSpace makes a space with pages that speak of each other.
func (e *everyday) madeSpace(parent string) string {
	e.T.Helper()
	space := e.Space(e.new("Space"), parent, api.EditLive)
	r := e.Request("creator", space, "Pages")
	e.Edit("creator", r,
		servertest.Named("start", servertest.Insert("Start", "", "# Start\n\nSee [usage](usage.md).\n")), servertest.Insert("Usage", "start", servertest.UsageText),
		servertest.InsertReusable("Note", "A note.\n"), servertest.SetVariables("", "product", "Lamp"))
	e.Merge("admin", r)
	return space
}

// pageIDs are the pages of a space or a change request, by its address.
func (e *everyday) pageIDs(at string) (ids []string) {
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

// drawPages gives the titles of the sample pages of a space or a change request.
func (e *everyday) drawPages(s *servertest.Sample, at string) {
	e.T.Helper()
	ids := e.pageIDs(at)
	for title := range s.Pages {
		s.Pages[title] = ids[e.random.IntN(len(ids))]
	}
	s.RequestPage = ids[0]
}

// drawInSpace draws what rows below a space speak of.
func (e *everyday) drawInSpace(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	live := func(item map[string]any) bool { return item["editMode"] == string(api.EditLive) }
	switch row.Name {
	case "spaces.transfer":
		params["space"] = e.madeSpace("")
		return
	case "spaces.restore":
		params["space"] = e.madeSpace("")
		servertest.Do(e.World, "admin", api.DeleteSpace, api.SpaceRef{Space: params["space"]})
		return
	case "spaces.move":
		s.Nested = e.madeCollection("")
	case "content.import":
		params["space"] = e.aSpace(live)
		return
	}
	space := e.aSpace(nil)
	s.Handbook, params["space"] = space, space
	e.drawPages(s, "/v1/spaces/"+space)
	e.drawGrant(row, "/v1/spaces/"+space, params)
	if strings.HasPrefix(row.Name, "comments.") || strings.HasPrefix(row.Name, "replies.") {
		e.drawComment(row, "/v1/spaces/"+space, s.Pages["Start"], params)
	}
	if row.Name == "revisions.rollback" {
		params["revision"] = e.earlier(space, s)
	}
}

// earlier is a revision of a space that is not what it has now.
func (e *everyday) earlier(space string, s *servertest.Sample) string {
	e.T.Helper()
	now := servertest.Do(e.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
	r := e.Request("admin", space, e.new("Change"))
	e.Edit("admin", r, servertest.Update(s.Pages["Start"], e.new("Other words")+".\n"))
	e.Merge("admin", r)
	return now
}

// drawComment draws a comment and a reply to it, of a space or a change request by its address.
func (e *everyday) drawComment(row api.Row, at, page string, params map[string]string) {
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
	said := map[string]any{"body": servertest.Says(e.new("Comment"))}
	if e.random.IntN(2) == 0 {
		said["page"] = page
	}
	params["comment"] = e.one(comments+"?limit=1000", mine(e.Users["admin"].ID), make(comments, said))
	if slices.Contains(servertest.Subjects(row), "reply") {
		replies := comments + "/" + params["comment"] + "/replies"
		params["reply"] = e.one(replies+"?limit=1000", mine(e.Users["admin"].ID), make(replies, map[string]any{"body": servertest.Says(e.new("Reply"))}))
	}
}

// mine lets through what a user has written.
func mine(user string) func(map[string]any) bool {
	return func(item map[string]any) bool {
		by, _ := item["postedBy"].(map[string]any)
		return by["id"] == user
	}
}

// drawRequest draws a change request that is not finished, and what rows below it speak of.
func (e *everyday) drawRequest(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	space := e.aSpace(nil)
	s.Handbook, params["space"] = space, space
	at := "/v1/spaces/" + space
	unfinished := func(item map[string]any) bool { return item["status"] == "draft" || item["status"] == "open" }
	if row.Name == "change-requests.update" {
		unfinished = func(item map[string]any) bool { return item["status"] != "merged" }
	}
	made := func() string {
		r := e.Request("admin", space, e.new("Change"))
		e.Edit("admin", r, servertest.Insert(e.new("Page"), "", "# A page\n\nOf some "+e.new("text")+".\n"))
		return r.ID
	}
	id := e.one(at+"/change-requests?limit=1000", unfinished, made)
	if row.Name == "change-requests.merge" && e.random.IntN(2) == 0 {
		id = made()
	}
	params["changeRequest"] = id
	at += "/change-requests/" + id
	r := servertest.Do(e.World, "admin", api.GetChangeRequest, api.ChangeRequestRef{Space: space, ChangeRequest: id})
	s.Request = r
	if len(e.pageIDs(at)) == 0 {
		e.Edit("admin", r, servertest.Insert(e.new("Page"), "", "# A page\n"))
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

// madeCollection makes a collection.
func (e *everyday) madeCollection(parent string) string {
	e.T.Helper()
	return servertest.Do(e.World, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: e.Org, Body: api.CollectionCreate{Title: e.new("Collection"), Parent: parent},
	}).ID
}

// drawCollection draws a collection.
func (e *everyday) drawCollection(row api.Row, s *servertest.Sample, params map[string]string) {
	e.T.Helper()
	made := func() string { return e.madeCollection("") }
	switch row.Name {
	case "collections.transfer", "collections.delete":
		params["collection"] = e.madeCollection("")
		e.madeSpace(e.madeCollection(params["collection"]))
		return
	case "collections.move":
		params["collection"] = e.madeCollection(e.madeCollection(""))
		return
	}
	s.Guides = e.one("/v1/orgs/"+e.Org+"/collections?limit=1000", nil, made)
	params["collection"] = s.Guides
	e.drawGrant(row, "/v1/collections/"+s.Guides, params)
}

// drawGrant sees to a grant where a row changes or removes one.
func (e *everyday) drawGrant(row api.Row, at string, params map[string]string) {
	e.T.Helper()
	if !strings.Contains(row.Name, "-permissions.") {
		return
	}
	params["team"] = e.aTeam()
	if !strings.HasSuffix(row.Name, ".create") {
		e.Raw("admin", http.MethodPost, at+"/permissions", api.PermissionCreate{
			Role: new(api.RoleEdit), Users: []string{e.Users["reviewer"].ID}, Teams: []string{params["team"]},
		})
	}
}

// aTeam draws a team.
func (e *everyday) aTeam() string {
	e.T.Helper()
	return e.one("/v1/orgs/"+e.Org+"/teams?limit=1000", nil, func() string { return e.NewTeam("reviewer").ID })
}
