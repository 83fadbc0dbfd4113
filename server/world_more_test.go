package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// mergeOf merges a change request whatever may come of it.
func mergeOf(ref api.ChangeRequestRef) api.MergeInput { return api.MergeInput{ChangeRequestRef: ref} }

// settings changes the organization.
func settings(w *world, body api.OrganizationPatch) api.Organization {
	w.t.Helper()
	return do(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{Organization: w.org, Body: body})
}

// give gives members and teams a role in a space, a collection or a site, as the admin.
func give(w *world, content string, to api.PermissionCreate) {
	w.t.Helper()
	kind, _, _ := strings.Cut(content, "_")
	switch kind {
	case "s":
		do(w, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{SpaceRef: api.SpaceRef{Space: content}, Body: to})
	case "site":
		site := api.SiteRef{Organization: w.org, Site: content}
		do(w, "admin", api.CreateSitePermission, api.CreateSitePermissionInput{SiteRef: site, Body: to})
	default:
		do(w, "admin", api.CreateCollectionPermission, api.CreateCollectionPermissionInput{CollectionRef: api.CollectionRef{Collection: content}, Body: to})
	}
}

// runJobs does what is due.
func runJobs(w *world) {
	w.t.Helper()
	w.must(w.server.RunDueJobs(w.t.Context()))
}

// mentions are the keys that speak of an id, but for those that tell what happened and end by themselves.
func mentions(w *world, id string) (keys []string) {
	w.t.Helper()
	for name, value := range w.dump() {
		_, rest, _ := strings.Cut(name, "}:")
		kind, _, _ := strings.Cut(rest, ":")
		switch kind {
		case "events", "shape", "idem", "op":
			continue
		}
		if strings.Contains(name, id) || strings.Contains(value, id) {
			keys = append(keys, name)
		}
	}
	return keys
}

// purges counts the spaces that were purged, by their events.
func purges(w *world) int {
	w.t.Helper()
	return strings.Count(w.dump()["{"+w.org+"}:events"], "type:spaces.purge")
}

// newSAMLProvider adds a SAML provider, as the admin.
func newSAMLProvider(w *world, settings api.SAMLProviderSettings) api.SAMLProvider {
	w.t.Helper()
	return do(w, "admin", api.CreateSAMLProvider, api.CreateSAMLProviderInput{
		Organization: w.org, Body: api.SAMLProviderCreate{Label: "Acme ID", SAMLProviderSettings: settings},
	})
}

// complete are settings that make a provider active.
func complete(w *world) api.SAMLProviderSettings {
	w.t.Helper()
	return api.SAMLProviderSettings{
		EntityID: api.Some("urn:acme"), SSOURL: api.Some("https://id.acme.example/saml"),
		Certificate: api.Some(inPEM("CERTIFICATE", certificate(w, w.clock.Now().Add(time.Hour)))),
	}
}

// certificate is one that is valid until a time.
func certificate(w *world, until time.Time) []byte {
	w.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	w.must(err)
	return der
}

func inPEM(kind string, data []byte) api.Text {
	return api.Text(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
}

// newSite makes a site of spaces, as the creator.
func newSite(w *world, visibility api.SiteVisibility, spaces ...string) api.SiteRef {
	w.t.Helper()
	made := do(w, "creator", api.CreateSite, api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{
		Title: "The site", Visibility: visibility, Spaces: spaces,
	}})
	return api.SiteRef{Organization: w.org, Site: made.ID}
}

// publishedSite is newSite, published.
func publishedSite(w *world, visibility api.SiteVisibility, spaces ...string) api.SiteRef {
	w.t.Helper()
	site := newSite(w, visibility, spaces...)
	do(w, "creator", api.PublishSite, site)
	return site
}

func spaceAs(w *world, as, space string) api.Space {
	w.t.Helper()
	return do(w, as, api.GetSpace, api.GetSpaceInput{Space: space})
}

// given is a collection with a space that was transferred to another organization, where the creator and the stranger
// may create.
type given struct {
	*world

	to, outer, inner, space, page string
	team                          api.Team
	made                          api.TransferRecord
}

// giveAway transfers a collection, or the space in it alone.
func giveAway(w *world, collection bool) *given {
	w.t.Helper()
	g := &given{world: w, to: organization(w, "Other", "creator", "stranger")}
	g.outer = w.newCollection("Outer", "").ID
	g.inner = do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Inner", Parent: g.outer}}).ID
	g.space = w.newSpaceIn("Docs", g.inner).ID
	first := w.newRequest("editor", g.space)
	g.page = w.change(first, newPage("Page", "Text.\n")).Changes[0].Page.ID
	w.merged(first)
	do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: g.space, Body: api.CommentCreate{Page: g.page, Body: says("?")}})
	g.team = w.newTeam("guest")
	give(w, g.space, api.PermissionCreate{Role: new(api.RoleReview), Users: []string{w.users["reader"].ID, w.users["commenter"].ID}, Teams: []string{g.team.ID}})
	if collection {
		do(w, "admin", api.TransferCollection, api.TransferCollectionInput{Collection: g.outer, Body: api.Transfer{Organization: g.to}})
	} else {
		do(w, "admin", api.TransferSpace, transferSpace(g.space, g.to))
	}
	for _, made := range listTransfers(w, w.org) {
		if made.Node() == g.space || made.Node() == g.outer {
			g.made = made
		}
	}
	return g
}

func listTransfers(w *world, org string) []api.TransferRecord {
	w.t.Helper()
	all := api.ListOptions{Limit: api.Some(1000)}
	return do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: org, ListOptions: all}).Items
}

// mine and theirs name the transfer in the organization that gave it away and in the other.
func (g *given) mine() api.TransferRef {
	return api.TransferRef{Organization: g.org, Transfer: g.made.ID}
}

func (g *given) theirs() api.TransferRef {
	return api.TransferRef{Organization: g.to, Transfer: g.made.ID}
}

// state holds what both organizations say of the transfer against what is wanted.
func (g *given) state(want api.TransferState) {
	g.t.Helper()
	for _, at := range []api.TransferRef{g.mine(), g.theirs()} {
		equal(g.t, "state in "+at.Organization, want, do(g.world, "admin", api.GetTransfer, at).State)
	}
}

// here fails the test unless the space is back, with its text and its comment.
func (g *given) here(comments int) {
	g.t.Helper()
	now := do(g.world, "admin", api.GetSpace, api.GetSpaceInput{Space: g.space})
	equal(g.t, "organization", g.org, now.Organization)
	equal(g.t, "comments", comments, now.Comments)
	text := do(g.world, "admin", api.GetContentPage, api.PageInput{Space: g.space, Page: g.page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
	equal(g.t, "text", "Text.\n", *text.Markdown)
	g.state(api.TransferTakenBack)
	if left := mentionsIn(g.world, g.to, g.space); len(left) > 1 { // the record of the transfer
		g.t.Errorf("what is left: %v", left)
	}
}

// comment has the stranger, who is in the other organization alone, write in the space.
func (g *given) comment() answer {
	return try(g.world, "stranger", api.CreateComment, api.CreateCommentInput{Space: g.space, Body: api.CommentCreate{Page: g.page, Body: says("Mine now.")}})
}

// touched fails the test unless it cannot be taken back because of what was written.
func (g *given) touched(what string) {
	g.t.Helper()
	e := refused(g.world, "admin", api.TakeTransferBack, g.mine(), 409, api.ReasonState)
	if len(e.Fields) != 1 || !strings.HasSuffix(e.Fields[0].Message, ": "+what) {
		g.t.Errorf("%s are not in %v", what, e.Fields)
	}
}

// ofTeam names a team of the organization.
func ofTeam(w *world, team api.Team) api.TeamRef {
	return api.TeamRef{Organization: w.org, Team: team.ID}
}

// giveTeam gives a team a role in a space.
func giveTeam(w *world, team api.Team, space string, role api.Role) {
	w.t.Helper()
	w.must(w.store.Update(w.t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Space(w.org, space)
		if err != nil {
			return err
		}
		d.Private.Teams = map[string]api.Role{team.ID: role}
		_, err = tx.PutSpace(d)
		return err
	}))
}

// newToken makes a token with a token and keeps it under a name.
func newToken(w *world, as, name string, body api.TokenCreate) api.Token {
	w.t.Helper()
	body.Name = name
	made := do(w, as, api.CreateToken, api.CreateTokenInput{Body: body})
	w.tokens[name] = made.Token
	return made
}

// in is a time from now.
func in(w *world, d time.Duration) api.Optional[api.Time] {
	return api.Some(api.At(w.clock.Now().Add(d)))
}

// rotating is the request for a new secret of a token.
func rotating(token string, overlap time.Duration) api.RotateTokenInput {
	return api.RotateTokenInput{TokenRef: api.TokenRef{Token: token}, Body: api.TokenRotate{OldValidFor: int(overlap.Seconds())}}
}

// organization makes another organization of the admin's, with members.
func organization(w *world, title string, members ...string) string {
	w.t.Helper()
	id := do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: title}}).ID
	for _, name := range members {
		w.must(orgs.Accounts{Store: w.store}.Member(w.t.Context(), id, w.users[name], api.RoleCreate))
	}
	return id
}

// transferSpace is the input of a transfer.
func transferSpace(space, to string) api.TransferSpaceInput {
	return api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: to}}
}

// mentionsIn are the keys of an organization that speak of an id.
func mentionsIn(w *world, org, id string) []string {
	w.t.Helper()
	return slices.DeleteFunc(mentions(w, id), func(key string) bool { return !strings.HasPrefix(key, "{"+org+"}") })
}

// visitorToken signs claims as whoever runs the site's sign-in would.
func visitorToken(t *testing.T, w *world, key string, claims jwt.MapClaims) string {
	t.Helper()
	if claims["exp"] == nil {
		claims["exp"] = w.clock.Now().Add(time.Hour).Unix()
	}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// keyOf is the key in the URL of a share link.
func keyOf(t *testing.T, link api.ShareLink) string {
	t.Helper()
	address, err := url.Parse(link.URLs.Published)
	if err != nil || address.Query().Get("shareKey") == "" {
		t.Fatalf("no key in %q", link.URLs.Published)
	}
	return "shareKey=" + url.QueryEscape(address.Query().Get("shareKey"))
}

// mortal is a hook that cuts a node off after so many calls to Redis: those after them are not sent. One that is
// sent last is carried out and not answered.
type mortal struct{ left atomic.Int64 }

var errCut = &net.OpError{Op: "read", Err: errors.New("cut off")}

func (m *mortal) call(next func() error) error {
	left := m.left.Add(-1)
	if left < 0 {
		return errCut
	}
	err := next()
	if left == 0 {
		return errCut
	}
	return err
}

// DialHook implements redis.Hook.
func (m *mortal) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (m *mortal) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := m.call(func() error { return next(ctx, command) })
		if err == errCut { //nolint:errorlint // it is this very error
			command.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (m *mortal) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		err := m.call(func() error { return next(ctx, commands) })
		if err == errCut { //nolint:errorlint // it is this very error
			for _, command := range commands {
				command.SetErr(err)
			}
		}
		return err
	}
}

const alive = 1 << 40 // calls

// shownOnce fails the test unless one organization lists the space, or, in between, none.
func shownOnce(w *world, space, from, to string, between bool) {
	w.t.Helper()
	shown := 0
	for _, org := range []string{from, to} {
		for _, s := range do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: org}).Items {
			if s.ID == space {
				shown++
			}
		}
	}
	if shown > 1 || shown == 0 && !between {
		w.t.Errorf("%d organizations show the space", shown)
	}
}

// between is a hook that does something before one of the writes to Redis that follow, when everything that it rests on
// was read: what another node may do just then.
type between struct {
	left atomic.Int64
	then func()
}

func (b *between) call(commands ...redis.Cmder) {
	if slices.ContainsFunc(commands, writesToRedis) && b.left.Add(-1) == 0 {
		b.then()
	}
}

func writesToRedis(command redis.Cmder) bool {
	return slices.Contains([]string{"eval", "evalsha", "set", "setnx", "hset", "hdel", "zadd", "zrem", "sadd", "srem", "unlink", "del"}, command.Name())
}

// before lets fn happen before the n-th write that act makes, and reports whether act made so many.
func (b *between) before(n int64, fn, act func()) bool {
	b.then = fn
	b.left.Store(n)
	act()
	return b.left.Swap(0) <= 0
}

// DialHook implements redis.Hook.
func (b *between) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (b *between) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		b.call(command)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (b *between) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		b.call(commands...)
		return next(ctx, commands)
	}
}

func done(a answer) bool { return a.Status < http.StatusBadRequest }
