package server_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// placeholder matches an id in a line of the matrix.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// byName returns the ids by their names in the matrix.
func (at ids) byName() map[string]string {
	named := map[string]string{
		"org": at.org, "other": at.other, "collection": at.collection, "space": at.space, "trashed": at.trashed, "request": at.request,
		"page": at.page, "file": at.file, "comment": at.comment, "reply": at.reply, "reviewer": at.reviewer, "translation": at.translation,
		"spec": at.spec, "version": at.version, "reusable": at.reusable, "site": at.site, "section": at.section, "group": at.group,
		"siteSpace": at.siteSpace, "link": at.link,
	}
	maps.Copy(named, at.extra)
	return named
}

// withForeignID returns a request of the matrix whose id at the given index is replaced. Ids are counted in path and body.
func (p permission) withForeignID(place int, id string, own map[string]string) (path, body string) {
	n := -1
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(name string) string {
			if n++; n == place {
				return id
			}
			return own[name[1:len(name)-1]]
		})
	}
	path = "/v1" + fill(p.path)
	if body = fill(p.body); p.writes() {
		path += "?dryRun=true"
	}
	return path, body
}

// foreignIDIndexes returns the indexes and names of the ids of a line for which a foreign id must count as absent.
func (p permission) foreignIDIndexes() map[int]string {
	places := map[int]string{}
	inPath := len(placeholder.FindAllString(p.path, -1))
	for i, m := range placeholder.FindAllStringSubmatch(p.path+" "+p.body, -1) {
		switch {
		case i == 0 && inPath > 0: // first id of the path: all persons are members of both organizations
		case slices.Contains([]string{"other", "domain", "secret", "linkSecret"}, m[1]): // not the id of a part
		case m[1] == "submission" || m[1] == "verdict": // chosen by the client
		case m[1] == "suggestedOn": // any revision but the head is refused as outdated
		case m[1] == "document": // equal texts have equal ids
		case m[1] == "first": // empty revisions of all spaces are equal
		case m[1] == "spec" && p.method == http.MethodPut && i == inPath-1: // creates the object
		case m[1] == "org" && strings.HasPrefix(p.path, "/integrations"): // may be any organization of the user
		default:
			places[i] = m[1]
		}
	}
	return places
}

// eventOnlyOf returns the id of an event of an organization that no event of another organization has: ids are times, and unique in
// one log only.
func eventOnlyOf(w *servertest.World, org, other string) string {
	w.T.Helper()
	others := storetest.Stream(w.T, w.Store, store.EventsKey(other))
	for id := range storetest.Stream(w.T, w.Store, store.EventsKey(org)) {
		if others[id] == nil {
			return id
		}
	}
	w.T.Fatal("all events have the ids of others")
	return ""
}

// TestForeignIDsAreNotFound checks that ids of another organization are not found, even by members of both: for all
// persons and all ids of all requests, a foreign id gets the same response as one that does not exist.
//
//wsd:serial
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		home := createMatrixObjects(w, "acme")
		w.Org = servertest.NewOrganization(w, "Second", "creator")
		setRoles(w, w.Org)
		away := createMatrixObjects(w, "second")
		away.reviewer = servertest.NewMember(w, api.RoleReview)
		away.extra["commenter"] = servertest.NewMember(w, api.RoleComment)
		w.Org = home.org
		own, foreign := home.byName(), away.byName()
		foreign["event"] = eventOnlyOf(w, away.org, home.org)
		tried := 0
		for _, p := range matrix {
			for place, name := range p.foreignIDIndexes() {
				for _, who := range append(slices.Sorted(maps.Keys(rolesByUser)), servertest.AdminReading, "") {
					tried++
					path, body := p.withForeignID(place, foreign[name], own)
					theirs := w.Send(who, p.method, path, requestBody(body))
					path, body = p.withForeignID(place, servertest.AbsentID(foreign[name]), own)
					nobodys := w.Send(who, p.method, path, requestBody(body))
					// it is enough to check one response: if only one of them had the header, the statuses would differ
					absent := theirs.Header.Get(api.AbsentHeader) != ""
					if theirs.Status < http.StatusBadRequest && !absent || theirs.Status != nobodys.Status ||
						errorBody(theirs) != errorBody(nobodys) {
						t.Errorf("%s %s %s with another organization's %s as %q: %d %s, a missing one answers %d %s",
							p.method, p.path, p.body, name, who, theirs.Status, errorBody(theirs), nobodys.Status, errorBody(nobodys))
					}
				}
			}
		}
		if tried < 1000 {
			t.Errorf("only %d requests were tried", tried)
		}
	})
}

// requestBody returns the JSON of a line of the matrix as bytes, which are sent unchanged, or nil if there is none.
func requestBody(body string) any {
	if body == "" {
		return nil
	}
	return []byte(body)
}

// setRoles makes all persons of the matrix members of an organization with the role that they have in their own.
func setRoles(w *servertest.World, org string) {
	w.T.Helper()
	home := w.Org
	w.Org = org
	for name, role := range servertest.People {
		if name != "admin" {
			w.SetMember(name, role)
		}
	}
	w.Org = home
}

// visitorRequests lists the requests of the matrix that a visitor may make for a published site.
var visitorRequests = []string{
	"GET /spaces/{space}", "GET /orgs/{org}/sites/{site}/published", "GET /orgs/{org}/sites/{site}/sections",
	"GET /orgs/{org}/sites/{site}/site-spaces", "GET /orgs/{org}/sites/{site}/structure",
}

// TestVisitorsReachPublishedSiteOnly checks that a share link key or a visitor token gives access to the published site
// only, neither to the objects around it nor to another site.
func TestVisitorsReachPublishedSiteOnly(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.SiteVisibility{api.SiteShareLink, api.SiteVisitorAuth, api.SitePublic} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				at := createMatrixObjects(w, "acme")
				site, query := openSite(w, kind, at.space)
				closed := at.byName()
				open := maps.Clone(closed)
				open["site"] = site.Site
				for _, p := range matrix {
					line := p.method + " " + p.path
					path, body := p.withForeignID(-2, "", open)
					got := w.Send("", p.method, servertest.WithQuery(path, query), requestBody(body)).Status
					switch {
					case slices.Contains(visitorRequests, line):
						servertest.Equal(t, line, http.StatusOK, got)
						path, _ = p.withForeignID(-2, "", closed)
						if strings.Contains(p.path, "{site}") {
							servertest.Equal(t, line+" of another site", http.StatusUnauthorized,
								w.Send("", p.method, servertest.WithQuery(path, query), nil).Status)
						}
					case p.role == anyone:
					case got != http.StatusUnauthorized && got != http.StatusBadRequest: // most requests do not have the parameter
						t.Errorf("%s as a visitor: %d", line, got)
					}
					if p.role != anyone && !slices.Contains(visitorRequests, line) {
						path, body = p.withForeignID(-2, "", open)
						servertest.Equal(t, line+" without a key", http.StatusUnauthorized,
							w.Send("", p.method, path, requestBody(body)).Status)
					}
				}
			})
		})
	}
}

// openSite publishes a site of the given visibility with a space, and returns it with the query by which a visitor gets access.
func openSite(w *servertest.World, kind api.SiteVisibility, space string) (site api.SiteRef, query string) {
	w.T.Helper()
	site = servertest.PublishedSite(w, kind, space)
	switch kind {
	case api.SiteShareLink:
		return site, servertest.ShareKeyOf(w.T, servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: "x"},
		}))
	case api.SiteVisitorAuth:
		key := servertest.Do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
		return site, "jwt_token=" + servertest.VisitorToken(w.T, w, key, jwt.MapClaims{})
	case api.SitePublic, api.SiteUnlisted:
	}
	return site, ""
}
