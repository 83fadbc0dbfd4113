package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// fixture is the organization that operations run in: two collections, four spaces, change requests to merge, to
// update and to edit, and a comment with a reply.
type fixture struct {
	token, organization               string
	site                              string // URL of a small website
	firstCollection, secondCollection string // collections
	guide, empty, deleted             string // spaces; deleted is in the trash, guide precedes notes
	notes                             string
	page                              string // in guide
	comment, reply                    string // in guide
	otherOrganization                 string // another organization of the admin
	memberToken, otherMemberToken     string // tokens of members of only one organization
}

// encryptionKey is the WSD_ENCRYPTION_KEY of the fixture.
var encryptionKey = strings.Repeat("ab", 32)

// Numbers of change requests of guide. Number 1 created its content.
const (
	mergeableRequest = 2
	outdatedRequest  = 3
	editableRequest  = 4
)

// newFixture creates a fixture over HTTP.
func newFixture(t *testing.T, h host, client *redis.Client) *fixture {
	t.Helper()
	e := &fixture{site: serveSite(t)}
	e.token, e.organization = h.createOrganization(t)
	n := h.mustServe(t)
	defer n.stop(t)
	p := n.newPerson(e.token)
	make := func(kind, title, parent string) string {
		body := map[string]any{"title": title}
		if parent != "" {
			body["parent"] = parent
		}
		return member(p.do(t, "POST", "/v1/orgs/"+e.organization+"/"+kind, body), "id")
	}
	e.firstCollection, e.secondCollection = make("collections", "First", ""), make("collections", "Second", "")
	e.guide, e.empty = make("spaces", "Guide", e.firstCollection), make("spaces", "Plain", "")
	e.deleted = make("spaces", "Gone", e.firstCollection)
	e.notes = make("spaces", "Notes", e.firstCollection)
	p.do(t, "DELETE", "/v1/spaces/"+e.deleted, nil)
	e.addContent(t, p)
	p.do(t, "PATCH", "/v1/orgs/"+e.organization, map[string]any{"hostname": "tea"})
	e.otherOrganization = member(p.do(t, "POST", "/v1/orgs", map[string]any{"title": "Elsewhere"}), "id")
	p.do(t, "PATCH", "/v1/orgs/"+e.otherOrganization, map[string]any{"hostname": "elsewhere"})
	e.addSecrets(t, p)
	e.memberToken, e.otherMemberToken = h.createToken(t, "greta@example.com", e.organization), h.createToken(t, "finn@example.com",
		e.otherOrganization)
	// Pending index and summary jobs would reach failpoints in every copy, so wait for them.
	p.do(t, "GET", "/v1/spaces/"+e.guide+"/search?query=tea", nil)
	eventually(t, "the summaries", func() bool {
		due, err := client.ZRange(t.Context(), "wsd:{"+e.organization+"}:due", 0, -1).Result()
		return err == nil && !slices.ContainsFunc(due, func(job string) bool { return strings.HasPrefix(job, "summary:") })
	})
	return e
}

// addSecrets adds what depends on the secrets of the server: a site with a key and a share link, and an invite link.
func (e *fixture) addSecrets(t *testing.T, p person) {
	t.Helper()
	organization := "/v1/orgs/" + e.organization
	site := organization + "/sites/" + member(p.do(t, "POST", organization+"/sites", map[string]any{
		"title": "Plain", "visibility": "share-link", "spaces": []string{e.empty},
	}), "id")
	p.do(t, "POST", site+"/share-links", map[string]any{"name": "Friends"})
	p.do(t, "POST", site+"/publishing/auth/regenerate", nil)
	p.do(t, "POST", organization+"/link-invites", map[string]any{"role": "read"})
}

// addContent adds content, change requests and comments to guide.
func (e *fixture) addContent(t *testing.T, p person) {
	t.Helper()
	space := "/v1/spaces/" + e.guide
	begin := func(subject string) string {
		created := p.do(t, "POST", space+"/change-requests", map[string]any{"subject": subject})
		return space + "/change-requests/" + fmt.Sprint(created["number"])
	}
	edit := func(path string, changes ...map[string]any) {
		p.do(t, "POST", path+"/content", map[string]any{"changes": changes})
	}
	first := begin("Begin")
	edit(first, insertPage("Tea", "# Tea\n\nThe kettle is on at four.\n"), insertPage("Coffee", "# Coffee\n\nBeans are in the tin.\n"))
	p.do(t, "POST", first+"/merge", nil)
	e.page = member(p.do(t, "GET", space+"/content/path/tea", nil), "id")
	merge, old, work := begin("To merge"), begin("Outdated"), begin("To edit")
	second := begin("Meanwhile")
	edit(merge, updatePage(e.page, "# Tea\n\nThe kettle is on at half past four.\n"), insertPage("Cake", "# Cake\n"))
	edit(old, insertPage("Milk", "# Milk\n"))
	edit(work, insertPage("Sugar", "# Sugar\n"))
	edit(second, insertPage("Water", "# Water\n\nFrom the tap.\n"))
	p.do(t, "POST", second+"/merge", nil)
	e.comment = member(p.do(t, "POST", space+"/comments", map[string]any{"page": e.page, "body": markdown("Four sharp?")}), "id")
	e.reply = member(p.do(t, "POST", space+"/comments/"+e.comment+"/replies", map[string]any{"body": markdown("About four.")}), "id")
}

// insertPage returns a content operation that inserts a page.
func insertPage(title, text string) map[string]any {
	return map[string]any{"operation": "insert_page", "title": title, "document": markdown(text)}
}

// updatePage returns a content operation that replaces the text of a page.
func updatePage(id, text string) map[string]any {
	return map[string]any{"operation": "update_page", "page": id, "document": markdown(text)}
}

func markdown(text string) map[string]any { return map[string]any{"markdown": text} }

// serveSite serves a website of three pages and an image, and returns the URL of its first page.
func serveSite(t *testing.T) string {
	t.Helper()
	nav := `<nav><ul><li><a href="index.html">Box</a></li><li><a href="wood.html">Wood</a></li><li><a href="nails.html">Nails</a></li></ul></nav>`
	files := map[string]string{
		"/index.html": "<h1>Box</h1><p>A box for tits. Start with <a href=\"wood.html\">the wood</a>.</p><img src=\"plan.png\" " +
			"alt=\"plan\">",
		"/wood.html":  "<h1>Wood</h1><p>Larch, untreated.</p>",
		"/nails.html": "<h1>Nails</h1><p>Screws are better.</p>",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := files[r.URL.Path]
		switch {
		case r.URL.Path == "/plan.png":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG\r\n\x1a\nplan")
		case found:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><html><head><title>x</title></head><body>%s<main>%s</main></body></html>", nav, body)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL + "/index.html"
}

// operation is an HTTP request or a command during which wsd is killed.
type operation struct {
	request  request
	readOnly bool                                                            // no effect is visible over HTTP
	prepare  func(t *testing.T, client *redis.Client, e *fixture)            // changes the data before wsd starts
	warmUp   func(t *testing.T, p person, c *redis.Client, e *fixture) error // runs on the started wsd before the request

	command          []string
	environment      []string // of the command
	laterEnvironment []string // of a wsd that runs after the command
	first            []string // a command that runs before
	online           bool     // an interrupted command is not visible: wsd shows what it showed before, and fsck finds nothing
	idle             string   // printed if there is nothing to do
}

// operations returns all tested operations by name.
func (e *fixture) operations() map[string]operation {
	guide, organization := "/v1/spaces/"+e.guide, "/v1/orgs/"+e.organization
	cr := func(n int) string { return fmt.Sprint(guide, "/change-requests/", n) }
	comment := guide + "/comments/" + e.comment
	post := func(path string, body any) operation {
		return operation{request: request{method: "POST", path: path, body: body}}
	}
	other := func(method, path string, body any) operation {
		return operation{request: request{method: method, path: path, body: body}}
	}
	operations := map[string]operation{
		"import": post(cr(editableRequest)+"/content/import", map[string]any{"url": e.site, "source": "website"}),
		"content operations": post(cr(editableRequest)+"/content", map[string]any{"changes": []map[string]any{
			insertPage("Honey", "# Honey\n"), updatePage(e.page, "# Tea\n\nAt five.\n"),
			{"operation": "update_page", "page": e.page, "at": 1},
			{"operation": "insert_files", "files": []map[string]any{{"name": "a.txt", "contentType": "text/plain", "base64": "aGk="}}},
		}}),
		"merge":                 post(cr(mergeableRequest)+"/merge", nil),
		"update":                post(cr(outdatedRequest)+"/update", nil),
		"create change request": post(guide+"/change-requests", map[string]any{"subject": "New"}),
		"open change request":   other("PATCH", cr(outdatedRequest), map[string]any{"status": "open", "subject": "Opened"}),
		"create space":          post(organization+"/spaces", map[string]any{"title": "New", "parent": e.secondCollection}),
		"rename space":          other("PATCH", guide, map[string]any{"title": "Handbook"}),
		"move space":            post(guide+"/move", map[string]any{"parent": e.secondCollection}),
		"move below a sibling": post(guide+"/move", map[string]any{
			"position": map[string]any{"after": map[string]any{"type": "space", "space": e.notes}},
		}),
		"delete space":         other("DELETE", guide, nil),
		"restore space":        post("/v1/spaces/"+e.deleted+"/restore", nil),
		"create collection":    post(organization+"/collections", map[string]any{"title": "Third", "parent": e.secondCollection}),
		"move collection":      post("/v1/collections/"+e.secondCollection+"/move", map[string]any{"parent": e.firstCollection}),
		"delete collection":    other("DELETE", "/v1/collections/"+e.firstCollection, nil),
		"comment":              post(guide+"/comments", map[string]any{"page": e.page, "body": markdown("Biscuits?")}),
		"reply":                post(comment+"/replies", map[string]any{"body": markdown("Yes.")}),
		"resolve comment":      other("PUT", comment, map[string]any{"resolved": true, "addedReactions": []string{"👍"}}),
		"delete comment":       other("DELETE", comment, nil),
		"delete reply":         other("DELETE", comment+"/replies/"+e.reply, nil),
		"create organization":  post("/v1/orgs", map[string]any{"title": "More"}),
		"search":               {request: request{method: "GET", path: guide + "/search?query=tea"}, readOnly: true, prepare: dropIndex},
		"read a trimmed shape": {request: request{method: "GET", path: guide}, readOnly: true, warmUp: trimModelFeed},
		"read a large shape":   {request: request{method: "GET", path: guide}, readOnly: true, prepare: enlargeModel},
	}
	maps.Copy(operations, e.commands())
	return operations
}

// commands returns the tested commands by name.
func (e *fixture) commands() map[string]operation {
	secrets := []string{"WSD_SECRET=" + strings.Repeat("hidden", 8), "WSD_ENCRYPTION_KEY=" + strings.Repeat("cd", 32)}
	both := append([]string{"WSD_OLD_SECRET=" + strings.Repeat("secret", 8), "WSD_OLD_ENCRYPTION_KEY=" + encryptionKey}, secrets...)
	replace := func(flags ...string) operation {
		return operation{
			command: append([]string{"secret", "replace", "--yes"}, flags...), environment: both, laterEnvironment: secrets,
			online: true, idle: "there is nothing to", readOnly: true,
		}
	}
	finish := replace("--finish")
	finish.first = replace().command
	return map[string]operation{
		"create token": {
			command: []string{"token", "create", "--user", "eve@example.com", "--org", e.organization}, readOnly: true, online: true,
		},
		"repair and sweep":      {command: []string{"fsck", "--repair", "--gc"}, readOnly: true, prepare: corrupt},
		"repair shared names":   {command: []string{"fsck", "--repair"}, prepare: shareNames},
		"replace secrets":       replace(),
		"finish replacement":    finish,
		"replace known secrets": replace("--leaked"),
	}
}

// dropIndex deletes the state of the search index, so that the next search rebuilds it.
func dropIndex(t *testing.T, client *redis.Client, e *fixture) {
	t.Helper()
	must(t, client.Del(t.Context(), "wsd:{"+e.guide+"}:index"))
	must(t, client.SAdd(t.Context(), "wsd:{"+e.organization+"}:stale", e.guide))
}

// trimModelFeed deletes the feed of access model changes, so that the process has to reload its model.
func trimModelFeed(t *testing.T, p person, client *redis.Client, e *fixture) error {
	t.Helper()
	if _, _, err := p.send(t.Context(), request{method: "GET", path: "/v1/spaces/" + e.guide}); err != nil {
		return err
	}
	must(t, client.Del(t.Context(), "wsd:{"+e.organization+"}:shape"))
	return nil
}

// enlargeModel adds former members until the access model exceeds one batch of reads.
func enlargeModel(t *testing.T, client *redis.Client, e *fixture) {
	t.Helper()
	var people []any
	for i := range 5000 {
		id := fmt.Sprintf("u_%05d", i)
		people = append(people, id, fmt.Sprintf(`{"user":{"object":"user","id":%q,"displayName":"Gone"}}`, id)) // a former member
	}
	must(t, client.HSet(t.Context(), "wsd:{"+e.organization+"}:shapes", people...))
}

// corrupt causes every kind of damage that `wsd fsck --repair --gc` repairs.
func corrupt(t *testing.T, client *redis.Client, e *fixture) {
	t.Helper()
	org := "wsd:{" + e.organization + "}:"
	must(t, client.ZRem(t.Context(), org+"ix:comments:"+e.guide, e.comment))
	must(t, client.HSet(t.Context(), "wsd:{"+e.guide+"}:o:00", strings.Repeat("0", 32), "\x00bgarbage"))
	removeKeys(t, client, "wsd:{g:*}:orgs")
	removeKeys(t, client, "wsd:{h:*}")
	lengthenOrderKey(t, client, org, e.secondCollection)
}

// shareNames gives the other organization the hostname of the organization, and its member the e-mail address of the other
// member. Both names stay claimed by those who had them first.
func shareNames(t *testing.T, client *redis.Client, e *fixture) {
	t.Helper()
	replaceInRecord(t, client, "wsd:{"+e.otherOrganization+"}:org", `"hostname":"elsewhere"`, `"hostname":"tea"`)
	replaceInRecord(t, client, "wsd:{u:*}:user", `"email":"finn@example.com"`, `"email":"greta@example.com"`)
}

// replaceInRecord replaces a text in the only record whose key matches a pattern and that contains the text.
func replaceInRecord(t *testing.T, client *redis.Client, pattern, before, after string) {
	t.Helper()
	keys, err := client.Keys(t.Context(), pattern).Result()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, key := range keys {
		record, err := client.Get(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(record, before) {
			found++
			must(t, client.Set(t.Context(), key, strings.Replace(record, before, after, 1), 0))
		}
	}
	if found != 1 {
		t.Fatalf("%d records of %s contain %s", found, pattern, before)
	}
}

// removeKeys deletes the keys that match a pattern. At least one must exist.
func removeKeys(t *testing.T, client *redis.Client, pattern string) {
	t.Helper()
	keys, err := client.Keys(t.Context(), pattern).Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("%s: %v %v", pattern, keys, err)
	}
	must(t, client.Del(t.Context(), keys...))
}

// lengthenOrderKey gives a top-level collection an order key that is too long.
func lengthenOrderKey(t *testing.T, client *redis.Client, org, collection string) {
	t.Helper()
	members, err := client.ZRange(t.Context(), org+"kids:root", 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range members {
		order, found := strings.CutSuffix(member, "!"+collection)
		if !found {
			continue
		}
		long := order + strings.Repeat("V", 80)
		record, err := client.Get(t.Context(), org+"col:"+collection).Result()
		if err != nil || !strings.Contains(record, `"`+order+`"`) {
			t.Fatalf("record %q %v", record, err)
		}
		must(t, client.Set(t.Context(), org+"col:"+collection, strings.Replace(record, `"`+order+`"`, `"`+long+`"`, 1), 0))
		must(t, client.ZRem(t.Context(), org+"kids:root", member))
		must(t, client.ZAdd(t.Context(), org+"kids:root", redis.Z{Member: long + "!" + collection}))
		return
	}
	t.Fatalf("%s is not at the top", collection)
}

func must(t *testing.T, reply redis.Cmder) {
	t.Helper()
	if reply.Err() != nil {
		t.Fatal(reply.Err())
	}
}
