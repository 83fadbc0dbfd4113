package server

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

var appPage = template.Must(template.New("app").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>wsd</title>
<p>This is {{.Kind}} <code>{{.ID}}</code> of a documentation workspace. {{if .Screen}}Read and review it on the screen of a terminal:</p>
<pre>{{.Screen}}</pre>
<p>Or print it:</p>
{{else}}Print it in a terminal:</p>
{{end}}<pre>{{.Command}}</pre>
</html>
`))

// appKind describes how one kind of object is shown: the command that reads it, and the prefixes of the ids in its
// address, which are joined by "~".
type appKind struct {
	name, command string
	prefixes      []string // "" for names chosen by people
	screenFlags   []string // flags that open it in the terminal UI, one per id; nil if it has no page there
}

// screenCommand returns the command that shows the ids of an address in the terminal UI.
func (k appKind) screenCommand(ids []string) string {
	words := []string{"wsctl tui"}
	for i, flag := range k.screenFlags {
		words = append(words, flag, ids[i])
	}
	return strings.Join(words, " ")
}

var appKinds = map[string]appKind{
	"organizations": {"the organization", "wsctl organizations get ", []string{txn.OrganizationPrefix}, []string{"--org"}},
	"collections":   {"the collection", "wsctl collections get ", []string{txn.CollectionPrefix}, nil},
	"spaces":        {"the space", "wsctl spaces get ", []string{txn.SpacePrefix}, []string{"--space"}},
	"sites":         {"the site", "wsctl sites get ", []string{txn.SitePrefix}, nil},
	"pages":         {"the page", "wsctl content get-page --space ", []string{txn.SpacePrefix, revision.PagePrefix}, nil},
	"change-requests": {
		"the change request", "wsctl change-requests get --space ", []string{txn.SpacePrefix, ""}, []string{"--space", "--change-request"},
	},
	"openapi":      {"the specification", "wsctl openapi-specs get --org ", []string{txn.OrganizationPrefix, ""}, nil},
	"integrations": {"the integration", "wsctl integrations get ", []string{""}, nil},
	"integration-installations": {
		"the installation", "wsctl integration-installations get --integration ", []string{"", store.InstallationPrefix}, nil,
	},
}

// matches reports whether ids are well-formed ids of this kind. Other ids are not printed, because anyone can write an address,
// and people paste the printed command into a terminal.
func (k appKind) matches(ids []string) bool {
	return slices.EqualFunc(ids, k.prefixes, func(id, prefix string) bool {
		if prefix == "" {
			id = strings.ReplaceAll(id, ".", "_") // names of integrations contain dots
		}
		return strings.HasPrefix(id, prefix) && redis.ValidID(id) && strings.IndexAny(id, "-_") != 0
	})
}

// serveApp serves the page at the urls.app of an object, which shows the commands that open the object. The status is 404 if
// the kind or an id is not valid.
func (s *Server) serveApp(w http.ResponseWriter, r *http.Request, kind, id string) {
	k := appKinds[kind]
	ids := strings.Split(id, "~")
	page := map[string]string{"Kind": k.name, "ID": id, "Command": k.command + strings.Join(ids, " ")}
	found := k.matches(ids)
	if found && k.screenFlags != nil {
		page["Screen"] = k.screenCommand(ids)
	}
	s.servePage(w, r, found, page)
}

// serveSite serves the page at urls.published of a site without a hostname of its own. wsd publishes sites as data
// only, so the page prints a command.
func (s *Server) serveSite(w http.ResponseWriter, r *http.Request, path string) {
	org, site, _ := strings.Cut(strings.Trim(path, "/"), "/")
	found := site != "" && appKinds["organizations"].matches([]string{org})
	s.servePage(w, r, found, map[string]string{
		"Kind": "a published site of the organization", "ID": org, "Command": "wsctl sites list --published --org " + org,
	})
}

// servePage serves a page for people who follow a link. Since there is no login in a browser, it shows nothing that
// is not in the address.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request, found bool, page map[string]string) {
	header := w.Header()
	rest.BaseHeaders(header, s.rest.RequestID(r))
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("Referrer-Policy", "no-referrer") // the address may contain a share key
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = appPage.Execute(w, page) // the client has disconnected
}
