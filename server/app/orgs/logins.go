package orgs

import (
	"net/http"
	"reflect"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

// Logins makes the tokens of people who sign in: the session of a browser, and the login of a client, which renews its secret. Its
// endpoints are internal: package signin calls them for its pages and for OAuth 2.0.
type Logins struct {
	Orgs      *Service
	Confirmer Confirmer
	// SignInMaxAge is the time for which a sign-in by a provider lasts until the provider has to confirm it; 0 = DefaultSignInMaxAge.
	SignInMaxAge time.Duration
}

// Lifetimes of sessions and logins.
const (
	SessionTime    = 14 * 24 * time.Hour
	LoginTime      = 90 * 24 * time.Hour // after the last renewal
	AccessTime     = time.Hour           // of the secret that a login has until its next renewal
	CodeTime       = time.Minute         // of the code of a browser
	renewalRepeats = time.Minute         // in which a replaced refresh secret gets the same answer again
)

// DefaultSignInMaxAge is the time for which sessions and logins by a provider last.
const DefaultSignInMaxAge = 12 * time.Hour

// Rows of the internal endpoints. Their names are the kinds of their events.
var (
	SignIn        = internalRow[SignInInput, SignedIn]("sessions.sign-in")
	FindIdentity  = readOnly(internalRow[FindIdentityInput, FoundIdentity]("identities.find"))
	RefuseSignIn  = internalRow[RefuseSignInInput, api.None]("providers.refuse")
	CreateSession = internalRow[CreateSessionInput, Session]("sessions.create")
	GetSession    = readOnly(internalRow[api.NoInput, SessionAccess]("sessions.get"))
	EndSession    = internalRow[EndSessionInput, api.None]("sessions.end")
	ListScopes    = readOnly(internalRow[ListScopesInput, SessionAccess]("logins.scopes"))
	ApproveLogin  = internalRow[ApproveLoginInput, ApprovedLogin]("logins.approve")
	CreateLogin   = internalRow[CreateLoginInput, LoginSecrets]("logins.create")
	RenewLogin    = internalRow[LoginSecretInput, LoginSecrets]("logins.renew")
	EndLogin      = internalRow[LoginSecretInput, api.None]("logins.end")
)

func internalRow[In, Out any](name string) api.Route[In, Out] {
	return api.Route[In, Out]{Row: api.Row{
		Name: name, Method: http.MethodPost, Path: "/" + name, Status: http.StatusOK, Secret: true,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
	}}
}

func readOnly[In, Out any](route api.Route[In, Out]) api.Route[In, Out] {
	route.Method = http.MethodGet
	return route
}

// CreateSessionInput is the input of CreateSession.
type CreateSessionInput struct{ Body SessionCreate }

// SessionCreate is the body of CreateSession.
type SessionCreate struct {
	Client  string `json:"client,omitzero" len:"0..64"`
	Address string `json:"address,omitzero" len:"0..64"`
}

// SessionAccess is the answer of GetSession: what the session may do; and of ListScopes: the scopes that the roles of the user need.
type SessionAccess struct {
	Scopes       []api.Scope `json:"scopes"`
	Organization string      `json:"organization,omitempty"`
	IsByProvider bool        `json:"isByProvider,omitempty"` // the person has signed in by a provider of the organization
}

// ListScopesInput is the input of ListScopes.
type ListScopesInput struct {
	Organization string `query:"organization" pattern:"optionalID"`
}

// EndSessionInput is the input of EndSession.
type EndSessionInput struct{ Body SessionEnd }

// SessionEnd is the body of EndSession.
type SessionEnd struct {
	Token string `json:"token,omitzero" pattern:"optionalID"` // a session or login; "" = the session of the request
	All   bool   `json:"all,omitzero"`                        // all sessions and logins, that of the request last
}

// Session is the answer of CreateSession.
type Session struct {
	Session   string   `json:"session"` // for the cookie
	ExpiresAt api.Time `json:"expiresAt"`
}

// ApproveLoginInput is the input of ApproveLogin.
type ApproveLoginInput struct{ Body LoginApproval }

// LoginApproval is the body of ApproveLogin.
type LoginApproval struct {
	Client       string      `json:"client" len:"1..64"`
	Address      string      `json:"address,omitzero" len:"0..64"`
	Scopes       []api.Scope `json:"scopes" len:"1..3"`
	Organization string      `json:"organization,omitzero" pattern:"optionalID"`
	Challenge    string      `json:"challenge,omitzero" len:"0..64"`
	RedirectURI  string      `json:"redirectURI,omitzero" len:"0..256"`
	// CodeDigest is the digest of the code of a device, and CodeUntil its end. Otherwise the answer contains a new code.
	CodeDigest string   `json:"codeDigest,omitzero" len:"0..64"`
	CodeUntil  api.Time `json:"codeUntil,omitzero"`
}

// ApprovedLogin is the answer of ApproveLogin.
type ApprovedLogin struct {
	User  string `json:"user"`
	Token string `json:"token"`          // id of the token that the code makes valid
	Code  string `json:"code,omitempty"` // absent for a device, which has it
}

// CreateLoginInput is the input of CreateLogin.
type CreateLoginInput struct{ Body LoginCreate }

// LoginCreate is the body of CreateLogin.
type LoginCreate struct {
	Code        string `json:"code" len:"1..256"`
	Verifier    string `json:"verifier,omitzero" len:"0..128"`
	RedirectURI string `json:"redirectURI,omitzero" len:"0..256"`
}

// LoginSecretInput is the input of RenewLogin and of EndLogin.
type LoginSecretInput struct{ Body LoginSecret }

// LoginSecret is the body of RenewLogin and of EndLogin: a refresh secret, for EndLogin also an access token.
type LoginSecret struct {
	Secret string `json:"secret" len:"1..256"`
}

// LoginSecrets is the answer of CreateLogin and of RenewLogin.
type LoginSecrets struct {
	Access       string      `json:"access"`
	AccessUntil  api.Time    `json:"accessUntil"`
	Refresh      string      `json:"refresh"`
	Scopes       []api.Scope `json:"scopes"`
	Organization string      `json:"organization,omitempty"`
}

// Endpoints returns the internal endpoints.
func (l *Logins) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(SignIn, auth.Public(), l.signIn),
		rest.Op(FindIdentity, auth.Public(), l.findIdentity),
		rest.Op(RefuseSignIn, auth.Public(), l.refuseSignIn),
		rest.Op(CreateSession, auth.Self(), l.createSession).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(GetSession, auth.Self(), l.getSession).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(ListScopes, auth.Self(), l.listScopes).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(EndSession, auth.Self(), l.endSession).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(ApproveLogin, auth.Self(), l.approveLogin).WithScope(api.ScopeRead).ForPeople(),
		rest.Op(CreateLogin, auth.Public(), l.createLogin),
		rest.Op(RenewLogin, auth.Public(), l.renewLogin),
		rest.Op(EndLogin, auth.Public(), l.endLogin),
	}
}

// invalidGrant returns the error for a code or a refresh secret that opens nothing. It does not say why.
func invalidGrant() *api.Error {
	return api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "The login has ended, or its secret is not valid.").
		WithHint("Sign in again.")
}
