package sites_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// effectiveSiteRole returns the role that a user has in a site, determined by operations that need read, edit and
// create and by the user's list of sites.
func effectiveSiteRole(w *servertest.World, as string, site api.SiteRef) (role api.Role) {
	w.T.Helper()
	listed := 0
	for _, s := range servertest.Do(w, as, api.ListSites, api.ListSitesInput{Organization: site.Organization}).Items {
		if s.ID == site.Site {
			listed++
		}
	}
	status := func(read, edit, create int) bool {
		return servertest.Try(w, as, api.GetSite, site).Status == read &&
			servertest.Try(w, as, api.ListSiteTemplateConditions, site).Status == edit &&
			servertest.Try(w, as, api.UpdateSite, api.UpdateSiteInput{
				SiteRef: site, Body: api.SitePatch{Title: api.Some("Of the " + as)},
			}).Status == create
	}
	const ok, no, hidden = http.StatusOK, http.StatusForbidden, http.StatusNotFound
	switch {
	case listed == 0 && status(hidden, hidden, hidden):
		return api.RoleGuest
	case listed == 1 && status(ok, no, no):
		return api.RoleRead
	case listed == 1 && status(ok, ok, no):
		return api.RoleEdit
	case listed == 1 && status(ok, ok, ok):
		return api.RoleCreate
	}
	w.T.Errorf("the %s lists the site %d times, and does what no role does", as, listed)
	return ""
}

// newSiteWithSchema creates a site with an adaptive schema, which the role edit may change.
func newSiteWithSchema(w *servertest.World) api.SiteRef {
	w.T.Helper()
	site := servertest.NewSite(w, api.SitePublic, w.NewSpace().ID)
	w.EnableAdaptive(site)
	return site
}

// sitePermissions returns the roles in a site with their sources, by name of the member.
func sitePermissions(w *servertest.World, site api.SiteRef, role api.Role) map[string]string {
	w.T.Helper()
	page := servertest.Do(w, "admin", api.ListSitePermissions, api.ListSitePermissionsInput{SiteRef: site, Role: role})
	servertest.Equal(w.T, "members counted", len(page.Items), page.Count)
	found := map[string]string{}
	for _, p := range page.Items {
		for name, u := range w.Users {
			if u.ID == p.User.ID {
				found[name] = string(p.Permission) + " by " + p.Origin.Type + " " + p.Origin.Reason
			}
		}
	}
	return found
}

// TestSitePermissionsOfUsers checks that a role in a site that is granted to a user replaces other roles, even higher
// ones, and ends with the next request after its removal. It gives no access to the spaces of the site.
func TestSitePermissionsOfUsers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, other := newSiteWithSchema(w), newSiteWithSchema(w)
		id := func(user string) string { return w.Users[user].ID }
		at := func(user string) api.SiteUserRef { return api.SiteUserRef{SiteRef: site, User: id(user)} }
		servertest.Equal(t, "a guest before", api.RoleGuest, effectiveSiteRole(w, "guest", site))
		servertest.Equal(t, "a reader before", api.RoleRead, effectiveSiteRole(w, "reader", site))
		servertest.Equal(t, "a creator before", api.RoleCreate, effectiveSiteRole(w, "creator", site))

		servertest.GrantAccess(w, site.Site, api.PermissionCreate{Role: new(api.RoleCreate), Users: []string{id("guest"), id("reader")}})
		servertest.GrantAccess(w, site.Site, api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{id("creator")}})
		servertest.Equal(t, "a guest who may do all", api.RoleCreate, effectiveSiteRole(w, "guest", site))
		servertest.Equal(t, "a reader who may do all", api.RoleCreate, effectiveSiteRole(w, "reader", site))
		servertest.Equal(t, "a creator who may do less", api.RoleEdit, effectiveSiteRole(w, "creator", site))
		servertest.Equal(t, "a guest elsewhere", api.RoleGuest, effectiveSiteRole(w, "guest", other))
		servertest.Equal(t, "site spaces that the guest sees", 0, servertest.Do(w, "guest", api.GetSite, site).SiteSpaces)
		refusedHidden(w, "guest", api.PublishSite, site)
		servertest.Do(w, "reader", api.PublishSite, site)
		servertest.Do(w, "guest", api.UnpublishSite, site)
		servertest.Equal(t, "in all", map[string]string{
			"admin": "admin by organization ", "creator": "edit by site member", "reviewer": "review by organization ",
			"editor":    "edit by organization ",
			"commenter": "comment by organization ", "reader": "create by site member", "guest": "create by site member",
		}, sitePermissions(w, site, ""))
		servertest.Equal(t, "editors", map[string]string{"creator": "edit by site member", "editor": "edit by organization "},
			sitePermissions(w, site, api.RoleEdit))

		servertest.Do(w, "admin", api.UpdateSitePermissionUser, api.UpdateSiteUserInput{
			SiteUserRef: at("guest"), Body: api.PermissionPatch{Role: api.Some(api.RoleRead)},
		})
		servertest.Equal(t, "a guest who may read", api.RoleRead, effectiveSiteRole(w, "guest", site))
		servertest.Do(w, "admin", api.DeleteSitePermissionUser, at("guest"))
		servertest.Equal(t, "a guest after", api.RoleGuest, effectiveSiteRole(w, "guest", site))
		servertest.DeleteAbsent(w, "admin", api.DeleteSitePermissionUser, at("guest"))
		servertest.Do(w, "admin", api.UpdateSitePermissionUser, api.UpdateSiteUserInput{
			SiteUserRef: at("creator"), Body: api.PermissionPatch{Role: api.Null[api.Role]()},
		})
		servertest.Equal(t, "a creator after", api.RoleCreate, effectiveSiteRole(w, "creator", site))
		listed := servertest.Do(w, "admin", api.ListSitePermissionUsers, api.ListSiteGrantsInput{SiteRef: site})
		if listed.Count != 1 || listed.Items[0].User.ID != id("reader") || listed.Items[0].Permission != api.RoleCreate {
			t.Errorf("by name: %+v", listed)
		}
		servertest.Do(w, "reader", api.DeleteSite, site)
		servertest.Equal(t, "what members keep of it", false, hasAnyGrant(w, site.Site))
	})
}

// hasAnyGrant reports whether any member has a grant on the content.
func hasAnyGrant(w *servertest.World, content string) (granted bool) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		granted = false
		for _, u := range w.Users {
			m, err := tx.Member(w.Org, u.ID)
			if err != nil {
				return err
			}
			_, has := m.Private.Grants[content]
			granted = granted || has
		}
		return nil
	}))
	return granted
}

// TestSitePermissionsOfTeams checks that members of a team have its role in a site while they are in the team and it
// exists. A grant to the user takes precedence.
func TestSitePermissionsOfTeams(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, team := newSiteWithSchema(w), w.NewTeam("guest", "reader")
		at := api.SiteTeamRef{SiteRef: site, Team: team.ID}
		both := func() [2]api.Role {
			return [2]api.Role{effectiveSiteRole(w, "guest", site), effectiveSiteRole(w, "reader", site)}
		}
		servertest.GrantAccess(w, site.Site, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		servertest.Equal(t, "by the team", [2]api.Role{api.RoleEdit, api.RoleEdit}, both())
		servertest.Equal(t, "origin", "edit by site team", sitePermissions(w, site, "")["guest"])
		listed := servertest.Do(w, "admin", api.ListSitePermissionTeams, api.ListSiteGrantsInput{SiteRef: site})
		if listed.Count != 1 || listed.Items[0].Team.ID != team.ID || listed.Items[0].Permission != api.RoleEdit {
			t.Errorf("teams: %+v", listed)
		}
		servertest.Do(w, "admin", api.UpdateSitePermissionTeam, api.UpdateSiteTeamInput{
			SiteTeamRef: at, Body: api.PermissionPatch{Role: api.Some(api.RoleCreate)},
		})
		servertest.GrantAccess(w, site.Site, api.PermissionCreate{Role: new(api.RoleRead), Users: []string{w.Users["reader"].ID}})
		servertest.Equal(t, "by the changed team, and by name", [2]api.Role{api.RoleCreate, api.RoleRead}, both())
		servertest.Do(w, "admin", api.RemoveTeamMember, api.TeamMemberRef{TeamRef: servertest.TeamRef(w, team), User: w.Users["guest"].ID})
		servertest.Equal(t, "out of the team", [2]api.Role{api.RoleGuest, api.RoleRead}, both())
		servertest.Do(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{
			TeamMemberRef: api.TeamMemberRef{TeamRef: servertest.TeamRef(w, team), User: w.Users["guest"].ID},
		})
		servertest.Equal(t, "back in the team", api.RoleCreate, effectiveSiteRole(w, "guest", site))
		servertest.Do(w, "admin", api.DeleteSitePermissionTeam, at)
		servertest.Equal(t, "without the team", [2]api.Role{api.RoleGuest, api.RoleRead}, both())
		servertest.DeleteAbsent(w, "admin", api.DeleteSitePermissionTeam, at)

		servertest.GrantAccess(w, site.Site, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Equal(t, "by a deleted team", [2]api.Role{api.RoleGuest, api.RoleRead}, both())
		servertest.Equal(t, "teams left", 0, servertest.Do(w, "admin", api.ListSitePermissionTeams,
			api.ListSiteGrantsInput{SiteRef: site}).Count)
	})
}

// TestSitePermissionsAreLimitedToOwnRole checks that users cannot grant or revoke roles above their own, and a
// request with an invalid entry changes nothing.
func TestSitePermissionsAreLimitedToOwnRole(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, team := newSiteWithSchema(w), w.NewTeam("reader").ID
		id := func(user string) string { return w.Users[user].ID }
		give := func(role api.Role, teams []string, users ...string) api.CreateSitePermissionInput {
			return api.CreateSitePermissionInput{SiteRef: site, Body: api.PermissionCreate{Role: &role, Users: users, Teams: teams}}
		}
		wrong := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.CreateSitePermission, give(api.RoleEdit, []string{team, "tm_none"}, id("reader"),
				id("stranger")), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		servertest.Equal(t, "what is wrong", []string{"users[1]", "teams[1]"}, []string{wrong.Fields[0].Path, wrong.Fields[1].Path})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSitePermission, give(api.RoleAdmin, []string{team}, id("reader")),
				http.StatusForbidden, api.ReasonForbidden)
		})
		servertest.Do(w, "creator", api.CreateSitePermission, give(api.RoleCreate, nil, id("guest")))
		servertest.Do(w, "guest", api.CreateSitePermission, give(api.RoleEdit, nil, id("commenter")))
		servertest.Equal(t, "role that a guest gave", api.RoleEdit, effectiveSiteRole(w, "commenter", site))
		servertest.Do(w, "admin", api.CreateSitePermission, give(api.RoleAdmin, nil, id("editor")))
		servertest.Refused(w, "guest", api.DeleteSitePermissionUser, api.SiteUserRef{SiteRef: site, User: id("editor")},
			http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: id("guest")})
		servertest.Refused(w, "guest", api.GetSite, site, http.StatusNotFound, api.ReasonNotFound)
		if _, still := sitePermissions(w, site, "")["guest"]; still {
			t.Error("who has left still has a role")
		}
	})
}
