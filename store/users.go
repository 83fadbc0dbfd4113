package store

import (
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// UserPrivate is the server-side part of a user.
type UserPrivate struct {
	// VouchedBy is the organization whose invite contained the e-mail address; "" = the operator of the server vouched for it.
	// Unless the address is proven, it is valid only in that organization: it is not shown elsewhere and gives no rights there.
	VouchedBy string `json:"vouchedBy,omitzero"`
	// Proven is set if an organization invited the address while its domain counted as that organization's. It is not
	// reset when the domain changes.
	Proven bool   `json:"proven,omitzero"`
	Invite string `json:"invite,omitzero"` // invite or identity that created the user

	// DisabledAt is the time at which the operator disabled the account. Nothing of a disabled user gives access: see
	// IsDisabled. Zero = the account is enabled.
	DisabledAt api.Time `json:"disabledAt,omitzero"`
	// EndedAt is the time at which the operator ended the account for good. It is disabled, too.
	EndedAt api.Time `json:"endedAt,omitzero"`
}

// HasVerifiedEmail reports whether the e-mail address of the user is verified.
func (p *UserPrivate) HasVerifiedEmail() bool { return p.VouchedBy == "" || p.Proven }

// IsDisabled reports whether the operator has disabled or ended the account of the user.
func (p *UserPrivate) IsDisabled() bool { return !p.DisabledAt.IsZero() }

// UserDocument is the document of a user.
type UserDocument = Document[api.UserFields, UserPrivate]

// TokenPrivate is the server-side part of a token.
type TokenPrivate struct {
	Digest       string      `json:"digest"` // SHA-256 of the secret, hexadecimal
	Scopes       []api.Scope `json:"scopes"`
	Organization string      `json:"organization,omitzero"`
	ExpiresAt    api.Time    `json:"expiresAt,omitzero"`
	Agent        bool        `json:"agent,omitzero"`

	// Parent is the token that created this one, and Root the first of that chain. Revoking a token revokes all
	// tokens created with it. "" = a root, as for tokens older than this record.
	Parent string `json:"parent,omitzero"`
	Root   string `json:"root,omitzero"`
	// BoundSince is the creation time of the first organization-bound token of the chain. The chain ends with the membership
	// under which that token was created. Zero = the creation time of this token.
	BoundSince api.Time `json:"boundSince,omitzero"`
	// Installation is set for tokens of an integration's installation and limits them to it.
	Installation *TokenInstallation `json:"installation,omitempty"`
	// EndedIn are the organizations for which their admins have ended the token. Tokens that it makes have them, too.
	EndedIn []string `json:"endedIn,omitempty"`
	// Old is the secret that the last rotation replaced, while it is still valid.
	Old *OldSecret `json:"old,omitempty"`
	// IdleMillis is the time after its last use, in milliseconds, at which the token ends; see EndsAt. 0 = it ends at ExpiresAt.
	// Builds that do not know it end the token at ExpiresAt.
	IdleMillis int64 `json:"idleMillis,omitzero"`
	// ChainStart is the creation time of the root of the chain, from which the age of the token is counted. Zero = the creation
	// time of this token.
	ChainStart api.Time `json:"chainStart,omitzero"`
	// Service is set for tokens of service accounts and limits them. Builds that do not know it refuse such tokens, because the
	// digest depends on it: see auth.TokenDigest.
	Service *TokenService `json:"service,omitempty"`
	// SignIn is set for tokens of somebody who has signed in by a provider of Organization. Builds that do not know it refuse such
	// tokens, as those of service accounts.
	SignIn *TokenSignIn `json:"signIn,omitempty"`
	// BreakGlass is set for tokens that the operator of the server created for an admin of an organization whose provider does not
	// answer. They work although the organization requires single sign-on.
	BreakGlass bool `json:"breakGlass,omitzero"`
	// Login is set for logins and sessions. Builds that do not know it refuse such tokens, as those of service accounts.
	Login *TokenLogin `json:"login,omitempty"`
}

// TokenSignIn describes a sign-in by a provider. The tokens that are made with it have it, too.
type TokenSignIn struct {
	Provider string   `json:"provider"`
	Identity string   `json:"identity"`
	At       api.Time `json:"at"`
	// IsRenewable is set if the provider has sent a refresh token, with which it can be asked whether the person may still sign in.
	IsRenewable bool `json:"renewable,omitzero"`
}

// TokenLogin contains the members that only logins and sessions have. All digests are those of package auth.
type TokenLogin struct {
	Type api.TokenType `json:"type"`
	// Code is set while the client has not redeemed it. Until then, the token has no secret.
	Code *LoginCode `json:"code,omitempty"`

	// The other members are set for api.LoginToken only. AccessUntil is the end of the secret in Digest; the token itself ends later.
	AccessUntil api.Time `json:"accessUntil,omitzero"`
	Limit       api.Time `json:"limit,omitzero"` // latest end of the token, however often it is renewed; zero = none
	// Chain is the digest of the part that all refresh secrets of the login have in common, and Refresh that of the present one.
	Chain   string `json:"chain,omitzero"`
	Refresh string `json:"refresh,omitzero"`
	// Generation is the number of the present refresh secret, which contains it.
	Generation int `json:"generation,omitzero"`
	// Renewed is the last renewal, whose answer may be asked for again for a while.
	Renewed *LoginRenewal `json:"renewed,omitempty"`
}

// LoginCode is a secret that a client exchanges once for those of its login.
type LoginCode struct {
	Digest      string   `json:"digest"`
	Until       api.Time `json:"until"`
	Challenge   string   `json:"challenge,omitzero"`   // SHA-256 of the verifier of the client, base64url (RFC 7636, S256); "" = none
	RedirectURI string   `json:"redirectURI,omitzero"` // where the code was sent; "" = nowhere, for a device code
}

// LoginRenewal is a renewal of a login.
type LoginRenewal struct {
	Refresh string   `json:"refresh"` // digest of the refresh secret that was replaced
	Until   api.Time `json:"until"`   // end of the time in which it gets the same answer again
	Sealed  string   `json:"sealed"`  // the new secrets, encrypted with the replaced one
}

// TokenService limits a token of a service account. nil = no limit.
type TokenService struct {
	Spaces []string             `json:"spaces,omitempty"` // ids of the only spaces that the token opens
	Groups []api.OperationGroup `json:"groups,omitempty"` // the only operations that it may call
}

// TokenInstallation identifies the installation of a token.
type TokenInstallation struct {
	Integration string `json:"integration"` // name
	ID          string `json:"id"`
	Withdrawn   int    `json:"withdrawn,omitzero"` // Withdrawn of the integration when the token was created
}

// OldSecret is a replaced secret that is still valid for some time.
type OldSecret struct {
	Digest string   `json:"digest"`
	Until  api.Time `json:"until"`
}

// TokenDocument is the document of a token.
type TokenDocument = Document[api.TokenFields, TokenPrivate]

// UserKind is the kind of the jobs that update an organization's copy of a member's account.
const UserKind = "user"

// UserJobTime is the delay of a job of UserKind after the change.
const UserJobTime = time.Minute

// UserJob returns the name of the job that copies a user to an organization.
func UserJob(user string) string { return txn.JobName(UserKind, user) }

// EndTokenKind is the kind of the jobs that end a token of a member for an organization.
const EndTokenKind = "end-token"

// EndTokenJob returns the name of the job that ends a token of a member for an organization.
func EndTokenJob(user, token string) string { return txn.JobName(EndTokenKind, user+"/"+token) }

// SplitEndTokenArg returns the user and the token in the argument of a job of EndTokenKind.
func SplitEndTokenArg(arg string) (user, token string) {
	user, token, _ = strings.Cut(arg, "/")
	return user, token
}

// ServiceAccountKind is the kind of the jobs that complete a change of a service account.
const ServiceAccountKind = "service-account"

// ServiceAccountJob returns the name of the job that completes a change of a service account.
func ServiceAccountJob(user string) string { return txn.JobName(ServiceAccountKind, user) }

// User reads a user's document.
func (tx *Tx) User(id string) (UserDocument, error) {
	return ReadDocument[api.UserFields, UserPrivate](tx, UserKey(id))
}

// PutUser writes a user's document.
func (tx *Tx) PutUser(u UserDocument) (txn.Record, error) {
	return PutDocument(tx, UserKey(u.Fields.ID), u)
}

// Token reads the document of a user's token.
func (tx *Tx) Token(user, id string) (TokenDocument, error) {
	return ReadDocument[api.TokenFields, TokenPrivate](tx, TokenKey(user, id))
}

// FamilyKey returns the key of the index of the tokens created, directly or indirectly, with a root token.
func FamilyKey(user, root string) redis.Key { return User(user).Key(redis.OrderKind, "made", root) }

// PutToken writes a token and updates the user's indexes of tokens.
func (tx *Tx) PutToken(user string, t TokenDocument) (txn.Record, error) {
	tx.Add(TokensKey(user), t.Fields.ID)
	if t.Private.Root != "" {
		tx.Add(FamilyKey(user, t.Private.Root), t.Fields.ID)
	}
	return PutDocument(tx, TokenKey(user, t.Fields.ID), t)
}

// DeleteToken revokes a token that was read. The caller revokes the tokens created with it.
func (tx *Tx) DeleteToken(user string, t TokenDocument) {
	tx.Delete(TokenKey(user, t.Fields.ID))
	tx.Remove(TokensKey(user), t.Fields.ID)
	if t.Private.Root != "" {
		tx.Remove(FamilyKey(user, t.Private.Root), t.Fields.ID)
	}
}
