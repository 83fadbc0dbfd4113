package api

import "net/http"

// Routes of users and of the caller's account.
var (
	GetUser     = get[NoInput, CurrentUser]("user.get", "/v1/user", "Show who the token belongs to.", withOperation("getAuthenticatedUser"))
	ListTokens  = get[ListTokensInput, Page[Token]]("tokens.list", "/v1/user/tokens", "List your tokens, without their secrets.")
	CreateToken = create[CreateTokenInput, Token]("tokens.create", "/v1/user/tokens", "Make a token; its secret is shown once.", markSecret)
	RotateToken = post[RotateTokenInput, Token]("tokens.rotate", "/v1/user/tokens/{tokenId}/rotate",
		"Give a token a new secret, shown once; what the token may do and the tokens that it made stay.", markSecret, withOptionalBody)
	ShowUser = get[UserRef, User]("users.show", "/v1/users/{userId}", "Show yourself, or somebody who is in an organization with you.",
		withOperation("getUserById"))
	UpdateUser = patch[UpdateUserInput, User]("users.update", "/v1/users/{userId}", "Change your own name or photo.",
		withOperation("updateUserById"))
	DeleteToken = remove[TokenRef]("tokens.delete", "/v1/user/tokens/{tokenId}", http.StatusResetContent,
		"Revoke a token and those that it made; the next request with one of them fails.")
)

// NoInput is the input of operations without parameters and body.
type NoInput struct{}

// UserFields holds the stored members of a User.
type UserFields struct {
	Object      string `json:"object" enum:"user"`
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Email       string `json:"email,omitzero"`
	PhotoURL    string `json:"photoURL,omitzero"`
	// Type is UserService for service accounts and "" for people.
	Type UserType `json:"type,omitzero" doc:"Absent for people."`
}

// UserType is the kind of a user who is no person.
type UserType string

// UserService is the type of service accounts.
const UserService UserType = "service"

// Values returns the types.
func (UserType) Values() []UserType { return []UserType{UserService} }

// IsService reports whether the user is a service account.
func (u UserFields) IsService() bool { return u.Type == UserService }

// UserRef identifies a user.
type UserRef struct {
	User string `path:"userId" pattern:"id"`
}

// UpdateUserInput is the input of UpdateUser.
type UpdateUserInput struct {
	UserRef
	Body UserPatch
}

// UserPatch is the body of UpdateUser.
type UserPatch struct {
	DisplayName Optional[string] `json:"displayName,omitzero" len:"1..64"`
	PhotoURL    Optional[string] `json:"photoURL,omitzero" null:"true" len:"1..2048" format:"uri" doc:"Null removes it."`
}

// User is a person or service.
type User struct {
	UserFields
	URLs LocationURLs `json:"urls"`
}

// CurrentUser is the user of the token.
type CurrentUser struct {
	User
	MayCreateOrganizations bool `json:"mayCreateOrganizations" doc:"Whether the server lets the user create organizations with this token."`
}

// LocationURLs are the URLs of resources that have only an API URL.
type LocationURLs struct {
	Location string `json:"location"`
}

// AppURLs are the URLs of resources that also have a page in the app.
type AppURLs struct {
	Location string `json:"location"`
	App      string `json:"app"`
}

// Scope limits the operations of a token.
type Scope string

// Values of Scope. Each includes the ones before it.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// Values returns the scopes, weakest first.
func (Scope) Values() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeAdmin} }

// TokenFields holds the stored members of a Token.
type TokenFields struct {
	Object       string  `json:"object" enum:"token"`
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Scopes       []Scope `json:"scopes" doc:"Scopes of the token."`
	Organization string  `json:"organization,omitzero" doc:"The only organization that the token works in."`
	CreatedAt    Time    `json:"createdAt"`
	ExpiresAt    Time    `json:"expiresAt,omitzero" doc:"That of a token which wsd made by itself moves to 90 days after each use, and that of a login after each renewal."`
	Agent        bool    `json:"agent,omitzero" doc:"Sites that exclude agents are not there for it."`
	Installation string  `json:"installation,omitzero" doc:"The installation of an integration that it is for: it opens what that integration's scopes and the installation name."`
	Parent       string  `json:"parent,omitzero" doc:"The token that made it: it ends when that one does."`
	RotatedAt    Time    `json:"rotatedAt,omitzero" doc:"When it was given its present secret."`
	OldValidTo   Time    `json:"oldValidTo,omitzero" doc:"Until when the secret before that one works, too."`

	// Type, Client and Address are set for logins and sessions.
	Type    TokenType `json:"type,omitzero" doc:"login: of a client such as wsctl, which renews it; session: in the cookie of a browser. Absent for other tokens."`
	Client  string    `json:"client,omitzero" doc:"The name of the device or the browser that signed in, as it calls itself."`
	Address string    `json:"address,omitzero" doc:"The address that it signed in from."`

	EndedIn []string `json:"endedIn,omitempty" doc:"Organizations that the token no longer works in, because their admins have ended it there."`

	// Spaces and Groups limit tokens of service accounts; nil = no limit.
	Spaces []string         `json:"spaces,omitempty" doc:"Ids of the only spaces that it opens; only of tokens of service accounts."`
	Groups []OperationGroup `json:"groups,omitempty" doc:"The only operations that it may call, by the first word of their names; only of tokens of service accounts."`
}

// TokenType is the type of a token that was created by signing in.
type TokenType string

// Values of TokenType.
const (
	LoginToken   TokenType = "login"   // renewed by a client with a refresh secret
	SessionToken TokenType = "session" // in the cookie of a browser
)

// Values returns the types.
func (TokenType) Values() []TokenType { return []TokenType{LoginToken, SessionToken} }

// Token is an API credential. Only a digest of its secret is stored.
type Token struct {
	TokenFields
	LastUsedAt Time   `json:"lastUsedAt,omitzero" doc:"To the minute."`
	Token      string `json:"token,omitzero" doc:"The credential itself; only in the answer that made it."`
}

var _ = declareColumns[Token]("id,name,scopes,expiresAt,lastUsedAt,type")

// ListTokensInput is the input of ListTokens.
type ListTokensInput struct {
	ListOptions
}

// TokenRef identifies one of the caller's tokens.
type TokenRef struct {
	Token string `path:"tokenId" pattern:"id"`
}

// CreateTokenInput is the input of CreateToken.
type CreateTokenInput struct {
	Body TokenCreate
}

// RotateTokenInput is the input of RotateToken.
type RotateTokenInput struct {
	TokenRef
	Body TokenRotate
}

// TokenRotate is the body of RotateToken.
type TokenRotate struct {
	OldValidFor int `json:"oldValidFor,omitzero" range:"0..86400" doc:"For how many seconds the old secret works, too; default 0: it stops at once."`
}

// TokenCreate is the body of CreateToken. A token is limited by the one that creates it: it has no more scopes, works
// in no other organization, and ends when that one expires or is revoked.
type TokenCreate struct {
	Name         string           `json:"name" len:"1..64" doc:"What the token is for."`
	Scopes       []Scope          `json:"scopes,omitzero" len:"1..3" doc:"Default: those of the token that makes it."`
	Organization Optional[string] `json:"organization,omitzero" pattern:"id" doc:"The only organization that the token shall work in; default that of the token that makes it."`
	ExpiresAt    Optional[Time]   `json:"expiresAt,omitzero" doc:"When the token stops working, at the latest with the one that makes it, and at the maximum age of tokens of the server and of the organization; default then."`
	Agent        bool             `json:"agent,omitzero" doc:"The token is for an agent: sites that exclude agents are not there for it, nor for the tokens that it makes."`
}
