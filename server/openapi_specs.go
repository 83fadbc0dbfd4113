package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Server) openAPISpecEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListOpenAPISpecs, auth.InOrganization(api.RoleRead), s.listSpecs),
		write(api.CreateOpenAPISpec, auth.InOrganization(api.RoleCreate), s.createSpec),
		read(api.GetOpenAPISpec, auth.InOrganization(api.RoleRead), s.getSpec),
		write(api.PutOpenAPISpec, auth.InOrganization(api.RoleCreate), s.putSpec),
		write(api.DeleteOpenAPISpec, auth.InOrganization(api.RoleCreate), s.deleteSpec),
		op(api.ListOpenAPISpecVersions, auth.InOrganization(api.RoleRead), s.listSpecVersions),
		op(api.GetOpenAPISpecLatestVersion, auth.InOrganization(api.RoleRead), s.getLatestSpecVersion),
		op(api.GetOpenAPISpecLatestContent, auth.InOrganization(api.RoleRead), s.getLatestSpecContent),
		op(api.GetOpenAPISpecVersion, auth.InOrganization(api.RoleRead), s.getSpecVersion),
		op(api.GetOpenAPISpecVersionContent, auth.InOrganization(api.RoleRead), s.getSpecVersionContent),
	}
}

func (s *Server) specURL(org, slug string) string {
	return s.publicURL + "/v1/orgs/" + org + "/openapi/" + slug
}

func (s *Server) specObject(c *call, slug string, public []byte) *object {
	return extend(public).
		set("permissions", api.OpenAPISpecPermissions{View: true, Edit: c.caller.Role.AtLeast(api.RoleCreate)}).
		set("urls", api.AppURLs{Location: s.specURL(c.org, slug), App: s.appURL("openapi", c.org+"~"+slug)})
}

func (s *Server) specResult(c *call, slug string, r store.Record) (Result[api.OpenAPISpec], error) {
	result, err := stored[api.OpenAPISpec](s.specObject(c, slug, r.Public))
	result.id = slug
	return result.versioned(recordVersion(r)), err
}

func (s *Server) listSpecs(ctx context.Context, c *call, b *store.Batch, in api.ListOpenAPISpecsInput) finish[api.Page[api.OpenAPISpec]] {
	return listIndexed[api.OpenAPISpec](ctx, c, s, b, in.ListOptions, indexed{
		index: store.OpenAPISpecsKey(in.Organization),
		key:   func(member string) redis.Key { return store.OpenAPISpecKey(c.org, store.OpenAPISpecSlug(member)) },
		write: func(member string, r store.Record) ([]byte, error) {
			return s.specObject(c, store.OpenAPISpecSlug(member), r.Public).bytes()
		},
	})
}

func (s *Server) getSpec(ctx context.Context, c *call, b *store.Batch, in api.OpenAPISpecRef) finish[api.OpenAPISpec] {
	spec := b.Record(store.OpenAPISpecKey(c.org, in.Spec))
	return func(ctx context.Context) (Result[api.OpenAPISpec], error) {
		record, ok, err := spec.Get()
		if err != nil || !ok {
			return Result[api.OpenAPISpec]{}, missing(err)
		}
		return s.specResult(c, in.Spec, record)
	}
}

func (s *Server) createSpec(ctx context.Context, c *call, tx *store.Tx, in api.CreateOpenAPISpecInput) (Result[api.OpenAPISpec], error) {
	var none Result[api.OpenAPISpec]
	spec, err := tx.OpenAPISpec(c.org, in.Body.Slug)
	if err != nil {
		return none, err
	}
	if spec.Version > 0 {
		return none, api.Errorf(409, api.ReasonConflict, "There is a specification %q.", in.Body.Slug).WithHint("PUT reads it again from another source.")
	}
	return s.sourceSpec(c, tx, in.Body.Slug, spec, in.Body.Source)
}

func (s *Server) putSpec(ctx context.Context, c *call, tx *store.Tx, in api.PutOpenAPISpecInput) (Result[api.OpenAPISpec], error) {
	spec, err := tx.OpenAPISpec(c.org, in.Spec)
	if err != nil {
		return Result[api.OpenAPISpec]{}, err
	}
	return s.sourceSpec(c, tx, in.Spec, spec, in.Body.Source)
}

// sourceSpec makes a specification, or one that is to be read again: a job does so.
func (s *Server) sourceSpec(c *call, tx *store.Tx, slug string, spec store.OpenAPISpecDocument, source api.OpenAPISource) (Result[api.OpenAPISpec], error) {
	created := spec.Version == 0
	now := api.At(tx.Now())
	if created {
		spec.Fields = api.OpenAPISpecFields{Object: "openapi-spec", ID: tx.NewID(store.OpenAPISpecPrefix), Slug: slug, CreatedAt: now}
	}
	spec.Fields.UpdatedAt, spec.Fields.SourceURL, spec.Fields.ProcessingState = notBefore(spec.Fields.CreatedAt, now.Time), source.URL, api.ProcessingPending
	spec.Private.Text = ""
	if source.Text != "" {
		content := s.store.Content(spec.Fields.ID)
		spec.Private.Text = newFile(content, "", "source", "text/plain", []byte(source.Text)).Manifest
		tx.Objects(spec.Fields.ID, content.Staged(spec.Private.Text)...)
	}
	tx.Schedule(c.org, store.JobName(store.OpenAPIReadKind, slug), 0)
	record, err := tx.PutOpenAPISpec(c.org, spec)
	if err != nil {
		return Result[api.OpenAPISpec]{}, err
	}
	result, err := s.specResult(c, slug, record)
	if created {
		result = result.created(slug, s.specURL(c.org, slug))
	}
	return result, err
}

func (s *Server) deleteSpec(ctx context.Context, c *call, tx *store.Tx, in api.OpenAPISpecRef) (Result[api.None], error) {
	org := c.org
	spec, err := tx.OpenAPISpec(org, in.Spec)
	if err != nil || spec.Version == 0 {
		return Result[api.None]{}, missing(err)
	}
	tx.DeleteOpenAPISpec(org, spec)
	return none(in.Spec), nil
}

// spec reads a specification outside a transaction.
func (s *Server) spec(ctx context.Context, org, slug string) (d store.OpenAPISpecDocument, err error) {
	b := s.store.Pipeline()
	future := b.Record(store.OpenAPISpecKey(org, slug))
	if err := b.Do(ctx); err != nil {
		return d, fmt.Errorf("read specification %s: %w", slug, err)
	}
	record, ok, err := future.Get()
	if err != nil || !ok {
		return d, missing(err)
	}
	return d, d.Decode(record)
}
