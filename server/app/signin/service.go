package signin

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Service serves the pages of accounts and the OAuth endpoints.
type Service struct {
	Rest      *rest.Pipeline
	Store     *store.Store
	PublicURL string // without a trailing slash
	Clock     redis.Clock
	Log       *slog.Logger
	Logins    *orgs.Logins
	Signer    auth.Signer
	OIDC      *oidc.Client
	// OmitAddresses leaves the addresses of clients out of logins and sessions.
	OmitAddresses bool

	origins *http.CrossOriginProtection
	devices *auth.Limiter // of device codes, by the address that asks for them

	starts   *auth.Limiter // of sign-ins by providers, by address
	refusals *auth.Limiter // of events of refused sign-ins, by organization and address
}

// maxDeviceRequests is the number of device codes that an address gets per minute and node.
const maxDeviceRequests = 20

// countedAddresses is the number of addresses whose device codes are counted one by one.
const countedAddresses = 10_000

// New returns a Service.
func New(pipeline *rest.Pipeline, s *store.Store, publicURL string, clock redis.Clock, log *slog.Logger) *Service {
	service := &Service{
		Rest: pipeline, Store: s, PublicURL: publicURL, Clock: clock, Log: log, origins: http.NewCrossOriginProtection(),
		devices: auth.NewLimiter(maxDeviceRequests, countedAddresses), refusals: auth.NewLimiter(1, countedAddresses),
		starts: auth.NewLimiter(maxStarts, countedAddresses),
	}
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		_ = service.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host) // an invalid one is trusted nowhere
	}
	return service
}

// Route is a route of a Service.
type Route struct {
	Method, Path string
	Serve        http.HandlerFunc
	Acts         bool // GET may begin a session, so that HEAD is not served
}

// Routes returns the routes of the service.
func (s *Service) Routes() []Route {
	get := func(path string, serve http.HandlerFunc) Route {
		return Route{Method: http.MethodGet, Path: path, Serve: serve}
	}
	acting := func(path string, serve http.HandlerFunc) Route {
		return Route{Method: http.MethodGet, Path: path, Serve: serve, Acts: true}
	}
	post := func(path string, serve http.HandlerFunc) Route {
		return Route{Method: http.MethodPost, Path: path, Serve: serve}
	}
	return []Route{
		get("/.well-known/oauth-authorization-server", s.serveMetadata),
		post("/oauth/token", s.serveToken),
		post("/oauth/device", s.serveDeviceRequest),
		post("/oauth/revoke", s.serveRevocation),

		get("/account", s.page(s.showAccount)),
		get("/account/style.css", serveStyle),
		get("/account/sign-in", s.page(s.showSignIn)),
		post("/account/sign-in", s.form(s.signIn)),
		post("/account/join", s.form(s.join)),
		post("/account/sign-out", s.form(s.signOut)),
		post("/account/profile", s.form(s.changeProfile)),
		post("/account/tokens/end", s.form(s.endToken)),
		post("/account/tokens/end-all", s.form(s.endAll)),
		post("/account/provider", s.form(s.chooseProvider)),
		acting("/account/identified", s.page(s.showIdentified)),
		post("/account/confirm", s.form(s.decideIdentity)),
		get("/oidc/:organization/:provider/start", s.page(s.startSignIn)),
		acting("/oidc/:organization/:provider/callback", s.page(s.finishOIDC)),
		get("/saml/:organization/:provider", s.serveSAMLMetadata),
		get("/saml/:organization/:provider/start", s.page(s.startSignIn)),
		post("/saml/:organization/:provider/acs", s.page(s.finishSAML)),
		get("/account/authorize", s.page(s.showAuthorization)),
		post("/account/authorize", s.form(s.decideAuthorization)),
		get("/account/device", s.page(s.showDevice)),
		post("/account/device", s.form(s.showDeviceRequest)),
		post("/account/device/decide", s.form(s.decideDevice)),
	}
}

// isSecure reports whether browsers reach the server over https.
func (s *Service) isSecure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// unsafeReason returns why browsers cannot sign in; "" = they can. Cookies and codes are sent in the clear without https.
func (s *Service) unsafeReason() string {
	u, err := url.Parse(s.PublicURL)
	if err == nil && (s.isSecure() || isLoopback(u.Hostname())) {
		return ""
	}
	return "Signing in with a browser needs https: the public address of this server is " + s.PublicURL + "."
}

// keptAddress returns an address in the form in which logins and sessions store it.
func (s *Service) keptAddress(address string) string {
	if s.OmitAddresses {
		return ""
	}
	return address
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }
