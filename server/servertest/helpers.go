package servertest

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
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// MergeInput returns the input that merges a change request, without conditions.
func MergeInput(ref api.ChangeRequestRef) api.MergeInput {
	return api.MergeInput{ChangeRequestRef: ref}
}

// UpdateOrganization applies a patch to the organization of the world as the admin, and returns the new state.
func UpdateOrganization(w *World, body api.OrganizationPatch) api.Organization {
	w.T.Helper()
	return Do(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{Organization: w.Org, Body: body})
}

// GrantAccess grants members and teams a role on a space, a collection or a site, as the admin.
func GrantAccess(w *World, content string, to api.PermissionCreate) {
	w.T.Helper()
	kind, _, _ := strings.Cut(content, "_")
	switch kind {
	case "s":
		Do(w, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{SpaceRef: api.SpaceRef{Space: content}, Body: to})
	case "site":
		site := api.SiteRef{Organization: w.Org, Site: content}
		Do(w, "admin", api.CreateSitePermission, api.CreateSitePermissionInput{SiteRef: site, Body: to})
	default:
		Do(w, "admin", api.CreateCollectionPermission, api.CreateCollectionPermissionInput{
			CollectionRef: api.CollectionRef{Collection: content}, Body: to,
		})
	}
}

// RunJobs runs all due jobs.
func RunJobs(w *World) {
	w.T.Helper()
	w.Must(w.Server.RunDueJobs(w.T.Context()))
}

// KeysWithID returns the keys whose name or value contains an id, except for events and keys that expire.
func KeysWithID(w *World, id string) (keys []string) {
	w.T.Helper()
	for name, value := range w.Dump() {
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

// CountPurges returns the number of purge events of spaces.
func CountPurges(w *World) int {
	w.T.Helper()
	return strings.Count(w.Dump()["{"+w.Org+"}:events"], "type:spaces.purge")
}

// NewCertificate returns a certificate that is valid until the given time, in DER form.
func NewCertificate(w *World, until time.Time) []byte {
	w.T.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.Must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	w.Must(err)
	return der
}

// EncodePEM encodes data as a PEM block.
func EncodePEM(kind string, data []byte) api.Text {
	return api.Text(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
}

// NewSite creates a site with spaces as the creator.
func NewSite(w *World, visibility api.SiteVisibility, spaces ...string) api.SiteRef {
	w.T.Helper()
	made := Do(w, "creator", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
		Title: "The site", Visibility: visibility, Spaces: spaces,
	}})
	return api.SiteRef{Organization: w.Org, Site: made.ID}
}

// PublishedSite creates and publishes a site.
func PublishedSite(w *World, visibility api.SiteVisibility, spaces ...string) api.SiteRef {
	w.T.Helper()
	site := NewSite(w, visibility, spaces...)
	Do(w, "creator", api.PublishSite, site)
	return site
}

// ReadSpaceAs reads a space as a user.
func ReadSpaceAs(w *World, as, space string) api.Space {
	w.T.Helper()
	return Do(w, as, api.GetSpace, api.GetSpaceInput{Space: space})
}

// transferredSpace is a space in nested collections that was transferred to another organization, in which the creator
// and the stranger may create spaces.
type transferredSpace struct {
	*World

	ToOrganization               string
	Collection, NestedCollection string // the space is in the nested one
	Space, Page                  string
	Team                         api.Team
	Transfer                     api.TransferRecord
}

// TransferAway creates a space with a page, a comment and grants in nested collections, and transfers the outer collection, or
// only the space, to a new organization.
func TransferAway(w *World, collection bool) *transferredSpace {
	w.T.Helper()
	g := &transferredSpace{World: w, ToOrganization: NewOrganization(w, "Other", "creator", "stranger")}
	g.Collection = w.NewCollection("Outer", "").ID
	g.NestedCollection = Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: "Inner", Parent: g.Collection},
	}).ID
	g.Space = w.NewSpaceIn("Docs", g.NestedCollection).ID
	first := w.NewRequest("editor", g.Space)
	g.Page = w.Change(first, NewPage("Page", "Text.\n")).Changes[0].Page.ID
	w.MustMerge(first)
	Do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: g.Space, Body: api.CommentCreate{Page: g.Page, Body: CommentBody("?")}})
	g.Team = w.NewTeam("guest")
	GrantAccess(w, g.Space, api.PermissionCreate{
		Role: new(api.RoleReview), Users: []string{w.Users["reader"].ID, w.Users["commenter"].ID}, Teams: []string{g.Team.ID},
	})
	if collection {
		Do(w, "admin", api.TransferCollection, api.TransferCollectionInput{
			Collection: g.Collection, Body: api.Transfer{Organization: g.ToOrganization},
		})
	} else {
		Do(w, "admin", api.TransferSpace, TransferInput(g.Space, g.ToOrganization))
	}
	for _, made := range ListTransfers(w, w.Org) {
		if made.Content() == g.Space || made.Content() == g.Collection {
			g.Transfer = made
		}
	}
	return g
}

// ListTransfers returns the transfers of an organization.
func ListTransfers(w *World, org string) []api.TransferRecord {
	w.T.Helper()
	all := api.ListOptions{Limit: api.Some(1000)}
	return Do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: org, ListOptions: all}).Items
}

// SourceRef returns the reference of the transfer in the source organization.
func (t *transferredSpace) SourceRef() api.TransferRef {
	return api.TransferRef{Organization: t.Org, Transfer: t.Transfer.ID}
}

// TargetRef returns the reference of the transfer in the target organization.
func (t *transferredSpace) TargetRef() api.TransferRef {
	return api.TransferRef{Organization: t.ToOrganization, Transfer: t.Transfer.ID}
}

// WantState fails the test unless the transfer has the state in both organizations.
func (t *transferredSpace) WantState(want api.TransferState) {
	t.T.Helper()
	for _, at := range []api.TransferRef{t.SourceRef(), t.TargetRef()} {
		Equal(t.T, "state in "+at.Organization, want, Do(t.World, "admin", api.GetTransfer, at).State)
	}
}

// WantReturned fails the test unless the space is back in the source organization with its text and comments.
func (t *transferredSpace) WantReturned(comments int) {
	t.T.Helper()
	now := Do(t.World, "admin", api.GetSpace, api.GetSpaceInput{Space: t.Space})
	Equal(t.T, "organization", t.Org, now.Organization)
	Equal(t.T, "comments", comments, now.Comments)
	text := Do(t.World, "admin", api.GetContentPage, api.PageInput{
		Space: t.Space, Page: t.Page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	Equal(t.T, "text", "Text.\n", *text.Markdown)
	t.WantState(api.TransferTakenBack)
	if left := KeysWithIDIn(t.World, t.ToOrganization, t.Space); len(left) > 1 { // only the record of the transfer may remain
		t.T.Errorf("what is left: %v", left)
	}
}

// CommentInTarget creates a comment in the space as the stranger, who is a member of the target organization only.
func (t *transferredSpace) CommentInTarget() Response {
	return Try(t.World, "stranger", api.CreateComment, api.CreateCommentInput{
		Space: t.Space, Body: api.CommentCreate{Page: t.Page, Body: CommentBody("Mine now.")},
	})
}

// WantModified fails the test unless taking the transfer back is refused with an error that names what has changed since.
func (t *transferredSpace) WantModified(what string) {
	t.T.Helper()
	e := Refused(t.World, "admin", api.TakeTransferBack, t.SourceRef(), 409, api.ReasonState)
	if len(e.Fields) != 1 || !strings.HasSuffix(e.Fields[0].Message, ": "+what) {
		t.T.Errorf("%s are not in %v", what, e.Fields)
	}
}

// TeamRef returns the reference of a team of the organization.
func TeamRef(w *World, team api.Team) api.TeamRef {
	return api.TeamRef{Organization: w.Org, Team: team.ID}
}

// GrantTeam grants a team a role on a space.
func GrantTeam(w *World, team api.Team, space string, role api.Role) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Space(w.Org, space)
		if err != nil {
			return err
		}
		d.Private.Teams = map[string]api.Role{team.ID: role}
		_, err = tx.PutSpace(d)
		return err
	}))
}

// TokenWorks reports whether a token is accepted.
func TokenWorks(w *World, name string) bool {
	w.T.Helper()
	return w.Send(name, http.MethodGet, "/v1/user", nil).Status == http.StatusOK
}

// NewToken creates a token as a user and stores it in w.Tokens under name.
func NewToken(w *World, as, name string, body api.TokenCreate) api.Token {
	w.T.Helper()
	body.Name = name
	made := Do(w, as, api.CreateToken, api.CreateTokenInput{Body: body})
	w.Tokens[name] = made.Token
	return made
}

// NewServiceAccount creates a service account.
func NewServiceAccount(w *World, name string, role api.Role) api.ServiceAccount {
	w.T.Helper()
	return Do(w, "admin", api.CreateServiceAccount, api.CreateServiceAccountInput{
		Organization: w.Org, Body: api.ServiceAccountCreate{DisplayName: name, Role: api.Some(role)},
	})
}

// NewServiceToken creates a token of a service account and stores it in w.Tokens under its name.
func NewServiceToken(w *World, account string, body api.ServiceAccountTokenCreate) api.Token {
	w.T.Helper()
	made := Do(w, "admin", api.CreateServiceAccountToken, api.CreateServiceAccountTokenInput{
		ServiceAccountRef: api.ServiceAccountRef{Organization: w.Org, ServiceAccount: account}, Body: body,
	})
	w.Tokens[body.Name] = made.Token
	return made
}

// TimeAfter returns the time d from now.
func TimeAfter(w *World, d time.Duration) api.Optional[api.Time] {
	return api.Some(api.At(w.Clock.Now().Add(d)))
}

// RotateInput returns the input that rotates a token.
func RotateInput(token string, overlap time.Duration) api.RotateTokenInput {
	return api.RotateTokenInput{TokenRef: api.TokenRef{Token: token}, Body: api.TokenRotate{OldValidFor: int(overlap.Seconds())}}
}

// NewOrganization creates another organization of the admin, with members.
func NewOrganization(w *World, title string, members ...string) string {
	w.T.Helper()
	id := Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: title}}).ID
	for _, name := range members {
		w.Must(orgs.Accounts{Store: w.Store}.SetMember(w.T.Context(), id, w.Users[name], api.RoleCreate))
	}
	return id
}

// TransferInput returns the input that transfers a space.
func TransferInput(space, to string) api.TransferSpaceInput {
	return api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: to}}
}

// KeysWithIDIn returns the keys of an organization that contain an id.
func KeysWithIDIn(w *World, org, id string) []string {
	w.T.Helper()
	return slices.DeleteFunc(KeysWithID(w, id), func(key string) bool { return !strings.HasPrefix(key, "{"+org+"}") })
}

// VisitorToken signs claims as the sign-in of a site does.
func VisitorToken(t *testing.T, w *World, key string, claims jwt.MapClaims) string {
	t.Helper()
	if claims["exp"] == nil {
		claims["exp"] = w.Clock.Now().Add(time.Hour).Unix()
	}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ShareKeyOf returns the key in the URL of a share link.
func ShareKeyOf(t *testing.T, link api.ShareLink) string {
	t.Helper()
	address, err := url.Parse(link.URLs.Published)
	if err != nil || address.Query().Get("shareKey") == "" {
		t.Fatalf("no key in %q", link.URLs.Published)
	}
	return "shareKey=" + url.QueryEscape(address.Query().Get("shareKey"))
}

// CallLimit is a hook that disconnects a node after Remaining calls to Redis. The last call is executed, but its
// response is lost.
type CallLimit struct{ Remaining atomic.Int64 }

var errDisconnected = &net.OpError{Op: "read", Err: errors.New("cut off")}

func (m *CallLimit) call(next func() error) error {
	left := m.Remaining.Add(-1)
	if left < 0 {
		return errDisconnected
	}
	err := next()
	if left == 0 {
		return errDisconnected
	}
	return err
}

// DialHook implements redis.Hook.
func (m *CallLimit) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (m *CallLimit) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := m.call(func() error { return next(ctx, command) })
		if err == errDisconnected { //nolint:errorlint // it is this very error
			command.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (m *CallLimit) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		err := m.call(func() error { return next(ctx, commands) })
		if err == errDisconnected { //nolint:errorlint // it is this very error
			for _, command := range commands {
				command.SetErr(err)
			}
		}
		return err
	}
}

// Unlimited is a number of calls that a test never reaches.
const Unlimited = 1 << 40

// WantListedOnce fails the test unless exactly one of two organizations lists the space. If between is set, it may also be
// listed by none.
func WantListedOnce(w *World, space, from, to string, between bool) {
	w.T.Helper()
	shown := 0
	for _, org := range []string{from, to} {
		for _, s := range Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: org}).Items {
			if s.ID == space {
				shown++
			}
		}
	}
	if shown > 1 || shown == 0 && !between {
		w.T.Errorf("%d organizations show the space", shown)
	}
}

// WriteHook is a hook that calls a function before one of the following writes to Redis, when all reads for it are
// done: it simulates a concurrent change by another node.
type WriteHook struct {
	Remaining atomic.Int64
	Func      func()
	Reads     bool                       // reads count as writes
	Ignored   func(cmd redis.Cmder) bool // writes that do not count; nil = none
}

func (b *WriteHook) call(commands ...redis.Cmder) {
	if (b.Reads || slices.ContainsFunc(commands, b.counts)) && b.Remaining.Add(-1) == 0 {
		b.Func()
	}
}

// counts reports whether a command is a write that is not ignored.
func (b *WriteHook) counts(command redis.Cmder) bool {
	return writesToRedis(command) && (b.Ignored == nil || !b.Ignored(command))
}

func writesToRedis(command redis.Cmder) bool {
	return slices.Contains([]string{"eval", "evalsha", "set", "setnx", "hset", "hdel", "zadd", "zrem", "sadd", "srem", "unlink", "del"},
		command.Name())
}

// Before calls fn before the n-th write of act, and reports whether act made that many writes.
func (b *WriteHook) Before(n int64, fn, act func()) bool {
	b.Func = fn
	b.Remaining.Store(n)
	act()
	return b.Remaining.Swap(0) <= 0
}

// DialHook implements redis.Hook.
func (b *WriteHook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (b *WriteHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		b.call(command)
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (b *WriteHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		b.call(commands...)
		return next(ctx, commands)
	}
}

// Succeeded reports whether the status of a response is below 400.
func Succeeded(a Response) bool { return a.Status < http.StatusBadRequest }
