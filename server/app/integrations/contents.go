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

// An installation is for all spaces of its organization, or for those that were selected one by one; so it is with sites.
// A space or site has a record of its own once the integration was installed on it, or configured for it, by name: that
// is the selection, and it is there again when all becomes selected.

func (s *Service) installationContentEndpoints() []rest.Endpoint {
	admins := auth.InOrganization(api.RoleAdmin)
	return []rest.Endpoint{
		rest.Read(api.ListInstallationSpaces, auth.Self(), s.listInstallationSpaces),
		rest.Op(api.CreateInstallationSpace, auth.Self(), s.createInstallationSpace).Of(rest.Installation),
		rest.Read(api.GetInstallationSpace, auth.Self(), s.getInstallationSpace),
		rest.Op(api.UpdateInstallationSpace, auth.Self(), s.updateInstallationSpace).OfOwn(rest.InstalledSpace),
		rest.Op(api.DeleteInstallationSpace, auth.Self(), s.deleteInstallationSpace).Of(rest.InstalledSpace).AbsentTo(admins),

		rest.Read(api.ListInstallationSites, auth.Self(), s.listInstallationSites),
		rest.Op(api.CreateInstallationSite, auth.Self(), s.createInstallationSite).Of(rest.Installation),
		rest.Read(api.GetInstallationSite, auth.Self(), s.getInstallationSite),
		rest.Op(api.UpdateInstallationSite, auth.Self(), s.updateInstallationSite).OfOwn(rest.InstalledSite),
		rest.Op(api.DeleteInstallationSite, auth.Self(), s.deleteInstallationSite).Of(rest.InstalledSite).AbsentTo(admins),
	}
}

// installedOn is an installation in front of the spaces, or the sites, that it may be for, with who asks.
type installedOn struct {
	installation
	of     integration
	what   store.Installed
	chosen []string   // what it was selected for
	c      *rest.Call // as it is in the organization of the installation
}

// installedOn finds an installation for a caller who has the role create in its organization. What it needs is read with
// the batch.
func (s *Service) installedOn(c *rest.Call, b *txn.Batch, ref api.InstallationRef, what store.Installed) func(context.Context) (installedOn, error) {
	find := s.installed(c, b, ref, true)
	return func(ctx context.Context) (installedOn, error) {
		i, at, err := find(ctx)
		if err != nil {
			return installedOn{}, err
		}
		in := c.InOrganization(at.Fields.Target.Organization)
		if err := at.feed.Apply(ctx); err != nil {
			return installedOn{}, fmt.Errorf("read the organization: %w", err)
		}
		in.Enter(at.feed)
		return installedOn{at, i, what, at.selected.Of(what), in}, nil
	}
}

// installedOnNow is installedOn with a batch of its own.
func (s *Service) installedOnNow(ctx context.Context, c *rest.Call, ref api.InstallationRef, what store.Installed) (installedOn, error) {
	b := s.Store.Pipeline()
	find := s.installedOn(c, b, ref, what)
	if err := b.Do(ctx); err != nil {
		return installedOn{}, fmt.Errorf("read installation: %w", err)
	}
	return find(ctx)
}

// target is where an integration has to be installable.
func target(what store.Installed) api.IntegrationTarget {
	if what == store.InstalledSites {
		return api.TargetSite
	}
	return api.TargetSpace
}

// takes reports whether an integration can be installed on spaces, or on sites.
func (i integration) takes(what store.Installed) bool {
	return i.Fields.Target == api.TargetAll || i.Fields.Target == target(what)
}

// asks is what an integration wants configured for each space, or each site.
func (i integration) asks(what store.Installed) *api.IntegrationConfiguration {
	if what == store.InstalledSites {
		return i.Fields.Configurations.Site
	}
	return i.Fields.Configurations.Space
}

// selection says whether an installation is for all spaces, or sites.
func selection(f api.InstallationFields, what store.Installed) api.InstallationSelection {
	if what == store.InstalledSites {
		return f.SiteSelection
	}
	return f.SpaceSelection
}

// role is the caller's in a space or site; guest, too, where it is not there.
func (at installedOn) role(model *access.Model, id string) api.Role {
	_, active := model.Active(id)
	switch {
	case at.what == store.InstalledSites && model.Site(id) != nil:
		return model.SiteRole(at.c.Caller, id)
	case at.what == store.InstalledSpaces && active && access.IsSpace(id):
		return model.Role(at.c.Caller, id)
	}
	return api.RoleGuest
}

// covers reports whether the installation is for a space or site.
func (at installedOn) covers(id string) bool {
	return at.of.takes(at.what) && (selection(at.Fields, at.what) == api.SelectAll || slices.Contains(at.chosen, id))
}

// visible are the spaces, or sites, that the installation is for and that the caller sees, by id.
func (at installedOn) visible() (ids []string) {
	at.c.Access(func(model *access.Model) {
		candidates := at.chosen
		if selection(at.Fields, at.what) == api.SelectAll {
			if candidates = model.SpaceIDs(); at.what == store.InstalledSites {
				candidates = model.SiteIDs()
			}
		}
		for _, id := range candidates {
			if at.covers(id) && at.role(model, id).AtLeast(api.RoleRead) {
				ids = append(ids, id)
			}
		}
	})
	return ids
}

// may decides whether the caller may do something about the installation on a space or site, which takes the role there,
// too. What is not there, is not for the caller to see or is not selected answers the same.
func (at installedOn) may(id string, role api.Role) (err error) {
	at.c.Access(func(model *access.Model) {
		has := at.role(model, id)
		switch {
		case !has.AtLeast(api.RoleRead):
			err = rest.Absent(nil)
		case !has.AtLeast(role):
			err = rest.Forbidden(auth.Need{Role: role}, string(target(at.what))+" "+id, has)
		case !at.covers(id):
			err = rest.Absent(nil)
		}
	})
	return err
}

// installedObject writes out an installation on a space or site. stored is what was configured for it, which may be
// nothing; whole is the space or site itself, or its id.
func (s *Service) installedObject(at installedOn, id string, stored store.InstalledDocument, whole json.RawMessage) *rest.Object {
	f := withDefaults(stored.Fields)
	status, endpoint := installationStatus(at.of, at.Fields), s.installationEndpoint(at.of.Fields.Name, at.Fields.ID)
	if _, incomplete := at.of.asks(at.what).Check("", f.Configuration); status == api.InstallationActive && len(incomplete) > 0 {
		status = api.InstallationPending
	}
	return rest.ObjectOf(f).
		Set("integration", at.of.Fields.Name).
		Set("installation", at.Fields.ID).
		Set("status", status).
		Set(string(target(at.what)), whole).
		Set("urls", api.InstallationContentURLs{
			Location: s.installedURL(at, id), PublicEndpoint: endpoint, PublicContentEndpoint: endpoint + "/" + string(at.what) + "/" + id,
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

func (s *Service) installedURL(at installedOn, id string) string {
	return s.installationURL(at.of.Fields.Name, at.Fields.ID) + "/" + string(at.what) + "/" + id
}

// wholes are spaces or sites as the caller sees them, or their ids.
func (s *Service) wholes(ctx context.Context, at installedOn, ids []string, extended bool) (map[string]json.RawMessage, error) {
	written := make(map[string]json.RawMessage, len(ids))
	switch {
	case !extended:
		for _, id := range ids {
			written[id] = json.RawMessage(strconv.Quote(id))
		}
		return written, nil
	case at.what == store.InstalledSites:
		return written, s.wholeSites(ctx, at, ids, written)
	}
	spaces, err := s.View.ReadSpaces(ctx, at.c, ids)
	if err != nil {
		return nil, err
	}
	at.c.Access(func(model *access.Model) {
		for id, space := range spaces {
			if written[id], err = s.View.Space(at.c, model, id, space.Record.Public, space.State).Bytes(); err != nil {
				return
			}
		}
	})
	return written, err
}

// wholeSites writes out sites as the caller sees them.
func (s *Service) wholeSites(ctx context.Context, at installedOn, ids []string, written map[string]json.RawMessage) error {
	sites, err := s.View.ReadSites(ctx, at.c, ids)
	if err != nil {
		return err
	}
	at.c.Access(func(model *access.Model) {
		for id, site := range sites {
			if written[id], err = s.View.NewSite(at.c, model, *site).Object().Bytes(); err != nil {
				return
			}
		}
	})
	return err
}

// installedResult answers one installation on a space or site.
func installedResult[Out any](ctx context.Context, s *Service, at installedOn, id string, stored store.InstalledDocument, extended bool) (none rest.Result[Out], err error) {
	wholes, err := s.wholes(ctx, at, []string{id}, extended)
	if err != nil {
		return none, err
	}
	whole, ok := wholes[id]
	if !ok {
		return none, api.NotFound() // gone since
	}
	result, err := rest.Stored[Out](s.installedObject(at, id, stored, whole))
	result.ID = id
	return result.Versioned(strconv.FormatInt(stored.Version, 10)), err
}

// errNotThere answers a space or site in a body that the caller does not see, or that is not there.
func errNotThere(field string, what store.Installed) error {
	return api.InvalidField(field, "is not a %s of the organization", target(what))
}

// errForAll answers who would take a space or site away from an installation that is for all.
func errForAll(what store.Installed) error {
	return api.Errorf(http.StatusConflict, api.ReasonState, "The installation is for all %s.", what).
		WithHint("Set %s_selection to selected: then it is for those that it was installed on one by one.", target(what))
}
