package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/app/specs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/specprocess"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/cors"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Fetcher makes the server's web requests. It is implemented by *fetch.Client.
type Fetcher interface {
	pages.Fetcher
	specs.Fetcher
}

// Options are the dependencies and settings of a Server.
type Options struct {
	Store     *store.Store
	PublicURL string // base URL of links in responses
	Secret    []byte // key for signing download addresses, at least 32 bytes
	OldSecret []byte // the secret that Secret replaces; nil = none
	Key       []byte // key for encrypting stored secrets, 32 bytes; nil disables them
	OldKey    []byte // the key that Key replaces; nil = none
	Importer  *importer.Importer
	Fetcher   Fetcher            // for files given by URL, and for specifications
	Providers http.RoundTripper  // for requests to identity providers
	Specs     specprocess.Reader // nil = specprocess.SameProcess
	Resolver  orgs.Resolver      // for proving e-mail domains; nil = net.DefaultResolver
	Fonts     pdf.Fonts          // fonts of PDFs
	Log       *slog.Logger
	Clock     redis.Clock     // nil = time.Now
	IDs       txn.IDGenerator // nil = random
	Version   string
	Build     string        // commit of the build, or ""
	RateLimit int           // requests per minute and principal, 0 = unlimited
	Slow      time.Duration // duration from which the log line of a request is a warning; 0 = none

	OperatorCreatesOrganizations bool // reserve the creation of organizations for the operator

	Computer   pages.Computer // of the pages below computed pages; nil = pages of specifications
	SearchWait time.Duration  // maximum wait of a search for its index; 0 = search.MaxIndexWait, negative = none

	EventsKept time.Duration // time for which events are kept; 0 = DefaultEventsKept
	// TokenMaxAge is the maximum age of tokens of people; 0 = none.
	TokenMaxAge time.Duration
	// SignInMaxAge is the time for which a sign-in by an identity provider lasts; 0 = orgs.DefaultSignInMaxAge.
	SignInMaxAge time.Duration
	// OmitAddresses leaves the addresses and user agents of clients out of the events.
	OmitAddresses bool

	// OmitReference leaves out the reference page /docs.
	OmitReference bool

	// Origins are the origins whose pages may use the operations.
	Origins cors.Origins

	Budgets *budgets.Budgets // nil = budgets.Defaults

	// Metrics makes the server count what it does, see Server.MetricsHandler.
	Metrics bool
	// MetricsToken is the bearer token with which /metrics is read, which is set with Metrics only; "" = there is no such route.
	MetricsToken string
}

// Server serves the operations of the contract and runs their jobs.
type Server struct {
	services

	store          *store.Store
	log            *slog.Logger
	ids            txn.IDGenerator
	budgets        *budgets.Budgets
	eventsKept     time.Duration
	origins        cors.Origins
	omitsReference bool // there is no page /docs
	maxSpecReads   int  // maximum number of concurrent reads of specifications
	draining       atomic.Bool
	lastRegistered atomic.Pointer[redis.Moment] // time of the last search for lost jobs, see registerJobs
	measures       *measures                    // nil without Options.Metrics
	metricsToken   string

	publicURL, version, build string // shown by the front page and the about operation
}

// New returns a Server. It returns an error if the secret or the token of the metrics is too short, or the key invalid.
func New(o Options) (*Server, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.IDs == nil {
		o.IDs = txn.NewIDGenerator(o.Clock)
	}
	if o.Specs == nil {
		o.Specs = specprocess.SameProcess{}
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Budgets == nil {
		o.Budgets = budgets.Defaults()
	}
	if len(o.Secret) < auth.MinSecret {
		return nil, fmt.Errorf("the server secret has %d bytes, at least %d are needed", len(o.Secret), auth.MinSecret)
	}
	if n := len(o.MetricsToken); n > 0 && (n < MinMetricsToken || !o.Metrics) {
		return nil, fmt.Errorf("the token of the metrics has %d characters, at least %d are needed, and metrics", n, MinMetricsToken)
	}
	sealer, err := auth.NewSealer(o.Store, o.Key, o.OldKey)
	if err != nil {
		return nil, err
	}
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	o.EventsKept = cmp.Or(o.EventsKept, DefaultEventsKept)
	var measured *measures
	if o.Metrics {
		measured = newMeasures(o)
	}
	s := &Server{
		services: newServices(o, sealer, measured.requests()), measures: measured, metricsToken: o.MetricsToken, store: o.Store, log: o.Log,
		ids: o.IDs, budgets: o.Budgets, publicURL: o.PublicURL, version: o.Version, build: o.Build, eventsKept: o.EventsKept,
		origins: o.Origins, omitsReference: o.OmitReference, maxSpecReads: int(o.Budgets.SpecFetches),
	}
	s.rest.Mount(append(s.endpoints(), s.aboutEndpoints()...)...)
	s.rest.MountInternal(s.logins.Endpoints()...)
	s.addFamilies()
	return s, nil
}

// Endpoints returns all mounted operations.
func (s *Server) Endpoints() []rest.Endpoint { return s.rest.Mounted() }

// Handler returns the HTTP handler of all routes.
func (s *Server) Handler() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := &router{Engine: gin.New(), server: s}
	r.UseRawPath, r.UnescapePathValues = true, true
	r.HandleMethodNotAllowed = true
	r.RedirectTrailingSlash = false
	_ = r.SetTrustedProxies(nil) // nil has no invalid address
	if len(s.origins) > 0 {
		r.Use(func(g *gin.Context) { s.origins.SetHeaders(g.Writer.Header(), g.Request) })
	}
	for i := range s.rest.Endpoints {
		e := &s.rest.Endpoints[i]
		r.add(e.Row.Method, ginPath(e.Row.Path), e.Row.Path, func(g *gin.Context) {
			s.rest.Serve(g.Writer, g.Request, e, func(name string) string { return strings.TrimPrefix(g.Param(name), "/") })
		})
	}
	s.addOtherRoutes(r)
	r.addOptions()
	return r.Engine
}

// addOtherRoutes registers the routes that are not operations. The rate limit counts their requests by the client's
// address. Health checks are exempt, because they are cheap and return no data.
func (s *Server) addOtherRoutes(r *router) {
	r.addUncounted("/healthz", func(w http.ResponseWriter, _ *http.Request) { serveAlive(w) })
	r.addUncounted("/readyz", s.serveReady)
	get := func(path, name string, answer func(g *gin.Context, w http.ResponseWriter, r *http.Request)) {
		r.add(http.MethodGet, path, name, s.counted(name, answer))
	}
	if s.metricsToken != "" {
		served := s.MetricsHandler()
		get("/metrics", "/metrics", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveMetrics(w, r, served) })
	}
	get("/v1/openapi.json", "/v1/openapi.json", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.rest.ServeDocument(w, r) })
	get("/v1/openapi.yaml", "/v1/openapi.yaml", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.rest.ServeYAMLDocument(w, r)
	})
	if !s.omitsReference {
		get("/docs", "/docs", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveReference(w, r, "") })
		get("/docs/:file", "/docs/{file}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
			s.serveReference(w, r, g.Param("file"))
		})
	}
	for _, page := range s.signIn.Routes() {
		serve := s.counted(page.Path, func(_ *gin.Context, w http.ResponseWriter, q *http.Request) { page.Serve(w, q) })
		if page.Acts {
			r.addOnly(page.Method, page.Path, page.Path, serve)
		} else {
			r.add(page.Method, page.Path, page.Path, serve)
		}
	}
	get("/", "/", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveFront(w, r) })
	get("/raw/:signed", "/raw/{signed}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.files.ServeRaw(w, r, g.Param("signed"))
	})
	get("/app/:kind/:id", "/app/{kind}/{id}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveApp(w, r, g.Param("kind"), g.Param("id"))
	})
	get("/sites/*path", "/sites/{path...}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSite(w, r, g.Param("path"))
	})
	get("/openapi/:org/:slug", "/openapi/{org}/{slug}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSpec(w, r, g.Param("org"), g.Param("slug"))
	})
	r.Any("/integrations/*path", s.counted("/integrations/{path...}", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.refuseIntegration(w, r)
	}))
	r.NoRoute(s.counted("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.rest.Refuse(w, r, *api.NotFound()) }))
	r.NoMethod(s.counted("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.rest.Refuse(w, r, *api.Errorf(http.StatusMethodNotAllowed, api.ReasonMethod, "%s is not possible here.",
			api.Shorten(r.Method, int(s.budgets.QuotedChars))))
	}))
}

// counted returns the handler of a route whose requests are counted and logged under a name.
func (s *Server) counted(name string, answer func(g *gin.Context, w http.ResponseWriter, r *http.Request)) gin.HandlerFunc {
	route := s.rest.NewRoute(name)
	return func(g *gin.Context) {
		route.Serve(g.Writer, g.Request, func(w http.ResponseWriter, r *http.Request) { answer(g, w, r) })
	}
}

// router registers routes with Gin.
type router struct {
	*gin.Engine

	server *Server
	paths  []*pathMethods
}

// pathMethods is a registered path with its methods.
type pathMethods struct {
	path, name  string
	methods     []string
	isUncounted bool
}

// add registers a route under the name that is logged. A route for GET is also one for HEAD: net/http sends no body then.
func (r *router) add(method, path, name string, serve gin.HandlerFunc) {
	r.addOnly(method, path, name, serve)
	if method == http.MethodGet {
		r.addOnly(http.MethodHead, path, name, serve)
	}
}

// addOnly is add without HEAD.
func (r *router) addOnly(method, path, name string, serve gin.HandlerFunc) *pathMethods {
	r.Handle(method, path, serve)
	i := slices.IndexFunc(r.paths, func(p *pathMethods) bool { return p.path == path })
	if i < 0 {
		i, r.paths = len(r.paths), append(r.paths, &pathMethods{path: path, name: name})
	}
	r.paths[i].methods = append(r.paths[i].methods, method)
	return r.paths[i]
}

// addUncounted registers a route for GET and HEAD whose requests are neither counted nor logged.
func (r *router) addUncounted(path string, serve http.HandlerFunc) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		r.addOnly(method, path, path, func(g *gin.Context) { serve(g.Writer, g.Request) }).isUncounted = true
	}
}

// addOptions registers OPTIONS for all paths.
func (r *router) addOptions() {
	for _, p := range r.paths {
		p.methods = append(p.methods, http.MethodOptions)
		slices.Sort(p.methods)
		allow, route := strings.Join(p.methods, ", "), r.server.rest.NewRoute(p.name)
		r.OPTIONS(p.path, func(g *gin.Context) {
			g.Header("Allow", allow)
			if p.isUncounted {
				g.Status(http.StatusNoContent)
				return
			}
			r.server.serveOptions(g.Writer, g.Request, route, allow)
		})
	}
}

// serveOptions answers an OPTIONS request. Preflights are not counted: browsers send them without a token, and pages cannot avoid them.
func (s *Server) serveOptions(w http.ResponseWriter, r *http.Request, route *rest.Route, allow string) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		rest.BaseHeaders(w.Header(), s.rest.RequestID(r))
		w.WriteHeader(http.StatusNoContent)
	}
	if !s.origins.IsPreflight(r) {
		route.Serve(w, r, answer)
		return
	}
	s.origins.SetPreflightHeaders(w.Header(), allow)
	route.ServeUncounted(w, r, answer)
}

// refuseIntegration refuses requests to the public endpoints of integrations, without checking whether the integration
// exists.
func (s *Server) refuseIntegration(w http.ResponseWriter, r *http.Request) {
	s.rest.Refuse(w, r, *api.Errorf(http.StatusNotImplemented, api.ReasonNotRun, "wsd keeps the code of integrations and does not run it."))
}

// ginPath converts {name} to :name and {name...} to *name.
func ginPath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		if rest, all := strings.CutSuffix(name, "..."); all {
			segments[i] = "*" + rest
		} else {
			segments[i] = ":" + name
		}
	}
	return strings.Join(segments, "/")
}
