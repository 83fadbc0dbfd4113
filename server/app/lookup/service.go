package lookup

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Service finds resources by name.
type Service struct {
	Store *store.Store
	View  *view.Writer
}

// Endpoints returns the operations of Service.
func (s *Service) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{rest.Op(api.FindName, auth.Member(), s.find)}
}

// rewriteBatch is the number of access entries that one transaction rewrites.
const rewriteBatch = 200

// find answers each name with the resources that have it. Its cost does not depend on the number of spaces.
func (s *Service) find(ctx context.Context, c *rest.Call, in api.FindNameInput) (none rest.Result[api.NameList], err error) {
	f := finder{call: c, untitled: map[string]string{}}
	if err := s.readUntitled(ctx, c, f.untitled); err != nil {
		return none, err
	}
	if slices.ContainsFunc(in.Body.Names, func(n api.Name) bool { return n.Kind == api.NameSite }) {
		if f.sites, err = s.readSites(ctx, c); err != nil {
			return none, err
		}
	}
	list := api.NameList{Items: make([]api.NameMatches, 0, len(in.Body.Names))}
	c.Access(func(model *access.Model) {
		f.model, f.viewer = model, access.NewViewer(model, c.Caller)
		for _, name := range in.Body.Names {
			list.Items = append(list.Items, f.matches(name))
		}
	})
	if err := s.addVersions(ctx, c.Org, list); err != nil {
		return none, err
	}
	return rest.Value(list)
}

// readUntitled reads the titles of the spaces and collections whose access entries have none, and rewrites these entries.
func (s *Service) readUntitled(ctx context.Context, c *rest.Call, titles map[string]string) error {
	var ids []string
	c.Access(func(model *access.Model) { ids = model.UntitledIDs() })
	for chunk := range slices.Chunk(ids, rewriteBatch) {
		err := s.Store.Update(ctx, store.Organization(c.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range chunk {
				title, err := tx.RewriteEntry(c.Org, id)
				if err != nil {
					return err
				}
				titles[id] = title
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("titles of entries: %w", err)
		}
	}
	return nil
}

// readSites reads the sites that the caller may read.
func (s *Service) readSites(ctx context.Context, c *rest.Call) (map[string]*store.SiteDocument, error) {
	var ids []string
	c.Access(func(model *access.Model) {
		ids = slices.DeleteFunc(model.SiteIDs(), func(id string) bool { return !model.SiteRole(c.Caller, id).AtLeast(api.RoleRead) })
	})
	return s.View.ReadSites(ctx, c, ids)
}

// addVersions sets the versions of all matches. A resource that was removed since is left out.
func (s *Service) addVersions(ctx context.Context, org string, list api.NameList) error {
	keys := map[string]redis.Key{}
	for _, item := range list.Items {
		for _, match := range item.Found {
			keys[match.ID] = recordKey(org, item.Kind, match.ID)
		}
	}
	ids := make([]string, 0, len(keys))
	for id := range keys {
		ids = append(ids, id)
	}
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return keys[id] })
	if err != nil {
		return err
	}
	for i := range list.Items {
		item := &list.Items[i]
		before := len(item.Found)
		item.Found = slices.DeleteFunc(item.Found, func(m api.NameMatch) bool { return records[m.ID].Version == 0 })
		item.Count -= before - len(item.Found)
		for j := range item.Found {
			item.Found[j].Version = rest.RecordVersion(records[item.Found[j].ID])
		}
	}
	return nil
}

// recordKey returns the key of the record of a resource.
func recordKey(org string, kind api.NameKind, id string) redis.Key {
	switch kind {
	case api.NameSite:
		return store.SiteKey(org, id)
	case api.NameTeam:
		return store.TeamKey(org, id)
	case api.NameMember:
		return store.MemberKey(org, id)
	default:
		return store.EntryKey(org, id)
	}
}
