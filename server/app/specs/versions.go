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

func (s *Service) specVersionObject(org, slug string, d store.OpenAPIVersionDocument, public []byte) *rest.Object {
	return rest.ExtendObject(public).
		Set("url", s.View.RawURL(access.Reason{Organization: org}, d.Private.Spec, d.Private.Bundle)).
		Set("urls", api.LocationURLs{Location: s.View.SpecURL(org, slug) + "/versions/" + d.Fields.ID})
}

func (s *Service) listSpecVersions(ctx context.Context, c *rest.Call,
	in api.ListOpenAPISpecVersionsInput,
) (none rest.Result[api.Page[api.OpenAPISpecVersion]], err error) {
	w := c.NewPager(in.ListOptions, false)
	if w.Err != nil {
		return none, w.Err
	}
	spec, err := s.Pages.SpecBySlug(ctx, c.Org, in.Spec)
	if err != nil {
		return none, err
	}
	b := s.Store.NewBatch()
	index := store.OpenAPIVersionsKey(c.Org, spec.Fields.ID)
	members, count := b.Range(index, w.After, w.Size+1, false), b.Cardinality(index)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("list versions: %w", err)
	}
	found := members.Value()
	page, next := w.Cut(found)
	records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.OpenAPIVersionKey(c.Org, id) })
	if err != nil {
		return none, err
	}
	items := make([][]byte, 0, len(page))
	for _, id := range page {
		item, err := s.specVersionItem(c.Org, in.Spec, records[id])
		if err != nil {
			return none, err
		}
		items = append(items, item)
	}
	total := count.Value()
	return rest.PageOf[api.OpenAPISpecVersion](items, int(total), next)
}

func (s *Service) specVersionItem(org, slug string, r txn.Record) ([]byte, error) {
	var d store.OpenAPIVersionDocument
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("version of %s: %w", slug, err)
	}
	return s.specVersionObject(org, slug, d, r.Public).Bytes()
}

func (s *Service) getLatestSpecVersion(ctx context.Context, c *rest.Call, in api.OpenAPISpecRef) (rest.Result[api.OpenAPISpecVersion],
	error,
) {
	return s.showSpecVersion(ctx, c, in, "")
}

func (s *Service) getSpecVersion(ctx context.Context, c *rest.Call, in api.OpenAPISpecVersionRef) (rest.Result[api.OpenAPISpecVersion],
	error,
) {
	return s.showSpecVersion(ctx, c, in.OpenAPISpecRef, in.Version)
}

func (s *Service) showSpecVersion(ctx context.Context, c *rest.Call, in api.OpenAPISpecRef, id string) (rest.Result[api.OpenAPISpecVersion],
	error,
) {
	org := c.Org
	version, record, err := s.specVersion(ctx, org, in.Spec, id)
	if err != nil {
		return rest.Result[api.OpenAPISpecVersion]{}, err
	}
	result, err := rest.ObjectResult[api.OpenAPISpecVersion](s.specVersionObject(org, in.Spec, version, record.Public))
	return result.WithVersion(rest.RecordVersion(record)), err
}

// specVersion returns a version of a specification, the latest one if id is "".
func (s *Service) specVersion(ctx context.Context, org, slug, id string) (d store.OpenAPIVersionDocument, record txn.Record, err error) {
	spec, err := s.Pages.SpecBySlug(ctx, org, slug)
	if err != nil {
		return d, record, err
	}
	if id == "" {
		id = spec.Fields.LastVersion
	}
	if id == "" {
		return d, record, noVersionError(spec.Fields)
	}
	records, err := rest.ReadRecords(ctx, s.Store, []string{id}, func(id string) redis.Key { return store.OpenAPIVersionKey(org, id) })
	if err != nil {
		return d, record, err
	}
	record, ok := records[id]
	if !ok {
		return d, record, api.NotFound()
	}
	if err = d.Decode(record); err == nil && d.Private.Spec != spec.Fields.ID {
		err = api.NotFound()
	}
	return d, record, err
}

// noVersionError returns the error for a specification without a version, with its status.
func noVersionError(f api.OpenAPISpecFields) error {
	if f.LastProcessErrorCode != "" {
		return api.NotFound().WithHint("The specification could not be read (%s): %s", f.LastProcessErrorCode, f.LastProcessError)
	}
	return api.NotFound().WithHint("The specification is still being read.")
}

func (s *Service) getLatestSpecContent(ctx context.Context, c *rest.Call, in api.OpenAPISpecRef) (rest.Result[api.OpenAPISpecContent],
	error,
) {
	return s.specContent(ctx, c, in, "")
}

func (s *Service) getSpecVersionContent(ctx context.Context, c *rest.Call,
	in api.OpenAPISpecVersionRef,
) (rest.Result[api.OpenAPISpecContent], error) {
	return s.specContent(ctx, c, in.OpenAPISpecRef, in.Version)
}

// specContent returns the documents of a version as they were fetched.
func (s *Service) specContent(ctx context.Context, c *rest.Call, in api.OpenAPISpecRef,
	id string,
) (none rest.Result[api.OpenAPISpecContent], err error) {
	version, record, err := s.specVersion(ctx, c.Org, in.Spec, id)
	if err != nil {
		return none, err
	}
	files := map[string]api.OpenAPIFile{}
	for i, f := range version.Private.Files {
		data, err := s.Revisions.ReadFile(ctx, version.Private.Spec, f.Manifest)
		if err != nil {
			return none, err
		}
		files[f.Path] = api.OpenAPIFile{Content: string(data), Entry: i == 0}
	}
	address := s.View.RawURL(access.Reason{Organization: c.Org}, version.Private.Spec, version.Private.Bundle)
	result, err := rest.Value(api.OpenAPISpecContent{Filesystem: files, URL: address})
	return result.WithVersion(rest.RecordVersion(record)), err
}
