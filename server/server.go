package server

import (
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
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Fetcher is what the server reaches the web with; *fetch.Client is one.
type Fetcher interface {
	pages.Fetcher
	specs.Fetcher
}

// Options are what a Server is made of.
type Options struct {
	Store     *store.Store
	PublicURL string // of links in answers, without a slash at the end
	Secret    []byte // signs the addresses of downloads; at least 32 bytes
	Key       []byte // seals secrets that are read again; 32 bytes, or none: then there are no such secrets
	Importer  *importer.Importer
	Fetcher   Fetcher       // for files given by URL, and for specifications
	Resolver  orgs.Resolver // proves e-mail domains; nil: that of the machine
	Fonts     pdf.Fonts     // of PDFs
	Log       *slog.Logger
	Clock     redis.Clock // nil: time.Now
	IDs       txn.IDs     // nil: random
	Version   string
	Build     string // the commit of the build, "" where that is not known
	RateLimit int    // requests a minute and principal, 0 = no limit

	Budgets *budgets.Budgets // nil: budgets.Defaults
}

// Server answers the contract's operations.
type Server struct {
	rooms

	store      *store.Store
	log        *slog.Logger
	ids        txn.IDs
	budgets    *budgets.Budgets
	fetches    int // specifications that are read at the same time
	draining   atomic.Bool
	registered atomic.Pointer[redis.Moment] // when it has last looked for jobs that nobody knows of; see registerJobs

	publicURL, version, build string // for the front page, and for who asks
}

// New returns a Server. It fails when the secret is too short or an operation of the contract is not mounted.
func New(o Options) (*Server, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.IDs == nil {
		o.IDs = txn.NewIDs(o.Clock)
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
	sealer, err := auth.NewSealer(o.Key)
	if err != nil {
		return nil, err
	}
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	s := &Server{rooms: newRooms(o, sealer), store: o.Store, log: o.Log, ids: o.IDs, budgets: o.Budgets, publicURL: o.PublicURL, version: o.Version, build: o.Build, fetches: int(o.Budgets.SpecFetches)}
	s.rest.Mount(append(s.endpoints(), s.aboutEndpoints()...)...)
	return s, nil
}

// Endpoints are every mounted operation.
func (s *Server) Endpoints() []rest.Endpoint { return s.rest.Mounted() }

// Handler returns the HTTP handler of everything that wsd serves.
func (s *Server) Handler() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.UseRawPath, engine.UnescapePathValues = true, true
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	_ = engine.SetTrustedProxies(nil)
	for i := range s.rest.Endpoints {
		e := &s.rest.Endpoints[i]
		engine.Handle(e.Row.Method, ginPath(e.Row.Path), func(g *gin.Context) {
			s.rest.Serve(g.Writer, g.Request, e, func(name string) string { return strings.TrimPrefix(g.Param(name), "/") })
		})
	}
	s.handleBeside(engine)
	return engine
}

// handleBeside mounts what is no operation. Health answers cost nothing and tell nothing; all else counts as a request of
// the address that it comes from.
func (s *Server) handleBeside(engine *gin.Engine) {
	engine.GET("/healthz", func(g *gin.Context) { serveAlive(g.Writer) })
	engine.GET("/readyz", func(g *gin.Context) { s.serveReady(g.Writer, g.Request) })
	beside := func(route string, answer func(g *gin.Context, w http.ResponseWriter, r *http.Request)) gin.HandlerFunc {
		return func(g *gin.Context) {
			s.rest.ServeBeside(g.Writer, g.Request, route, func(w http.ResponseWriter, r *http.Request) { answer(g, w, r) })
		}
	}
	engine.GET("/v1/openapi.json", beside("/v1/openapi.json", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.rest.ServeDocument(w, r) }))
	engine.GET("/", beside("/", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.serveFront(w, r) }))
	raw := beside("/raw/{signed}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.downloads.ServeRaw(w, r, g.Param("signed"))
	})
	engine.GET("/raw/:signed", raw)
	engine.HEAD("/raw/:signed", raw)
	engine.GET("/app/:kind/:id", beside("/app/{kind}/{id}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveApp(w, r, g.Param("kind"), g.Param("id"))
	}))
	engine.GET("/sites/*path", beside("/sites/{path...}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSite(w, r, g.Param("path"))
	}))
	engine.GET("/openapi/:org/:slug", beside("/openapi/{org}/{slug}", func(g *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.serveSpec(w, r, g.Param("org"), g.Param("slug"))
	}))
	engine.Any("/integrations/*path", beside("/integrations/{path...}", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.refuseToRun(w, r) }))
	engine.NoRoute(beside("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) { s.rest.Refuse(w, r, *api.NotFound()) }))
	engine.NoMethod(beside("", func(_ *gin.Context, w http.ResponseWriter, r *http.Request) {
		s.rest.Refuse(w, r, *api.Errorf(http.StatusMethodNotAllowed, api.ReasonMethod, "%s is not possible here.", api.Shorten(r.Method, int(s.budgets.Echo))))
	}))
}

// refuseToRun answers the public endpoint of every integration, whether there is one of that name or not: it asks nobody.
func (s *Server) refuseToRun(w http.ResponseWriter, r *http.Request) {
	s.rest.Refuse(w, r, *api.Errorf(http.StatusNotImplemented, api.ReasonNotRun, "wsd keeps the code of integrations and does not run it."))
}

// ginPath turns {name} into :name and {name...} into *name.
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
