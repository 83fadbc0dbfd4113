package lifecycle

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Service) organizationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.DeleteOrganization, auth.InOrganization(api.RoleAdmin), s.deleteOrganization).On(rest.Organization),
	}
}

// deleteOrganization moves an organization into the trash by changing its record only. Transfers that can still be
// taken back have to be completed first, because nobody could do so while the organization is in the trash.
func (s *Service) deleteOrganization(ctx context.Context, c *rest.Call, in api.DeleteOrganizationInput) (none rest.Result[api.None],
	err error,
) {
	if err := c.StoredAnswer(); err != nil {
		return none, err
	}
	return rest.RetryPlan(func() (rest.Result[api.None], error) {
		made, err := s.countFinalTransfers(ctx, c)
		if err != nil {
			return none, err
		}
		taken, err := s.deletedObjects(ctx, c)
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.None], error) {
			o, err := tx.Organization(c.Org)
			if err != nil || store.IsOrganizationGone(o) {
				return none, rest.NotFoundIfNil(err)
			}
			if o.Fields.Title != in.Title {
				return none, api.InvalidParam(api.FieldError{Path: "title", Message: "is not the title of the organization"})
			}
			if err := checkNoTransferInProgress(tx, c.Org, made); err != nil {
				return none, err
			}
			if o, err = tx.DeleteOrganization(o, c.Caller.User); err != nil {
				return none, err
			}
			until := api.At(o.Private.Deletion.DeletedAt.Add(store.TrashTime))
			return rest.Removed(api.Removal{ID: c.Org, Title: o.Fields.Title, With: taken, RestoreUntil: until}), nil
		})
	})
}

// countFinalTransfers returns the number of transfers of the organization, or an error if one of them can be taken
// back.
func (s *Service) countFinalTransfers(ctx context.Context, c *rest.Call) (made int, err error) {
	b := s.Store.NewBatch()
	index := b.Range(store.TransfersKey(c.Org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return 0, fmt.Errorf("transfers of %s: %w", c.Org, err)
	}
	now, err := s.Store.Time(ctx, c.Org)
	if err != nil {
		return 0, err
	}
	found, err := s.loadTransfers(ctx, c.Org, index.Value())
	if err != nil {
		return 0, err
	}
	for id, t := range found {
		t.readAt = now
		if t.checkOpen() == nil {
			return 0, api.WrongState("The transfer %s of %q can be taken back until %s.", id, t.fields().Title, t.fields().TakeBackUntil).
				WithHint("Have it taken back, or wait until then.")
		}
	}
	return len(index.Value()), nil
}

// checkNoTransferInProgress returns an error if a transfer to or from the organization is in progress, or if the
// number of transfers differs from made. It adds both to the read set.
func checkNoTransferInProgress(tx *store.Tx, org string, made int) error {
	moving, transferred := store.MovingKey(org), store.TransfersKey(org)
	if err := tx.Prefetch(moving, transferred); err != nil {
		return err
	}
	if under, err := tx.Cardinality(moving); err != nil || under > 0 {
		if err != nil {
			return err
		}
		return api.WrongState("Something is being transferred to the organization or from it.").WithHint("Try again when it has arrived.")
	}
	now, err := tx.Cardinality(transferred)
	if err == nil && int(now) != made {
		err = store.ErrHeadMoved
	}
	return err
}

// deletedObjects describes the objects that are deleted with an organization. It is not filtered by access,
// because admins may see all of them.
func (s *Service) deletedObjects(ctx context.Context, c *rest.Call) ([]api.Taken, error) {
	var spaces, collections, sites, members []string
	c.Access(func(model *access.Model) {
		spaces, collections, sites = model.SpaceIDs(), model.CollectionIDs(), model.SiteIDs()
		for id := range model.MemberIDs() {
			if store.IsServiceAccount(id) {
				continue
			}
			members = append(members, id)
		}
	})
	if !c.DryRun {
		return []api.Taken{
			api.NewTaken("members", len(members)), api.NewTaken("collections", len(collections)),
			api.NewTaken("spaces", len(spaces)), api.NewTaken("sites", len(sites)),
		}, nil
	}
	taken := []api.Taken{api.NewTaken("members", len(members))}
	for _, part := range []struct {
		kind string
		ids  []string
		key  func(id string) redis.Key
	}{
		{"collections", collections, func(id string) redis.Key { return store.CollectionKey(c.Org, id) }},
		{"spaces", spaces, func(id string) redis.Key { return store.SpaceKey(c.Org, id) }},
		{"sites", sites, func(id string) redis.Key { return store.SiteKey(c.Org, id) }},
	} {
		named, err := s.Spaces.ReadTitles(ctx, c, part.ids, part.key)
		if err != nil {
			return nil, err
		}
		taken = append(taken, api.NewTaken(part.kind, len(part.ids), named...))
	}
	return taken, nil
}
