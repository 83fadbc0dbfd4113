package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/comments"
	"docspace.dev/wsd/server/downloads"
	"docspace.dev/wsd/server/export"
	"docspace.dev/wsd/server/importer"
	"docspace.dev/wsd/server/indexing"
	"docspace.dev/wsd/server/integrations"
	"docspace.dev/wsd/server/lifecycle"
	"docspace.dev/wsd/server/links"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/server/pages"
	"docspace.dev/wsd/server/references"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/reviews"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/server/sites"
	"docspace.dev/wsd/server/spaces"
	"docspace.dev/wsd/server/specs"
	"docspace.dev/wsd/server/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Options are what a Server is made of.
type Options struct {
	Store     *store.Store
	PublicURL string // of links in answers, without a slash at the end
	Secret    []byte // signs the addresses of downloads; at least 32 bytes
	Key       []byte // seals secrets that are read again; 32 bytes, or none: then there are no such secrets
	Importer  *importer.Importer
	Fetcher   pages.Fetcher // for files given by URL
	Fonts     export.Fonts  // of PDFs
	Log       *slog.Logger
	Clock     redis.Clock // nil: time.Now
	IDs       txn.IDs     // nil: random
	Version   string
	RateLimit int // requests a minute and principal, 0 = no limit

	Budgets *budgets.Budgets // nil: budgets.Defaults
}

// Server answers the contract's operations.
type Server struct {
	rest         *rest.Pipeline
	view         *view.Writer
	lifecycle    *lifecycle.Service
	downloads    *downloads.Service
	integrations *integrations.Service
	specs        *specs.Service
	sites        *sites.Service
	pages        *pages.Service
	references   *references.Service
	reviews      *reviews.Service
	comments     *comments.Service
	indexing     *indexing.Service
	links        *links.Service
	spaces       *spaces.Service
	orgs         *orgs.Service
	store        *store.Store
	publicURL    string
	signer       auth.Signer
	sealer       auth.Sealer
	importer     *importer.Importer
	fetcher      pages.Fetcher
	log          *slog.Logger
	clock        redis.Clock
	ids          txn.IDs
	version      string

	budgets   *budgets.Budgets
	slow      budgets.Slow
	revisions *revision.Revisions

	draining atomic.Bool
}

// New returns a Server. It fails when the secret is too short or an operation of the contract is not mounted.
func New(o Options) (*Server, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.IDs == nil {
		o.IDs = txn.NewIDs(o.Clock)
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
	s := &Server{
		sealer: sealer, store: o.Store, publicURL: strings.TrimSuffix(o.PublicURL, "/"), signer: auth.NewSigner(o.Secret, o.Clock),
		importer: o.Importer, fetcher: o.Fetcher, log: o.Log, clock: o.Clock, ids: o.IDs, version: o.Version,
		revisions: revision.New(o.Store, o.Budgets.Trees),
		budgets:   o.Budgets, slow: budgets.NewSlow(o.Budgets),
	}
	s.view = &view.Writer{PublicURL: s.publicURL, Signer: s.signer, Store: o.Store}
	s.orgs = &orgs.Service{
		Budgets: s.budgets, Clock: s.clock, IDs: s.ids, Log: s.log, PublicURL: s.publicURL, Signer: s.signer, Store: s.store, View: s.view,
	}
	s.spaces = &spaces.Service{
		Orgs: s.orgs, PublicURL: s.publicURL, Revisions: s.revisions, Store: s.store, View: s.view,
	}
	s.links = &links.Service{
		Graphs: links.NewCache(o.Budgets.LinkGraphs), PublicURL: s.publicURL, Revisions: s.revisions, Store: s.store,
	}
	s.indexing = &indexing.Service{
		IDs: s.ids, Memory: indexing.NewMemory(o.Budgets.SearchTerms), Patience: indexing.Patience, Revisions: s.revisions, Store: s.store, View: s.view,
	}
	s.comments = &comments.Service{
		Orgs: s.orgs, Places: comments.NewPlaceCache(o.Budgets.Places), Revisions: s.revisions, Slow: s.slow, Store: s.store, View: s.view,
	}
	s.reviews = &reviews.Service{
		Comments: s.comments, Links: s.links, Orgs: s.orgs, Revisions: s.revisions, Slow: s.slow, Store: s.store, View: s.view,
	}
	s.references = &references.Service{
		Links: s.links, Orgs: s.orgs, Reviews: s.reviews, Revisions: s.revisions, Spaces: s.spaces, Store: s.store, View: s.view,
	}
	s.pages = &pages.Service{
		Budgets: s.budgets, Clock: s.clock, Fetcher: s.fetcher, IDs: s.ids, Importer: s.importer, Reviews: s.reviews, Revisions: s.revisions, Slow: s.slow, Store: s.store, View: s.view,
	}
	s.rest = rest.New(rest.Options{
		Store: o.Store, PublicURL: s.publicURL, Version: o.Version, Log: o.Log, Clock: o.Clock, IDs: o.IDs, Secret: o.Secret,
		RateLimit: o.RateLimit, Budgets: o.Budgets, Visitors: auth.NewVisitors(sealer, o.Clock, o.Log, s.publicURL), Kept: s.pages.TextsKept,
	})
	s.sites = &sites.Service{
		Log: s.log, Orgs: s.orgs, PublicURL: s.publicURL, Sealer: s.sealer, Signer: s.signer, Spaces: s.spaces, Store: s.store, View: s.view,
	}
	s.specs = &specs.Service{
		Fetcher: s.fetcher, Log: s.log, Pages: s.pages, PublicURL: s.publicURL, Revisions: s.revisions, Slow: s.slow, Store: s.store, View: s.view,
	}
	s.pages.Computer = specs.NewPages(s.specs, o.Budgets.SpecPages)
	s.integrations = &integrations.Service{
		Orgs: s.orgs, PublicURL: s.publicURL, Sealer: s.sealer, Signer: s.signer, Store: s.store, View: s.view,
	}
	s.downloads = &downloads.Service{
		Fonts: o.Fonts, Log: s.log, PDFs: downloads.NewPDFCache(o.Budgets.PDFs), PublicURL: s.publicURL, Rest: s.rest, Revisions: s.revisions, Signer: s.signer, Slow: s.slow, Store: s.store, View: s.view,
	}
	s.lifecycle = &lifecycle.Service{
		Budgets: s.budgets, Clock: s.clock, PublicURL: s.publicURL, Revisions: s.revisions, Sites: s.sites, Spaces: s.spaces, Store: s.store, View: s.view,
	}
	s.rest.Mount(s.mounts()...)
	return s, nil
}

// Endpoints are every mounted operation.
func (s *Server) Endpoints() []rest.Endpoint { return s.rest.Mounted() }

// mounts are the operations of all rooms.
func (s *Server) mounts() []rest.Endpoint {
	return slices.Concat(
		s.lifecycle.Endpoints(),
		s.downloads.Endpoints(),
		s.integrations.Endpoints(),
		s.specs.Endpoints(),
		s.sites.Endpoints(),
		s.pages.Endpoints(),
		s.references.Endpoints(),
		s.reviews.Endpoints(),
		s.comments.Endpoints(),
		s.indexing.Endpoints(),
		s.spaces.Endpoints(),
		s.orgs.Endpoints(),
	)
}

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
	engine.GET("/v1/openapi.json", func(g *gin.Context) { s.rest.ServeDocument(g.Writer, g.Request) })
	engine.GET("/healthz", func(g *gin.Context) { s.serveHealth(g.Writer) })
	engine.GET("/readyz", func(g *gin.Context) { s.serveReady(g.Writer, g.Request) })
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		engine.Handle(method, "/raw/:signed", func(g *gin.Context) { s.downloads.ServeRaw(g.Writer, g.Request, g.Param("signed")) })
	}
	engine.GET("/app/:kind/:id", func(g *gin.Context) { s.serveApp(g.Writer, g.Param("kind"), g.Param("id")) })
	engine.GET("/sites/*path", func(g *gin.Context) { s.serveSite(g.Writer, g.Param("path")) })
	engine.NoRoute(func(g *gin.Context) { s.rest.RefuseStranger(g.Writer, g.Request, api.NotFound()) })
	engine.NoMethod(func(g *gin.Context) {
		s.rest.RefuseStranger(g.Writer, g.Request, api.Errorf(http.StatusMethodNotAllowed, api.ReasonMethod, "%s is not possible here.", api.Shorten(g.Request.Method, int(s.budgets.Echo))))
	})
	return engine
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

// Drain makes /readyz fail, so that balancers look elsewhere before the listener closes.
func (s *Server) Drain() { s.draining.Store(true) }

// serveHealth says that the process lives; it touches nothing.
func (s *Server) serveHealth(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// serveReady says whether requests can be answered now.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	err := s.store.Ping(ctx)
	if s.draining.Load() {
		err = errors.Join(err, errDraining)
	}
	if err != nil {
		s.log.Warn("not ready", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"status":"unavailable"}`))
		return
	}
	_, _ = w.Write([]byte(`{"status":"ready"}`))
}

const readyTimeout = 500 * time.Millisecond

var errDraining = errors.New("server: shutting down")
