package server_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// credential is one kind of what may open something, as a request brings it.
type credential struct {
	name, about string
	token       string // the name of a token
	bearer      string // what stands where a token does
	query       string // "" or what a visitor brings; only some rows take it
	secret      string // of an invite, which one row takes in its body
}

// credentials makes one of every kind. Tokens are the admin's: what is refused is refused for the kind.
func credentials(w *world, visited, signed *visitedSite) []credential {
	w.t.Helper()
	rotated := newToken(w, "admin", "old", api.TokenCreate{})
	w.tokens["new"] = do(w, "old", api.RotateToken, rotating(rotated.ID, 24*time.Hour)).Token
	worn := newToken(w, "admin", "worn", api.TokenCreate{})
	do(w, "worn", api.RotateToken, rotating(worn.ID, time.Minute))
	newToken(w, "admin", "short", api.TokenCreate{ExpiresAt: in(w, time.Minute)})
	newToken(w, "short", "of an expired one", api.TokenCreate{})
	revoked := newToken(w, "admin", "revoked", api.TokenCreate{})
	newToken(w, "revoked", "of a revoked one", api.TokenCreate{})
	do(w, "admin", api.DeleteToken, api.TokenRef{Token: revoked.ID})
	newToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.org)})
	newToken(w, "admin", "elsewhere", api.TokenCreate{Organization: api.Some(w.otherOrg)})
	newToken(w, "admin", "child", api.TokenCreate{})
	newToken(w, "admin", "agent", api.TokenCreate{Agent: true})
	w.clock.Advance(time.Minute)
	invite := inviteAs(w, "admin", "tabulated@elsewhere.example", api.RoleAdmin).Secret
	link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)}).Secret
	return []credential{
		{name: "none", about: "no credential"},
		{name: "read", about: "root token with the scope read", token: adminReading},
		{name: "write", about: "root token with the scope write", token: adminWriting},
		{name: "admin", about: "root token with the scope admin", token: "admin"},
		{name: "bound", about: "token for this organization alone", token: "bound"},
		{name: "away", about: "token for another organization alone", token: "elsewhere"},
		{name: "child", about: "token made with a root token", token: "child"},
		{name: "agent", about: "token of an agent; integrations have none", token: "agent"},
		{name: "new", about: "rotated token, new secret", token: "new"},
		{name: "old", about: "rotated token, old secret in its time", token: "old"},
		{name: "worn", about: "rotated token, old secret after its time", token: "worn"},
		{name: "exp", about: "child of a token that has expired", token: "of an expired one"},
		{name: "rev", about: "child of a token that was revoked", token: "of a revoked one"},
		{name: "inv", about: "secret of an invite to an e-mail address", bearer: invite, secret: invite},
		{name: "link", about: "secret of an invite link", bearer: link, secret: link},
		{name: "share", about: "share key of a published site", query: visited.query},
		{name: "jwt", about: "token of a visitor of a published site", query: signed.query},
		{name: "url", about: "signed address of a download", bearer: strings.TrimPrefix(visited.download, publicURL+"/raw/")},
	}
}

// visitedSite is a published site with a space and what lets visitors in.
type visitedSite struct {
	site            api.SiteRef
	space, download string
	key             string // what signs visitors' tokens
	link            api.ShareLink
	query           string
}

func sharedSite(w *world) *visitedSite {
	w.t.Helper()
	space, _ := w.seed("Text.\n")
	v := &visitedSite{space: space, site: publishedSite(w, api.SiteShareLink, space)}
	v.link = do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: v.site})
	v.query = keyOf(w.t, v.link)
	v.download = do(w, "creator", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL
	return v
}

func signedSite(w *world) *visitedSite {
	w.t.Helper()
	space, _ := w.seed("Text.\n")
	v := &visitedSite{space: space, site: publishedSite(w, api.SiteVisitorAuth, space)}
	v.key = do(w, "creator", api.RegenerateSiteAuth, v.site).PrivateKey
	v.query = "jwt_token=" + visitorToken(w.t, w, v.key, jwt.MapClaims{"plan": "pro", "exp": w.clock.Now().Add(10 * time.Hour).Unix()})
	return v
}

// takes reports whether a row has a parameter for what a visitor brings.
func takes(row api.Row, query string) bool {
	name, _, _ := strings.Cut(query, "=")
	return slices.ContainsFunc(api.NewCompiler().Input(row).Params, func(p api.Param) bool { return p.Name == name })
}

// tried is what a row answers to a credential: a status, or "." where it does not take such a one.
func tried(w *world, row api.Row, s *sample, c credential, visited *visitedSite) string {
	w.t.Helper()
	if c.query != "" && !takes(row, c.query) {
		return "."
	}
	path, body := w.pathOf(row, s), w.bodyOf(row, s)
	if c.query != "" {
		path = withQuery(w.pathWith(row, s, map[string]string{"site": visited.site.Site, "space": visited.space}), c.query)
	}
	if row.Writes() {
		path = withQuery(path, "dryRun=true")
	}
	if c.secret != "" && row.Name == api.AcceptInvite.Name {
		return fmt.Sprint(w.raw("", row.Method, path, api.InviteAccept{Secret: c.secret, DisplayName: "Newcomer"}).Status)
	}
	if c.bearer != "" {
		return fmt.Sprint(w.raw("", row.Method, path, body, "Authorization", "Bearer "+c.bearer).Status)
	}
	return fmt.Sprint(w.raw(c.token, row.Method, path, body).Status)
}

// does says what a row does, for who reads the table: it makes a credential, shows one, reads or changes.
func does(row api.Row) string {
	switch {
	case row.Secret:
		return "makes"
	case row.Writes():
		return "changes"
	case row.Name == api.GetSiteAuth.Name, row.Name == api.ListShareLinks.Name, row.Name == api.GetLinkInvite.Name, row.Name == api.ListLinkInvites.Name:
		return "shows"
	}
	return "reads"
}

// The table of credentials: what each kind may make, be shown, read and change, row by row as the server answers, and
// what each opens after what it came of has ended. A row that is added has to be looked at here.
func TestCredentialTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	shared, signed := sharedSite(w), signedSite(w)
	kinds := credentials(w, shared, signed)
	w.indexed()
	var out strings.Builder
	for _, c := range kinds {
		fmt.Fprintf(&out, "%-5s  %s\n", c.name, c.about)
	}
	line := func(first, what string, cells []string) {
		fmt.Fprintln(&out, strings.TrimRight(fmt.Sprintf("%-46s %-7s  %s", first, what, strings.Join(cells, " ")), " "))
	}
	header := make([]string, len(kinds))
	for i, c := range kinds {
		header[i] = fmt.Sprintf("%-5s", c.name)
	}
	fmt.Fprint(&out, "\nTokens are an admin's, what is changed is a dry run; . = the row takes no such credential.\n\n")
	line("row", "what", header)
	for _, e := range mounted(t) {
		row := e.Row
		cells := make([]string, len(kinds))
		for i, c := range kinds {
			visited := shared
			if c.name == "jwt" {
				visited = signed
			}
			cells[i] = fmt.Sprintf("%-5s", tried(w, row, s, c, visited))
		}
		line(row.Name, does(row), cells)
	}
	fmt.Fprintln(&out, "\nwhat still opens, and what it answers, when")
	for _, o := range outlived {
		fmt.Fprintf(&out, "%-28s %-46s %s\n", o.what, o.when, o.try(newWorld(t, storetest.Memory())))
	}
	const golden = "testdata/credentials.golden"
	if *updateGolden {
		w.must(os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	w.must(err)
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the table of credentials has changed; if it should have, run the test with -update (-golden +now):\n%s", diff)
	}
}
