package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
	maxSpecReads   int // maximum number of concurrent reads of specifications
	draining       atomic.Bool
	lastRegistered atomic.Pointer[redis.Moment] // time of the last search for lost jobs, see registerJobs
	measures       *measures                    // nil without Options.Metrics
	metricsToken   string

	publicURL, version, build string // shown by the front page and the about operation
}

// New returns a Server. It returns an error if the secret is too short or the key invalid.
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
		services: newServices(o, sealer, measured.requests()), measures: measured, metricsToken: o.MetricsToken, store: o.Store, log: o.Log, ids: o.IDs, budgets: o.Budgets, publicURL: o.PublicURL,
		version: o.Version, build: o.Build, eventsKept: o.EventsKept, maxSpecReads: int(o.Budgets.SpecFetches),
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
	engine := gin.New()
	engine.UseRawPath, engine.UnescapePathValues = true, true
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	_ = engine.SetTrustedProxies(nil) // nil has no invalid address
	for i := range s.rest.Endpoints {
		e := &s.rest.Endpoints[i]
		engine.Handle(e.Row.Method, ginPath(e.Row.Path), func(g *gin.Context) {
			s.rest.Serve(g.Writer, g.Request, e, func(name string) string { return strings.TrimPrefix(g.Param(name), "/") })
		})
	}
	s.handleOtherRoutes(engine)
	return engine
}

// handleOtherRoutes registers the routes that are not operations. The rate limit counts their requests by the client's
// address. Health checks are exempt, because they are cheap and return no data.
func (s *Server) handleOtherRoutes(engine *gin.Engine) {
	engine.GET("/healthz", func(g *gin.Context) { serveAlive(g.Writer) })
	engine.GET("/readyz", func(g *gin.Context) { s.serveReady(g.Writer, g.Request) })
	route := func(name string, answer func(g *gin.Context, w http.ResponseWriter, r *http.Request)) gin.HandlerFunc {
		route := s.rest.NewRoute(name)
		return func(g *gin.Context) {
			route.Serve(g.Writer, g.Request, func(w http.ResponseWriter, r *http.Request) { answer(g, w, r) })
		}
	}
	if s.metricsToken != "" {
		served := s.MetricsHandler()
		engine.GET("/metrics", route("/metrics", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveMetrics(w, r, served) }))
	}
	engine.GET("/v1/openapi.json", route("/v1/openapi.json", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.rest.ServeDocument(w, r)
	}))
	for _, r := range s.signIn.Routes() {
		engine.Handle(r.Method, r.Path, route(r.Path, func(_ *gin.Context, w http.ResponseWriter, q *http.Request) { r.Serve(w, q) }))
	}
	engine.GET("/", route("/", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveFront(w, r) }))
	raw := route("/raw/{signed}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.files.ServeRaw(w, r, g.Param("signed"))
	})
	engine.GET("/raw/:signed", raw)
	engine.HEAD("/raw/:signed", raw)
	engine.GET("/app/:kind/:id", route("/app/{kind}/{id}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveApp(w, r, g.Param("kind"), g.Param("id"))
	}))
	engine.GET("/sites/*path", route("/sites/{path...}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSite(w, r, g.Param("path"))
	}))
	engine.GET("/openapi/:org/:slug", route("/openapi/{org}/{slug}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSpec(w, r, g.Param("org"), g.Param("slug"))
	}))
	engine.Any("/integrations/*path", route("/integrations/{path...}", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.refuseIntegration(w, r)
	}))
	engine.NoRoute(route("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.rest.Refuse(w, r, *api.NotFound()) }))
	engine.NoMethod(route("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.rest.Refuse(w, r, *api.Errorf(http.StatusMethodNotAllowed, api.ReasonMethod, "%s is not possible here.",
			api.Shorten(r.Method, int(s.budgets.QuotedChars))))
	}))
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
