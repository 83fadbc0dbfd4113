package store

import (
	"time"

	"docspace.dev/wsd/client/api"
)

// UserPrivate is what only the server reads of a user.
type UserPrivate struct {
	// VouchedBy is the organization whose invite the e-mail address comes from; "" = whoever runs the server. An
	// organization vouches for itself alone: what others open to a domain takes more.
	VouchedBy string `json:"vouchedBy,omitzero"`
	Invite    string `json:"invite,omitzero"` // the invite that made the user
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
}

// TokenDocument is the document of a token.
type TokenDocument = Document[api.TokenFields, TokenPrivate]

// UserKind is the kind of the jobs that bring an organization's copy of a member's account up to date.
const UserKind = "user"

// UserJobTime is how long such a job waits for the change that it is to follow.
const UserJobTime = time.Minute

// UserJob is the job that copies a user into an organization.
func UserJob(user string) string { return JobName(UserKind, user) }

// User reads a user's document.
func (tx *Tx) User(id string) (UserDocument, error) {
	return document[api.UserFields, UserPrivate](tx, UserKey(id))
}

// PutUser writes a user's document.
func (tx *Tx) PutUser(u UserDocument) (Record, error) { return put(tx, UserKey(u.Fields.ID), u) }

// Token reads the document of a user's token.
func (tx *Tx) Token(user, id string) (TokenDocument, error) {
	return document[api.TokenFields, TokenPrivate](tx, TokenKey(user, id))
}

// PutToken writes a token and keeps the user's index of tokens.
func (tx *Tx) PutToken(user string, t TokenDocument) (Record, error) {
	tx.Add(TokensKey(user), t.Fields.ID)
	return put(tx, TokenKey(user, t.Fields.ID), t)
}

// DeleteToken revokes a token that was read: the next request with it fails.
func (tx *Tx) DeleteToken(user, id string) {
	tx.Delete(TokenKey(user, id))
	tx.Remove(TokensKey(user), id)
}
