package imports

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// listSources lists the sources of a space with the numbers of their present pages and files.
func (s *Service) listSources(_ context.Context, r *rest.Request, b *txn.Batch, in api.ListSourcesInput) rest.Finish[api.Page[api.Source]] {
	w := r.NewPager(in.ListOptions, false)
	p := s.Revisions.ReadTarget(r.Org, b, revision.Target{Space: in.Space})
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Source]], err error) {
		head, _, err := p.Get()
		if err != nil {
			return none, err
		}
		content := s.Store.Content(in.Space)
		r, err := s.Revisions.Revision(ctx, content, head.Revision)
		if err != nil {
			return none, err
		}
		known, err := revision.ReadSources(ctx, content, r.Sources)
		if err != nil {
			return none, err
		}
		pages, files, err := s.loadCounts(ctx, in.Space, r)
		if err != nil {
			return none, err
		}
		return rest.ListModel[api.Source](c, w, func(*access.Model) []string {
			return slices.Sorted(maps.Keys(known.Sources))
		}, func(model *access.Model, id string) ([]byte, error) {
			from := known.Sources[id]
			shown := api.Source{
				Object: "source", ID: id, Name: from.Name, Kind: from.Kind, ImportedAt: from.ImportedAt, Pages: pages[id], Files: files[id],
			}
			if c.Caller.ContentRole.AtLeast(api.RoleEdit) {
				shown.URL = from.Address
			}
			fields, err := json.Marshal(shown)
			if err != nil {
				return nil, fmt.Errorf("source %s: %w", id, err)
			}
			return rest.ExtendObject(fields).Set("importedBy", s.View.Person(model, from.Author)).Bytes()
		})
	}
}

// loadCounts counts the pages and files of each source in a revision.
func (s *Service) loadCounts(ctx context.Context, space string, r revision.Revision) (pages, files map[string]int, err error) {
	pages, files = map[string]int{}, map[string]int{}
	content := s.Store.Content(space)
	t, err := s.Revisions.Tree(ctx, content, r.Pages)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range t.ReadingOrder("") {
		if o := t.Page(id).Origin; o != nil {
			pages[o.Source]++
		}
	}
	all, err := s.Revisions.Files(ctx, content, r.Files)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range all {
		if f.Origin != nil {
			files[f.Origin.Source]++
		}
	}
	return pages, files, nil
}
