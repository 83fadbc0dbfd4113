package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// The matrix is a hand-made list of permissions (docs/decisions.md#roles) for comparison with the server: the least
// role, and a request that succeeds for everybody who has it. Writes are dry runs, so that all requests see the same
// state.
const (
	anyone  = "anyone"   // includes requests without a token
	anyUser = "any user" // with a valid token
	member  = "member"   // of the organization, guests included
)

// ids holds the objects of the requests of the matrix.
type ids struct {
	org, other, collection, space, trashed, request, page, file, comment, reply, reviewer, translation, spec, version string
	reusable                                                                                                          string
	site, section, group, siteSpace, link                                                                             string

	more map[string]string // further objects by name
}

// permission is a line of the matrix. The path is relative to /v1; {x} is replaced by an id.
type permission struct {
	method, path, body string
	role               string
}

var matrix = []permission{
	{"GET", "/", "", anyone},
	{"GET", "/user", "", anyUser},
	{"GET", "/user/tokens", "", anyUser},
	{"POST", "/user/tokens", `{"name":"x"}`, anyUser},
	{"GET", "/users/{commenter}", "", member}, // the guest is a regular member of the other organization
	{"PATCH", "/users/{self}", `{"displayName":"x"}`, "self"},
	{"GET", "/orgs", "", anyUser},
	{"POST", "/orgs", `{"title":"Mine"}`, anyUser},
	{"GET", "/orgs/{org}", "", member},
	{"GET", "/orgs/{org}/search?query=page", "", member},

	{"PATCH", "/orgs/{org}", `{"title":"Renamed"}`, "admin"},
	{"POST", "/orgs/{org}/join", "", anyUser},
	{"DELETE", "/orgs/{spare}?title=Spare", "", "admin"},
	{"POST", "/orgs/{gone}/restore", "", "admin"},
	{"GET", "/orgs/{org}/trash", "", member},
	{"GET", "/user/trash", "", anyUser},
	{"GET", "/email-domains/{domain}/orgs", "", anyUser},
	{"GET", "/orgs/{org}/email-domains", "", "admin"},
	{"POST", "/orgs/{org}/email-domains/{owned}/check", "", "admin"},
	{"GET", "/subdomains/{subdomain}", "", member},

	{"GET", "/orgs/{org}/members", "", "read"},
	{"GET", "/orgs/{org}/members/{reviewer}", "", "read"},
	{"PATCH", "/orgs/{org}/members/{reviewer}", `{"role":"edit"}`, "admin"},
	{"DELETE", "/orgs/{org}/members/{reviewer}", "", "admin or self"},
	{"POST", "/orgs/{org}/ping", "", member},
	{"POST", "/orgs/{org}/members/{reviewer}/sso", "", "admin"},
	{"GET", "/orgs/{org}/members/{reviewer}/spaces", "", "admin or self"},
	{"GET", "/orgs/{org}/members/{reviewer}/teams", "", "admin or self"},

	{"GET", "/orgs/{org}/invites", "", "admin"},
	{"POST", "/orgs/{org}/invites", `{"emails":["x@elsewhere.example"]}`, "admin"},
	{"DELETE", "/orgs/{org}/invites/{invite}", "", "admin"},
	{"POST", "/invites/accept", `{"secret":"{secret}"}`, anyone},
	{"POST", "/orgs/{org}/invites/{linkSecret}", "", anyUser},

	{"GET", "/orgs/{org}/link-invites", "", member},
	{"POST", "/orgs/{org}/link-invites", `{"role":"edit"}`, "admin"},
	{"GET", "/orgs/{org}/link-invites/{linkInvite}", "", "admin"},
	{"PATCH", "/orgs/{org}/link-invites/{linkInvite}", `{"role":"read"}`, "admin"},
	{"DELETE", "/orgs/{org}/link-invites/{linkInvite}", "", "admin"},
	{"GET", "/orgs/{org}/link-invites/{spaceInvite}", "", "create"},
	{"PATCH", "/orgs/{org}/link-invites/{spaceInvite}", `{"level":"read"}`, "create"},
	{"DELETE", "/orgs/{org}/link-invites/{spaceInvite}", "", "create"},
	{"POST", "/invites/accept", `{"secret":"{linkSecret}","displayName":"x"}`, anyone},

	{"GET", "/orgs/{org}/teams", "", "read"},
	{"PUT", "/orgs/{org}/teams", `{"title":"x"}`, "admin"},
	{"GET", "/orgs/{org}/teams/{team}", "", "read"},
	{"PATCH", "/orgs/{org}/teams/{team}", `{"title":"x"}`, "admin"},
	{"DELETE", "/orgs/{org}/teams/{team}", "", "admin"},
	{"GET", "/orgs/{org}/teams/{team}/members", "", "read"},
	{"PUT", "/orgs/{org}/teams/{team}/members", `{"add":["{reviewer}"]}`, "admin"},
	{"PUT", "/orgs/{org}/teams/{team}/members/{reviewer}", "", "admin"},
	{"DELETE", "/orgs/{org}/teams/{team}/members/{reviewer}", "", "admin"},

	{"GET", "/collections/{collection}/permissions/aggregate", "", "create"},
	{"POST", "/collections/{collection}/permissions", `{"role":"read","users":["{reviewer}"]}`, "create"},
	{"GET", "/collections/{collection}/permissions/users", "", "create"},
	{"PATCH", "/collections/{collection}/permissions/users/{commenter}", `{"role":"read"}`, "create"},
	{"DELETE", "/collections/{collection}/permissions/users/{commenter}", "", "create"},
	{"GET", "/collections/{collection}/permissions/teams", "", "create"},
	{"PATCH", "/collections/{collection}/permissions/teams/{team}", `{"role":"read"}`, "create"},
	{"DELETE", "/collections/{collection}/permissions/teams/{team}", "", "create"},
	{"GET", "/spaces/{space}/permissions/aggregate", "", "create"},
	{"POST", "/spaces/{space}/permissions", `{"role":"read","users":["{reviewer}"]}`, "create"},
	{"GET", "/spaces/{space}/permissions/users", "", "create"},
	{"PATCH", "/spaces/{space}/permissions/users/{commenter}", `{"role":"read"}`, "create"},
	{"DELETE", "/spaces/{space}/permissions/users/{commenter}", "", "create"},
	{"GET", "/spaces/{space}/permissions/teams", "", "create"},
	{"PATCH", "/spaces/{space}/permissions/teams/{team}", `{"role":"read"}`, "create"},
	{"DELETE", "/spaces/{space}/permissions/teams/{team}", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/permissions/aggregate", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/permissions", `{"role":"read","users":["{reviewer}"]}`, "create"},
	{"GET", "/orgs/{org}/sites/{site}/permissions/users", "", "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/permissions/users/{commenter}", `{"role":"read"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/permissions/users/{commenter}", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/permissions/teams", "", "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/permissions/teams/{team}", `{"role":"read"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/permissions/teams/{team}", "", "create"},

	{"GET", "/orgs/{org}/transfers", "", "admin"},
	{"GET", "/orgs/{org}/transfers/{given}", "", "admin"},
	{"POST", "/orgs/{org}/transfers/{given}/take-back", "", "admin"},
	{"POST", "/orgs/{org}/transfers/{given}/ask", "", "admin"},
	{"POST", "/orgs/{org}/transfers/{given}/copy", "", "admin"},
	{"POST", "/orgs/{org}/transfers/{taken}/agree", "", "admin"},
	{"POST", "/orgs/{org}/transfers/{taken}/refuse", "", "admin"},

	{"GET", "/orgs/{org}/saml", "", "admin"},
	{"POST", "/orgs/{org}/saml", `{"label":"x"}`, "admin"},
	{"GET", "/orgs/{org}/saml/{provider}", "", "admin"},
	{"PATCH", "/orgs/{org}/saml/{provider}", `{"label":"x"}`, "admin"},
	{"DELETE", "/orgs/{org}/saml/{provider}", "", "admin"},
	{"GET", "/orgs/{org}/sso", "", anyone},

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
	{"POST", "/spaces/{space}/duplicate", "", "create"},
	{"POST", "/spaces/{space}/transfer", `{"organization":"{other}"}`, "admin"}, // in the organization of the space; create in the other one
	{"POST", "/collections/{collection}/transfer", `{"organization":"{other}"}`, "admin"},
	{"POST", "/spaces/{trashed}/restore", "", "create"},
	{"POST", "/collections/{trashedCollection}/restore", "", "create"},
	{"POST", "/spaces/{space}/move", `{"parent":null}`, "create"},

	{"GET", "/spaces/{space}/content", "", "read"},
	{"GET", "/spaces/{space}/content/pages", "", "read"},
	{"GET", "/spaces/{space}/content/files", "", "read"},
	{"GET", "/spaces/{space}/content/files/{file}", "", "read"},
	{"GET", "/spaces/{space}/content/reusable-contents/{reusable}", "", "read"},
	{"GET", "/spaces/{space}/content/page/{page}", "", "read"},
	{"GET", "/spaces/{space}/links", "", "read"},
	{"GET", "/spaces/{space}/search?query=page", "", "read"},
	{"GET", "/spaces/{space}/content/files/{file}/backlinks", "", "read"},
	{"GET", "/spaces/{space}/content/page/{page}/links", "", "read"},
	{"GET", "/spaces/{space}/content/page/{page}/meta-links", "", "read"},
	{"GET", "/spaces/{space}/documents/{document}", "", "read"},
	{"GET", "/urls/content?url=" + servertest.PublicURL + "/v1/spaces/{space}/content/page/{page}", "", "read"},
	{"GET", "/spaces/{space}/content/path/page", "", "read"},
	{"POST", "/spaces/{space}/content/import", `{"url":"https://example.com/a.md","source":"markdown"}`, "edit"},
	{"GET", "/spaces/{space}/sources", "", "read"},

	{"GET", "/orgs/{org}/change-requests", "", member},
	{"GET", "/orgs/{org}/change-requests/counts", "", member},
	{"GET", "/spaces/{space}/change-requests", "", "comment"},
	{"POST", "/spaces/{space}/change-requests", `{}`, "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}", "", "comment"},
	{"PATCH", "/spaces/{space}/change-requests/{request}", `{"subject":"x"}`, "edit"},
	{"POST", "/spaces/{space}/change-requests/{request}/merge", "", "review"},
	{"POST", "/spaces/{space}/change-requests/{request}/update", "", "edit"},
	{"POST", "/spaces/{space}/change-requests/{request}/apply-suggestions", `{"revision":"{suggestedOn}","comments":["{suggestion}"]}`, "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}/conflicts", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/mergeability", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/pdf", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/reading", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/reading", `{"lastLook":"1-1"}`, "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/timeline", "", "comment"},
	{"GET", "/orgs/{org}/change-requests/saved-queries", "", member},
	{"PUT", "/orgs/{org}/change-requests/saved-queries", `{"queries":[]}`, member},
	{"GET", "/spaces/{space}/change-requests/{request}/changes", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/diff", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/changes", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/diff", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/contributors", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/commenters", "", "comment"},
	{"GET", "/spaces/{space}/commenters", "", "comment"},
	{"GET", "/spaces/{space}/pdf", "", "read"},
	{"GET", "/spaces/{space}/change-requests/{request}/requested-reviewers", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/requested-reviewers", `{"users":["{reviewer}"]}`, "edit"},
	{"DELETE", "/spaces/{space}/change-requests/{request}/requested-reviewers/{reviewer}", "", "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}/reviews", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/reviews", `{"status":"approved"}`, "review"},
	{"GET", "/spaces/{space}/change-requests/{request}/reviews/{review}", "", "comment"},
	{"PUT", "/spaces/{space}/change-requests/{request}/submissions/{submission}", `{"comment":{"markdown":"x"}}`, "comment"},
	{"PUT", "/spaces/{space}/change-requests/{request}/submissions/{verdict}", `{"status":"approved"}`, "review"},

	{"GET", "/spaces/{space}/change-requests/{request}/content", "", "comment"},
	{"POST", "/spaces/{space}/change-requests/{request}/content", `{"changes":[{"operation":"insert_page","title":"x"}]}`, "edit"},
	{"POST", "/spaces/{space}/change-requests/{request}/content/import", `{"url":"https://example.com/a.md","source":"markdown"}`, "edit"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/pages", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/files", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/files/{file}", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/reusable-contents/{reusable}", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/page/{page}", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/files/{file}/backlinks", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/page/{page}/links", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/page/{page}/meta-links", "", "comment"},
	{"GET", "/spaces/{space}/change-requests/{request}/content/path/page", "", "comment"},

	{"GET", "/spaces/{space}/comments", "", "comment"},
	{"POST", "/spaces/{space}/comments", `{"body":{"markdown":"x"}}`, "comment"},
	{"GET", "/spaces/{space}/comments/{comment}", "", "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"addedReactions":["👍"]}`, "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"resolved":true}`, "edit"},
	{"PUT", "/spaces/{space}/comments/{comment}", `{"body":{"markdown":"other"}}`, "author"},
	{"GET", "/spaces/{space}/revisions", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/pages", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/page/{page}", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/path/page", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/files", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/files/{file}", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/page/{page}/document", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/page/{page}/meta-links", "", "comment"},
	{"GET", "/spaces/{space}/revisions/{revision}/reusable-contents/{reusable}/document", "", "comment"},
	{"POST", "/spaces/{space}/revisions/{first}/rollback", "", "review"},
	{"GET", "/spaces/{space}/change-requests/{request}/revisions", "", "comment"},
	{"GET", "/spaces/{space}/content/page/{page}/revisions", "", "comment"},
	{"GET", "/spaces/{space}/content/page/{page}/blame", "", "comment"},

	{"POST", "/spaces/{space}/comments/{comment}/reattach", `{"page":"{page}"}`, "edit"},
	{"DELETE", "/spaces/{space}/comments/{comment}", "", "create"},
	{"GET", "/spaces/{space}/comments/{comment}/replies", "", "comment"},
	{"POST", "/spaces/{space}/comments/{comment}/replies", `{"body":{"markdown":"x"}}`, "comment"},
	{"GET", "/spaces/{space}/comments/{comment}/replies/{reply}", "", "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}/replies/{reply}", `{"addedReactions":["👍"]}`, "comment"},
	{"PUT", "/spaces/{space}/comments/{comment}/replies/{reply}", `{"body":{"markdown":"other"}}`, "author"},
	{"DELETE", "/spaces/{space}/comments/{comment}/replies/{reply}", "", "create"},

	{"GET", "/integrations", "", anyone},
	{"GET", "/integrations/{integration}", "", "read"}, // a private one
	{"POST", "/integrations/{integration}", `{"title":"xx","description":"","script":"x","organization":"{org}"}`, "admin"},
	{"DELETE", "/integrations/{integration}", "", "admin"},
	{"GET", "/integrations/{integration}/installations", "", "read"},
	{"POST", "/integrations/{another}/installations", `{"organization":"{org}"}`, "create"},
	{"GET", "/integrations/{integration}/installations/{installation}", "", "create"},
	{"PATCH", "/integrations/{integration}/installations/{installation}", `{"externalIds":["x"]}`, "create"},
	{"DELETE", "/integrations/{integration}/installations/{installation}", "", "create"},
	{"GET", "/org/{org}/imports", "", member},
	{"POST", "/org/{org}/imports", `{"source":{"type":"website","url":"https://example.com/"},"target":{"space":"{space}"}}`, "edit"},
	{"GET", "/org/{org}/imports/{run}", "", "edit"},
	{"POST", "/org/{org}/imports/{run}/cancel", "", "edit"},
	{"POST", "/integrations/{integration}/installations/{installation}/tokens", "", "admin"},
	{"GET", "/integrations/{integration}/installations/{installation}/spaces", "", "create"},
	{"POST", "/integrations/{integration}/installations/{installation}/spaces", `{"space":"{space}"}`, "create"},
	{"GET", "/integrations/{integration}/installations/{installation}/spaces/{space}", "", "create"},
	{"PATCH", "/integrations/{integration}/installations/{installation}/spaces/{space}", `{"externalIds":["x"]}`, "create"},
	{"DELETE", "/integrations/{integration}/installations/{installation}/spaces/{space}", "", "create"},
	{"GET", "/integrations/{integration}/installations/{installation}/sites", "", "create"},
	{"POST", "/integrations/{integration}/installations/{installation}/sites", `{"siteId":"{site}"}`, "create"},
	{"GET", "/integrations/{integration}/installations/{installation}/sites/{site}", "", "create"},
	{"PATCH", "/integrations/{integration}/installations/{installation}/sites/{site}", `{"externalIds":["x"]}`, "create"},
	{"DELETE", "/integrations/{integration}/installations/{installation}/sites/{site}", "", "create"},
	{"GET", "/orgs/{org}/openapi", "", "read"},
	{"POST", "/orgs/{org}/openapi", `{"slug":"x","source":{"text":"x"}}`, "create"},
	{"GET", "/orgs/{org}/openapi/{spec}", "", "read"},
	{"PUT", "/orgs/{org}/openapi/{spec}", `{"source":{"text":"x"}}`, "create"},
	{"PATCH", "/orgs/{org}/openapi/{spec}", `{"visibility":"public"}`, "create"},
	{"DELETE", "/orgs/{org}/openapi/{spec}", "", "create"},
	{"GET", "/orgs/{org}/openapi/{spec}/versions", "", "read"},
	{"GET", "/orgs/{org}/openapi/{spec}/versions/latest", "", "read"},
	{"GET", "/orgs/{org}/openapi/{spec}/versions/latest/content", "", "read"},
	{"GET", "/orgs/{org}/openapi/{spec}/versions/{version}", "", "read"},
	{"GET", "/orgs/{org}/openapi/{spec}/versions/{version}/content", "", "read"},

	{"GET", "/orgs/{org}/translations", "", "admin"},
	{"POST", "/orgs/{org}/translations", `{"title":"x"}`, "admin"},
	{"GET", "/orgs/{org}/translations/{translation}", "", "admin"},
	{"PUT", "/orgs/{org}/translations/{translation}", `{"title":"x"}`, "admin"},
	{"DELETE", "/orgs/{org}/translations/{translation}", "", "admin"},
	{"PUT", "/orgs/{org}/translations/{translation}/languages/fr", "", "admin"},
	{"DELETE", "/orgs/{org}/translations/{translation}/languages/de", "", "admin"},
	{"GET", "/orgs/{org}/sites", "", member},
	{"POST", "/orgs/{org}/sites", `{"spaces":["{space}"]}`, "create"},
	{"GET", "/orgs/{org}/sites/{site}", "", "read"},
	{"PATCH", "/orgs/{org}/sites/{site}", `{"title":"New title"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/publish", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/unpublish", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/published", "", "read"},
	{"GET", "/orgs/{org}/sites/{site}/structure", "", "read"},
	{"GET", "/orgs/{org}/sites/{site}/customization", "", "read"},
	{"PUT", "/orgs/{org}/sites/{site}/customization", `{}`, "create"},
	{"POST", "/orgs/{org}/sites/{site}/search", `{"query":"usage"}`, "read"},
	{"GET", "/orgs/{org}/sites/{site}/publishing/preview", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/adaptive-schema", "", "edit"},
	{"PUT", "/orgs/{org}/sites/{site}/adaptive-schema", `{"jsonSchema":{"type":"object","properties":{},"additionalProperties":false}}`, "create"},
	{"GET", "/orgs/{org}/sites/{site}/adaptive-schema/template-conditions", "", "edit"},
	{"GET", "/orgs/{org}/sites/{site}/publishing/auth", "", "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/publishing/auth", `{"fallbackURL":"https://example.com/login"}`, "create"},
	{"POST", "/orgs/{org}/sites/{site}/publishing/auth/regenerate", "", "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/structure/sort", `{"item":{"type":"site-section","id":"{section}"},"position":{}}`, "create"},
	{"GET", "/orgs/{org}/sites/{site}/sections", "", "read"},
	{"POST", "/orgs/{org}/sites/{site}/sections", `{"spaceId":"{space}"}`, "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/sections/{section}", `{"title":"New title"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/sections/{section}", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/sections/{section}/move", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/section-groups", "", "read"},
	{"POST", "/orgs/{org}/sites/{site}/section-groups", `{"title":"x"}`, "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/section-groups/{group}", `{"title":"x"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/section-groups/{group}", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/site-spaces", "", "read"},
	{"POST", "/orgs/{org}/sites/{site}/site-spaces", `{"spaceId":"{space}","sectionId":"{section}"}`, "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/site-spaces/{siteSpace}", `{"path":"x"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/site-spaces/{siteSpace}", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/site-spaces/{siteSpace}/move", "", "create"},
	{"GET", "/orgs/{org}/sites/{site}/share-links", "", "create"},
	{"POST", "/orgs/{org}/sites/{site}/share-links", `{"name":"x"}`, "create"},
	{"PATCH", "/orgs/{org}/sites/{site}/share-links/{link}", `{"name":"x"}`, "create"},
	{"DELETE", "/orgs/{org}/sites/{site}/share-links/{link}", "", "create"},
}

// rolesOfPersons lists the roles of each person, up to their own. The author is the admin, the self the reviewer.
var rolesOfPersons = map[string][]string{
	"admin":     {anyone, anyUser, member, "read", "comment", "edit", "review", "create", "admin", "author", "admin or self"},
	"creator":   {anyone, anyUser, member, "read", "comment", "edit", "review", "create"},
	"reviewer":  {anyone, anyUser, member, "read", "comment", "edit", "review", "self", "admin or self"},
	"editor":    {anyone, anyUser, member, "read", "comment", "edit"},
	"commenter": {anyone, anyUser, member, "read", "comment"},
	"reader":    {anyone, anyUser, member, "read"},
	"guest":     {anyone, anyUser, member},
	"stranger":  {anyone, anyUser},
}

//wsd:serial
func TestRoles(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		at := matrixIDs(w, "acme")
		for _, p := range matrix {
			for who, has := range rolesOfPersons {
				checkPermission(w, t, p, at, who, contains(has, p.role))
			}
			servertest.Equal(t, p.method+" "+p.path+" without a token", p.withoutToken(), sendLine(w, "", p, at).Status)
			want := http.StatusForbidden
			if !p.changes() && p.role != "admin" && !strings.Contains(p.path, "/publishing/") {
				want = http.StatusOK
			}
			servertest.Equal(t, p.method+" "+p.path+" with a token for reading", want, sendLine(w, servertest.AdminReading, p, at).Status)
		}
	})
}

// changes reports whether the request writes. A search does not, whatever its method.
func (p permission) changes() bool {
	return p.method != http.MethodGet && !strings.HasSuffix(p.path, "/search")
}

// withoutToken returns the status of the request without a token.
func (p permission) withoutToken() int {
	if p.role == anyone {
		return http.StatusOK
	}
	return http.StatusUnauthorized
}

func contains(list []string, wanted string) bool {
	return strings.Contains("\x00"+strings.Join(list, "\x00")+"\x00", "\x00"+wanted+"\x00")
}

// checkPermission compares one answer with the matrix: a success, a 403 for those who may see the object, or exactly
// the answer for an absent object.
func checkPermission(w *servertest.World, t *testing.T, p permission, at ids, who string, may bool) {
	t.Helper()
	a := sendLine(w, who, p, at)
	sees := contains(rolesOfPersons[who], "read") && !strings.Contains(p.path, "{trashed") && !strings.Contains(p.path, "{gone}") || contains(rolesOfPersons[who], member) && (strings.HasPrefix(p.path, "/users/") || strings.HasPrefix(p.path, "/orgs/") && !strings.Contains(p.path, "{site}") && !strings.Contains(p.path, "{gone}") && !strings.Contains(p.path, "{spaceInvite}") || p.method == http.MethodPost && p.path == "/integrations/{integration}")
	switch {
	case may && a.Status >= 300:
		t.Errorf("%s %s as %s: %d %s, want a success", p.method, p.path, who, a.Status, a.Body)
	case !may && sees && a.Status != http.StatusForbidden:
		t.Errorf("%s %s as %s: %d %s, want 403", p.method, p.path, who, a.Status, a.Body)
	case !may && !sees:
		if absent := sendLine(w, who, p, at.absentIDs()); a.Status != http.StatusNotFound || errorBody(a) != errorBody(absent) {
			t.Errorf("%s %s as %s: %d %s, a missing one answers %d %s", p.method, p.path, who, a.Status, errorBody(a), absent.Status, errorBody(absent))
		}
	}
}

// errorBody returns the body of an error without the request id.
func errorBody(a servertest.Answer) string {
	e := a.Error()
	e.RequestID = ""
	data, _ := json.Marshal(e)
	return string(data)
}

// absentIDs returns ids of the same form that do not exist.
func (at ids) absentIDs() ids {
	for _, id := range []*string{&at.org, &at.collection, &at.space, &at.trashed, &at.site} {
		*id = servertest.AbsentID(*id)
	}
	at.more = maps.Clone(at.more)
	for name, id := range at.more {
		at.more[name] = servertest.AbsentID(id)
	}
	return at
}

// sendLine sends the request of a line of the matrix.
func sendLine(w *servertest.World, as string, p permission, at ids) servertest.Answer {
	w.T.Helper()
	named := strings.NewReplacer("{org}", at.org, "{other}", at.other, "{collection}", at.collection, "{space}", at.space, "{trashed}", at.trashed,
		"{request}", at.request, "{page}", at.page, "{file}", at.file, "{comment}", at.comment, "{reply}", at.reply, "{reviewer}", at.reviewer, "{translation}", at.translation, "{spec}", at.spec, "{version}", at.version,
		"{reusable}", at.reusable,
		"{site}", at.site, "{section}", at.section, "{group}", at.group, "{siteSpace}", at.siteSpace, "{link}", at.link)
	path := "/v1" + at.expandNames(named.Replace(p.path))
	if p.changes() {
		path = servertest.WithQuery(path, "dryRun=true")
	}
	if p.body == "" {
		return w.Send(as, p.method, path, nil)
	}
	return w.Send(as, p.method, path, []byte(at.expandNames(named.Replace(p.body))))
}

// expandNames replaces the names of ids in text.
func (at ids) expandNames(text string) string {
	for name, id := range at.more {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// matrixIDs creates one object of every kind as the admin. Their names in the world begin with name.
func matrixIDs(w *servertest.World, name string) ids {
	w.T.Helper()
	w.Web["https://example.com/a.md"] = "# A\n"
	w.NewSpaceIn("Before", "") // so that a collection and a space can be moved after their siblings
	at := ids{org: w.Org, other: servertest.NewOrganization(w, "Another "+name, "creator", "reviewer", "editor", "commenter", "reader", "guest"), collection: w.NewCollection("Books", "").ID, reviewer: w.Users["reviewer"].ID}
	at.space = w.NewSpaceIn("Docs", at.collection).ID
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: at.space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)}})
	at.trashed = w.NewSpaceIn("Old", "").ID
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: at.trashed})
	empty := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: at.space}).Revision
	first := w.NewRequest("admin", at.space)
	made := w.Change(first, servertest.NewPage("Page", "x\n"), api.ContentChange{
		Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f", ContentType: "text/plain", Base64: "aGk="}},
	}, servertest.InsertReusable("Note", "z\n"))
	at.reusable = made.Changes[1].ReusableContent.ID
	at.page, at.file = made.Changes[0].Page.ID, made.InsertedFiles[0].File.ID
	w.MustMerge(first)
	second := w.NewRequest("admin", at.space)
	at.request = second.ChangeRequest
	other := w.InsertPage(second, servertest.NewPage("Other", "y\n"))
	suggestion := servertest.Do(w, "admin", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: second, Body: api.CommentCreate{
		Page: other, Node: w.DraftPage(second, other).Blocks[0].ID, Suggestion: &api.SuggestionCreate{Markdown: "z"}, Body: servertest.CommentBody("z"),
	}})
	servertest.Do(w, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: second, Body: api.ReviewRequest{Users: []string{at.reviewer}}})
	review := servertest.Do(w, "admin", api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: second, Body: api.ReviewCreate{Status: api.ReviewApproved}})
	comment := servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: at.space, Body: api.CommentCreate{Body: servertest.CommentBody("?")}})
	at.comment = comment.ID
	at.reply = servertest.Do(w, "admin", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: at.space, Comment: at.comment}, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
	}).ID
	at.translation = w.NewTranslation("de").ID
	w.TrustDomains("admin", w.Org, "example.com", name+".community") // public
	servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some(name + "-docs")})
	invite := w.CreateInvite("newcomer@elsewhere.example", api.RoleEdit)
	link, spaceLink := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleEdit)}), w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: at.space})
	at.more = map[string]string{
		"first":  empty,
		"invite": invite.ID, "secret": invite.Secret, "linkInvite": link.ID, "spaceInvite": spaceLink.ID, "linkSecret": link.Secret,
		"integration": w.Publish(name+".linter", w.LinterIntegration("Linter")).Name, "another": w.Publish(name+".formatter", w.LinterIntegration("Formatter")).Name,
		"installation": w.Install(name + ".linter"), "team": w.NewTeam("reviewer").ID, "domain": "example.com", "owned": name + ".community", "self": at.reviewer, "subdomain": name + "-docs", "commenter": w.Users["commenter"].ID,
		"provider": servertest.NewSAMLProvider(w, servertest.ActiveSAMLSettings(w)).ID, "review": review.ID, "suggestion": suggestion.ID, "suggestedOn": suggestion.Target.Revision, "submission": "drafts", "verdict": "verdict",
		"revision": servertest.Do(w, "admin", api.GetChangeRequest, second).Revision,
		"document": servertest.Do(w, "admin", api.GetContentPage, api.PageInput{Space: at.space, Page: at.page}).DocumentID,
	}
	matrixTrash(w, &at)
	matrixTransfers(w, &at)
	at.spec = name + "-pets"
	at.version = servertest.NewSpec(w, at.spec, servertest.PetsText).LastVersion
	w.NewCollection("Last", "")
	matrixSite(w, &at)
	w.RestrictInstallation(at.more["integration"], at.more["installation"], at.space, at.site)
	at.more["run"] = servertest.Do(w, "admin", api.CreateImportRun, api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
		Source: api.ImportRunSource{Type: api.RunOfWebsite, URL: "https://example.com/"}, Target: api.ImportRunTarget{Space: at.space},
	}}).ID
	for _, content := range []string{at.collection, at.space} {
		servertest.GrantAccess(w, content, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{at.more["commenter"]}, Teams: []string{at.more["team"]}})
	}
	servertest.GrantAccess(w, at.site, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{at.more["commenter"]}})
	servertest.GrantAccess(w, at.site, api.PermissionCreate{Role: new(api.RoleReview), Teams: []string{at.more["team"]}})
	return at
}

// matrixTrash creates an organization to delete, a deleted one, and a deleted collection.
func matrixTrash(w *servertest.World, at *ids) {
	w.T.Helper()
	for name, title := range map[string]string{"spare": "Spare", "gone": "Gone"} {
		id := servertest.NewOrganization(w, title)
		for who, role := range servertest.People {
			w.Must(orgs.Accounts{Store: w.Store}.SetMember(w.T.Context(), id, w.Users[who], role))
		}
		at.more[name] = id
	}
	servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{OrganizationRef: api.OrganizationRef{Organization: at.more["gone"]}, Title: "Gone"})
	at.more["trashedCollection"] = w.NewCollection("Old books", "").ID
	servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: at.more["trashedCollection"]})
}

// matrixTransfers creates a transfer out of the organization, and one into it with a pending revocation.
func matrixTransfers(w *servertest.World, at *ids) {
	w.T.Helper()
	given, taken := w.NewSpaceIn("Given", "").ID, w.NewSpaceIn("Taken", "").ID
	for _, space := range []string{given, taken} {
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: at.other}})
	}
	servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: taken, Body: api.Transfer{Organization: w.Org}})
	for _, made := range servertest.Do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: w.Org}).Items {
		switch {
		case made.Space == given:
			at.more["given"] = made.ID
		case made.Direction == api.TransferIn:
			at.more["taken"] = made.ID
			servertest.Do(w, "admin", api.AskTransfer, api.TransferRef{Organization: at.other, Transfer: made.ID})
		}
	}
}

// matrixSite creates a site without visitors, with two objects of each kind that can be moved or must not be the
// last.
func matrixSite(w *servertest.World, at *ids) {
	w.T.Helper()
	first, second := w.NewSpaceIn("First", "").ID, w.NewSpaceIn("Second", "").ID
	at.site = servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{first, second}}}).ID
	site := api.SiteRef{Organization: w.Org, Site: at.site}
	servertest.Do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: first}})
	made := servertest.Do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
	at.section, at.siteSpace = made.ID, made.SiteSpaces[0].ID
	at.group = servertest.Do(w, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{SiteRef: site, Body: api.SiteSectionGroupCreate{Title: "x"}}).ID
	at.link = servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}).ID
	w.EnableAdaptive(site)
}

// TestRolesAreComplete checks that the matrix contains every operation except those on the caller's own tokens.
func TestRolesAreComplete(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, p := range matrix {
		path, _, _ := strings.Cut(p.path, "?")
		have[p.method+" "+withoutParamNames("/v1"+path)] = true
	}
	for _, row := range api.Rows() {
		path := strings.Replace(row.Path, "/change-requests/{changeRequestId}/comments", "/comments", 1)
		if key := row.Method + " " + withoutParamNames(path); !have[key] && row.Name != api.DeleteToken.Name && row.Name != api.RotateToken.Name {
			t.Errorf("%s (%s) is not in the matrix", row.Name, key)
		}
	}
}

// withoutParamNames returns a path without the names of its parameters.
func withoutParamNames(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") || i > 0 && (segments[i-1] == "path" || segments[i-1] == "languages") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
