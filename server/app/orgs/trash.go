package orgs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) trashEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListTrashOrganizations, auth.Self(), s.listTrashed),
		rest.Write(api.RestoreOrganization, auth.InOrganization(api.RoleAdmin).WithTrash(), s.restoreOrganization).On(rest.Organization),
	}
}

// listTrashed lists the deleted organizations that the caller administers. The list is empty for a token that is bound
// to an organization.
func (s *Service) listTrashed(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListTrashOrganizationsInput,
) rest.Finish[api.Page[api.TrashedOrganization]] {
	w := r.NewPager(in.ListOptions, false)
	members := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.TrashedOrganization]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		var ids []string
		if c.Caller.Organization == "" {
			ids = slices.DeleteFunc(slices.Clone(members.Value()), func(org string) bool { return slices.Contains(c.Caller.EndedIn, org) })
		}
		deleted, err := s.loadDeletedOrganizations(ctx, c.Caller, ids)
		if err != nil {
			return none, err
		}
		var all []string
		for _, id := range ids {
			o, there := deleted[id]
			if there && !c.Caller.IsOlderThan(store.TokenMaxAge(o.Fields.TokenMaxAgeDays), s.now()) {
				all = append(all, id)
			}
		}
		page, next := w.Slice(all, rest.OldestFirst)
		items, err := s.encodeTrashed(ctx, page, deleted)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.TrashedOrganization](items, len(all), next)
	}
}

// loadDeletedOrganizations returns the deleted organizations that the caller administers, by id, without those in which the token does not
// work because the person has to sign in by a provider.
func (s *Service) loadDeletedOrganizations(ctx context.Context, caller *access.Caller, ids []string) (
	map[string]store.OrganizationDocument, error,
) {
	b := s.Store.NewBatch()
	records, members := make([]*txn.Future[txn.Record], len(ids)), make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i], members[i] = b.Record(store.OrganizationKey(id)), b.Record(store.MemberKey(id, caller.User))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	found := map[string]store.OrganizationDocument{}
	for i, id := range ids {
		o, err := DecodeOrganization(records[i])
		if rest.IsNotFound(err) || err == nil && !restorable(o, s.now()) {
			continue
		}
		var m store.MemberDocument
		r, ok, late := members[i].Get()
		if ok && err == nil && late == nil {
			late = m.Decode(r)
		}
		if err != nil || late != nil {
			return nil, fmt.Errorf("organization %s: %w", id, firstError(err, late))
		}
		if m.Private.Role == api.RoleAdmin && !caller.NeedsSignIn(o.Private.EnforcesSSO, store.PersonOf(m)) {
			found[id] = o
		}
	}
	return found, nil
}

func firstError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// restorable reports whether an organization is in the trash and can still be restored.
func restorable(o store.OrganizationDocument, now time.Time) bool {
	deleted := o.Private.Deletion
	return deleted != nil && !deleted.Purging && now.Before(deleted.DeletedAt.Add(store.TrashTime))
}

// encodeTrashed returns the JSON of organizations in the trash with their content counts.
func (s *Service) encodeTrashed(ctx context.Context, ids []string, deleted map[string]store.OrganizationDocument) ([][]byte, error) {
	b := s.Store.NewBatch()
	models := make([]*txn.Feed, len(ids))
	for i, id := range ids {
		models[i] = b.Follow(id)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations in the trash: %w", err)
	}
	items := make([][]byte, len(ids))
	for i, id := range ids {
		var err error
		access.ViewIncludingTrash(models[i], func(model *access.Model) { items[i], err = s.encodeTrashedOrganization(model, deleted[id]) })
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (s *Service) encodeTrashedOrganization(model *access.Model, o store.OrganizationDocument) ([]byte, error) {
	deletedAt := o.Private.Deletion.DeletedAt
	holds := api.Counts(
		api.NewTaken("members", model.CountPeople()), api.NewTaken("collections", len(model.CollectionIDs())),
		api.NewTaken("spaces", len(model.SpaceIDs())), api.NewTaken("sites", len(model.SiteIDs())),
	)
	item := rest.ObjectOf(api.TrashedOrganization{
		Object: "trashed-organization", ID: o.Fields.ID, Title: o.Fields.Title, DeletedAt: deletedAt,
		RestoreUntil: api.At(deletedAt.Add(store.TrashTime)),
		Holds:        holds, Contents: api.Removal{With: holds}.Header(),
	})
	return item.Set("deletedBy", s.View.Person(model, o.Private.Deletion.By)).Bytes()
}

// restoreOrganization takes an organization and its content out of the trash.
func (s *Service) restoreOrganization(_ context.Context, c *rest.Call, tx *store.Tx,
	in api.OrganizationRef,
) (none rest.Result[api.Organization], err error) {
	record, err := restore(tx, in.Organization)
	if err != nil {
		return none, err
	}
	return s.OrganizationResult(in.Organization, record, c.Caller)
}

// restore takes an organization out of the trash, for the API and for `wsd trash restore`.
func restore(tx *store.Tx, org string) (none txn.Record, err error) {
	o, err := tx.Organization(org)
	if err != nil || o.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	now, err := tx.Time()
	switch {
	case err != nil:
		return none, err
	case o.Private.Deletion == nil:
		return none, api.WrongState("The organization is not deleted.")
	case !restorable(o, now):
		return none, api.NotFound()
	}
	return tx.RestoreOrganization(o)
}

// TrashedOrganization is an organization in the trash, as listed by `wsd trash list`.
type TrashedOrganization struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	DeletedAt    api.Time `json:"deletedAt"`
	DeletedBy    string   `json:"deletedBy"` // user id
	RestoreUntil api.Time `json:"restoreUntil"`
}

// ListTrash returns the organizations in the trash that can be restored.
func (a Accounts) ListTrash(ctx context.Context) (found []TrashedOrganization, err error) {
	ids, err := a.Store.Organizations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	for page := range slices.Chunk(ids, txn.ChunkFields) {
		records, err := rest.ReadRecords(ctx, a.Store, page, store.OrganizationKey)
		if err != nil {
			return nil, err
		}
		for _, id := range page {
			r, there := records[id]
			var o store.OrganizationDocument
			if !there || o.Decode(r) != nil || !restorable(o, a.Store.Now()) {
				continue
			}
			deleted := o.Private.Deletion
			found = append(found, TrashedOrganization{
				id, o.Fields.Title, deleted.DeletedAt, deleted.By,
				api.At(deleted.DeletedAt.Add(store.TrashTime)),
			})
		}
	}
	return found, nil
}

// Restore takes an organization out of the trash and returns its id. It is named by its id or by a title that no other
// organization in the trash has.
func (a Accounts) Restore(ctx context.Context, idOrTitle string) (org string, err error) {
	if org, err = a.findTrashed(ctx, idOrTitle); err != nil {
		return "", err
	}
	err = a.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, err := restore(tx, org)
		return err
	})
	if rest.IsNotFound(err) {
		err = api.InvalidField("organization", "there is no organization %q in the trash", idOrTitle).WithHint("wsd trash list")
	}
	return org, err
}

// findTrashed returns the id of an organization in the trash that has a title, or the argument if none has.
func (a Accounts) findTrashed(ctx context.Context, idOrTitle string) (string, error) {
	trash, err := a.ListTrash(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, o := range trash {
		switch idOrTitle {
		case o.ID:
			return o.ID, nil
		case o.Title:
			ids = append(ids, o.ID)
		}
	}
	switch len(ids) {
	case 0:
		return idOrTitle, nil
	case 1:
		return ids[0], nil
	}
	return "", api.InvalidField("organization", "%d organizations in the trash have the title %q: %s", len(ids), idOrTitle,
		strings.Join(ids, ", ")).WithHint("Name it by its id.")
}
