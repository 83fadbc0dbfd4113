package integrations

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) integrationInstallationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListIntegrationInstallations, auth.Self(), s.listInstallations),
		rest.Op(api.CreateIntegrationInstallation, auth.Self(), s.createInstallation).Of(rest.Integration),
		rest.Read(api.GetIntegrationInstallation, auth.Self(), s.getInstallation),
		rest.Op(api.UpdateIntegrationInstallation, auth.Self(), s.updateInstallation).Of(rest.Installation),
		rest.Op(api.DeleteIntegrationInstallation, auth.Self(), s.deleteInstallation).Of(rest.Installation),
		rest.Op(api.CreateInstallationToken, auth.Self(), s.createInstallationToken).WithScopeAdmin(),
	}
}

func (s *Service) installationURL(name, id string) string {
	return s.integrationURL(name) + "/installations/" + id
}

// installationEndpoint is where the code of an integration would answer for an installation if wsd ran it.
func (s *Service) installationEndpoint(name, id string) string {
	return s.PublicURL + "/integrations/" + name + "/installations/" + id
}

func (s *Service) installationObject(i integration, at installation) *rest.Object {
	spaces := 0
	switch {
	case !i.takes(store.InstalledSpaces):
	case at.Fields.SpaceSelection == api.SelectAll:
		spaces = activeSpaces(at.feed)
	default:
		spaces = activeAmong(at.feed, at.selected.Spaces)
	}
	name, id := i.Fields.Name, at.Fields.ID
	return rest.Extend(at.public).
		Set("status", installationStatus(i, at.Fields)).
		Set("spaces", spaces).
		Set("urls", api.InstallationURLs{
			AppURLs:        api.AppURLs{Location: s.installationURL(name, id), App: s.View.AppURL("integration-installations", name+"~"+id)},
			PublicEndpoint: s.installationEndpoint(name, id),
		})
}

// installationStatus follows from the integration and the configuration.
func installationStatus(i integration, fields api.InstallationFields) api.InstallationStatus {
	_, incomplete := i.Fields.Configurations.Account.Check("", fields.Configuration)
	switch {
	case i.Private.Unpublished:
		return api.InstallationPaused
	case len(incomplete) > 0:
		return api.InstallationPending
	}
	return api.InstallationActive
}

// activeSpaces counts an organization's spaces, as its admin sees them.
func activeSpaces(model *txn.Feed) (count int) {
	access.Look(model, func(model *access.Model) {
		count = access.NewViewer(model, &access.Caller{Role: api.RoleAdmin}).CountSpaces()
	})
	return count
}

// activeAmong counts those of some spaces that are there, as an admin sees them.
func activeAmong(model *txn.Feed, ids []string) (count int) {
	access.Look(model, func(model *access.Model) {
		count = len(access.NewViewer(model, &access.Caller{Role: api.RoleAdmin}).Visible(ids))
	})
	return count
}

// listInstallations has all installations for the owner's admins, and for others those in organizations where they
// may install.
func (s *Service) listInstallations(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListInstallationsInput) rest.Finish[api.Page[api.IntegrationInstallation]] {
	w := rest.NewPager(c, in.ListOptions, false, in.ExternalID)
	record := b.Record(store.IntegrationKey(in.Integration))
	all := b.Range(store.InstallationsKey(in.Integration), "", -1, false)
	mine := b.Range(store.UserOrganizationsKey(c.Principal), "", -1, false)
	return func(ctx context.Context) (none rest.Result[api.Page[api.IntegrationInstallation]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		i, err := decodeIntegration(record.Get())
		if err != nil {
			return none, err
		}
		organizations := mine.Value()
		known, err := s.Orgs.Memberships(ctx, c.Caller, append([]string{i.Private.Organization}, organizations...), nil)
		if err != nil {
			return none, err
		}
		i.owner = known[i.Private.Organization]
		members := all.Value()
		if !i.owner.Role.AtLeast(api.RoleAdmin) {
			members = slices.DeleteFunc(members, func(member string) bool {
				_, org := store.SplitOwnedMember(member)
				return !known[org].Role.AtLeast(api.RoleCreate)
			})
			if len(members) == 0 && !i.sees() {
				return none, api.NotFound()
			}
		}
		return s.installationList(ctx, i, w, members, in.ExternalID)
	}
}

// installationList pages through installations. A filter looks inside all of them.
func (s *Service) installationList(ctx context.Context, i integration, w rest.Pager, members []string, externalID string) (none rest.Result[api.Page[api.IntegrationInstallation]], err error) {
	page, next := w.Slice(members, rest.OldestFirst)
	wanted := page
	if externalID != "" {
		wanted = members
	}
	found, err := s.installations(ctx, wanted)
	if err != nil {
		return none, err
	}
	if externalID != "" {
		members = slices.DeleteFunc(members, func(member string) bool {
			return !slices.Contains(found[member].Fields.ExternalIDs, externalID)
		})
		page, next = w.Slice(members, rest.OldestFirst)
	}
	items := make([][]byte, 0, len(page))
	for _, member := range page {
		if at, ok := found[member]; ok {
			item, err := s.installationObject(i, at).Bytes()
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
	}
	return rest.PageOf[api.IntegrationInstallation](items, len(members), next)
}

// installation is an installation with the feed of its organization.
type installation struct {
	store.InstallationDocument
	public   []byte
	feed     *txn.Feed
	selected store.Selection
}

func decodeInstallation(r txn.Record, ok bool, err error) (installation, error) {
	at := installation{public: r.Public}
	if err != nil || !ok {
		return at, rest.Missing(err)
	}
	if err := at.Decode(r); err != nil {
		return at, fmt.Errorf("installation: %w", err)
	}
	return at, nil
}

// installations reads installations by the members of their index, with the feeds of their organizations. Those that
// are gone since are left out.
func (s *Service) installations(ctx context.Context, members []string) (map[string]installation, error) {
	b := s.Store.Pipeline()
	records, models := map[string]*txn.Future[txn.Record]{}, map[string]*txn.Feed{}
	selections := map[string]func() store.Selection{}
	for _, member := range members {
		id, org := store.SplitOwnedMember(member)
		records[member], selections[member] = b.Record(store.InstallationKey(id)), store.QueueSelection(b, id)
		if models[org] == nil {
			models[org] = b.Follow(org)
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read installations: %w", err)
	}
	found := map[string]installation{}
	for member, record := range records {
		at, err := decodeInstallation(record.Get())
		if api.IsReason(err, api.ReasonNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at.feed, at.selected = models[at.Fields.Target.Organization], selections[member]()
		found[member] = at
	}
	return found, nil
}

// installed finds an installation for a caller who has the role create in its organization, or, to look at it, who
// is an admin of the integration's owner. Its records are read with the batch.
func (s *Service) installed(c *rest.Call, b *txn.Batch, ref api.InstallationRef, change bool) func(context.Context) (integration, installation, error) {
	of, record := b.Record(store.IntegrationKey(ref.Integration)), b.Record(store.InstallationKey(ref.Installation))
	selected := store.QueueSelection(b, ref.Installation)
	return func(ctx context.Context) (integration, installation, error) {
		i, err := decodeIntegration(of.Get())
		if err != nil {
			return i, installation{}, err
		}
		at, err := decodeInstallation(record.Get())
		if err != nil {
			return i, at, err
		}
		if at.selected = selected(); at.Private.Integration != ref.Integration {
			return i, at, api.NotFound()
		}
		org := at.Fields.Target.Organization
		known, err := s.Orgs.Memberships(ctx, c.Caller, []string{org, i.Private.Organization}, func(b *txn.Batch) { at.feed = b.Follow(org) })
		if err != nil {
			return i, at, err
		}
		i.owner = known[i.Private.Organization]
		return i, at, mayUse(known[org], i.owner, change)
	}
}

// mayUse decides about an installation by what its organization and the integration's owner are to the caller.
func mayUse(where, owner orgs.Membership, change bool) error {
	switch {
	case where.Role.AtLeast(api.RoleCreate), owner.Role.AtLeast(api.RoleAdmin) && !change:
		return nil
	case where.Role.AtLeast(api.RoleRead), owner.Role.AtLeast(api.RoleAdmin):
		return rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the organization that it is installed in", where.Role)
	}
	return rest.Withhold(api.NotFound())
}

// installedNow is installed with a batch of its own.
func (s *Service) installedNow(ctx context.Context, c *rest.Call, ref api.InstallationRef) (integration, installation, error) {
	b := s.Store.Pipeline()
	find := s.installed(c, b, ref, true)
	if err := b.Do(ctx); err != nil {
		return integration{}, installation{}, fmt.Errorf("read installation: %w", err)
	}
	return find(ctx)
}

func (s *Service) installationResult(i integration, at installation) (rest.Result[api.IntegrationInstallation], error) {
	result, err := rest.Stored[api.IntegrationInstallation](s.installationObject(i, at))
	result.ID = at.Fields.ID
	return result.Versioned(strconv.FormatInt(at.Version, 10)), err
}

func (s *Service) getInstallation(_ context.Context, c *rest.Call, b *txn.Batch, in api.InstallationRef) rest.Finish[api.IntegrationInstallation] {
	find := s.installed(c, b, in, false)
	return func(ctx context.Context) (rest.Result[api.IntegrationInstallation], error) {
		i, at, err := find(ctx)
		if err != nil {
			return rest.Result[api.IntegrationInstallation]{}, err
		}
		return s.installationResult(i, at)
	}
}

// createInstallation installs an integration once in an organization.
func (s *Service) createInstallation(ctx context.Context, c *rest.Call, in api.CreateInstallationInput) (none rest.Result[api.IntegrationInstallation], err error) {
	org := in.Body.Organization
	i, known, err := s.integrationNow(ctx, c, in.Integration, org)
	if err != nil {
		return none, err
	}
	where := known[org]
	switch {
	case !i.sees():
		return none, rest.Withhold(api.NotFound())
	case !where.Member:
		return none, errNoOrganization()
	case !where.Role.AtLeast(api.RoleCreate):
		return none, rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the organization", where.Role)
	}
	b := s.Store.Pipeline()
	model := b.Follow(org)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read shape: %w", err)
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.IntegrationInstallation], error) {
		return s.install(tx, i, org, model)
	})
}

// install writes a new installation, if the integration is still published and is not installed there.
func (s *Service) install(tx *store.Tx, i integration, org string, model *txn.Feed) (none rest.Result[api.IntegrationInstallation], err error) {
	if i.IntegrationDocument, err = tx.Integration(i.Fields.Name); err != nil || i.Version == 0 || i.Private.Unpublished {
		return none, rest.Missing(err)
	}
	installed, err := tx.Card(store.InstallationsKey(i.Fields.Name, org))
	if err != nil {
		return none, err
	}
	if installed > 0 {
		return none, api.Errorf(http.StatusConflict, api.ReasonConflict, "%s is installed in that organization.", i.Fields.Name)
	}
	id := tx.NewID(store.InstallationPrefix)
	made, err := tx.Installation(id)
	if err != nil {
		return none, err
	}
	now := api.At(tx.Now())
	made.Private.Integration = i.Fields.Name
	made.Fields = api.InstallationFields{
		ID: id, SpaceSelection: api.SelectAll, SiteSelection: api.SelectAll, Configuration: map[string]json.RawMessage{},
		ExternalIDs: []string{}, CreatedAt: now, UpdatedAt: now, Target: api.InstallationTarget{Organization: org},
	}
	record, err := tx.PutInstallation(made)
	if err != nil {
		return none, err
	}
	made.Version = record.Version
	result, err := s.installationResult(i, installation{InstallationDocument: made, public: record.Public, feed: model})
	return result.Created(id, s.installationURL(i.Fields.Name, id)), err
}

func (s *Service) updateInstallation(ctx context.Context, c *rest.Call, in api.UpdateInstallationInput) (none rest.Result[api.IntegrationInstallation], err error) {
	i, at, err := s.installedNow(ctx, c, in.InstallationRef)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.IntegrationInstallation], error) {
		if i.IntegrationDocument, err = tx.Integration(in.Integration); err != nil {
			return none, err
		}
		d, err := tx.Installation(in.Installation)
		if err != nil || d.Version == 0 {
			return none, rest.Missing(err)
		}
		record, _, err := tx.Record(store.InstallationKey(in.Installation))
		if err != nil {
			return none, err
		}
		changed, err := configure(&d.Fields, i.Fields.Configurations.Account, in.Body)
		if err != nil {
			return none, err
		}
		if changed {
			d.Fields.UpdatedAt = revision.NotBefore(d.Fields.CreatedAt, tx.Now())
			if record, err = tx.PutInstallation(d); err != nil {
				return none, err
			}
		}
		d.Version = record.Version
		result, err := s.installationResult(i, installation{d, record.Public, at.feed, at.selected})
		result.Unchanged = !changed
		return result, err
	})
}

// configure applies a patch to an installation. The configuration is held against what the integration asks for;
// what is still missing leaves the installation pending.
func configure(fields *api.InstallationFields, asked *api.IntegrationConfiguration, patch api.InstallationPatch) (changed bool, err error) {
	if changed, err = applyConfiguration(&fields.Configuration, asked, patch.Configuration); err != nil {
		return false, err
	}
	changed = patch.ExternalIDs.Apply(&fields.ExternalIDs) || changed
	changed = patch.SpaceSelection.Apply(&fields.SpaceSelection) || changed
	changed = patch.SiteSelection.Apply(&fields.SiteSelection) || changed
	return changed, nil
}

// applyConfiguration replaces a configuration by one that is what the integration asks for.
func applyConfiguration(configuration *map[string]json.RawMessage, asked *api.IntegrationConfiguration, given api.Optional[map[string]json.RawMessage]) (changed bool, err error) {
	values, ok := given.Get()
	if !ok {
		return false, nil
	}
	if wrong, _ := asked.Check("configuration", values); len(wrong) > 0 {
		return false, api.Invalid(wrong...)
	}
	same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
	if maps.EqualFunc(*configuration, values, same) {
		return false, nil
	}
	*configuration = values
	return true, nil
}

func (s *Service) deleteInstallation(ctx context.Context, c *rest.Call, in api.InstallationRef) (rest.Result[api.None], error) {
	_, at, err := s.installedNow(ctx, c, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.None], error) {
		d, err := tx.Installation(in.Installation)
		if err != nil || d.Version == 0 {
			return rest.Result[api.None]{}, rest.Missing(err)
		}
		return rest.None(in.Installation), tx.DeleteInstallation(d, at.selected)
	})
}
