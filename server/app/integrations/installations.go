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
		rest.Op(api.CreateIntegrationInstallation, auth.Self(), s.createInstallation).On(rest.Integration),
		rest.Read(api.GetIntegrationInstallation, auth.Self(), s.getInstallation),
		rest.Op(api.UpdateIntegrationInstallation, auth.Self(), s.updateInstallation).On(rest.Installation),
		rest.Op(api.DeleteIntegrationInstallation, auth.Self(), s.deleteInstallation).On(rest.Installation),
		rest.Op(api.CreateInstallationToken, auth.Self(), s.createInstallationToken).WithScopeAdmin().ForPeople(),
	}
}

func (s *Service) installationURL(name, id string) string {
	return s.integrationURL(name) + "/installations/" + id
}

// installationPublicEndpoint returns the URL of an installation's code, which wsd does not run.
func (s *Service) installationPublicEndpoint(name, id string) string {
	return s.PublicURL + "/integrations/" + name + "/installations/" + id
}

func (s *Service) encodeInstallation(i integration, inst installation) *rest.Object {
	spaces := 0
	switch {
	case !i.supports(store.InstalledSpaces):
	case inst.Fields.SpaceSelection == api.SelectAll:
		spaces = countActiveSpaces(inst.feed)
	default:
		spaces = countActive(inst.feed, inst.selected.Spaces)
	}
	name, id := i.Fields.Name, inst.Fields.ID
	return rest.ExtendObject(inst.publicPart).
		Set("status", installationStatus(i, inst.Fields)).
		Set("spaces", spaces).
		Set("urls", api.InstallationURLs{
			AppURLs: api.AppURLs{
				Location: s.installationURL(name, id), App: s.View.AppURL("integration-installations", name+"~"+id),
			},
			PublicEndpoint: s.installationPublicEndpoint(name, id),
		})
}

// installationStatus returns the status that results from the integration and the configuration.
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

// countActiveSpaces counts the active spaces of an organization.
func countActiveSpaces(model *txn.Feed) (count int) {
	access.View(model, func(model *access.Model) {
		count = access.NewViewer(model, &access.Caller{Role: api.RoleAdmin}).CountSpaces()
	})
	return count
}

// countActive counts the active spaces among ids.
func countActive(model *txn.Feed, ids []string) (count int) {
	access.View(model, func(model *access.Model) {
		count = len(access.NewViewer(model, &access.Caller{Role: api.RoleAdmin}).Visible(ids))
	})
	return count
}

// listInstallations lists all installations for admins of the owner, and for other callers those in organizations
// where they have the role create.
func (s *Service) listInstallations(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListInstallationsInput,
) rest.Finish[api.Page[api.IntegrationInstallation]] {
	w := r.NewPager(in.ListOptions, false, in.ExternalID)
	record := b.Record(store.IntegrationKey(in.Integration))
	all := b.Range(store.InstallationsKey(in.Integration), "", -1, false)
	mine := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.IntegrationInstallation]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		i, err := decodeIntegration(record.Get())
		if err != nil {
			return none, err
		}
		organizations := mine.Value()
		known, err := s.Orgs.LoadMemberships(ctx, c.Caller, append([]string{i.Private.Organization}, organizations...), nil)
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
			if len(members) == 0 && !i.visible() {
				return none, api.NotFound()
			}
		}
		return s.installationList(ctx, i, w, members, in.ExternalID)
	}
}

// installationList returns a page of installations. If externalID is set, it reads all of them to find those with that external
// id.
func (s *Service) installationList(ctx context.Context, i integration, w rest.Pager, members []string,
	externalID string,
) (none rest.Result[api.Page[api.IntegrationInstallation]], err error) {
	page, next := w.Slice(members, rest.OldestFirst)
	wanted := page
	if externalID != "" {
		wanted = members
	}
	found, err := s.loadInstallations(ctx, wanted)
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
		if inst, ok := found[member]; ok {
			item, err := s.encodeInstallation(i, inst).Bytes()
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
	}
	return rest.PageOf[api.IntegrationInstallation](items, len(members), next)
}

// installation combines the record of an installation with the feed of its organization and its selection.
type installation struct {
	store.InstallationDocument
	publicPart []byte
	feed       *txn.Feed
	selected   store.Selection
}

func decodeInstallation(r txn.Record, ok bool, err error) (installation, error) {
	inst := installation{publicPart: r.Public}
	if err != nil || !ok {
		return inst, rest.NotFoundIfNil(err)
	}
	if err := inst.Decode(r); err != nil {
		return inst, fmt.Errorf("installation: %w", err)
	}
	return inst, nil
}

// loadInstallations reads installations by their index members, with the feeds of their organizations. Deleted ones
// are left out.
func (s *Service) loadInstallations(ctx context.Context, members []string) (map[string]installation, error) {
	b := s.Store.NewBatch()
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
		inst, err := decodeInstallation(record.Get())
		if api.IsReason(err, api.ReasonNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		inst.feed, inst.selected = models[inst.Fields.Target.Organization], selections[member]()
		found[member] = inst
	}
	return found, nil
}

// findInstallation finds an installation for a caller with the role create in its organization, or, to read it, an
// admin of the integration's owner. It adds its reads to b; the returned function evaluates them.
func (s *Service) findInstallation(
	b *txn.Batch, ref api.InstallationRef, change bool,
) func(context.Context, *rest.Call) (integration, installation, error) {
	of, record := b.Record(store.IntegrationKey(ref.Integration)), b.Record(store.InstallationKey(ref.Installation))
	selected := store.QueueSelection(b, ref.Installation)
	return func(ctx context.Context, c *rest.Call) (integration, installation, error) {
		i, err := decodeIntegration(of.Get())
		if err != nil {
			return i, installation{}, err
		}
		inst, err := decodeInstallation(record.Get())
		if err != nil {
			return i, inst, err
		}
		if inst.selected = selected(); inst.Private.Integration != ref.Integration {
			return i, inst, api.NotFound()
		}
		org := inst.Fields.Target.Organization
		known, err := s.Orgs.LoadMemberships(ctx, c.Caller, []string{org, i.Private.Organization}, func(b *txn.Batch) {
			inst.feed = b.Follow(org)
		})
		if err != nil {
			return i, inst, err
		}
		i.owner = known[i.Private.Organization]
		return i, inst, checkMayUse(known[org], i.owner, change)
	}
}

// checkMayUse returns an error unless the caller may read, or change, an installation, by the caller's memberships in
// its organization and in the owner of the integration.
func checkMayUse(where, owner orgs.Membership, change bool) error {
	switch {
	case where.Role.AtLeast(api.RoleCreate), owner.Role.AtLeast(api.RoleAdmin) && !change:
		return nil
	case where.Role.AtLeast(api.RoleRead), owner.Role.AtLeast(api.RoleAdmin):
		return rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the organization that it is installed in", where.Role)
	}
	return rest.Withhold(api.NotFound())
}

// loadInstallation is findInstallation with a batch of its own.
func (s *Service) loadInstallation(ctx context.Context, c *rest.Call, ref api.InstallationRef) (integration, installation, error) {
	b := s.Store.NewBatch()
	find := s.findInstallation(b, ref, true)
	if err := b.Do(ctx); err != nil {
		return integration{}, installation{}, fmt.Errorf("read installation: %w", err)
	}
	return find(ctx, c)
}

func (s *Service) installationResult(i integration, inst installation) (rest.Result[api.IntegrationInstallation], error) {
	result, err := rest.ObjectResult[api.IntegrationInstallation](s.encodeInstallation(i, inst))
	result.ID = inst.Fields.ID
	return result.WithVersion(strconv.FormatInt(inst.Version, 10)), err
}

func (s *Service) getInstallation(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.InstallationRef,
) rest.Finish[api.IntegrationInstallation] {
	find := s.findInstallation(b, in, false)
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.IntegrationInstallation], error) {
		i, inst, err := find(ctx, c)
		if err != nil {
			return rest.Result[api.IntegrationInstallation]{}, err
		}
		return s.installationResult(i, inst)
	}
}

// createInstallation installs an integration in an organization, at most once.
func (s *Service) createInstallation(ctx context.Context, c *rest.Call,
	in api.CreateInstallationInput,
) (none rest.Result[api.IntegrationInstallation], err error) {
	org := in.Body.Organization
	i, known, err := s.loadIntegration(ctx, c, in.Integration, org)
	if err != nil {
		return none, err
	}
	where := known[org]
	switch {
	case !i.visible():
		return none, rest.Withhold(api.NotFound())
	case !where.IsMember:
		return none, organizationNotFoundError()
	case !where.Role.AtLeast(api.RoleCreate):
		return none, rest.Forbidden(auth.Need{Role: api.RoleCreate}, "the organization", where.Role)
	}
	b := s.Store.NewBatch()
	model := b.Follow(org)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read shape: %w", err)
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.IntegrationInstallation], error) {
		return s.install(c, tx, i, org, model)
	})
}

// install stores a new installation made by the caller. It returns a not_found error if the integration is not published any more,
// and a conflict error if it is already installed in the organization.
func (s *Service) install(c *rest.Call, tx *store.Tx, i integration, org string, model *txn.Feed) (
	none rest.Result[api.IntegrationInstallation], err error,
) {
	if i.IntegrationDocument, err = tx.Integration(i.Fields.Name); err != nil || i.Version == 0 || i.Private.Unpublished {
		return none, rest.NotFoundIfNil(err)
	}
	installed, err := tx.Cardinality(store.InstallationsKey(i.Fields.Name, org))
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
	made.Private.Integration, made.Private.CreatedBy = i.Fields.Name, c.Caller.User
	made.Fields = api.InstallationFields{
		ID: id, SpaceSelection: api.SelectAll, SiteSelection: api.SelectAll, Configuration: map[string]json.RawMessage{},
		ExternalIDs: []string{}, CreatedAt: now, UpdatedAt: now, Target: api.InstallationTarget{Organization: org},
	}
	record, err := tx.PutInstallation(made)
	if err != nil {
		return none, err
	}
	made.Version = record.Version
	noteInstallation(c, made, installationStatus(i, made.Fields), "")
	result, err := s.installationResult(i, installation{InstallationDocument: made, publicPart: record.Public, feed: model})
	return result.WithLocation(id, s.installationURL(i.Fields.Name, id)), err
}

func (s *Service) updateInstallation(ctx context.Context, c *rest.Call,
	in api.UpdateInstallationInput,
) (none rest.Result[api.IntegrationInstallation], err error) {
	i, inst, err := s.loadInstallation(ctx, c, in.InstallationRef)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.IntegrationInstallation], error) {
		if i.IntegrationDocument, err = tx.Integration(in.Integration); err != nil {
			return none, err
		}
		d, err := tx.Installation(in.Installation)
		if err != nil || d.Version == 0 {
			return none, rest.NotFoundIfNil(err)
		}
		record, _, err := tx.Record(store.InstallationKey(in.Installation))
		if err != nil {
			return none, err
		}
		before := installationStatus(i, d.Fields)
		changed, err := configure(&d.Fields, i.Fields.Configurations.Account, in.Body)
		if err != nil {
			return none, err
		}
		if changed {
			d.Fields.UpdatedAt = revision.ChangeTime(d.Fields.CreatedAt, tx.Now())
			if record, err = tx.PutInstallation(d); err != nil {
				return none, err
			}
		}
		d.Version = record.Version
		noteInstallation(c, d, installationStatus(i, d.Fields), before)
		result, err := s.installationResult(i, installation{d, record.Public, inst.feed, inst.selected})
		result.Unchanged = !changed
		return result, err
	})
}

// configure applies a patch to an installation. The configuration is validated against the schema of the integration;
// an installation without required values is pending.
func configure(fields *api.InstallationFields, asked *api.IntegrationConfiguration, patch api.InstallationPatch) (changed bool, err error) {
	if changed, err = applyConfiguration(&fields.Configuration, asked, patch.Configuration); err != nil {
		return false, err
	}
	changed = patch.ExternalIDs.Apply(&fields.ExternalIDs) || changed
	changed = patch.SpaceSelection.Apply(&fields.SpaceSelection) || changed
	changed = patch.SiteSelection.Apply(&fields.SiteSelection) || changed
	return changed, nil
}

// applyConfiguration replaces a configuration after validating it against the schema of the integration.
func applyConfiguration(
	configuration *map[string]json.RawMessage, asked *api.IntegrationConfiguration, given api.Optional[map[string]json.RawMessage],
) (changed bool, err error) {
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
	_, inst, err := s.loadInstallation(ctx, c, in)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return rest.Commit(ctx, c, store.Integrations(), func(tx *store.Tx) (rest.Result[api.None], error) {
		d, err := tx.Installation(in.Installation)
		if err != nil || d.Version == 0 {
			return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
		}
		noteInstallation(c, d, "", "")
		return rest.None(in.Installation), tx.DeleteInstallation(d, inst.selected)
	})
}
