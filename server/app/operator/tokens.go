package operator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Token is a token as listed by `wsd token list`. Its secret is not stored.
type Token struct {
	api.TokenFields
	LastUsedAt api.Time `json:"lastUsedAt,omitzero"`
	User       string   `json:"user"`
	UserName   string   `json:"userName,omitzero"`
	UserEmail  string   `json:"userEmail,omitzero"`
	Damaged    bool     `json:"damaged,omitzero"` // its record cannot be read; see `wsd fsck`
}

// TokenFilter selects tokens. The zero value selects all.
type TokenFilter struct {
	User      string    // id or e-mail address of the user; "" = all
	Unbounded bool      // tokens that neither end at a time nor with another token
	Scope     api.Scope // tokens that have this scope; "" = any
}

// selects reports whether a token passes the filter, whose user it does not compare.
func (f TokenFilter) selects(t store.WalkedToken, maxAge time.Duration) bool {
	return (!f.Unbounded || t.IsUnbounded(maxAge)) && (f.Scope == "" || slices.Contains(t.Private.Scopes, f.Scope))
}

// ListTokens calls visit with the tokens that a filter selects, a page at a time. Tokens of one user are in the order of their ids, those
// of all users in no particular order.
func (s Service) ListTokens(ctx context.Context, f TokenFilter, visit func(page []Token) error) error {
	user := ""
	if f.User != "" {
		var err error
		if user, err = s.accounts().FindUser(ctx, f.User); err != nil {
			return err
		}
	}
	return s.Store.WalkTokens(ctx, user, func(page []store.WalkedToken) error {
		page = slices.DeleteFunc(page, func(t store.WalkedToken) bool { return !f.selects(t, s.TokenMaxAge) })
		if len(page) == 0 {
			return nil
		}
		tokens, err := s.newTokens(ctx, page)
		if err != nil {
			return err
		}
		return visit(tokens)
	})
}

// newTokens returns the listed form of tokens. It reads their last use and their users in one trip.
func (s Service) newTokens(ctx context.Context, page []store.WalkedToken) ([]Token, error) {
	b := s.Store.NewBatch()
	users, used := make([]*txn.Future[txn.Record], len(page)), make([]*txn.Reply[string], len(page))
	for i, t := range page {
		users[i], used[i] = b.Record(store.UserKey(t.User)), b.Value(store.UsedKey(t.User, t.ID))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read users of tokens: %w", err)
	}
	tokens := make([]Token, len(page))
	for i, t := range page {
		tokens[i] = Token{TokenFields: t.Fields, User: t.User, Damaged: t.Err != nil}
		tokens[i].ID = t.ID
		var u store.UserDocument
		if r, there, err := users[i].Get(); err == nil && there && u.Decode(r) == nil { // a damaged user has no name
			tokens[i].UserName, tokens[i].UserEmail = u.Fields.DisplayName, u.Fields.Email
		}
		lastUse, err := store.ParseUse(used[i].Value())
		if err != nil {
			return nil, fmt.Errorf("last use of %s: %w", t.ID, err)
		}
		tokens[i].LastUsedAt = lastUse
		if t.Err == nil {
			tokens[i].ExpiresAt = t.Private.EndsAt(t.Fields.CreatedAt, lastUse, s.TokenMaxAge)
		}
	}
	return tokens, nil
}

// RevokedToken is a token that was revoked.
type RevokedToken struct {
	User string `json:"user"`
	ID   string `json:"id"`
	Name string `json:"name"`
	// Parent is the token whose revocation included this one; "" = the one that was named.
	Parent string `json:"parent,omitzero"`
}

// RevokeToken revokes a token, given by its id or its text, also without the secret, and the tokens that were made with it. It
// returns them, the given one first.
func (s Service) RevokeToken(ctx context.Context, idOrText string) ([]RevokedToken, error) {
	user, id, err := s.findToken(ctx, idOrText)
	if err != nil {
		return nil, err
	}
	fields, err := s.accounts().RevokeToken(ctx, user, id)
	if rest.IsNotFound(err) {
		err = noTokenError(id)
	}
	if err != nil {
		return nil, err
	}
	revoked := make([]RevokedToken, len(fields))
	for i, f := range fields {
		revoked[i] = RevokedToken{User: user, ID: f.ID, Name: f.Name}
		if i > 0 {
			revoked[i].Parent = f.Parent
		}
	}
	return revoked, nil
}

// RevokeTokensOf revokes all tokens of the user with an id or e-mail address. It returns the id of the user and the number
// of the tokens.
func (s Service) RevokeTokensOf(ctx context.Context, idOrEmail string) (user string, count int, err error) {
	if user, err = s.accounts().FindUser(ctx, idOrEmail); err != nil {
		return "", 0, err
	}
	count, err = s.accounts().RevokeAllTokens(ctx, user)
	return user, count, err
}

// findToken returns the user and the id of a token, given by its id or its text, also without the secret. By its id it scans every
// key.
func (s Service) findToken(ctx context.Context, idOrText string) (user, id string, err error) {
	if user, id, ok := auth.ParseTokenName(idOrText); ok {
		return user, id, nil
	}
	if !redis.ValidID(idOrText) { // do not repeat a secret
		return "", "", api.InvalidField("token", "must be the id of a token (t_...) or a token (wsd_...)").WithHint(namingHint)
	}
	owners, err := s.Store.TokenOwners(ctx, idOrText)
	switch {
	case err != nil:
		return "", "", err
	case len(owners) == 0:
		return "", "", noTokenError(idOrText)
	case len(owners) > 1: // ids are unique unless data was copied by hand
		slices.Sort(owners)
		return "", "", api.InvalidField("token", "several users have a token %s: %v", idOrText, owners)
	}
	return owners[0], idOrText, nil
}

// namingHint says how a token is named.
const namingHint = "A token is wsd_ACCOUNT_ID_SECRET; t_ID and wsd_ACCOUNT_ID name it, too. wsd token list lists all tokens."

func noTokenError(id string) error {
	return api.InvalidField("token", "there is no token %s", id).WithHint(namingHint)
}
