package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// credential is one kind of credential and its position in a request.
type credential struct {
	name, about string
	token       string // name of a token in the world
	bearer      string // value of the Authorization header
	query       string // query of a visitor, accepted by some rows only
	secret      string // secret of an invite, accepted in the body of one row
}

// credentials creates one credential of every kind. Tokens belong to the admin, so that refusals are due to the kind.
func credentials(w *servertest.World, visited, signed *visitedSite) []credential {
	w.T.Helper()
	rotated := servertest.NewToken(w, "admin", "old", api.TokenCreate{})
	w.Tokens["new"] = servertest.Do(w, "old", api.RotateToken, servertest.RotateInput(rotated.ID, 24*time.Hour)).Token
	worn := servertest.NewToken(w, "admin", "worn", api.TokenCreate{})
	servertest.Do(w, "worn", api.RotateToken, servertest.RotateInput(worn.ID, time.Minute))
	servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
	servertest.NewToken(w, "short", "of an expired one", api.TokenCreate{})
	revoked := servertest.NewToken(w, "admin", "revoked", api.TokenCreate{})
	servertest.NewToken(w, "revoked", "of a revoked one", api.TokenCreate{})
	servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: revoked.ID})
	servertest.NewToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
	servertest.NewToken(w, "admin", "elsewhere", api.TokenCreate{Organization: api.Some(w.OtherOrg)})
	servertest.NewToken(w, "admin", "child", api.TokenCreate{})
	servertest.NewToken(w, "admin", "agent", api.TokenCreate{Agent: true})
	w.Tokens["installation"] = createInstallationToken(w)
	w.Clock.Advance(time.Minute)
	invite := servertest.InviteAs(w, "admin", "tabulated@elsewhere.example", api.RoleAdmin).Secret
	link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)}).Secret
	return []credential{
		{name: "none", about: "no credential"},
		{name: "read", about: "root token with the scope read", token: servertest.AdminReading},
		{name: "write", about: "root token with the scope write", token: servertest.AdminWriting},
		{name: "admin", about: "root token with the scope admin", token: "admin"},
		{name: "bound", about: "token for this organization alone", token: "bound"},
		{name: "away", about: "token for another organization alone", token: "elsewhere"},
		{name: "child", about: "token made with a root token", token: "child"},
		{name: "agent", about: "token of an agent", token: "agent"},
		{
			name: "inst", about: "token of an installation, of an integration with all scopes, for all spaces and sites",
			token: "installation",
		},
		{name: "new", about: "rotated token, new secret", token: "new"},
		{name: "old", about: "rotated token, old secret in its time", token: "old"},
		{name: "worn", about: "rotated token, old secret after its time", token: "worn"},
		{name: "exp", about: "child of a token that has expired", token: "of an expired one"},
		{name: "rev", about: "child of a token that was revoked", token: "of a revoked one"},
		{name: "inv", about: "secret of an invite to an e-mail address", bearer: invite, secret: invite},
		{name: "link", about: "secret of an invite link", bearer: link, secret: link},
		{name: "share", about: "share key of a published site", query: visited.query},
		{name: "jwt", about: "token of a visitor of a published site", query: signed.query},
		{name: "url", about: "signed address of a download", bearer: strings.TrimPrefix(visited.download, servertest.PublicURL+"/raw/")},
	}
}

// createInstallationToken creates a token of an integration that has all scopes.
func createInstallationToken(w *servertest.World) string {
	w.T.Helper()
	all := w.LinterIntegration("All scopes")
	all.Scopes = api.IntegrationScope("").Values()
	name := w.Publish("acme.scopes", all).Name
	return servertest.Do(w, "admin", api.CreateInstallationToken, api.InstallationRef{
		IntegrationRef: api.IntegrationRef{Integration: name}, Installation: w.Install(name),
	}).Token
}

// visitedSite is a published site with a space and the credentials of its visitors.
type visitedSite struct {
	site            api.SiteRef
	space, download string
	key             string // signing key of visitor tokens
	link            api.ShareLink
	query           string
}

func newSharedSite(w *servertest.World) *visitedSite {
	w.T.Helper()
	space, _ := w.NewSpaceWithPage("Text.\n")
	v := &visitedSite{space: space, site: servertest.PublishedSite(w, api.SiteShareLink, space)}
	v.link = servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: v.site})
	v.query = servertest.ShareKeyOf(w.T, v.link)
	v.download = servertest.Do(w, "creator", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL
	return v
}

func newSignedSite(w *servertest.World) *visitedSite {
	w.T.Helper()
	space, _ := w.NewSpaceWithPage("Text.\n")
	v := &visitedSite{space: space, site: servertest.PublishedSite(w, api.SiteVisitorAuth, space)}
	v.key = servertest.Do(w, "creator", api.RegenerateSiteAuth, v.site).PrivateKey
	v.query = "jwt_token=" + servertest.VisitorToken(w.T, w, v.key, jwt.MapClaims{
		"plan": "pro", "exp": w.Clock.Now().Add(10 * time.Hour).Unix(),
	})
	return v
}

// takesQuery reports whether a row has the query parameter of a visitor credential.
func takesQuery(row api.Row, query string) bool {
	name, _, _ := strings.Cut(query, "=")
	return slices.ContainsFunc(api.NewCompiler().Input(row).Params, func(p api.Param) bool { return p.Name == name })
}

// tryCredential returns the status of a row for a credential, or "." if the row does not accept credentials of this kind.
func tryCredential(w *servertest.World, row api.Row, s *servertest.Sample, c credential, visited *visitedSite) string {
	w.T.Helper()
	if c.query != "" && !takesQuery(row, c.query) {
		return "."
	}
	path, body := w.SamplePath(row, s), w.SampleBody(row, s)
	if c.query != "" {
		path = servertest.WithQuery(w.SamplePathWith(row, s, map[string]string{"site": visited.site.Site, "space": visited.space}), c.query)
	}
	if row.Writes() {
		path = servertest.WithQuery(path, "dryRun=true")
	}
	if c.secret != "" && row.Name == api.AcceptInvite.Name {
		return fmt.Sprint(w.Send("", row.Method, path, api.InviteAccept{Secret: c.secret, DisplayName: "Newcomer"}).Status)
	}
	if c.bearer != "" {
		return fmt.Sprint(w.Send("", row.Method, path, body, "Authorization", "Bearer "+c.bearer).Status)
	}
	return fmt.Sprint(w.Send(c.token, row.Method, path, body).Status)
}

// effectOf returns the effect of a row for the table: it creates a credential, shows one, reads or changes.
func effectOf(row api.Row) string {
	switch {
	case row.Secret:
		return "makes"
	case row.Writes():
		return "changes"
	case row.Name == api.GetSiteAuth.Name, row.Name == api.ListShareLinks.Name, row.Name == api.GetLinkInvite.Name,
		row.Name == api.ListLinkInvites.Name:
		return "shows"
	}
	return "reads"
}

// TestCredentialTable compares the golden table of credentials with the server: what each kind may create, read and
// change, row by row, and its access after its origin has ended. New rows have to be reviewed there.
//
//wsd:serial
func TestCredentialTable(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	shared, signed := newSharedSite(w), newSignedSite(w)
	kinds := credentials(w, shared, signed)
	w.UpdateIndex()
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
	for _, e := range servertest.AllowedEndpoints(t) {
		row := e.Row
		cells := make([]string, len(kinds))
		for i, c := range kinds {
			visited := shared
			if c.name == "jwt" {
				visited = signed
			}
			cells[i] = fmt.Sprintf("%-5s", tryCredential(w, row, s, c, visited))
		}
		line(row.Name, effectOf(row), cells)
	}
	fmt.Fprintln(&out, "\nwhat still opens, and what it answers, when")
	for _, o := range expiredCredentials {
		fmt.Fprintf(&out, "%-28s %-46s %s\n", o.name, o.condition, o.try(servertest.NewWorld(t, storetest.Memory())))
	}
	compareGolden(t, "credentials.golden", out.String())
}
