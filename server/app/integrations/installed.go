package integrations

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) listInstallationSpaces(_ context.Context, c *rest.Call, b *txn.Batch, in api.ListInstallationContentsInput) rest.Finish[api.Page[api.IntegrationSpaceInstallation]] {
	return listInstalled[api.IntegrationSpaceInstallation](s, c, b, in, store.InstalledSpaces)
}

func (s *Service) listInstallationSites(_ context.Context, c *rest.Call, b *txn.Batch, in api.ListInstallationContentsInput) rest.Finish[api.Page[api.IntegrationSiteInstallation]] {
	return listInstalled[api.IntegrationSiteInstallation](s, c, b, in, store.InstalledSites)
}

func (s *Service) createInstallationSpace(ctx context.Context, c *rest.Call, in api.CreateInstallationSpaceInput) (rest.Result[api.IntegrationSpaceInstallation], error) {
	return createInstalled[api.IntegrationSpaceInstallation](ctx, s, c, in.InstallationRef, store.InstalledSpaces, "space", in.Body.Space, in.Extended.Extended)
}

func (s *Service) createInstallationSite(ctx context.Context, c *rest.Call, in api.CreateInstallationSiteInput) (rest.Result[api.IntegrationSiteInstallation], error) {
	return createInstalled[api.IntegrationSiteInstallation](ctx, s, c, in.InstallationRef, store.InstalledSites, "siteId", in.Body.Site, in.Extended.Extended)
}

func (s *Service) getInstallationSpace(_ context.Context, c *rest.Call, b *txn.Batch, in api.GetInstallationSpaceInput) rest.Finish[api.IntegrationSpaceInstallation] {
	return getInstalled[api.IntegrationSpaceInstallation](s, c, b, in.InstallationRef, store.InstalledSpaces, in.Space, in.Extended.Extended)
}

func (s *Service) getInstallationSite(_ context.Context, c *rest.Call, b *txn.Batch, in api.GetInstallationSiteInput) rest.Finish[api.IntegrationSiteInstallation] {
	return getInstalled[api.IntegrationSiteInstallation](s, c, b, in.InstallationRef, store.InstalledSites, in.Site, in.Extended.Extended)
}

func (s *Service) updateInstallationSpace(ctx context.Context, c *rest.Call, in api.UpdateInstallationSpaceInput) (rest.Result[api.IntegrationSpaceInstallation], error) {
	return updateInstalled[api.IntegrationSpaceInstallation](ctx, s, c, in.InstallationRef, store.InstalledSpaces, in.Space, in.Body, in.Extended.Extended)
}

func (s *Service) updateInstallationSite(ctx context.Context, c *rest.Call, in api.UpdateInstallationSiteInput) (rest.Result[api.IntegrationSiteInstallation], error) {
	return updateInstalled[api.IntegrationSiteInstallation](ctx, s, c, in.InstallationRef, store.InstalledSites, in.Site, in.Body, in.Extended.Extended)
}

func (s *Service) deleteInstallationSpace(ctx context.Context, c *rest.Call, in api.InstallationSpaceRef) (rest.Result[api.None], error) {
	return s.deleteInstalled(ctx, c, in.InstallationRef, store.InstalledSpaces, in.Space)
}

func (s *Service) deleteInstallationSite(ctx context.Context, c *rest.Call, in api.InstallationSiteRef) (rest.Result[api.None], error) {
	return s.deleteInstalled(ctx, c, in.InstallationRef, store.InstalledSites, in.Site)
}

// listInstalled lists what an installation is for, as far as the caller sees it.
func listInstalled[Out any](s *Service, c *rest.Call, b *txn.Batch, in api.ListInstallationContentsInput, what store.Installed) rest.Finish[api.Page[Out]] {
	w := rest.NewPager(c, in.ListOptions, false)
	find := s.installedOn(c, b, in.InstallationRef, what)
	return func(ctx context.Context) (none rest.Result[api.Page[Out]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		at, err := find(ctx)
		if err != nil {
			return none, err
		}
		ids := at.visible()
		page, next := w.Slice(ids, rest.OldestFirst)
		wholes, err := s.wholes(ctx, at, page, in.Extended.Extended)
		if err != nil {
			return none, err
		}
		records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.InstalledKey(in.Installation, id) })
		if err != nil {
			return none, err
		}
		items := make([][]byte, 0, len(page))
		for _, id := range page {
			whole, there := wholes[id]
			stored, err := decodeInstalled(records[id])
			if err != nil {
				return none, err
			}
			if !there {
				continue
			}
			item, err := s.installedObject(at, id, stored, whole).Bytes()
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		return rest.PageOf[Out](items, len(ids), next)
	}
}

// decodeInstalled reads what was configured for a space or site; a record that is not there is nothing.
func decodeInstalled(r txn.Record) (d store.InstalledDocument, err error) {
	if r.Version == 0 {
		return d, nil
	}
	if err := d.Decode(r); err != nil {
		return d, fmt.Errorf("installation on a space or site: %w", err)
	}
	return d, nil
}

func getInstalled[Out any](s *Service, c *rest.Call, b *txn.Batch, ref api.InstallationRef, what store.Installed, id string, extended bool) rest.Finish[Out] {
	find, record := s.installedOn(c, b, ref, what), b.Record(store.InstalledKey(ref.Installation, id))
	return func(ctx context.Context) (none rest.Result[Out], err error) {
		at, err := find(ctx)
		if err == nil {
			err = at.may(id, api.RoleRead)
		}
		if err != nil {
			return none, err
		}
		r, _, err := record.Get()
		if err != nil {
			return none, err
		}
		stored, err := decodeInstalled(r)
		if err != nil {
			return none, err
		}
		return installedResult[Out](ctx, s, at, id, stored, extended)
	}
}

// createInstalled installs an integration on a space or site. Where it is installed already, nothing changes.
func createInstalled[Out any](ctx context.Context, s *Service, c *rest.Call, ref api.InstallationRef, what store.Installed, field, id string, extended bool) (none rest.Result[Out], err error) {
	at, err := s.installedOnNow(ctx, c, ref, what)
	if err != nil {
		return none, err
	}
	if err := at.mayInstall(field, id); err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[Out], err error) {
		if err := at.again(tx, ref); err != nil {
			return none, err
		}
		stored, err := tx.Installed(ref.Installation, id)
		if err != nil {
			return none, err
		}
		changed := stored.Version == 0
		if changed {
			if stored, err = at.install(tx, id, withDefaults(api.InstallationContentFields{})); err != nil {
				return none, err
			}
		}
		at.chosen = append(at.chosen, id)
		result, err := installedResult[Out](ctx, s, at, id, stored, extended)
		result.Unchanged = !changed
		return result.Created(id, s.installedURL(at, id)), err
	})
}

// mayInstall decides whether the caller may install an integration on what a body names.
func (at installedOn) mayInstall(field, id string) (err error) {
	at.c.Access(func(model *access.Model) {
		has := at.role(model, id)
		switch {
		case !has.AtLeast(api.RoleRead):
			err = errNotThere(field, at.what)
		case !has.AtLeast(api.RoleCreate):
			err = rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the "+string(target(at.what)), has)
		case !at.of.takes(at.what):
			err = api.InvalidField(field, "is a %s, and %s is for the target %s", target(at.what), at.of.Fields.Name, at.of.Fields.Target)
		}
	})
	return err
}

// again reads the integration and the installation once more, inside the transaction.
func (at *installedOn) again(tx *store.Tx, ref api.InstallationRef) (err error) {
	if at.of.IntegrationDocument, err = tx.Integration(ref.Integration); err != nil {
		return err
	}
	d, err := tx.Installation(ref.Installation)
	if err != nil || d.Version == 0 {
		return rest.Missing(err)
	}
	at.InstallationDocument = d
	return nil
}

// install writes what an installation has of a space or site that it had nothing of.
func (at installedOn) install(tx *store.Tx, id string, fields api.InstallationContentFields) (d store.InstalledDocument, err error) {
	index := store.InstalledOnKey(at.Fields.ID, at.what)
	size, err := tx.Card(index)
	if err != nil {
		return d, err
	}
	if size >= api.MaxSelected {
		gone := at.gone()
		if len(gone) == 0 {
			return d, rest.Exceeded("An installation", "selected "+string(at.what), api.MaxSelected, size).
				WithHint("Select all %s.", at.what)
		}
		if size != int64(len(at.chosen)) {
			return d, redis.ErrStale
		}
		if _, err := tx.Installed(at.Fields.ID, gone[0]); err != nil {
			return d, err
		}
		tx.DeleteInstalled(at.Fields.ID, gone[0])
	}
	d.Fields, d.Private = fields, store.InstalledPrivate{Installation: at.Fields.ID, Content: id}
	r, err := tx.PutInstalled(d)
	d.Version = r.Version
	return d, err
}

// gone are what the installation was selected for and the organization does not have any more.
func (at installedOn) gone() (ids []string) {
	at.c.Access(func(model *access.Model) {
		for _, id := range at.chosen {
			if model.Entry(id) == nil && model.Site(id) == nil {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// updateInstalled configures an installation for a space or site. The configuration is held against what the integration
// asks for there.
func updateInstalled[Out any](ctx context.Context, s *Service, c *rest.Call, ref api.InstallationRef, what store.Installed, id string, patch api.InstallationContentPatch, extended bool) (none rest.Result[Out], err error) {
	at, err := s.installedOnNow(ctx, c, ref, what)
	if err == nil {
		err = at.may(id, api.RoleCreate)
	}
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[Out], err error) {
		if err := at.again(tx, ref); err != nil {
			return none, err
		}
		stored, err := tx.Installed(ref.Installation, id)
		if err != nil {
			return none, err
		}
		if stored.Version == 0 && selection(at.Fields, what) != api.SelectAll {
			return none, redis.ErrStale // it was selected, and is not any more
		}
		fields := withDefaults(stored.Fields)
		changed, err := applyConfiguration(&fields.Configuration, at.of.asks(what), patch.Configuration)
		if err != nil {
			return none, err
		}
		changed = patch.ExternalIDs.Apply(&fields.ExternalIDs) || changed
		switch {
		case changed && stored.Version == 0:
			stored, err = at.install(tx, id, fields)
		case changed:
			stored.Fields = fields
			var r txn.Record
			r, err = tx.PutInstalled(stored)
			stored.Version = r.Version
		}
		if err != nil {
			return none, err
		}
		result, err := installedResult[Out](ctx, s, at, id, stored, extended)
		result.Unchanged = !changed
		return result, err
	})
}

// deleteInstalled takes a space or site out of those that an installation was selected for.
func (s *Service) deleteInstalled(ctx context.Context, c *rest.Call, ref api.InstallationRef, what store.Installed, id string) (none rest.Result[api.None], err error) {
	at, err := s.installedOnNow(ctx, c, ref, what)
	if err != nil {
		return none, err
	}
	c.Caller = at.c.Caller // an admin of its organization is told what is not there
	c.Know(at.feed)
	if err := at.may(id, api.RoleCreate); err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[api.None], err error) {
		if err := at.again(tx, ref); err != nil {
			return none, err
		}
		if selection(at.Fields, what) == api.SelectAll {
			return none, errForAll(what)
		}
		stored, err := tx.Installed(ref.Installation, id)
		if err != nil || stored.Version == 0 {
			return none, rest.Absent(err)
		}
		tx.DeleteInstalled(ref.Installation, id)
		return rest.None(id), nil
	})
}
