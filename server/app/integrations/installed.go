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

func (s *Service) listInstallationSpaces(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListInstallationContentsInput,
) rest.Finish[api.Page[api.IntegrationSpaceInstallation]] {
	return listContentInstallations[api.IntegrationSpaceInstallation](s, r, b, in, store.InstalledSpaces)
}

func (s *Service) listInstallationSites(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListInstallationContentsInput,
) rest.Finish[api.Page[api.IntegrationSiteInstallation]] {
	return listContentInstallations[api.IntegrationSiteInstallation](s, r, b, in, store.InstalledSites)
}

func (s *Service) createInstallationSpace(ctx context.Context, c *rest.Call,
	in api.CreateInstallationSpaceInput,
) (rest.Result[api.IntegrationSpaceInstallation], error) {
	ref := contentRef{in.InstallationRef, store.InstalledSpaces, in.Body.Space}
	return createContentInstallation[api.IntegrationSpaceInstallation](ctx, s, c, ref, "space", in.Extended.Extended)
}

func (s *Service) createInstallationSite(ctx context.Context, c *rest.Call,
	in api.CreateInstallationSiteInput,
) (rest.Result[api.IntegrationSiteInstallation], error) {
	ref := contentRef{in.InstallationRef, store.InstalledSites, in.Body.Site}
	return createContentInstallation[api.IntegrationSiteInstallation](ctx, s, c, ref, "siteId", in.Extended.Extended)
}

func (s *Service) getInstallationSpace(
	_ context.Context, _ *rest.Request, b *txn.Batch, in api.GetInstallationSpaceInput,
) rest.Finish[api.IntegrationSpaceInstallation] {
	ref := contentRef{in.InstallationRef, store.InstalledSpaces, in.Space}
	return getContentInstallation[api.IntegrationSpaceInstallation](s, b, ref, in.Extended.Extended)
}

func (s *Service) getInstallationSite(
	_ context.Context, _ *rest.Request, b *txn.Batch, in api.GetInstallationSiteInput,
) rest.Finish[api.IntegrationSiteInstallation] {
	ref := contentRef{in.InstallationRef, store.InstalledSites, in.Site}
	return getContentInstallation[api.IntegrationSiteInstallation](s, b, ref, in.Extended.Extended)
}

func (s *Service) updateInstallationSpace(ctx context.Context, c *rest.Call,
	in api.UpdateInstallationSpaceInput,
) (rest.Result[api.IntegrationSpaceInstallation], error) {
	ref := contentRef{in.InstallationRef, store.InstalledSpaces, in.Space}
	return updateContentInstallation[api.IntegrationSpaceInstallation](ctx, s, c, ref, in.Body, in.Extended.Extended)
}

func (s *Service) updateInstallationSite(ctx context.Context, c *rest.Call,
	in api.UpdateInstallationSiteInput,
) (rest.Result[api.IntegrationSiteInstallation], error) {
	ref := contentRef{in.InstallationRef, store.InstalledSites, in.Site}
	return updateContentInstallation[api.IntegrationSiteInstallation](ctx, s, c, ref, in.Body, in.Extended.Extended)
}

func (s *Service) deleteInstallationSpace(ctx context.Context, c *rest.Call, in api.InstallationSpaceRef) (rest.Result[api.None], error) {
	return s.deleteContentInstallation(ctx, c, contentRef{in.InstallationRef, store.InstalledSpaces, in.Space})
}

func (s *Service) deleteInstallationSite(ctx context.Context, c *rest.Call, in api.InstallationSiteRef) (rest.Result[api.None], error) {
	return s.deleteContentInstallation(ctx, c, contentRef{in.InstallationRef, store.InstalledSites, in.Site})
}

// listContentInstallations lists the spaces or sites of an installation that the caller may see.
func listContentInstallations[Out any](
	s *Service, r *rest.Request, b *txn.Batch, in api.ListInstallationContentsInput, what store.InstalledSelection,
) rest.Finish[api.Page[Out]] {
	w := r.NewPager(in.ListOptions, false)
	find := s.findContentInstallation(b, in.InstallationRef, what)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[Out]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		ci, err := find(ctx, c)
		if err != nil {
			return none, err
		}
		ids := ci.visibleIDs()
		page, next := w.Slice(ids, rest.OldestFirst)
		wholes, err := s.encodeContents(ctx, ci, page, in.Extended.Extended)
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
			stored, err := decodeContentInstallation(records[id])
			if err != nil {
				return none, err
			}
			if !there {
				continue
			}
			item, err := s.encodeContentInstallation(ci, id, stored, whole).Bytes()
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		return rest.PageOf[Out](items, len(ids), next)
	}
}

// decodeContentInstallation decodes the configuration for a space or site. It returns the zero value without a
// record.
func decodeContentInstallation(r txn.Record) (d store.InstalledDocument, err error) {
	if r.Version == 0 {
		return d, nil
	}
	if err := d.Decode(r); err != nil {
		return d, fmt.Errorf("installation on a space or site: %w", err)
	}
	return d, nil
}

// contentRef names an installation on a space or site.
type contentRef struct {
	installation api.InstallationRef
	kind         store.InstalledSelection
	id           string // of the space or site
}

func getContentInstallation[Out any](s *Service, b *txn.Batch, ref contentRef, extended bool) rest.Finish[Out] {
	find := s.findContentInstallation(b, ref.installation, ref.kind)
	record := b.Record(store.InstalledKey(ref.installation.Installation, ref.id))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[Out], err error) {
		ci, err := find(ctx, c)
		if err == nil {
			err = ci.checkRole(ref.id, api.RoleRead)
		}
		if err != nil {
			return none, err
		}
		r, _, err := record.Get()
		if err != nil {
			return none, err
		}
		stored, err := decodeContentInstallation(r)
		if err != nil {
			return none, err
		}
		return contentInstallationResult[Out](ctx, s, ci, ref.id, stored, extended)
	}
}

// createContentInstallation installs an integration on a space or site. It changes nothing if it is installed there
// already.
func createContentInstallation[Out any](
	ctx context.Context, s *Service, c *rest.Call, ref contentRef, field string, extended bool,
) (none rest.Result[Out], err error) {
	ci, err := s.loadContentInstallation(ctx, c, ref.installation, ref.kind)
	if err != nil {
		return none, err
	}
	if err := ci.checkMayInstall(field, ref.id); err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[Out], err error) {
		if err := ci.reload(tx, ref.installation); err != nil {
			return none, err
		}
		stored, err := tx.Installed(ref.installation.Installation, ref.id)
		if err != nil {
			return none, err
		}
		changed, before := stored.Version == 0, api.InstallationStatus("")
		if selectionMode(ci.Fields, ref.kind) == api.SelectAll {
			before = ci.status(stored.Fields)
		}
		if changed {
			if stored, err = ci.install(tx, ref.id, withDefaults(api.InstallationContentFields{})); err != nil {
				return none, err
			}
		}
		ci.selected = append(ci.selected, ref.id)
		noteInstallation(c, ci.InstallationDocument, ci.status(stored.Fields), before)
		result, err := contentInstallationResult[Out](ctx, s, ci, ref.id, stored, extended)
		result.Unchanged = !changed
		return result.WithLocation(ref.id, s.contentInstallationURL(ci, ref.id)), err
	})
}

// checkMayInstall returns an error unless the caller may install the integration on the space or site in a request
// body.
func (ci contentInstallation) checkMayInstall(field, id string) (err error) {
	ci.call.Access(func(model *access.Model) {
		has := ci.role(model, id)
		switch {
		case !has.AtLeast(api.RoleRead):
			err = contentNotFoundError(field, ci.kind)
		case !has.AtLeast(api.RoleCreate):
			err = rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the "+string(integrationTarget(ci.kind)), has)
		case !ci.integration.supports(ci.kind):
			err = api.InvalidField(field, "is a %s, and %s is for the target %s", integrationTarget(ci.kind), ci.integration.Fields.Name,
				ci.integration.Fields.Target)
		}
	})
	return err
}

// reload reads the integration and the installation again within the transaction.
func (ci *contentInstallation) reload(tx *store.Tx, ref api.InstallationRef) (err error) {
	if ci.integration.IntegrationDocument, err = tx.Integration(ref.Integration); err != nil {
		return err
	}
	d, err := tx.Installation(ref.Installation)
	if err != nil || d.Version == 0 {
		return rest.NotFoundIfNil(err)
	}
	ci.InstallationDocument = d
	return nil
}

// install stores the configuration of an installation for a new space or site.
func (ci contentInstallation) install(tx *store.Tx, id string, fields api.InstallationContentFields) (d store.InstalledDocument,
	err error,
) {
	index := store.InstalledOnKey(ci.Fields.ID, ci.kind)
	size, err := tx.Cardinality(index)
	if err != nil {
		return d, err
	}
	if size >= api.MaxSelected {
		gone := ci.deletedSelections()
		if len(gone) == 0 {
			return d, rest.Exceeded("An installation", "selected "+string(ci.kind), api.MaxSelected, size).
				WithHint("Select all %s.", ci.kind)
		}
		record := func(id string) redis.Key { return store.InstalledKey(ci.Fields.ID, id) }
		if err := tx.RequireListed(index, ci.selected, record); err != nil {
			return d, err
		}
		tx.DeleteInstalled(ci.Fields.ID, gone[0])
	}
	d.Fields, d.Private = fields, store.InstalledPrivate{Installation: ci.Fields.ID, Content: id}
	r, err := tx.PutInstalled(d)
	d.Version = r.Version
	return d, err
}

// deletedSelections returns the ids of selected spaces or sites that do not exist any more.
func (ci contentInstallation) deletedSelections() (ids []string) {
	ci.call.Access(func(model *access.Model) {
		for _, id := range ci.selected {
			if model.Entry(id) == nil && model.Site(id) == nil {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// updateContentInstallation configures an installation for a space or site. The configuration is validated against
// the schema of the integration.
func updateContentInstallation[Out any](
	ctx context.Context, s *Service, c *rest.Call, ref contentRef, patch api.InstallationContentPatch, extended bool,
) (none rest.Result[Out], err error) {
	ci, err := s.loadContentInstallation(ctx, c, ref.installation, ref.kind)
	if err == nil {
		err = ci.checkRole(ref.id, api.RoleCreate)
	}
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[Out], err error) {
		if err := ci.reload(tx, ref.installation); err != nil {
			return none, err
		}
		stored, err := tx.Installed(ref.installation.Installation, ref.id)
		if err != nil {
			return none, err
		}
		if stored.Version == 0 && selectionMode(ci.Fields, ref.kind) != api.SelectAll {
			return none, redis.ErrStale // the space or site was deselected concurrently
		}
		fields, before := withDefaults(stored.Fields), ci.status(stored.Fields)
		changed, err := applyConfiguration(&fields.Configuration, ci.integration.configurationFor(ref.kind), patch.Configuration)
		if err != nil {
			return none, err
		}
		changed = patch.ExternalIDs.Apply(&fields.ExternalIDs) || changed
		switch {
		case changed && stored.Version == 0:
			stored, err = ci.install(tx, ref.id, fields)
		case changed:
			stored.Fields = fields
			var r txn.Record
			r, err = tx.PutInstalled(stored)
			stored.Version = r.Version
		}
		if err != nil {
			return none, err
		}
		noteInstallation(c, ci.InstallationDocument, ci.status(fields), before)
		result, err := contentInstallationResult[Out](ctx, s, ci, ref.id, stored, extended)
		result.Unchanged = !changed
		return result, err
	})
}

// deleteContentInstallation removes a space or site from the selection of an installation.
func (s *Service) deleteContentInstallation(ctx context.Context, c *rest.Call, ref contentRef) (none rest.Result[api.None], err error) {
	ci, err := s.loadContentInstallation(ctx, c, ref.installation, ref.kind)
	if err != nil {
		return none, err
	}
	c.Caller = ci.call.Caller // admins of the installation's organization get not_found for missing content
	c.SetModel(ci.feed)
	if err := ci.checkRole(ref.id, api.RoleCreate); err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (none rest.Result[api.None], err error) {
		if err := ci.reload(tx, ref.installation); err != nil {
			return none, err
		}
		if selectionMode(ci.Fields, ref.kind) == api.SelectAll {
			return none, selectedForAllError(ref.kind)
		}
		stored, err := tx.Installed(ref.installation.Installation, ref.id)
		if err != nil || stored.Version == 0 {
			return none, rest.AbsentIfNil(err)
		}
		tx.DeleteInstalled(ref.installation.Installation, ref.id)
		noteInstallation(c, ci.InstallationDocument, "", "")
		return rest.None(ref.id), nil
	})
}
