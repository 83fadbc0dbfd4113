package specs

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/pages"
	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Pages makes the pages of builtin:openapi: of the version that a revision names, else of the latest of a specification.
type Pages struct{ specs *Service }

// NewPages are the pages of a service's specifications.
func NewPages(s *Service) *Pages { return &Pages{s} }

// Compute implements pages.Computer.
func (p *Pages) Compute(ctx context.Context, of pages.Computing) (pages.Computation, error) {
	if of.Named.Version != "" {
		made, err := p.specs.Reading.SpecPages(ctx, of.Named.Version, func(ctx context.Context) ([]byte, error) {
			return p.specs.Revisions.ReadFile(ctx, of.Space, of.Named.Bundle)
		})
		return pages.Computation{Seed: of.Named.Version, Pages: asked(made, of.Source.Props)}, err
	}
	d, err := p.specs.Pages.NamedSpec(ctx, of.Organization, of.Source.Dependencies.Spec.Ref.Spec)
	if rest.IsNotFound(err) || err == nil && d.Fields.LastVersion == "" {
		return pages.Computation{}, nil
	}
	if err != nil {
		return pages.Computation{}, err
	}
	made, err := p.specs.Reading.SpecPages(ctx, d.Fields.LastVersion, func(ctx context.Context) ([]byte, error) {
		return p.specs.specBundle(ctx, of.Organization, d.Fields.ID, d.Fields.LastVersion)
	})
	if rest.IsNotFound(err) || errors.Is(err, objects.ErrMissing) { // the specification goes just now
		return pages.Computation{}, nil
	}
	return pages.Computation{Seed: d.Fields.LastVersion, Pages: asked(made, of.Source.Props)}, err
}

// asked are the pages that the properties of a computed page ask for.
func asked(all openapi.Pages, props *api.ComputedProps) []pages.ComputedPage {
	var asked []pages.ComputedPage
	for _, page := range all.Asked(props) {
		asked = append(asked, pages.ComputedPage{Key: page.Slug, Title: page.Title, Slug: page.Slug, Markdown: page.Markdown})
	}
	return asked
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
