package lifecycle_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// checkOwner fails the test unless the collection with its content is in one organization, according to the response.
func checkOwner(t *testing.T, r *transferScenario, transferred, _ servertest.Response) {
	t.Helper()
	moved := r.owner() == r.targetOrg
	if servertest.Succeeded(transferred) != moved {
		t.Errorf("transfer %d, moved: %t", transferred.Status, moved)
	}
}

// interferences returns the operations to run during a transfer, by name: those that refer to a space from elsewhere, and those
// that take long.
func interferences() map[string]interference {
	return map[string]interference{
		"the space is put on a site": {allEngines: true, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateSite, api.CreateSiteInput{
				Organization: r.Org, Body: api.SiteCreate{Title: "Site", Visibility: api.SitePublic, Spaces: []string{r.space}},
			})
		}, check: checkSiteOrTransferred},
		"the space is renamed": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.UpdateSpace, api.UpdateSpaceInput{
				Space: r.space, Body: api.SpacePatch{Title: api.Some("Renamed")},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Equal(t, "renamed", servertest.Succeeded(acted), r.getSpace(r.space).Title == "Renamed")
		}},
		"a comment is created": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateComment, api.CreateCommentInput{
				Space: r.space, Body: api.CommentCreate{Page: r.page, Body: servertest.CommentBody("?")},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			listed := servertest.Do(r.World, "admin", api.ListComments, api.ListCommentsInput{Space: r.space}).Count
			servertest.Equal(t, "comments", [2]bool{servertest.Succeeded(acted), servertest.Succeeded(acted)},
				[2]bool{listed == 1, r.getSpace(r.space).Comments == 1})
		}},
		"a change request is merged": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: r.draft})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Equal(t, "merged", servertest.Succeeded(acted), r.draftStatus() == api.StatusMerged)
			servertest.Equal(t, "pages", servertest.Succeeded(acted),
				len(servertest.Do(r.World, "admin", api.ListContentPages, api.GetContentInput{Space: r.space}).Pages) == 2)
		}},
		"content is imported": {prepare: func(r *transferScenario) {
			r.Web["https://example.com/page.md"] = "# Imported\n"
		}, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
				ChangeRequestRef: r.draft, Body: api.Import{URL: "https://example.com/page.md", Source: api.ImportMarkdown},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Equal(t, "pages", servertest.Succeeded(acted), r.draftPages() == 3)
		}},
		"the space is read": {everyWrite: true, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.GetSpace, api.GetSpaceInput{Space: r.space})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			servertest.Equal(t, "moved", r.targetOrg, r.owner())
			servertest.Equal(t, "the transfer", http.StatusOK, transferred.Status)
			if acted.Status != http.StatusOK && acted.Status != http.StatusServiceUnavailable {
				t.Errorf("GET: %d %s", acted.Status, acted.Body)
			}
		}},
		"the space is deleted": {everyWrite: true, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.DeleteSpace, api.SpaceRef{Space: r.space})
		}, check: checkRestorable},
		"the collection is deleted": {everyWrite: true, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.DeleteCollection, api.CollectionRef{Collection: r.outer})
		}, check: checkRestorable},
		"a deleted space of the collection is restored": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.RestoreSpace, api.SpaceRef{Space: r.trashedSpace})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			if servertest.Succeeded(acted) {
				r.checkHasParent(r.trashedSpace)
			}
		}},
		"a deleted space of the collection is purged": {act: func(r *transferScenario) servertest.Response {
			r.Clock.Advance(store.TrashTime)
			servertest.RunJobs(r.World)
			return servertest.Response{}
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			r.Clock.Advance(store.TrashTime)
			servertest.RunJobs(r.World)
			servertest.Equal(t, "moved", r.targetOrg, r.owner())
			servertest.Equal(t, "what is left", nil, servertest.KeysWithID(r.World, r.trashedSpace))
		}},
		"a space is created in the collection": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateSpace, api.CreateSpaceInput{
				Organization: r.Org, Body: api.SpaceCreate{Title: "Fresh", Parent: r.outer},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			if servertest.Succeeded(acted) {
				var made api.Space
				servertest.Decode(r.World, acted, &made)
				r.checkHasParent(made.ID)
			}
		}},
		"a collection is moved into the transferred one": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.MoveCollection, api.MoveCollectionInput{
				Collection: r.otherCollection, Body: api.Move{Parent: api.Some(r.outer)},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			other := servertest.Do(r.World, "admin", api.GetCollection, api.CollectionRef{Collection: r.otherCollection})
			servertest.Equal(t, "inside", servertest.Succeeded(acted), other.Parent == r.outer)
			if servertest.Succeeded(acted) {
				servertest.Equal(t, "organization", r.owner(), other.Organization)
			}
		}},
		"the space is moved out of the collection": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.MoveSpace, api.MoveSpaceInput{
				Space: r.space, Body: api.Move{Parent: api.Null[string]()},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			servertest.Equal(t, "outside", servertest.Succeeded(acted), r.getSpace(r.space).Parent == "")
			r.owner()
		}},
		"the space is transferred to a third organization": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.TransferSpace, api.TransferSpaceInput{
				Space: r.space, Body: api.Transfer{Organization: r.thirdOrg},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			servertest.Equal(t, "in the third", servertest.Succeeded(acted), r.owner() == r.thirdOrg)
			servertest.Equal(t, "the collection went", servertest.Succeeded(transferred), servertest.Do(r.World, "admin", api.GetCollection,
				api.CollectionRef{Collection: r.outer}).Organization == r.targetOrg)
		}},
		"the collection is transferred to a third organization": {act: func(r *transferScenario) servertest.Response {
			return r.transferTo(r.thirdOrg)
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			owner := r.owner()
			if !servertest.Succeeded(transferred) && !servertest.Succeeded(acted) || owner == r.thirdOrg && !servertest.Succeeded(acted) ||
				owner == r.targetOrg && !servertest.Succeeded(transferred) {
				t.Errorf("owner %s", owner)
			}
		}},
		"another node ends the transfer": {act: resumeOnOtherNode, check: func(
			t *testing.T, r *transferScenario, transferred, _ servertest.Response,
		) {
			if owner := r.owner(); owner != r.targetOrg || !servertest.Succeeded(transferred) &&
				transferred.Status != http.StatusServiceUnavailable {
				t.Errorf("owner %s", owner)
			}
		}},
		"another node ends the transfer, back": {resumedLate: true, prepare: indexSpace, act: func(
			r *transferScenario,
		) servertest.Response {
			resumeOnOtherNode(r)
			return r.transferAndSearch(r.Org)
		}, check: checkSearchable},
		"another node ends the transfer, back and forth": {resumedLate: true, prepare: indexSpace, act: func(
			r *transferScenario,
		) servertest.Response {
			resumeOnOtherNode(r)
			r.transferAndSearch(r.Org)
			return r.transferAndSearch(r.targetOrg)
		}, check: checkSearchable},
		"another node ends the transfer, third organization": {resumedLate: true, prepare: indexSpace, act: func(
			r *transferScenario,
		) servertest.Response {
			resumeOnOtherNode(r)
			return r.transferAndSearch(r.thirdOrg)
		}, check: checkSearchable},
		"another node ends a transfer from a third organization, first organization": {resumedLate: true, prepare: func(
			r *transferScenario,
		) {
			indexSpace(r)
			r.transferAndSearch(r.thirdOrg)
		}, act: func(r *transferScenario) servertest.Response {
			resumeOnOtherNode(r)
			return r.transferAndSearch(r.Org)
		}, check: checkSearchable},
		"another node ends a transfer from a third organization, back": {resumedLate: true, prepare: func(
			r *transferScenario,
		) {
			r.transferAndSearch(r.thirdOrg)
		}, act: func(r *transferScenario) servertest.Response {
			resumeOnOtherNode(r)
			return r.transferAndSearch(r.thirdOrg)
		}, check: checkSearchable},
		"unreferenced objects are swept": {act: func(r *transferScenario) servertest.Response {
			_, err := fsck.Run(r.T.Context(), r.Store, fsck.Options{GC: true})
			r.Must(err)
			return servertest.Response{}
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Equal(t, "pages of the draft", 2, r.draftPages())
		}},
		"the old organization is searched": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: r.Org, Query: "text"})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkSearchable(t, r, transferred, acted)
			servertest.Equal(t, "the search", 200, acted.Status)
		}},
		"somebody is given a role": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{
				SpaceRef: api.SpaceRef{Space: r.space}, Body: api.PermissionCreate{
					Role: new(api.RoleRead), Users: []string{r.Users["editor"].ID},
				},
			})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Equal(t, "may edit", !servertest.Succeeded(acted),
				servertest.ReadSpaceAs(r.World, "editor", r.space).Permissions.Edit)
		}},
		"a team is given a role": {prepare: func(r *transferScenario) {
			r.team = r.NewTeam("guest")
		}, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{
				SpaceRef: api.SpaceRef{Space: r.space}, Body: api.PermissionCreate{Role: new(api.RoleRead), Teams: []string{r.team.ID}},
			})
		}, check: checkOwner},
		"a team that has a role is deleted": {prepare: func(r *transferScenario) {
			r.team = r.NewTeam("guest")
			servertest.GrantTeam(r.World, r.team, r.space, api.RoleRead)
		}, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.DeleteTeam, servertest.TeamRef(r.World, r.team))
		}, check: checkOwner},
		"a member who has a role leaves the other organization": {prepare: func(r *transferScenario) {
			r.Must(orgs.Accounts{Store: r.Store}.SetMember(r.T.Context(), r.targetOrg, r.Users["editor"], api.RoleEdit))
			servertest.Grant(r.World, "editor", r.space, api.RoleRead)
		}, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.DeleteMember, api.MemberRef{Organization: r.targetOrg, User: r.Users["editor"].ID})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			servertest.Refused(r.World, "editor", api.GetSpace, api.GetSpaceInput{Space: r.space}, 404, api.ReasonNotFound)
			r.Must(orgs.Accounts{Store: r.Store}.SetMember(r.T.Context(), r.targetOrg, r.Users["editor"], api.RoleEdit))
			// The old grant is removed, so the role in the new organization applies.
			servertest.Equal(t, "may edit", true, servertest.ReadSpaceAs(r.World, "editor", r.space).Permissions.Edit)
		}},
		"an invite link into the space is created": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
				Organization: r.Org, Body: api.LinkInviteCreate{Level: api.RoleRead, Space: r.space},
			})
		}, check: checkOwner},
		"an invite link into the collection is created": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
				Organization: r.Org, Body: api.LinkInviteCreate{Level: api.RoleRead, Collection: r.outer},
			})
		}, check: checkOwner},
		"an invite link is accepted": {prepare: func(r *transferScenario) {
			r.linkSecret = r.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: r.space}).Secret
		}, act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "guest", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: r.linkSecret}})
		}, check: checkOwner},
		"the space is duplicated": {act: func(r *transferScenario) servertest.Response {
			return servertest.Try(r.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: r.space})
		}, check: func(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
			checkOwner(t, r, transferred, acted)
			if servertest.Succeeded(acted) {
				var made api.Space
				servertest.Decode(r.World, acted, &made)
				r.checkHasParent(made.ID)
				servertest.Equal(t, "pages", 1,
					len(servertest.Do(r.World, "admin", api.ListContentPages, api.GetContentInput{Space: made.ID}).Pages))
			}
		}},
	}
}

// resumeOnOtherNode runs the due jobs on another node.
func resumeOnOtherNode(r *transferScenario) servertest.Response {
	r.Clock.Advance(time.Minute)
	servertest.RunJobs(r.World)
	return servertest.Response{}
}

// indexSpace searches the organization, which creates the index of the space.
func indexSpace(r *transferScenario) {
	servertest.Do(r.World, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: r.Org, Query: "text"})
}

// transferAndSearch transfers the collection, searches its new organization, which indexes the collection, and returns the
// response to the transfer.
func (r *transferScenario) transferAndSearch(to string) servertest.Response {
	given := r.transferTo(to)
	servertest.Do(r.World, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: to, Query: "text"})
	return given
}

// checkSiteOrTransferred fails the test unless either the site shows the space and it was not transferred, or it was
// transferred and no site shows it.
func checkSiteOrTransferred(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
	t.Helper()
	if servertest.Succeeded(acted) && transferred.Status != http.StatusPreconditionFailed ||
		servertest.Succeeded(acted) == servertest.Succeeded(transferred) {
		t.Errorf("transfer %d, site %d", transferred.Status, acted.Status)
	}
	shown := strings.Contains(strings.Join(servertest.KeysWithIDIn(r.World, r.Org, r.space), " "), "}:site:")
	servertest.Equal(t, "on a site", servertest.Succeeded(acted), shown)
	servertest.Equal(t, "stayed", servertest.Succeeded(acted), r.owner() == r.Org)
}

// checkRestorable fails the test unless a successfully deleted space can be restored in one organization. After a refused
// deletion it calls checkOwner.
func checkRestorable(t *testing.T, r *transferScenario, transferred, acted servertest.Response) {
	t.Helper()
	if !servertest.Succeeded(acted) {
		checkOwner(t, r, transferred, acted)
		return
	}
	servertest.Equal(t, "deleted", false, r.getSpace(r.space).DeletedAt.IsZero())
	servertest.Do(r.World, "admin", api.RestoreSpace, api.SpaceRef{Space: r.space})
	r.owner()
}

// checkSearchable fails the test unless a search finds the space in its organization only.
func checkSearchable(t *testing.T, r *transferScenario, _, _ servertest.Response) {
	t.Helper()
	owner := r.owner()
	servertest.Equal(t, "pages of the draft", 2, r.draftPages())
	for _, org := range []string{r.Org, r.targetOrg, r.thirdOrg} {
		hits := servertest.Do(r.World, "admin", api.SearchOrganization, api.SearchOrganizationInput{
			Organization: org, Query: "text", ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items
		found := slices.ContainsFunc(hits, func(h api.SpaceHit) bool { return h.ID == r.space })
		servertest.Equal(t, "found in "+org, org == owner, found)
	}
}

// checkHasParent fails the test unless a space belongs to the organization that lists it, and its parent, if any, to the same
// organization.
func (r *transferScenario) checkHasParent(id string) {
	r.T.Helper()
	owner, space := r.listingOrganization(id), r.getSpace(id)
	servertest.Equal(r.T, "organization", owner, space.Organization)
	if space.Parent != "" {
		servertest.Equal(r.T, "organization of the parent", owner,
			servertest.Do(r.World, "admin", api.GetCollection, api.CollectionRef{Collection: space.Parent}).Organization)
	}
}

func (r *transferScenario) draftStatus() api.ChangeRequestStatus {
	r.T.Helper()
	return servertest.Do(r.World, "admin", api.GetChangeRequest, r.draft).Status
}

func (r *transferScenario) draftPages() int {
	r.T.Helper()
	return len(servertest.Do(r.World, "admin", api.ListChangeRequestContentPages,
		api.ChangeRequestContentInput{ChangeRequestRef: r.draft}).Pages)
}
