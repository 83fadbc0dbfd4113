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

// Pages generates the pages of builtin:openapi from the pinned version of a specification, or from the latest one. It
// implements pages.Computer.
type Pages struct{ specs *Service }

// NewPages returns the pages of the service's specifications.
func NewPages(s *Service) *Pages { return &Pages{s} }

// Compute implements pages.Computer.
func (p *Pages) Compute(ctx context.Context, in pages.ComputeInput) (pages.ComputeResult, error) {
	if in.Pinned.Version != "" {
		made, err := p.specs.Reading.SpecPages(ctx, in.Pinned.Version, func(ctx context.Context) ([]byte, error) {
			return p.specs.Revisions.ReadFile(ctx, in.Space, in.Pinned.Bundle)
		})
		return pages.ComputeResult{Seed: in.Pinned.Version, Pages: selectPages(made, in.Source.Props)}, err
	}
	d, err := p.specs.Pages.SpecByName(ctx, in.Organization, in.Source.Dependencies.Spec.Ref.Spec)
	if rest.IsNotFound(err) || err == nil && d.Fields.LastVersion == "" {
		return pages.ComputeResult{}, nil
	}
	if err != nil {
		return pages.ComputeResult{}, err
	}
	made, err := p.specs.Reading.SpecPages(ctx, d.Fields.LastVersion, func(ctx context.Context) ([]byte, error) {
		return p.specs.specBundle(ctx, in.Organization, d.Fields.ID, d.Fields.LastVersion)
	})
	if rest.IsNotFound(err) || errors.Is(err, objects.ErrMissing) { // deleted in the meantime
		return pages.ComputeResult{}, nil
	}
	return pages.ComputeResult{Seed: d.Fields.LastVersion, Pages: selectPages(made, in.Source.Props)}, err
}

// selectPages returns the pages that the properties of a computed page select.
func selectPages(all openapi.Pages, props *api.ComputedProps) []pages.ComputedPage {
	var asked []pages.ComputedPage
	for _, page := range all.Select(props) {
		asked = append(asked, pages.ComputedPage{Key: page.Slug, Title: page.Title, Slug: page.Slug, Markdown: page.Markdown})
	}
	return asked
}

// specBundle returns the bundled document of a version.
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
