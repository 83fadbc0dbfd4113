package specs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// deleteSpec deletes a specification. If published pages are generated from it, force is required.
func (s *Service) deleteSpec(ctx context.Context, c *rest.Call, in api.DeleteOpenAPISpecInput) (none rest.Result[api.None], err error) {
	if err := c.StoredAnswer(); err != nil {
		return none, err
	}
	d, err := s.Pages.SpecBySlug(ctx, c.Org, in.Spec)
	if err != nil {
		return none, err
	}
	using, err := s.spacesUsing(ctx, c, d)
	if err != nil {
		return none, err
	}
	force, _ := in.Force.Get()
	if using.Count > 0 && !force {
		return none, inUseError(using)
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
		spec, err := tx.OpenAPISpec(c.Org, in.Spec)
		if err != nil || spec.Version == 0 {
			return none, rest.NotFoundIfNil(err)
		}
		versions, err := tx.Cardinality(store.OpenAPIVersionsKey(c.Org, spec.Fields.ID))
		if err != nil {
			return none, err
		}
		tx.DeleteOpenAPISpec(c.Org, spec)
		return rest.Removed(api.Removal{
			ID: in.Spec, Title: in.Spec, With: []api.Taken{api.NewTaken("versions", int(versions)), using},
		}), nil
	})
}

// inUseError returns the error for deleting a specification that pages are generated from. It names the spaces.
func inUseError(using api.Taken) error {
	e := api.Errorf(http.StatusConflict, api.ReasonInUse, "Pages of %d spaces are made of the specification.", using.Count).
		WithHint("Take the pages out, or delete it with force: then they stay at the version that they have.")
	if using.Count == 1 {
		e.Message = "Pages of a space are made of the specification."
	}
	for _, space := range using.Named {
		e.Fields = append(e.Fields, api.FieldError{Path: space.ID, Message: fmt.Sprintf("%q has pages of it", space.Title)})
	}
	if using.Others > 0 {
		e.Fields = append(e.Fields, api.FieldError{Path: "spaces", Message: fmt.Sprintf("%d that you may not see", using.Others)})
	}
	return e
}

// spacesUsing returns the spaces, except deleted ones, with pages of a specification. It names those that the caller
// may see.
func (s *Service) spacesUsing(ctx context.Context, c *rest.Call, d store.OpenAPISpecDocument) (using api.Taken, err error) {
	work, err := s.Slow.Begin(budgets.WithTenant(ctx, &c.Org), budgets.SpecStart)
	if err != nil {
		return using, err
	}
	defer work.End()
	b := s.Store.NewBatch()
	heads := b.HashAll(store.HeadsKey(c.Org))
	if err := b.Do(ctx); err != nil {
		return using, fmt.Errorf("spaces of %s: %w", c.Org, err)
	}
	var found []string
	for _, id := range slices.Sorted(maps.Keys(heads.Value())) {
		if store.HeadSpace(id) != id {
			continue
		}
		uses, err := s.uses(ctx, id, heads.Value()[id], d)
		if err != nil {
			return using, err
		}
		if uses {
			found = append(found, id)
		}
	}
	count, seen := 0, []string(nil)
	c.Access(func(model *access.Model) {
		for _, id := range found {
			if _, active := model.Active(id); !active {
				continue
			}
			count++
			if model.Role(c.Caller, id).AtLeast(api.RoleRead) {
				seen = append(seen, id)
			}
		}
	})
	records, err := rest.ReadRecords(ctx, s.Store, seen, func(id string) redis.Key { return store.SpaceKey(c.Org, id) })
	if err != nil {
		return using, err
	}
	named := []api.TakenThing{}
	for _, id := range seen {
		var space store.SpaceDocument
		r, there := records[id]
		if !there {
			continue
		}
		if err := space.Decode(r); err != nil {
			return using, err
		}
		named = append(named, api.TakenThing{ID: id, Title: space.Fields.Title})
	}
	return api.NewTaken("using-spaces", count, named...), nil
}

// uses reports whether the published content of a space contains pages of a specification. Unreadable content does
// not.
func (s *Service) uses(ctx context.Context, space, text string, d store.OpenAPISpecDocument) (bool, error) {
	head, err := store.ParseHead(text)
	if err != nil {
		return false, err
	}
	w, err := s.Revisions.OpenWorktree(ctx, space, head)
	if _, unreadable := objects.AsUnreadable(err); unreadable || errors.Is(err, objects.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(revision.SpecNames(w.Tree), func(name string) bool {
		return name == d.Fields.Slug || name == d.Fields.ID
	}), nil
}
