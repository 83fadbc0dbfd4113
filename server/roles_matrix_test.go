package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Who may do what, written down by hand: the least role, on what it is measured, and a request that is answered with
// a success by everybody who has it. Everything that writes is a dry run, so that each request meets the same state.
const (
	anyUser = "any user" // with a valid token
	member  = "member"   // of the organization, guests included
)

// ids are what the requests of the matrix are about.
type ids struct{ org, collection, space, trashed, request, page, file, comment, reply, reviewer string }

// permission is one line of the matrix. The path is below /v1; {x} stands for an id.
type permission struct {
	method, path, body string
	least              string
}

var matrix = []permission{
	{"GET", "/user", "", anyUser},
	{"GET", "/user/tokens", "", anyUser},
	{"POST", "/user/tokens", `{"name":"x"}`, anyUser},
	{"GET", "/orgs", "", anyUser},
	{"POST", "/orgs", `{"title":"Mine"}`, anyUser},
	{"GET", "/orgs/{org}", "", member},

	{"GET", "/orgs/{org}/collections", "", member},
	{"POST", "/orgs/{org}/collections", `{"title":"x"}`, "create"},
	{"GET", "/collections/{collection}", "", "read"},
	{"PATCH", "/collections/{collection}", `{"title":"x"}`, "create"},
	{"DELETE", "/collections/{collection}", "", "create"},
	{"GET", "/collections/{collection}/spaces", "", "read"},
	{"POST", "/collections/{collection}/move", `{"position":{}}`, "create"},

	{"GET", "/orgs/{org}/spaces", "", member},
	{"POST", "/orgs/{org}/spaces", `{"title":"x"}`, "create"},
	{"GET", "/spaces/{space}", "", "read"},
	{"PATCH", "/spaces/{space}", `{"title":"x"}`, "create"},
	{"DELETE", "/spaces/{space}", "", "create"},
	{"POST", "/spaces/{trashed}/restore", "", "create"},
	{"POST", "/spaces/{space}/move", `{"parent":null}`, "create"},

	{"GET", "/spaces/{space}/content", "", "read"},
	{"GET", "/spaces/{space}/content/pages", "", "read"},
	{"GET", "/spaces/{space}/content/files", "", "read"},
	{"GET", "/spaces/{space}/content/files/{file}", "", "read"},
	{"GET", "/spaces/{space}/content/page/{page}", "", "read"},
	{"GET", "/spaces/{space}/content/path/page", "", "read"},
	{"POST", "/spaces/{space}/content/import", `{"url":"https://example.com/a.md","source":"markdown"}`, "edit"},

	{"GET", "/spaces/{space}/change-requests", "", "comment"},
	{"POST", "/spaces/{space}/change-requests", `{}`, "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}", "", "comment"},
	{"PATCH", "/spaces/{space}/change-requests/{request}", `{"subject":"x"}`, "edit"},
	{"POST", "/spaces/{space}/change-requests/{request}/merge", "", "review"},
	{"POST", "/spaces/{space}/change-requests/{request}/update", "", "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}/requested-reviewers", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/requested-reviewers", `{"users":["{reviewer}"]}`, "edit"},
	{"DELETE", "/spaces/{space}/change-requests/{request}/requested-reviewers/{reviewer}", "", "edit"},

	{"GET", "/spaces/{space}/change-requests/{request}/content", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/content", `{"changes":[{"operation":"insert_page","title":"x"}]}`, "edit"},
	{"POST", "/spaces/{space}/change-requests/{request}/content/import", `{"url":"https://example.com/a.md","source":"markdown"}`, "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/pages", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/files", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/files/{file}", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/page/{page}", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/path/page", "", "comment"},

	{"GET", "/spaces/{space}/comments", "", "comment"},
	{"POST", "/spaces/{space}/comments", `{"body":{"markdown":"x"}}`, "comment"},
	{"GET", "/spaces/{space}/comments/{comment}", "", "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"addedReactions":["👍"]}`, "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"resolved":true}`, "edit"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"body":{"markdown":"other"}}`, "author"},
	{"DELETE", "/spaces/{space}/comments/{comment}", "", "create"},
	{"GET", "/spaces/{space}/comments/{comment}/replies", "", "comment"},
	{"POST", "/spaces/{space}/comments/{comment}/replies", `{"body":{"markdown":"x"}}`, "comment"},
	{"GET", "/spaces/{space}/comments/{comment}/replies/{reply}", "", "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}/replies/{reply}", `{"addedReactions":["👍"]}`, "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}/replies/{reply}", `{"body":{"markdown":"other"}}`, "author"},
	{"DELETE", "/spaces/{space}/comments/{comment}/replies/{reply}", "", "create"},
}

// powers are what each person has: everything up to their own role. The author is the admin.
var powers = map[string][]string{
	"admin":     {anyUser, member, "read", "comment", "edit", "review", "create", "admin", "author"},
	"creator":   {anyUser, member, "read", "comment", "edit", "review", "create"},
	"reviewer":  {anyUser, member, "read", "comment", "edit", "review"},
	"editor":    {anyUser, member, "read", "comment", "edit"},
	"commenter": {anyUser, member, "read", "comment"},
	"reader":    {anyUser, member, "read"},
	"guest":     {anyUser, member},
	"stranger":  {anyUser},
}

func TestRoles(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		at := w.matrixIDs()
		for _, p := range matrix {
			for who, has := range powers {
				w.checkPermission(t, p, at, who, contains(has, p.least))
			}
			equal(t, p.method+" "+p.path+" without a token", http.StatusUnauthorized, w.ask("", p, at).Status)
			want := http.StatusForbidden
			if p.method == http.MethodGet {
				want = http.StatusOK
			}
			equal(t, p.method+" "+p.path+" with a token for reading", want, w.ask(adminReading, p, at).Status)
		}
	})
}

func contains(list []string, wanted string) bool {
	return strings.Contains("\x00"+strings.Join(list, "\x00")+"\x00", "\x00"+wanted+"\x00")
}

// checkPermission holds one answer against the matrix: a success, a 403 for who sees the thing, or the very answer
// that a missing thing has.
func (w *world) checkPermission(t *testing.T, p permission, at ids, who string, may bool) {
	t.Helper()
	a := w.ask(who, p, at)
	sees := contains(powers[who], "read") && !strings.Contains(p.path, "{trashed}") || contains(powers[who], member) && strings.HasPrefix(p.path, "/orgs/")
	switch {
	case may && a.Status >= 300:
		t.Errorf("%s %s as %s: %d %s, want a success", p.method, p.path, who, a.Status, a.Body)
	case !may && sees && a.Status != http.StatusForbidden:
		t.Errorf("%s %s as %s: %d %s, want 403", p.method, p.path, who, a.Status, a.Body)
	case !may && !sees:
		if absent := w.ask(who, p, at.missing()); a.Status != http.StatusNotFound || said(a) != said(absent) {
			t.Errorf("%s %s as %s: %d %s, a missing one answers %d %s", p.method, p.path, who, a.Status, said(a), absent.Status, said(absent))
		}
	}
}

// said is an error's body but for the id of the request.
func said(a answer) string {
	e := a.Error()
	e.RequestID = ""
	data, _ := json.Marshal(e)
	return string(data)
}

// missing are ids of the same form that lead nowhere.
func (at ids) missing() ids {
	for _, id := range []*string{&at.org, &at.collection, &at.space, &at.trashed} {
		*id = elsewhere(*id)
	}
	return at
}

// elsewhere is an id of the same form that leads nowhere.
func elsewhere(id string) string { return id[:len(id)-5] + "zzzzz" }

// ask sends the request of a line of the matrix.
func (w *world) ask(as string, p permission, at ids) answer {
	w.t.Helper()
	named := strings.NewReplacer("{org}", at.org, "{collection}", at.collection, "{space}", at.space, "{trashed}", at.trashed,
		"{request}", at.request, "{page}", at.page, "{file}", at.file, "{comment}", at.comment, "{reply}", at.reply, "{reviewer}", at.reviewer)
	path := "/v1" + named.Replace(p.path)
	if p.method != http.MethodGet {
		path += "?dryRun=true"
	}
	if p.body == "" {
		return w.raw(as, p.method, path, nil)
	}
	return w.raw(as, p.method, path, []byte(named.Replace(p.body)))
}

// matrixIDs makes one of everything, by the admin.
func (w *world) matrixIDs() ids {
	w.t.Helper()
	w.web["https://example.com/a.md"] = "# A\n"
	w.newSpaceIn("Before", "") // a collection and a space can be moved behind their siblings
	at := ids{org: w.org, collection: w.newCollection("Books", "").ID, reviewer: w.users["reviewer"].ID}
	at.space = w.newSpaceIn("Docs", at.collection).ID
	do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: at.space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)}})
	at.trashed = w.newSpaceIn("Old", "").ID
	do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: at.trashed})
	first := w.newRequest("admin", at.space)
	made := w.change(first, newPage("Page", "x\n"), api.ContentChange{
		Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f", ContentType: "text/plain", Base64: "aGk="}},
	})
	at.page, at.file = made.Changes[0].Page.ID, made.InsertedFiles[0].File.ID
	w.merged(first)
	second := w.newRequest("admin", at.space)
	at.request = second.ChangeRequest
	w.change(second, newPage("Other", "y\n"))
	do(w, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: second, Body: api.ReviewRequest{Users: []string{at.reviewer}}})
	comment := do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: at.space, Body: api.CommentCreate{Body: says("?")}})
	at.comment = comment.ID
	at.reply = do(w, "admin", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: at.space, Comment: at.comment}, Body: api.ReplyCreate{Body: says("!")},
	}).ID
	w.newCollection("Last", "")
	return at
}

// Every operation that the server has is in the matrix, or is one that everybody may call for themselves.
func TestRolesAreComplete(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, p := range matrix {
		have[p.method+" "+unnamed("/v1"+p.path)] = true
	}
	for _, row := range api.Rows() {
		path := strings.Replace(row.Path, "/change-requests/{changeRequest}/comments", "/comments", 1)
		if key := row.Method + " " + unnamed(path); !have[key] && row.Name != api.DeleteToken.Name {
			t.Errorf("%s (%s) is not in the matrix", row.Name, key)
		}
	}
}

// unnamed is a path without the names of its parameters.
func unnamed(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") || i > 0 && segments[i-1] == "path" {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
