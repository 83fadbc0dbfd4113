package rest

import (
	"log/slog"
	"sync"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Options are what a Pipeline is made of.
type Options struct {
	Store     *store.Store
	PublicURL string // of the API's description, without a slash at the end
	Version   string
	Log       *slog.Logger
	Clock     redis.Clock
	IDs       txn.IDs
	Secret    []byte // binds cursors
	RateLimit int    // requests a minute and principal, 0 = no limit
	Budgets   *budgets.Budgets
	Visitors  *auth.Visitors

	// Kept reads the texts of what a request changes: what is stored already is not refused for its characters.
	Kept func(c *Call) ([]string, error)
}

// Pipeline takes requests to the operations that are mounted.
type Pipeline struct {
	store    *store.Store
	log      *slog.Logger
	clock    redis.Clock
	ids      txn.IDs
	limiter  *auth.Limiter
	budgets  *budgets.Budgets
	cursors  Codec
	visitors *auth.Visitors
	kept     func(c *Call) ([]string, error)

	publicURL, version string

	Endpoints []Endpoint
	document  func() ([]byte, error) // OpenAPI
}

// New returns a pipeline without operations.
func New(o Options) *Pipeline {
	return &Pipeline{
		store: o.Store, log: o.Log, clock: o.Clock, ids: o.IDs, limiter: auth.NewLimiter(o.RateLimit, o.Budgets.RateTallies),
		budgets: o.Budgets, cursors: NewCursors(o.Secret), visitors: o.Visitors, kept: o.Kept,
		publicURL: o.PublicURL, version: o.Version,
	}
}

// Mount sets the operations. It panics when the contract is wrong, at start.
func (p *Pipeline) Mount(endpoints ...Endpoint) {
	compiler := api.NewCompiler()
	compiler.Limits = contractLimits(p.budgets)
	p.Endpoints = nil
	for _, e := range endpoints {
		p.Endpoints = append(p.Endpoints, e.compile(compiler))
	}
	p.document = sync.OnceValues(func() ([]byte, error) { return openAPI(p.Endpoints, compiler, p.publicURL, p.version) })
}

// Mounted are the operations.
func (p *Pipeline) Mounted() []Endpoint { return p.Endpoints }
