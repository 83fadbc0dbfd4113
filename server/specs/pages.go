package specs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/cache"
	"docspace.dev/wsd/server/pages"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/spec"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Pages makes the pages of builtin:openapi: of the version that a revision names, else of the latest of a specification.
type Pages struct {
	specs  *Service
	made   *cache.Cache[spec.Pages] // by version
	making cache.Turns              // by version: a large document takes time and memory
}

// NewPages are the pages of a service's specifications, with a cache of so many bytes.
func NewPages(s *Service, budget int64) *Pages {
	return &Pages{specs: s, made: cache.New(budget, spec.Pages.Size)}
}

// Compute implements pages.Computer.
func (p *Pages) Compute(ctx context.Context, of pages.Computing) (pages.Computation, error) {
	if of.Named.Version != "" {
		made, err := p.of(ctx, of.Named.Version, func(ctx context.Context) ([]byte, error) {
			return p.specs.Revisions.ReadFile(ctx, of.Space, of.Named.Bundle)
		})
		return pages.Computation{Seed: of.Named.Version, Pages: wanted(made, of.Source.Props)}, err
	}
	d, err := p.specs.Pages.NamedSpec(ctx, of.Organization, of.Source.Dependencies.Spec.Ref.Spec)
	if rest.IsNotFound(err) || err == nil && d.Fields.LastVersion == "" {
		return pages.Computation{}, nil
	}
	if err != nil {
		return pages.Computation{}, err
	}
	made, err := p.of(ctx, d.Fields.LastVersion, func(ctx context.Context) ([]byte, error) {
		return p.specs.specBundle(ctx, of.Organization, d.Fields.ID, d.Fields.LastVersion)
	})
	if rest.IsNotFound(err) || errors.Is(err, objects.ErrMissing) { // the specification goes just now
		return pages.Computation{}, nil
	}
	return pages.Computation{Seed: d.Fields.LastVersion, Pages: wanted(made, of.Source.Props)}, err
}

// of returns the pages of a version, whose bundled document is read when it has to be.
func (p *Pages) of(ctx context.Context, version string, read func(context.Context) ([]byte, error)) (spec.Pages, error) {
	if made, ok := p.made.Get(cache.RecordKey(version)); ok {
		return made, nil
	}
	done, err := p.making.Take(ctx, version)
	if err != nil {
		return spec.Pages{}, err
	}
	defer done()
	if made, ok := p.made.Get(cache.RecordKey(version)); ok {
		return made, nil
	}
	bundle, err := read(ctx)
	if err != nil {
		return spec.Pages{}, err
	}
	turn, err := p.specs.Slow.Begin(ctx, len(bundle)*budgets.SpecFactor)
	if err != nil {
		return spec.Pages{}, err
	}
	defer turn.End()
	made, err := spec.MakePages(bundle)
	if err != nil { // it will not be better the next time
		p.specs.Log.WarnContext(ctx, "no pages can be made of a specification", slog.String("version", version), slog.Any("error", err))
	}
	p.made.Put(cache.RecordKey(version), made)
	return made, nil
}

// wanted are the pages that the properties of a computed page ask for.
func wanted(all spec.Pages, props *api.ComputedProps) []pages.ComputedPage {
	if props == nil {
		props = &api.ComputedProps{}
	}
	var chosen []pages.ComputedPage
	add := func(doc string, asked bool, list []spec.Page) {
		if props.Doc != doc && !asked {
			return
		}
		for _, page := range list {
			chosen = append(chosen, pages.ComputedPage{Key: page.Slug, Title: page.Title, Slug: page.Slug, Markdown: page.Markdown})
		}
	}
	add("info", props.Doc == "", all.Info)
	add("operations", props.Doc == "", all.Operations)
	add("models", props.Models, all.Models)
	return chosen
}

// specBundle reads the bundled document of a version.
func (s *Service) specBundle(ctx context.Context, org, id, version string) ([]byte, error) {
	records, err := rest.ReadRecords(ctx, s.Store, []string{version}, func(id string) redis.Key { return store.OpenAPIVersionKey(org, id) })
	if err != nil {
		return nil, err
	}
	record, ok := records[version]
	if !ok {
		return nil, api.NotFound()
	}
	var d store.OpenAPIVersionDocument
	if err := d.Decode(record); err != nil {
		return nil, fmt.Errorf("version %s: %w", version, err)
	}
	return s.Revisions.ReadFile(ctx, id, d.Private.Bundle)
}
