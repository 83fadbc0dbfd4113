package specs

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) openAPISpecEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListOpenAPISpecs, auth.InOrganization(api.RoleRead), s.listSpecs),
		rest.Op(api.CreateOpenAPISpec, auth.InOrganization(api.RoleCreate), s.createSpec).On(rest.Organization),
		rest.Read(api.GetOpenAPISpec, auth.InOrganization(api.RoleRead), s.getSpec),
		rest.Op(api.PutOpenAPISpec, auth.InOrganization(api.RoleCreate), s.putSpec).On(rest.Spec),
		rest.Write(api.UpdateOpenAPISpec, auth.InOrganization(api.RoleCreate), s.updateSpec).On(rest.Spec),
		rest.Op(api.DeleteOpenAPISpec, auth.InOrganization(api.RoleCreate),
			s.deleteSpec).On(rest.Spec).AllowAbsent(auth.InOrganization(api.RoleCreate)),
		rest.Op(api.ListOpenAPISpecVersions, auth.InOrganization(api.RoleRead), s.listSpecVersions),
		rest.Op(api.GetOpenAPISpecLatestVersion, auth.InOrganization(api.RoleRead), s.getLatestSpecVersion),
		rest.Op(api.GetOpenAPISpecLatestContent, auth.InOrganization(api.RoleRead), s.getLatestSpecContent),
		rest.Op(api.GetOpenAPISpecVersion, auth.InOrganization(api.RoleRead), s.getSpecVersion),
		rest.Op(api.GetOpenAPISpecVersionContent, auth.InOrganization(api.RoleRead), s.getSpecVersionContent),
	}
}

func (s *Service) specResult(c *rest.Call, slug string, r txn.Record) (rest.Result[api.OpenAPISpec], error) {
	result, err := rest.ObjectResult[api.OpenAPISpec](s.View.Spec(c, slug, r))
	result.ID = slug
	return result.WithVersion(rest.RecordVersion(r)), err
}

func (s *Service) listSpecs(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListOpenAPISpecsInput,
) rest.Finish[api.Page[api.OpenAPISpec]] {
	return rest.ListIndexed[api.OpenAPISpec](r, b, in.ListOptions, rest.IndexedList{
		Index: store.OpenAPISpecsKey(in.Organization),
		Key:   func(member string) redis.Key { return store.OpenAPISpecKey(r.Org, store.OpenAPISpecSlug(member)) },
		Encode: func(c *rest.Call, member string, r txn.Record) ([]byte, error) {
			return s.View.Spec(c, store.OpenAPISpecSlug(member), r).Bytes()
		},
	})
}

func (s *Service) getSpec(ctx context.Context, r *rest.Request, b *txn.Batch, in api.OpenAPISpecRef) rest.Finish[api.OpenAPISpec] {
	spec := b.Record(store.OpenAPISpecKey(r.Org, in.Spec))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.OpenAPISpec], error) {
		record, ok, err := spec.Get()
		if err != nil || !ok {
			return rest.Result[api.OpenAPISpec]{}, rest.NotFoundIfNil(err)
		}
		return s.specResult(c, in.Spec, record)
	}
}

func (s *Service) createSpec(ctx context.Context, c *rest.Call, in api.CreateOpenAPISpecInput) (rest.Result[api.OpenAPISpec], error) {
	return s.setSource(ctx, c, in.Body.Slug, in.Body.Source, func(d store.OpenAPISpecDocument) error {
		if d.Version > 0 {
			return api.Errorf(409, api.ReasonConflict, "There is a specification %q.", in.Body.Slug).
				WithHint("Read it again from another source: wsctl openapi-specs put %s --source-url URL", in.Body.Slug)
		}
		return nil
	})
}

func (s *Service) putSpec(ctx context.Context, c *rest.Call, in api.PutOpenAPISpecInput) (rest.Result[api.OpenAPISpec], error) {
	return s.setSource(ctx, c, in.Spec, in.Body.Source, func(store.OpenAPISpecDocument) error { return nil })
}

// setSource sets the source of a specification if allowed accepts the present one.
func (s *Service) setSource(ctx context.Context, c *rest.Call, slug string, source api.OpenAPISource, allowed func(
	store.OpenAPISpecDocument,
) error,
) (none rest.Result[api.OpenAPISpec], err error) {
	before := func(tx *store.Tx) (spec store.OpenAPISpecDocument, err error) {
		if spec, err = tx.OpenAPISpec(c.Org, slug); err == nil {
			err = allowed(spec)
		}
		if err == nil {
			err = s.checkPending(tx, c.Org, spec)
		}
		return spec, err
	}
	err = s.Store.Update(ctx, c.Shard(), txn.UpdateOptions{DryRun: true, Idempotency: c.Idempotency()}, func(tx *store.Tx) error {
		if err := c.Match(tx); err != nil {
			return err
		}
		_, err := before(tx)
		return err
	})
	if err == nil {
		err = s.addPending(ctx, c, slug) // refused and repeated requests add nothing
	}
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.OpenAPISpec], error) {
		spec, err := before(tx)
		if err != nil {
			return none, err
		}
		return s.putSpecSource(c, tx, slug, spec, source)
	})
}

// putSpecSource stores a new specification, or a new source of an existing one, and schedules the job that reads it.
func (s *Service) putSpecSource(c *rest.Call, tx *store.Tx, slug string, spec store.OpenAPISpecDocument,
	source api.OpenAPISource,
) (rest.Result[api.OpenAPISpec], error) {
	created := spec.Version == 0
	now := api.At(tx.Now())
	if created {
		spec.Fields = api.OpenAPISpecFields{Object: "openapi-spec", ID: tx.NewID(store.OpenAPISpecPrefix), Slug: slug, CreatedAt: now}
	}
	spec.Fields.UpdatedAt, spec.Fields.SourceURL, spec.Fields.ProcessingState = revision.ChangeTime(spec.Fields.CreatedAt,
		now.Time), source.URL, api.ProcessingPending
	spec.Private.Text, spec.Private.Failures, spec.Private.By = "", 0, c.Caller.User
	if source.Text != "" {
		content := s.Store.Content(spec.Fields.ID)
		spec.Private.Text = revision.NewFile(content, "", "source", "text/plain", []byte(source.Text)).Manifest
		tx.Objects(spec.Fields.ID, content.Staged(spec.Private.Text)...)
	}
	tx.Schedule(c.Org, txn.JobName(store.OpenAPIReadKind, slug), 0)
	record, err := tx.PutOpenAPISpec(c.Org, spec)
	if err != nil {
		return rest.Result[api.OpenAPISpec]{}, err
	}
	result, err := s.specResult(c, slug, record)
	if created {
		result = result.WithLocation(slug, s.View.SpecURL(c.Org, slug))
	}
	return result, err
}
