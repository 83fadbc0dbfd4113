package specs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// updateSpec sets the visibility of a specification.
func (s *Service) updateSpec(_ context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateOpenAPISpecInput,
) (none rest.Result[api.OpenAPISpec], err error) {
	spec, err := tx.OpenAPISpec(c.Org, in.Spec)
	if err != nil {
		return none, err
	}
	if spec.Version == 0 {
		return none, api.NotFound()
	}
	public := in.Body.Visibility == api.SpecPublic
	changed := spec.Private.IsLatestPublic != public
	spec.Private.IsLatestPublic = public
	return rest.PutIfChanged(tx, store.OpenAPISpecKey(c.Org, in.Spec), changed,
		func() (txn.Record, error) { return tx.PutOpenAPISpec(c.Org, spec) },
		func(r txn.Record) (rest.Result[api.OpenAPISpec], error) { return s.specResult(c, in.Spec, r) })
}

// PublicAddress returns the current address of the latest version of a public specification. It returns a not_found
// error for private ones and for those of deleted organizations.
func (s *Service) PublicAddress(ctx context.Context, org, slug string) (string, error) {
	if !redis.ValidID(org) || !api.Patterns["specSlug"].MatchString(slug) {
		return "", api.NotFound()
	}
	b := s.Store.NewBatch()
	read := b.Record(store.OrganizationKey(org))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("read organization: %w", err)
	}
	record, ok, err := read.Get()
	if err != nil || !ok {
		return "", rest.NotFoundIfNil(err)
	}
	var organization store.OrganizationDocument
	if err := organization.Decode(record); err != nil {
		return "", fmt.Errorf("organization: %w", err)
	}
	spec, err := s.Pages.SpecBySlug(ctx, org, slug)
	if err != nil {
		return "", err
	}
	if store.IsOrganizationGone(organization) || !spec.Private.IsLatestPublic {
		return "", api.NotFound()
	}
	version, _, err := s.specVersion(ctx, org, slug, "")
	if err != nil {
		return "", err
	}
	return s.View.RawURL(access.Reason{Organization: org}, version.Private.Spec, version.Private.Bundle), nil
}
