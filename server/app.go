package server

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

var appPage = template.Must(template.New("app").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>wsd</title>
<p>This is {{.Kind}} <code>{{.ID}}</code> of a documentation workspace. Read and review it in a terminal:</p>
<pre>{{.Command}}</pre>
</html>
`))

// appKind is how one kind of thing is shown: the command that reads it, and what the ids in the address begin with,
// which are joined by "~".
type appKind struct {
	name, command string
	prefixes      []string // "" where people choose the name
}

var appKinds = map[string]appKind{
	"organizations":   {"the organization", "wsctl organizations get ", []string{txn.OrganizationPrefix}},
	"collections":     {"the collection", "wsctl collections get ", []string{txn.CollectionPrefix}},
	"spaces":          {"the space", "wsctl spaces get ", []string{txn.SpacePrefix}},
	"sites":           {"the site", "wsctl sites get ", []string{txn.SitePrefix}},
	"pages":           {"the page", "wsctl content get-page --space ", []string{txn.SpacePrefix, revision.PagePrefix}},
	"change-requests": {"the change request", "wsctl change-requests get --space ", []string{txn.SpacePrefix, ""}},
	"openapi":         {"the specification", "wsctl openapi-specs get --org ", []string{txn.OrganizationPrefix, ""}},
	"integrations":    {"the integration", "wsctl integrations get ", []string{""}},
	"integration-installations": {
		"the installation", "wsctl integration-installations get --integration ", []string{"", store.InstallationPrefix},
	},
}

// holds reports whether the ids are of this kind. Nothing else is shown: anybody can make an address, and what a page
// of this server says to paste into a terminal is believed.
func (k appKind) holds(ids []string) bool {
	return slices.EqualFunc(ids, k.prefixes, func(id, prefix string) bool {
		if prefix == "" {
			id = strings.ReplaceAll(id, ".", "_") // names of integrations have dots
		}
		return strings.HasPrefix(id, prefix) && redis.ValidID(id) && strings.IndexAny(id, "-_") != 0
	})
}

// serveApp answers the page behind urls.app.
func (s *Server) serveApp(w http.ResponseWriter, kind, id string) {
	k := appKinds[kind]
	ids := strings.Split(id, "~")
	s.servePage(w, k.holds(ids), k.name, id, k.command+strings.Join(ids, " "))
}

// serveSite answers the page behind urls.published of a site without a hostname of its own: wsd serves sites as data,
// and it takes a renderer to show them.
func (s *Server) serveSite(w http.ResponseWriter, path string) {
	org, site, _ := strings.Cut(strings.Trim(path, "/"), "/")
	found := site != "" && appKinds["organizations"].holds([]string{org})
	s.servePage(w, found, "a published site of the organization", org, "wsctl sites list --published --org "+org)
}

// servePage answers a page for people who follow a link. It shows nothing that the address does not hold already:
// there is no login in a browser.
func (s *Server) servePage(w http.ResponseWriter, found bool, kind, id, command string) {
	header := w.Header()
	rest.BaseHeaders(header, s.ids.New("req_"))
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("Referrer-Policy", "no-referrer") // an address may hold a share key
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = appPage.Execute(w, map[string]string{"Kind": kind, "ID": id, "Command": command})
}
