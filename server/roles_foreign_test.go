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
)

// placeholder is an id in a line of the matrix.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// byName are the ids by the names that the matrix has for them.
func (at ids) byName() map[string]string {
	named := map[string]string{
		"org": at.org, "other": at.other, "collection": at.collection, "space": at.space, "trashed": at.trashed, "request": at.request,
		"page": at.page, "file": at.file, "comment": at.comment, "reply": at.reply, "reviewer": at.reviewer, "translation": at.translation,
		"spec": at.spec, "version": at.version, "reusable": at.reusable, "site": at.site, "section": at.section, "group": at.group,
		"siteSpace": at.siteSpace, "link": at.link,
	}
	maps.Copy(named, at.more)
	return named
}

// swapped is a request of the matrix with another id in one of its places: the given one of the path and the body.
func (p permission) swapped(place int, id string, own map[string]string) (path, body string) {
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
	if body = fill(p.body); p.changes() {
		path += "?dryRun=true"
	}
	return path, body
}

// swap are the places of a line where the id of another organization's thing must be as good as none, with its name.
func (p permission) swap() map[int]string {
	places := map[int]string{}
	inPath := len(placeholder.FindAllString(p.path, -1))
	for i, m := range placeholder.FindAllStringSubmatch(p.path+" "+p.body, -1) {
		switch {
		case i == 0 && inPath > 0: // where the path begins: everybody here is at home in both organizations
		case slices.Contains([]string{"other", "domain", "secret", "linkSecret"}, m[1]): // names no part of anything
		case m[1] == "submission" || m[1] == "verdict": // is chosen by who sends it
		case m[1] == "suggestedOn": // any revision but the head is told to be another one
		case m[1] == "document": // equal texts have equal ids
		case m[1] == "first": // an empty revision is the same in every space
		case m[1] == "spec" && p.method == http.MethodPut && i == inPath-1: // makes what is missing
		case m[1] == "org" && strings.HasPrefix(p.path, "/integrations"): // may be any organization of theirs
		default:
			places[i] = m[1]
		}
	}
	return places
}

// A part of one organization is not found in another, not even by who is at home in both: for everybody, in every
// place of every request, its id answers what one answers that nothing has.
//
//wsd:serial
func TestForeignIDs(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		home := matrixIDs(w, "acme")
		w.Org = servertest.Organization(w, "Second", "creator")
		setRoles(w, w.Org)
		away := matrixIDs(w, "second")
		away.reviewer = servertest.Newcomer(w, api.RoleReview)
		away.more["commenter"] = servertest.Newcomer(w, api.RoleComment)
		w.Org = home.org
		own, foreign := home.byName(), away.byName()
		tried := 0
		for _, p := range matrix {
			for place, name := range p.swap() {
				for _, who := range append(slices.Sorted(maps.Keys(powers)), servertest.AdminReading, "") {
					tried++
					path, body := p.swapped(place, foreign[name], own)
					theirs := w.Raw(who, p.method, path, sent(body))
					path, body = p.swapped(place, servertest.Elsewhere(foreign[name]), own)
					nobodys := w.Raw(who, p.method, path, sent(body))
					absent := theirs.Header.Get(api.AbsentHeader) != "" // to both, or their status differs
					if theirs.Status < http.StatusBadRequest && !absent || theirs.Status != nobodys.Status || said(theirs) != said(nobodys) {
						t.Errorf("%s %s %s with another organization's %s as %q: %d %s, a missing one answers %d %s",
							p.method, p.path, p.body, name, who, theirs.Status, said(theirs), nobodys.Status, said(nobodys))
					}
				}
			}
		}
		if tried < 1000 {
			t.Errorf("only %d requests were tried", tried)
		}
	})
}

// sent is a body as it is sent.
func sent(body string) any {
	if body == "" {
		return nil
	}
	return []byte(body)
}

// setRoles makes everybody of the matrix a member of an organization with the role that they have at home.
func setRoles(w *servertest.World, org string) {
	w.T.Helper()
	home := w.Org
	w.Org = org
	for name, role := range servertest.People {
		if name != "admin" {
			w.Member(name, role)
		}
	}
	w.Org = home
}

// visitorLines are the requests of the matrix that a visitor may make of a site that is open to them.
var visitorLines = []string{
	"GET /spaces/{space}", "GET /orgs/{org}/sites/{site}/published", "GET /orgs/{org}/sites/{site}/sections",
	"GET /orgs/{org}/sites/{site}/site-spaces", "GET /orgs/{org}/sites/{site}/structure",
}

// Whoever has the key of a share link, or the token of a visitor, sees the published site and nothing else: not what
// is around it, and not another site.
func TestRolesOfVisitors(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.SiteVisibility{api.SiteShareLink, api.SiteVisitorAuth, api.SitePublic} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				at := matrixIDs(w, "acme")
				site, query := openSite(w, kind, at.space)
				closed := at.byName()
				open := maps.Clone(closed)
				open["site"] = site.Site
				for _, p := range matrix {
					line := p.method + " " + p.path
					path, body := p.swapped(-2, "", open)
					got := w.Raw("", p.method, servertest.WithQuery(path, query), sent(body)).Status
					switch {
					case slices.Contains(visitorLines, line):
						servertest.Equal(t, line, http.StatusOK, got)
						path, _ = p.swapped(-2, "", closed)
						if strings.Contains(p.path, "{site}") {
							servertest.Equal(t, line+" of another site", http.StatusUnauthorized, w.Raw("", p.method, servertest.WithQuery(path, query), nil).Status)
						}
					case p.least == anyone:
					case got != http.StatusUnauthorized && got != http.StatusBadRequest: // the parameter is none of most requests
						t.Errorf("%s as a visitor: %d", line, got)
					}
					if p.least != anyone && !slices.Contains(visitorLines, line) {
						path, body = p.swapped(-2, "", open)
						servertest.Equal(t, line+" without a key", http.StatusUnauthorized, w.Raw("", p.method, path, sent(body)).Status)
					}
				}
			})
		})
	}
}

// openSite publishes a site of a space, and returns what a visitor adds to their requests.
func openSite(w *servertest.World, kind api.SiteVisibility, space string) (site api.SiteRef, query string) {
	w.T.Helper()
	site = servertest.PublishedSite(w, kind, space)
	switch kind {
	case api.SiteShareLink:
		return site, servertest.KeyOf(w.T, servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: "x"}}))
	case api.SiteVisitorAuth:
		key := servertest.Do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
		return site, "jwt_token=" + servertest.VisitorToken(w.T, w, key, jwt.MapClaims{})
	case api.SitePublic, api.SiteUnlisted:
	}
	return site, ""
}
