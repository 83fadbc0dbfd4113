package orgs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) userEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetUser, auth.Self(), s.getUser),
		rest.Read(api.ShowUser, auth.Self(), s.showUser),
		rest.Op(api.UpdateUser, auth.Self(), s.updateUser).ForPeople().On(rest.Account),
		rest.Read(api.ListTokens, auth.Self(), s.listTokens),
		rest.Op(api.CreateToken, auth.Self(), s.createToken).WithScopeAdmin().ForPeople(),
		// Rotating the secret of another token requires more than the scope read.
		rest.Op(api.RotateToken, auth.Self(), s.rotateToken).WithScope(api.ScopeRead).On(rest.Token),
		rest.Op(api.DeleteToken, auth.Self(), s.deleteToken).WithScopeAdmin().On(rest.Token).AllowAbsent(auth.Self()),
	}
}

func (s *Service) getUser(ctx context.Context, r *rest.Request, b *txn.Batch, _ api.NoInput) rest.Finish[api.CurrentUser] {
	user := b.Record(store.UserKey(r.Principal))
	return func(_ context.Context, c *rest.Call) (none rest.Result[api.CurrentUser], err error) {
		record, ok, err := user.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		public, err := ownFields(c.Caller, record)
		if err != nil {
			return none, err
		}
		o := rest.ExtendObject(public).Set("urls", s.userURLs()).
			Set("mayCreateOrganizations", s.checkMayCreateOrganizations(c.Caller) == nil && c.Caller.HasScope(api.ScopeWrite))
		r, err := rest.ObjectResult[api.CurrentUser](o)
		return r.WithVersion(rest.RecordVersion(record)), err
	}
}

// ownFields returns the public fields of the caller's account. Those who have signed in by a provider get what its organization knows.
func ownFields(caller *access.Caller, r txn.Record) ([]byte, error) {
	if caller.SignIn == nil {
		return r.Public, nil
	}
	var u store.UserDocument
	if err := u.Decode(r); err != nil {
		return nil, err
	}
	public, err := json.Marshal(NewMemberFields(u, caller.Organization))
	if err != nil {
		return nil, fmt.Errorf("encode user %s: %w", caller.User, err)
	}
	return public, nil
}

func (s *Service) userURLs() api.LocationURLs {
	return api.LocationURLs{Location: s.PublicURL + "/v1/user"}
}

func (s *Service) listTokens(ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListTokensInput) rest.Finish[api.Page[api.Token]] {
	w := r.NewPager(in.ListOptions, false)
	index := store.TokensKey(r.Principal)
	members, count := b.Range(index, w.After, w.Size+1, false), b.Cardinality(index)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Page[api.Token]], error) {
		if w.Err != nil {
			return rest.Result[api.Page[api.Token]]{}, w.Err
		}
		if caller := c.Caller; caller.Organization != "" {
			return s.listBoundTokens(ctx, caller, w)
		}
		ids := members.Value()
		page, next := w.Cut(ids)
		items, err := s.encodeTokens(ctx, c.Caller.User, page)
		if err != nil {
			return rest.Result[api.Page[api.Token]]{}, err
		}
		total := count.Value()
		return rest.PageOf[api.Token](items, int(total), next)
	}
}

// encodeTokens reads tokens and their last use in one pipeline and returns their JSON.
func (s *Service) encodeTokens(ctx context.Context, user string, ids []string) ([][]byte, error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	used := make([]*txn.Reply[string], len(ids))
	for i, id := range ids {
		records[i], used[i] = b.Record(store.TokenKey(user, id)), b.Value(store.UsedKey(user, id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	var items [][]byte
	for i := range ids {
		record, ok, err := records[i].Get()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		lastUse, err := store.ParseUse(used[i].Value())
		if err != nil {
			return nil, fmt.Errorf("last use of %s: %w", ids[i], err)
		}
		o, err := s.tokenObject(record, lastUse)
		if err != nil {
			return nil, err
		}
		item, err := o.SetIf(!lastUse.IsZero(), "lastUsedAt", lastUse).Bytes()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// tokenObject returns the JSON of a token with its effective end. used is the time of its last use, zero = none.
func (s *Service) tokenObject(record txn.Record, used api.Time) (*rest.Object, error) {
	var d store.TokenDocument
	if err := d.Decode(record); err != nil {
		return nil, err
	}
	ends := s.effectiveEnd(d, used)
	if ends == d.Fields.ExpiresAt {
		return rest.ExtendObject(record.Public), nil
	}
	d.Fields.ExpiresAt = ends
	public, err := json.Marshal(d.Fields)
	if err != nil {
		return nil, fmt.Errorf("encode token %s: %w", d.Fields.ID, err)
	}
	return rest.ExtendObject(public), nil
}

// CheckExpiry returns an error if an expiry is not in the future.
func CheckExpiry(expiresAt api.Optional[api.Time], now time.Time) error {
	if t, ok := expiresAt.Get(); ok && !t.After(now) {
		return api.InvalidField("expiresAt", "must lie in the future, not at %s", t)
	}
	return nil
}

// TokenOptions are the properties of a new token.
type TokenOptions struct {
	Name         string
	Scopes       []api.Scope
	Organization string
	ExpiresAt    api.Time
	BoundSince   api.Time                 // see store.TokenPrivate; zero = now, or that of the parent
	Agent        bool                     // hides sites that exclude agents
	Client       string                   // device or browser that signs in
	Address      string                   // address that it signs in from
	Installation *store.TokenInstallation // set for tokens of an integration's installation
	parent       *access.Caller           // caller whose token limits this one; nil creates a root token
	service      *store.TokenService      // set for tokens of service accounts
	login        *store.TokenLogin        // set for logins and sessions
	signIn       *store.TokenSignIn       // see store.TokenPrivate; tokens of a parent have that of the parent
	breakGlass   bool                     // see store.TokenPrivate; tokens of a parent have that of the parent
	endedIn      []string                 // see store.TokenPrivate
	idle         time.Duration            // see store.TokenPrivate.IdleMillis
}

// NewToken creates a token for a user and returns its record and its secret text, which is not stored. tx must be a
// transaction of the user's shard.
func NewToken(tx *store.Tx, user string, o TokenOptions) (record txn.Record, text string, err error) {
	made := auth.Credential{User: user, Token: tx.NewID(auth.TokenPrefix), Secret: rand.Text()}
	document, err := tx.Token(user, made.Token)
	if err != nil {
		return txn.Record{}, "", err
	}
	document.Fields = api.TokenFields{
		Object: "token", ID: made.Token, Name: o.Name, Scopes: o.Scopes, Organization: o.Organization,
		CreatedAt: api.At(tx.Now()), ExpiresAt: o.ExpiresAt, Agent: o.Agent, EndedIn: o.endedIn, Client: o.Client, Address: o.Address,
	}
	document.Private = store.TokenPrivate{
		Scopes: o.Scopes, Organization: o.Organization, ExpiresAt: o.ExpiresAt, Agent: o.Agent,
		BoundSince: o.BoundSince, Installation: o.Installation, EndedIn: o.endedIn, Service: o.service, Login: o.login,
		IdleMillis: o.idle.Milliseconds(), SignIn: o.signIn, BreakGlass: o.breakGlass,
	}
	if o.parent != nil {
		document.Private.SignIn, document.Private.BreakGlass = o.parent.SignIn, o.parent.MaySkip
	}
	if o.login != nil {
		document.Fields.Type = o.login.Type
	}
	if o.login == nil || o.login.Code == nil { // others get their secret when the code is redeemed
		document.Private.Digest = auth.TokenDigest(document.Private, made.Secret)
	}
	if o.service != nil {
		document.Fields.Spaces, document.Fields.Groups = o.service.Spaces, o.service.Groups
	}
	if o.Installation != nil {
		document.Fields.Installation = o.Installation.ID
	}
	if o.parent != nil {
		document.Fields.Parent = o.parent.Token
		document.Private.Parent, document.Private.Root = o.parent.Token, o.parent.Root
		document.Private.ChainStart = o.parent.AgeFrom
		if !o.parent.BoundSince.IsZero() {
			document.Private.BoundSince = o.parent.BoundSince
		}
	}
	record, err = tx.PutToken(user, document)
	return record, made.String(), err
}

// tokenIDOf returns the token id in the text of a credential.
func tokenIDOf(text string) string {
	made, _ := auth.ParseCredential(text)
	return made.Token
}
