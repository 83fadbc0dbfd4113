package integrations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// An installation applies to all spaces of its organization or to a selection, and likewise to sites. A space or site
// has a record once it was selected or configured. The records form the selection, and are kept when the installation
// is changed to all and back.

func (s *Service) installationContentEndpoints() []rest.Endpoint {
	admins := auth.InOrganization(api.RoleAdmin)
	return []rest.Endpoint{
		rest.Read(api.ListInstallationSpaces, auth.Self(), s.listInstallationSpaces),
		rest.Op(api.CreateInstallationSpace, auth.Self(), s.createInstallationSpace).On(rest.Installation),
		rest.Read(api.GetInstallationSpace, auth.Self(), s.getInstallationSpace),
		rest.Op(api.UpdateInstallationSpace, auth.Self(), s.updateInstallationSpace).OnOwn(rest.InstalledSpace),
		rest.Op(api.DeleteInstallationSpace, auth.Self(), s.deleteInstallationSpace).On(rest.InstalledSpace).AllowAbsent(admins),

		rest.Read(api.ListInstallationSites, auth.Self(), s.listInstallationSites),
		rest.Op(api.CreateInstallationSite, auth.Self(), s.createInstallationSite).On(rest.Installation),
		rest.Read(api.GetInstallationSite, auth.Self(), s.getInstallationSite),
		rest.Op(api.UpdateInstallationSite, auth.Self(), s.updateInstallationSite).OnOwn(rest.InstalledSite),
		rest.Op(api.DeleteInstallationSite, auth.Self(), s.deleteInstallationSite).On(rest.InstalledSite).AllowAbsent(admins),
	}
}

// contentInstallation is an installation with its selection of spaces or of sites, as requested by a caller.
type contentInstallation struct {
	installation
	integration integration
	kind        store.InstalledSelection
	selected    []string   // ids of the selected spaces or sites
	call        *rest.Call // call in the organization of the installation
}

// findContentInstallation finds an installation for a caller with the role create in its organization. It adds its
// reads to b; the returned function evaluates them.
func (s *Service) findContentInstallation(
	b *txn.Batch, ref api.InstallationRef, what store.InstalledSelection,
) func(context.Context, *rest.Call) (contentInstallation, error) {
	find := s.findInstallation(b, ref, true)
	return func(ctx context.Context, c *rest.Call) (contentInstallation, error) {
		i, inst, err := find(ctx, c)
		if err != nil {
			return contentInstallation{}, err
		}
		in := c.InOrganization(inst.Fields.Target.Organization)
		if err := inst.feed.Apply(ctx); err != nil {
			return contentInstallation{}, fmt.Errorf("read the organization: %w", err)
		}
		in.LoadMembership(inst.feed)
		return contentInstallation{inst, i, what, inst.selected.Of(what), in}, nil
	}
}

// loadContentInstallation is findContentInstallation with a batch of its own.
func (s *Service) loadContentInstallation(ctx context.Context, c *rest.Call, ref api.InstallationRef,
	what store.InstalledSelection,
) (contentInstallation, error) {
	b := s.Store.NewBatch()
	find := s.findContentInstallation(b, ref, what)
	if err := b.Do(ctx); err != nil {
		return contentInstallation{}, fmt.Errorf("read installation: %w", err)
	}
	return find(ctx, c)
}

// integrationTarget returns the target that an integration has to support.
func integrationTarget(what store.InstalledSelection) api.IntegrationTarget {
	if what == store.InstalledSites {
		return api.TargetSite
	}
	return api.TargetSpace
}

// supports reports whether the integration can be installed on the given kind of target: spaces or sites.
func (i integration) supports(what store.InstalledSelection) bool {
	return i.Fields.Target == api.TargetAll || i.Fields.Target == integrationTarget(what)
}

// configurationFor returns the schema of the configuration for each space or each site.
func (i integration) configurationFor(what store.InstalledSelection) *api.IntegrationConfiguration {
	if what == store.InstalledSites {
		return i.Fields.Configurations.Site
	}
	return i.Fields.Configurations.Space
}

// selectionMode returns whether an installation applies to all spaces or sites, or to a selection.
func selectionMode(f api.InstallationFields, what store.InstalledSelection) api.InstallationSelection {
	if what == store.InstalledSites {
		return f.SiteSelection
	}
	return f.SpaceSelection
}

// role returns the caller's role in a space or site, or guest if it does not exist.
func (ci contentInstallation) role(model *access.Model, id string) api.Role {
	_, active := model.Active(id)
	switch {
	case ci.kind == store.InstalledSites && model.Site(id) != nil:
		return model.SiteRole(ci.call.Caller, id)
	case ci.kind == store.InstalledSpaces && active && access.IsSpace(id):
		return model.Role(ci.call.Caller, id)
	}
	return api.RoleGuest
}

// appliesTo reports whether the installation applies to a space or site.
func (ci contentInstallation) appliesTo(id string) bool {
	return ci.integration.supports(ci.kind) && (selectionMode(ci.Fields, ci.kind) == api.SelectAll || slices.Contains(ci.selected, id))
}

// visibleIDs returns the sorted ids of the spaces or sites of the installation that the caller may see.
func (ci contentInstallation) visibleIDs() (ids []string) {
	ci.call.Access(func(model *access.Model) {
		candidates := ci.selected
		if selectionMode(ci.Fields, ci.kind) == api.SelectAll {
			if candidates = model.SpaceIDs(); ci.kind == store.InstalledSites {
				candidates = model.SiteIDs()
			}
		}
		for _, id := range candidates {
			if ci.appliesTo(id) && ci.role(model, id).AtLeast(api.RoleRead) {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// checkRole returns an error unless the caller has the role in a space or site of the installation. It returns
// not_found if it does not exist, is hidden from the caller or is not selected.
func (ci contentInstallation) checkRole(id string, role api.Role) (err error) {
	ci.call.Access(func(model *access.Model) {
		has := ci.role(model, id)
		switch {
		case !has.AtLeast(api.RoleRead):
			err = rest.AbsentIfNil(nil)
		case !has.AtLeast(role):
			err = rest.Forbidden(auth.Need{Role: role}, string(integrationTarget(ci.kind))+" "+id, has)
		case !ci.appliesTo(id):
			err = rest.AbsentIfNil(nil)
		}
	})
	return err
}

// status returns the status of the installation on a space or site with a configuration.
func (ci contentInstallation) status(f api.InstallationContentFields) api.InstallationStatus {
	status := installationStatus(ci.integration, ci.Fields)
	if _, incomplete := ci.integration.configurationFor(ci.kind).Check("", f.Configuration); status == api.InstallationActive &&
		len(incomplete) > 0 {
		return api.InstallationPending
	}
	return status
}

// encodeContentInstallation returns the JSON of an installation on a space or site. stored is its configuration,
// which may be zero; whole is the JSON of the space or site, or of its id.
func (s *Service) encodeContentInstallation(ci contentInstallation, id string, stored store.InstalledDocument,
	whole json.RawMessage,
) *rest.Object {
	f, endpoint := withDefaults(stored.Fields), s.installationPublicEndpoint(ci.integration.Fields.Name, ci.Fields.ID)
	return rest.ObjectOf(f).
		Set("integration", ci.integration.Fields.Name).
		Set("installation", ci.Fields.ID).
		Set("status", ci.status(f)).
		Set(string(integrationTarget(ci.kind)), whole).
		Set("urls", api.InstallationContentURLs{
			Location: s.contentInstallationURL(ci, id), PublicEndpoint: endpoint, PublicContentEndpoint: endpoint + "/" + string(ci.kind) +
				"/" + id,
		})
}

func withDefaults(f api.InstallationContentFields) api.InstallationContentFields {
	if f.Configuration == nil {
		f.Configuration = map[string]json.RawMessage{}
	}
	if f.ExternalIDs == nil {
		f.ExternalIDs = []string{}
	}
	return f
}

func (s *Service) contentInstallationURL(ci contentInstallation, id string) string {
	return s.installationURL(ci.integration.Fields.Name, ci.Fields.ID) + "/" + string(ci.kind) + "/" + id
}

// encodeContents returns the JSON of spaces or sites by id as visible to the caller, or of their ids unless extended
// is set.
func (s *Service) encodeContents(ctx context.Context, ci contentInstallation, ids []string, extended bool) (map[string]json.RawMessage,
	error,
) {
	written := make(map[string]json.RawMessage, len(ids))
	switch {
	case !extended:
		for _, id := range ids {
			written[id] = json.RawMessage(strconv.Quote(id))
		}
		return written, nil
	case ci.kind == store.InstalledSites:
		return written, s.encodeSites(ctx, ci, ids, written)
	}
	spaces, err := s.View.ReadSpaces(ctx, ci.call, ids)
	if err != nil {
		return nil, err
	}
	ci.call.Access(func(model *access.Model) {
		for id, space := range spaces {
			if written[id], err = s.View.Space(ci.call, model, id, space.Record.Public, space.State).Bytes(); err != nil {
				return
			}
		}
	})
	return written, err
}

// encodeSites adds the JSON of sites as visible to the caller to written.
func (s *Service) encodeSites(ctx context.Context, ci contentInstallation, ids []string, written map[string]json.RawMessage) error {
	sites, err := s.View.ReadSites(ctx, ci.call, ids)
	if err != nil {
		return err
	}
	ci.call.Access(func(model *access.Model) {
		for id, site := range sites {
			if written[id], err = s.View.NewSite(ci.call, model, *site).Object().Bytes(); err != nil {
				return
			}
		}
	})
	return err
}

// contentInstallationResult returns the response with one installation on a space or site.
func contentInstallationResult[Out any](
	ctx context.Context, s *Service, ci contentInstallation, id string, stored store.InstalledDocument, extended bool,
) (none rest.Result[Out], err error) {
	wholes, err := s.encodeContents(ctx, ci, []string{id}, extended)
	if err != nil {
		return none, err
	}
	whole, ok := wholes[id]
	if !ok {
		return none, api.NotFound() // deleted since
	}
	result, err := rest.ObjectResult[Out](s.encodeContentInstallation(ci, id, stored, whole))
	result.ID = id
	return result.WithVersion(strconv.FormatInt(stored.Version, 10)), err
}

// contentNotFoundError returns the error for a space or site in a request body that does not exist or is hidden from
// the caller.
func contentNotFoundError(field string, what store.InstalledSelection) error {
	return api.InvalidField(field, "is not a %s of the organization", integrationTarget(what))
}

// selectedForAllError returns the error for removing a space or site from an installation that applies to all.
func selectedForAllError(what store.InstalledSelection) error {
	return api.Errorf(http.StatusConflict, api.ReasonState, "The installation is for all %s.", what).
		WithHint("Set %s_selection to selected: then it is for those that it was installed on one by one.", integrationTarget(what))
}
