package api

import "net/http"

// Rows of users and of the caller's own account. None is in the interface; GET /v1/user is the public API's whoami.
var (
	GetUser     = get[NoInput, User]("user.get", "/v1/user", "Show who the token belongs to.")
	ListTokens  = get[ListTokensInput, Page[Token]]("tokens.list", "/v1/user/tokens", "List your tokens, without their secrets.")
	CreateToken = create[CreateTokenInput, Token]("tokens.create", "/v1/user/tokens", "Make a token; its secret is shown once.", secret)
	ShowUser    = get[UserRef, User]("users.show", "/v1/users/{user}", "Show yourself, or somebody who is in an organization with you.")
	UpdateUser  = patch[UpdateUserInput, User]("users.update", "/v1/users/{user}", "Change your own name or photo.")
	DeleteToken = remove[TokenRef]("tokens.delete", "/v1/user/tokens/{token}", http.StatusResetContent, "Revoke a token; the next request with it fails.")
)

// NoInput is the input of operations that take nothing.
type NoInput struct{}

// UserFields are the members of a User that are stored as they are answered.
type UserFields struct {
	Object      string `json:"object" enum:"user"`
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Email       string `json:"email,omitzero"`
	PhotoURL    string `json:"photoURL,omitzero"`
}

// UserRef names a user.
type UserRef struct {
	User string `path:"user" pattern:"id"`
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

// Validate implements the rules that schemas cannot say.
func (p UserPatch) Validate() []FieldError { return checkImage("photoURL", p.PhotoURL) }

// User is a person or service (interface, User).
type User struct {
	UserFields
	URLs LocationURLs `json:"urls"`
}

// LocationURLs is the urls member of resources that only have an API address.
type LocationURLs struct {
	Location string `json:"location"`
}

// AppURLs is the urls member of resources that also have a page for people.
type AppURLs struct {
	Location string `json:"location"`
	App      string `json:"app"`
}

// Scope limits what a token may do.
type Scope string

// The scopes of a token, each including the ones before it.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin"
)

// Values returns the scopes, weakest first.
func (Scope) Values() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeAdmin} }

// TokenFields are the members of a Token that are stored as they are answered.
type TokenFields struct {
	Object       string  `json:"object" enum:"token"`
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Scopes       []Scope `json:"scopes"`
	Organization string  `json:"organization,omitzero" doc:"The only organization that the token works in."`
	CreatedAt    Time    `json:"createdAt"`
	ExpiresAt    Time    `json:"expiresAt,omitzero"`
	Agent        bool    `json:"agent,omitzero" doc:"Sites that exclude agents are not there for it."`
}

// Token is an API credential. Only a digest of its secret is stored.
type Token struct {
	TokenFields
	LastUsedAt Time   `json:"lastUsedAt,omitzero" doc:"To the minute."`
	Token      string `json:"token,omitzero" doc:"The credential itself; only in the answer that made it."`
}

// ListTokensInput is the input of ListTokens.
type ListTokensInput struct {
	ListOptions
}

// TokenRef names one of the caller's tokens.
type TokenRef struct {
	Token string `path:"token" pattern:"id"`
}

// CreateTokenInput is the input of CreateToken.
type CreateTokenInput struct {
	Body TokenCreate
}

// TokenCreate is the body of CreateToken. A token never has more scopes than the one that makes it.
type TokenCreate struct {
	Name         string           `json:"name" len:"1..64" doc:"What the token is for."`
	Scopes       []Scope          `json:"scopes,omitzero" len:"1..3" doc:"Default: those of the token that makes it."`
	Organization Optional[string] `json:"organization,omitzero" pattern:"id" doc:"The only organization that the token shall work in."`
	ExpiresAt    Optional[Time]   `json:"expiresAt,omitzero" doc:"When the token stops working; default never."`
	Agent        bool             `json:"agent,omitzero" doc:"The token is for an agent: sites that exclude agents are not there for it, nor for the tokens that it makes."`
}
