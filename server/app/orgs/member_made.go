package orgs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MadeBy returns what a user made in an organization that works without the user and stays: share links, integrations and their
// installations, and specifications that are fetched. Those of older builds, which did not store who made them, are left out.
func (a Accounts) MadeBy(ctx context.Context, org, user string) ([]api.Taken, error) {
	links, err := a.shareLinksBy(ctx, org, user)
	if err != nil {
		return nil, err
	}
	integrations, installations, err := a.integrationsBy(ctx, org, user)
	if err != nil {
		return nil, err
	}
	specs, err := a.specsBy(ctx, org, user)
	if err != nil {
		return nil, err
	}
	return []api.Taken{
		api.NewTaken("share-links", len(links), links...), api.NewTaken("integrations", len(integrations), integrations...),
		api.NewTaken("installations", len(installations), installations...), api.NewTaken("openapi-specs", len(specs), specs...),
	}, nil
}

// shareLinksBy returns the share links of all sites that a user made.
func (a Accounts) shareLinksBy(ctx context.Context, org, user string) (made []api.TakenThing, err error) {
	b := a.Store.NewBatch()
	entries := b.HashAll(txn.EntriesKey(org))
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the sites of %s: %w", org, err)
	}
	var indexes []redis.Key
	for _, id := range slices.Sorted(maps.Keys(entries.Value())) {
		if strings.HasPrefix(id, txn.SitePrefix) {
			indexes = append(indexes, store.ShareLinksKey(org, id))
		}
	}
	ids, err := a.readIndexes(ctx, indexes)
	if err != nil {
		return nil, err
	}
	err = a.eachRecord(ctx, ids, func(id string) redis.Key { return store.ShareLinkKey(org, id) }, func(r txn.Record) error {
		var d store.ShareLinkDocument
		err := d.Decode(r)
		if err == nil && d.Private.CreatedBy == user {
			made = append(made, api.TakenThing{ID: d.Fields.ID, Title: d.Fields.Name})
		}
		return err
	})
	return made, err
}

// integrationsBy returns the integrations of an organization of which the user published the latest version, and the
// installations in the organization that the user made.
func (a Accounts) integrationsBy(ctx context.Context, org, user string) (integrations, installations []api.TakenThing, err error) {
	members, err := a.readIndexes(ctx, []redis.Key{store.IntegrationsKey(), store.UnpublishedIntegrationsKey()})
	if err != nil {
		return nil, nil, err
	}
	var own []string
	indexes := make([]redis.Key, len(members))
	for i, member := range members {
		name, owner := store.SplitOwnedMember(member)
		if owner == org {
			own = append(own, name)
		}
		indexes[i] = store.InstallationsKey(name, org)
	}
	err = a.eachRecord(ctx, own, store.IntegrationKey, func(r txn.Record) error {
		var d store.IntegrationDocument
		err := d.Decode(r)
		if err == nil && d.Private.PublishedBy == user && !d.Private.Unpublished {
			integrations = append(integrations, api.TakenThing{ID: d.Fields.Name, Title: d.Fields.Title})
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	installed, err := a.readIndexes(ctx, indexes)
	if err != nil {
		return nil, nil, err
	}
	for i, member := range installed {
		installed[i], _ = store.SplitOwnedMember(member)
	}
	err = a.eachRecord(ctx, installed, store.InstallationKey, func(r txn.Record) error {
		var d store.InstallationDocument
		err := d.Decode(r)
		if err == nil && d.Private.CreatedBy == user {
			installations = append(installations, api.TakenThing{ID: d.Fields.ID, Title: d.Private.Integration})
		}
		return err
	})
	return integrations, installations, err
}

// specsBy returns the specifications of an organization whose source the user set.
func (a Accounts) specsBy(ctx context.Context, org, user string) (made []api.TakenThing, err error) {
	slugs, err := a.readIndexes(ctx, []redis.Key{store.OpenAPISpecsKey(org)})
	if err != nil {
		return nil, err
	}
	for i, member := range slugs {
		slugs[i] = store.OpenAPISpecSlug(member)
	}
	err = a.eachRecord(ctx, slugs, func(slug string) redis.Key { return store.OpenAPISpecKey(org, slug) }, func(r txn.Record) error {
		var d store.OpenAPISpecDocument
		err := d.Decode(r)
		if err == nil && d.Private.By == user {
			made = append(made, api.TakenThing{ID: d.Fields.Slug})
		}
		return err
	})
	return made, err
}

// readIndexes returns the members of small indexes, in one trip.
func (a Accounts) readIndexes(ctx context.Context, indexes []redis.Key) (members []string, err error) {
	b := a.Store.NewBatch()
	replies := make([]*txn.Reply[[]string], len(indexes))
	for i, index := range indexes {
		replies[i] = b.Range(index, "", -1, false)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read what a member made: %w", err)
	}
	for _, reply := range replies {
		members = append(members, reply.Value()...)
	}
	return members, nil
}

// eachRecord reads records in one trip and calls visit with those that exist, in the order of their ids.
func (a Accounts) eachRecord(ctx context.Context, ids []string, key func(id string) redis.Key, visit func(txn.Record) error) error {
	records, err := rest.ReadRecords(ctx, a.Store, ids, key)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if r, there := records[id]; there {
			if err := visit(r); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
	}
	return nil
}
