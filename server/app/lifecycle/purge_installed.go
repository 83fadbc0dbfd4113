package lifecycle

import (
	"context"
	"maps"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// purgeIntegrations unpublishes the integrations of an organization and removes its installations. The names of the
// integrations remain reserved.
func (s *Service) purgeIntegrations(ctx context.Context, org string, _ []string, _ func(tx *store.Tx) error) error {
	return s.eachIntegration(ctx, org, func(tx *store.Tx, name string, installed map[string]store.Selection) error {
		i, err := tx.Integration(name)
		if err != nil {
			return err
		}
		if i.Version > 0 && i.Private.Organization == org && !i.Private.Unpublished {
			if err := tx.UnpublishIntegration(i); err != nil {
				return err
			}
		}
		for _, id := range slices.Sorted(maps.Keys(installed)) {
			d, err := tx.Installation(id)
			if err != nil {
				return err
			}
			if d.Version > 0 {
				if err := tx.DeleteInstallation(d, installed[id]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// deselectSpace removes a space and its configuration from the installations of an organization. It is part of the
// purge of a space.
func (s *Service) deselectSpace(ctx context.Context, org, space string) error {
	return s.eachIntegration(ctx, org, func(tx *store.Tx, _ string, installed map[string]store.Selection) error {
		for _, id := range slices.Sorted(maps.Keys(installed)) {
			if !slices.Contains(installed[id].Spaces, space) {
				continue
			}
			if _, err := tx.Installed(id, space); err != nil {
				return err
			}
			tx.DeleteInstalled(id, space)
		}
		return nil
	})
}

// eachIntegration calls do in a transaction for each integration, published or not, with the organization's
// installations of it and their selections, by installation id.
func (s *Service) eachIntegration(ctx context.Context, org string, do func(
	tx *store.Tx, name string, installed map[string]store.Selection,
) error,
) error {
	b := s.Store.NewBatch()
	published, others := b.Range(store.IntegrationsKey(), "", -1, false), b.Range(store.UnpublishedIntegrationsKey(), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return err
	}
	for _, member := range slices.Concat(published.Value(), others.Value()) {
		name, owner := store.SplitOwnedMember(member)
		installed, err := s.loadInstallations(ctx, name, org)
		if err != nil {
			return err
		}
		if len(installed) == 0 && owner != org {
			continue
		}
		err = s.Store.Update(ctx, store.Integrations(), txn.UpdateOptions{}, func(tx *store.Tx) error { return do(tx, name, installed) })
		if err != nil {
			return err
		}
	}
	return nil
}

// loadInstallations returns the selections of an integration's installations in an organization, by installation id.
func (s *Service) loadInstallations(ctx context.Context, integration, org string) (map[string]store.Selection, error) {
	b := s.Store.NewBatch()
	members := b.Range(store.InstallationsKey(integration, org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	if len(members.Value()) == 0 {
		return nil, nil
	}
	b = s.Store.NewBatch()
	queued := map[string]func() store.Selection{}
	for _, member := range members.Value() {
		id, _ := store.SplitOwnedMember(member)
		queued[id] = store.QueueSelection(b, id)
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	selected := map[string]store.Selection{}
	for id, read := range queued {
		selected[id] = read()
	}
	return selected, nil
}
