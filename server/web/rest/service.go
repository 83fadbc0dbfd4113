package rest

import (
	"log/slog"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/apidoc"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/compress"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Options are the dependencies and settings of a Pipeline.
type Options struct {
	Store     *store.Store
	PublicURL string // base URL of the API in the OpenAPI document, without a trailing slash
	Version   string
	Log       *slog.Logger
	Clock     redis.Clock
	IDs       txn.IDGenerator
	Secrets   auth.Ring     // server secrets, for cursors
	RateLimit int           // requests per minute and principal, 0 = unlimited
	Slow      time.Duration // duration from which the log line of a request is a warning; 0 = none
	// TokenMaxAge is the maximum age of tokens of people; 0 = none.
	TokenMaxAge time.Duration
	// OmitAddresses leaves the addresses and user agents of clients out of events.
	OmitAddresses bool
	Budgets       *budgets.Budgets
	Visitors      *auth.Visitors
	Metrics       *metrics.Requests // nil = requests are not counted

	// StoredTexts returns the stored texts of the object that a request changes; they may be sent again with any characters.
	StoredTexts func(c *Call) ([]string, error)
}

// Pipeline runs the requests of all mounted operations.
type Pipeline struct {
	store       *store.Store
	log         *slog.Logger
	clock       redis.Clock
	ids         txn.IDGenerator
	limiter     *auth.Limiter
	uses        *recentUses
	refusals    *auth.Refusals
	budgets     *budgets.Budgets
	encoders    *compress.Pool
	bodies      *budgets.FairLimiter // bytes of large bodies; a tenant is a user or an address
	cursors     Codec
	visitors    *auth.Visitors
	metrics     *metrics.Requests
	storedTexts func(c *Call) ([]string, error)
	slow        time.Duration
	tokenMaxAge time.Duration

	auditAddresses     bool // events contain the addresses and user agents of clients
	publicURL, version string

	Endpoints []Endpoint
	internal  []Endpoint // reached by Ask only

	document, yamlDocument document // the OpenAPI document
}

// NewPipeline returns a Pipeline without operations.
func NewPipeline(o Options) *Pipeline {
	return &Pipeline{
		store: o.Store, log: o.Log, clock: o.Clock, ids: o.IDs, limiter: auth.NewLimiter(o.RateLimit, o.Budgets.CountedClients),
		bodies:   budgets.NewFairLimiter(o.Budgets.LargeBodyBytes, time.Duration(o.Budgets.TurnWait)),
		encoders: compress.NewPool(o.Budgets.CompressTurns),
		budgets:  o.Budgets, uses: &recentUses{}, refusals: auth.NewRefusals(),
		cursors: NewCodec(o.Secrets), visitors: o.Visitors, storedTexts: o.StoredTexts,
		publicURL: o.PublicURL, version: o.Version, slow: o.Slow, auditAddresses: !o.OmitAddresses,
		tokenMaxAge: o.TokenMaxAge, metrics: o.Metrics,
	}
}

// Mount replaces the mounted operations. It panics if a row is invalid.
func (p *Pipeline) Mount(endpoints ...Endpoint) {
	compiler := api.NewCompiler()
	compiler.Limits = contractLimits(p.budgets)
	p.Endpoints = nil
	for _, e := range endpoints {
		e = e.compile(compiler)
		e.metrics = p.metrics.Route(e.Row.Path)
		p.Endpoints = append(p.Endpoints, e)
	}
	p.document = document{jsonMedia, keepEncoded(func() ([]byte, error) {
		return apidoc.Encode(p.operations(), apidoc.Options{Compiler: compiler, PublicURL: p.publicURL, Version: p.version})
	})}
	p.yamlDocument = document{"application/yaml", keepEncoded(func() ([]byte, error) {
		data, err := p.document.encoded(compress.None)
		if err != nil {
			return nil, err
		}
		return apidoc.YAML(data)
	})}
}

// operations returns the mounted operations for the OpenAPI document.
func (p *Pipeline) operations() []apidoc.Operation {
	all := make([]apidoc.Operation, len(p.Endpoints))
	for i, e := range p.Endpoints {
		all[i] = apidoc.Operation{Row: e.Row, Input: e.binder.input, Permissions: e.permissions(), IsPublic: e.Need.AllowsAnonymous()}
		if e.absentNeed.Kind != auth.Denied {
			all[i].AbsentTo = e.absentNeed.String()
		}
	}
	return all
}

// Refusals returns the counts of requests that were refused although their token exists.
func (p *Pipeline) Refusals() *auth.Refusals { return p.refusals }

// LargeBodies returns the limiter of large request bodies.
func (p *Pipeline) LargeBodies() *budgets.FairLimiter { return p.bodies }

// Mounted returns the mounted operations.
func (p *Pipeline) Mounted() []Endpoint { return p.Endpoints }
