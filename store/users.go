package store

import (
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// UserPrivate is what only the server reads of a user.
type UserPrivate struct {
	// VouchedBy is the organization whose invite wrote the e-mail address; "" = whoever runs the server vouched for it.
	// An organization vouches for itself alone, unless the address is proven: elsewhere it is not shown, and it is nobody's
	// claim.
	VouchedBy string `json:"vouchedBy,omitzero"`
	// Proven: an organization invited the address while its domain counted as that organization's. It stays, whatever
	// becomes of the domain.
	Proven bool   `json:"proven,omitzero"`
	Invite string `json:"invite,omitzero"` // the invite that made the user
}

// UserDocument is the document of a user.
type UserDocument = Document[api.UserFields, UserPrivate]

// TokenPrivate is what only the server reads of a token.
type TokenPrivate struct {
	Digest       string      `json:"digest"` // SHA-256 of the secret, hexadecimal
	Scopes       []api.Scope `json:"scopes"`
	Organization string      `json:"organization,omitzero"`
	ExpiresAt    api.Time    `json:"expiresAt,omitzero"`
	Agent        bool        `json:"agent,omitzero"`

	// Parent is the token that made this one, and Root the first in that line: when one of them is revoked, so are all
	// that it made. "" = a root; those that were stored before parents were recorded are roots, too.
	Parent string `json:"parent,omitzero"`
	Root   string `json:"root,omitzero"`
	// BoundSince is when the first in that line was made that works in one organization: it ends with the membership
	// that it was made under, and what it made with it. Absent = when the token itself was made.
	BoundSince api.Time `json:"boundSince,omitzero"`
	// Installation is set in tokens of an integration's installation: they open what that names.
	Installation *TokenInstallation `json:"installation,omitempty"`
	// Old is the secret that the last rotation replaced, while it is still good.
	Old *OldSecret `json:"old,omitempty"`
}

// TokenInstallation says which installation a token is for.
type TokenInstallation struct {
	Integration string `json:"integration"` // name
	ID          string `json:"id"`
	Withdrawn   int    `json:"withdrawn,omitzero"` // of the integration, when the token was made
}

// OldSecret is a secret that was replaced and opens the same token for some time yet.
type OldSecret struct {
	Digest string   `json:"digest"`
	Until  api.Time `json:"until"`
}

// TokenDocument is the document of a token.
type TokenDocument = Document[api.TokenFields, TokenPrivate]

// UserKind is the kind of the jobs that bring an organization's copy of a member's account up to date.
const UserKind = "user"

// UserJobTime is how long such a job waits for the change that it is to follow.
const UserJobTime = time.Minute

// UserJob is the job that copies a user into an organization.
func UserJob(user string) string { return txn.JobName(UserKind, user) }

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

// FamilyKey is the index of the tokens that come of a root: those that it made, those that they made, and so on.
func FamilyKey(user, root string) redis.Key { return User(user).Key(redis.OrderKind, "made", root) }

// PutToken writes a token and keeps the user's indexes of tokens.
func (tx *Tx) PutToken(user string, t TokenDocument) (txn.Record, error) {
	tx.Add(TokensKey(user), t.Fields.ID)
	if t.Private.Root != "" {
		tx.Add(FamilyKey(user, t.Private.Root), t.Fields.ID)
	}
	return PutDocument(tx, TokenKey(user, t.Fields.ID), t)
}

// DeleteToken revokes a token that was read: the next request with it fails. Those that it made are the caller's to
// revoke with it.
func (tx *Tx) DeleteToken(user string, t TokenDocument) {
	tx.Delete(TokenKey(user, t.Fields.ID))
	tx.Remove(TokensKey(user), t.Fields.ID)
	if t.Private.Root != "" {
		tx.Remove(FamilyKey(user, t.Private.Root), t.Fields.ID)
	}
}
