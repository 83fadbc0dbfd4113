package server

import (
	"cmp"
	"net/http"
	"slices"

	"docspace.dev/wsd/server/app/comments"
	"docspace.dev/wsd/server/app/events"
	"docspace.dev/wsd/server/app/imports"
	"docspace.dev/wsd/server/app/inbox"
	"docspace.dev/wsd/server/app/integrations"
	"docspace.dev/wsd/server/app/lifecycle"
	"docspace.dev/wsd/server/app/lookup"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/app/search"
	"docspace.dev/wsd/server/app/signin"
	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/app/sites"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/app/specs"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
)

// services holds the services of all features.
type services struct {
	rest         *rest.Pipeline
	view         *view.Writer
	orgs         *orgs.Service
	invites      *orgs.Invites
	logins       *orgs.Logins
	signIn       *signin.Service
	domains      *orgs.EmailDomains
	spaces       *spaces.Service
	links        *reader.Links
	search       *search.Service
	lookup       *lookup.Service
	comments     *comments.Service
	reviews      *review.Service
	inbox        *inbox.Service
	readMarks    *inbox.ReadMarks
	events       *events.Service
	pageLinks    *pages.Links
	pages        *pages.Service
	imports      *imports.Service
	sites        *sites.Service
	specs        *specs.Service
	integrations *integrations.Service
	files        *pages.Files
	siteLookup   *sites.Lookup
	lifecycle    *lifecycle.Service

	slow      budgets.WorkLimiter
	revisions *revision.Revisions
	readings  *reader.Service
}

// newServices creates the services in the order of their dependencies. counts may be nil.
func newServices(o Options, sealer auth.Sealer, counts *metrics.Requests) (r services) {
	signer, slow := auth.NewSigner(o.Store, o.Secret, o.OldSecret, o.Clock), budgets.NewWorkLimiter(o.Budgets)
	revisions := revision.New(o.Store, o.Budgets.TreeBytes)
	r.slow, r.revisions = slow, revisions
	readings := &reader.Service{
		Caches: reader.NewCaches(o.Budgets.SpecPageBytes), Log: o.Log, Revisions: revisions, Slow: slow, Specs: o.Specs,
	}
	r.readings = readings
	r.view = &view.Writer{PublicURL: o.PublicURL, Signer: signer, Store: o.Store}
	r.addPeople(o, signer, sealer)
	r.spaces = &spaces.Service{
		Orgs: r.orgs, PublicURL: o.PublicURL, Revisions: revisions, Store: o.Store, View: r.view,
	}
	r.links = &reader.Links{
		Graphs: reader.NewCache(o.Budgets.LinkGraphBytes), PublicURL: o.PublicURL, Reading: readings, Revisions: revisions, Store: o.Store,
	}
	r.search = &search.Service{
		IDs: o.IDs, Cache: search.NewCache(o.Budgets.SearchTermBytes), MaxIndexWait: cmp.Or(o.SearchWait, search.MaxIndexWait),
		Reading: readings, Revisions: revisions, Store: o.Store, View: r.view,
	}
	r.lookup = &lookup.Service{Store: o.Store, View: r.view}
	r.comments = &comments.Service{
		Orgs: r.orgs, Locations: comments.NewLocationCache(o.Budgets.AnchorBytes), Revisions: revisions, Slow: slow, Store: o.Store,
		View: r.view,
	}
	r.reviews = &review.Service{
		Clock: o.Clock, Comments: r.comments, Links: r.links, Orgs: r.orgs, Revisions: revisions, Slow: slow, Store: o.Store, View: r.view,
		Conflicts: &review.ConflictDescriber{Log: o.Log, Revisions: revisions, Store: o.Store, View: r.view},
	}
	r.inbox = &inbox.Service{Log: o.Log, Reviews: r.reviews, Store: o.Store, View: r.view}
	r.readMarks = &inbox.ReadMarks{Revisions: revisions, Slow: slow, Store: o.Store}
	r.events = events.NewService(revisions, o.Store, r.view, events.NewHub(o.Store, o.Log, o.Budgets), o.PublicURL, o.EventsKept)
	r.pageLinks = &pages.Links{
		Links: r.links, Orgs: r.orgs, Reviews: r.reviews, Revisions: revisions, Spaces: r.spaces, Store: o.Store, View: r.view,
	}
	r.pages = &pages.Service{
		Budgets: o.Budgets, Clock: o.Clock, Fetcher: o.Fetcher, IDs: o.IDs, Reading: readings, Reviews: r.reviews, Revisions: revisions,
		Slow: slow, Store: o.Store, View: r.view,
	}
	r.imports = &imports.Service{
		Budgets: o.Budgets, Clock: o.Clock, IDs: o.IDs, Importer: o.Importer, Links: r.links, Reviews: r.reviews, Revisions: revisions,
		Slow: slow, Store: o.Store, View: r.view,
	}
	r.rest = rest.NewPipeline(rest.Options{
		Store: o.Store, PublicURL: o.PublicURL, Version: o.Version, Log: o.Log, Clock: o.Clock, IDs: o.IDs, Secrets: signer.Ring(),
		RateLimit: o.RateLimit, Slow: o.Slow, OmitAddresses: o.OmitAddresses, Budgets: o.Budgets, TokenMaxAge: o.TokenMaxAge,
		Visitors: auth.NewVisitors(sealer, o.Clock, o.Log, o.PublicURL), StoredTexts: r.pages.StoredTexts,
		Metrics: counts,
	})
	r.signIn = signin.New(r.rest, o.Store, o.PublicURL, o.Clock, o.Log)
	r.signIn.Logins, r.signIn.Signer = r.logins, signer
	r.signIn.OIDC = oidc.NewClient(&http.Client{Transport: o.Providers}, o.Clock)
	r.signIn.OmitAddresses, r.logins.Confirmer = o.OmitAddresses, r.signIn
	r.sites = &sites.Service{
		Log: o.Log, Orgs: r.orgs, PublicURL: o.PublicURL, Sealer: sealer, Signer: signer, Spaces: r.spaces, Store: o.Store, View: r.view,
	}
	r.specs = &specs.Service{
		Budgets: o.Budgets, Fetcher: o.Fetcher, Log: o.Log, Pages: r.pages, PublicURL: o.PublicURL, Reading: readings, Revisions: revisions,
		Slow: slow, Specs: o.Specs, Store: o.Store, View: r.view,
	}
	if r.pages.Computer = o.Computer; o.Computer == nil {
		r.pages.Computer = specs.NewPages(r.specs)
	}
	r.integrations = &integrations.Service{
		Orgs: r.orgs, PublicURL: o.PublicURL, Sealer: sealer, Signer: signer, Store: o.Store, View: r.view,
	}
	r.files = &pages.Files{
		Fonts: o.Fonts, Log: o.Log, PDFs: pages.NewPDFCache(o.Budgets.PDFBytes), PublicURL: o.PublicURL, Reading: readings, Rest: r.rest,
		Revisions: revisions, Signer: signer, Slow: slow, Store: o.Store, View: r.view,
	}
	r.siteLookup = &sites.Lookup{
		Pages: r.pages, PublicURL: o.PublicURL, Reviews: r.reviews, Spaces: r.spaces, Store: o.Store, View: r.view,
	}
	r.lifecycle = &lifecycle.Service{
		Budgets: o.Budgets, Clock: o.Clock, Log: o.Log, Orgs: r.orgs, PublicURL: o.PublicURL, Revisions: revisions, Sites: r.sites,
		Slow: slow, Spaces: r.spaces, Store: o.Store, View: r.view,
	}
	return r
}

// addPeople creates the services of organizations and people.
func (s *services) addPeople(o Options, signer auth.Signer, sealer auth.Sealer) {
	s.orgs = &orgs.Service{
		Budgets: o.Budgets, Clock: o.Clock, IDs: o.IDs, Log: o.Log, PublicURL: o.PublicURL, Sealer: sealer, Store: o.Store,
		View:                         s.view,
		OperatorCreatesOrganizations: o.OperatorCreatesOrganizations,
		EventsKept:                   cmp.Or(o.EventsKept, DefaultEventsKept), TokenMaxAge: o.TokenMaxAge,
	}
	s.invites = &orgs.Invites{
		Clock: o.Clock, IDs: o.IDs, Orgs: s.orgs, PublicURL: o.PublicURL, Signer: signer, Store: o.Store, View: s.view,
	}
	s.logins = &orgs.Logins{Orgs: s.orgs, SignInMaxAge: o.SignInMaxAge}
	s.domains = &orgs.EmailDomains{Log: o.Log, Resolver: o.Resolver, Store: o.Store}
}

// endpoints returns the operations of all services.
func (s services) endpoints() []rest.Endpoint {
	return slices.Concat(
		s.orgs.Endpoints(),
		s.invites.Endpoints(),
		s.domains.Endpoints(),
		s.spaces.Endpoints(),
		s.search.Endpoints(),
		s.lookup.Endpoints(),
		s.comments.Endpoints(),
		s.reviews.Endpoints(),
		s.inbox.Endpoints(),
		s.readMarks.Endpoints(),
		s.events.Endpoints(),
		s.pageLinks.Endpoints(),
		s.pages.Endpoints(),
		s.imports.Endpoints(),
		s.sites.Endpoints(),
		s.specs.Endpoints(),
		s.integrations.Endpoints(),
		s.files.Endpoints(),
		s.siteLookup.Endpoints(),
		s.lifecycle.Endpoints(),
	)
}
