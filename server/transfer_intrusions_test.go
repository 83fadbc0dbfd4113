package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// whole fails the test unless the collection is in one organization, with its content, and the transfer said so.
func whole(t *testing.T, r *removal, transferred, _ answer) {
	t.Helper()
	moved := r.owner() == r.to
	if done(transferred) != moved {
		t.Errorf("transfer %d, moved: %t", transferred.Status, moved)
	}
}

// intrusions are the kinds of things that speak of a space from elsewhere, or that run long.
func intrusions() map[string]intrusion {
	return map[string]intrusion{
		"it is put on a site": {everyEngine: true, act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateSite, api.CreateSiteInput{
				Organization: r.org, Body: api.SiteCreate{Title: "Site", Visibility: api.SitePublic, Spaces: []string{r.space}},
			})
		}, then: stillOnSite},
		"it is renamed": {act: func(r *removal) answer {
			return try(r.world, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: r.space, Body: api.SpacePatch{Title: api.Some("Renamed")}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			equal(t, "renamed", done(acted), r.get(r.space).Title == "Renamed")
		}},
		"a comment is made": {act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateComment, api.CreateCommentInput{Space: r.space, Body: api.CommentCreate{Page: r.page, Body: says("?")}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			listed := do(r.world, "admin", api.ListComments, api.ListCommentsInput{Space: r.space}).Count
			equal(t, "comments", [2]bool{done(acted), done(acted)}, [2]bool{listed == 1, r.get(r.space).Comments == 1})
		}},
		"a change request is merged": {act: func(r *removal) answer {
			return try(r.world, "admin", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: r.draft})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			equal(t, "merged", done(acted), r.draftStatus() == api.StatusMerged)
			equal(t, "pages", done(acted), len(do(r.world, "admin", api.ListContentPages, api.GetContentInput{Space: r.space}).Pages) == 2)
		}},
		"content is imported": {prepare: func(r *removal) { r.web["https://example.com/page.md"] = "# Imported\n" }, act: func(r *removal) answer {
			return try(r.world, "admin", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
				ChangeRequestRef: r.draft, Body: api.Import{URL: "https://example.com/page.md", Source: api.ImportMarkdown},
			})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			equal(t, "pages", done(acted), r.draftPages() == 3)
		}},
		"it is deleted": {act: func(r *removal) answer {
			return try(r.world, "admin", api.DeleteSpace, api.SpaceRef{Space: r.space})
		}, then: trashedOrWhole},
		"its collection is deleted": {act: func(r *removal) answer {
			return try(r.world, "admin", api.DeleteCollection, api.CollectionRef{Collection: r.outer})
		}, then: trashedOrWhole},
		"a deleted space of the collection is restored": {act: func(r *removal) answer {
			return try(r.world, "admin", api.RestoreSpace, api.SpaceRef{Space: r.trashed})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			if done(acted) {
				r.rooted(r.trashed)
			}
		}},
		"a deleted space of the collection is purged": {act: func(r *removal) answer {
			r.clock.Advance(store.TrashTime)
			runJobs(r.world)
			return answer{}
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			r.clock.Advance(store.TrashTime)
			runJobs(r.world)
			equal(t, "moved", r.to, r.owner())
			equal(t, "what is left", nil, mentions(r.world, r.trashed))
		}},
		"a space is made in the collection": {act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: r.org, Body: api.SpaceCreate{Title: "Fresh", Parent: r.outer}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			if done(acted) {
				var made api.Space
				decode(r.world, acted, &made)
				r.rooted(made.ID)
			}
		}},
		"a collection is moved into it": {act: func(r *removal) answer {
			return try(r.world, "admin", api.MoveCollection, api.MoveCollectionInput{Collection: r.beside, Body: api.Move{Parent: api.Some(r.outer)}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			beside := do(r.world, "admin", api.GetCollection, api.CollectionRef{Collection: r.beside})
			equal(t, "inside", done(acted), beside.Parent == r.outer)
			if done(acted) {
				equal(t, "organization", r.owner(), beside.Organization)
			}
		}},
		"the space is taken out of it": {act: func(r *removal) answer {
			return try(r.world, "admin", api.MoveSpace, api.MoveSpaceInput{Space: r.space, Body: api.Move{Parent: api.Null[string]()}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			equal(t, "outside", done(acted), r.get(r.space).Parent == "")
			r.owner()
		}},
		"the space goes to a third organization": {act: func(r *removal) answer {
			return try(r.world, "admin", api.TransferSpace, api.TransferSpaceInput{Space: r.space, Body: api.Transfer{Organization: r.third}})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			equal(t, "in the third", done(acted), r.owner() == r.third)
			equal(t, "the collection went", done(transferred), do(r.world, "admin", api.GetCollection, api.CollectionRef{Collection: r.outer}).Organization == r.to)
		}},
		"the collection goes to a third organization": {act: func(r *removal) answer {
			return r.give(r.third)
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			owner := r.owner()
			if !done(transferred) && !done(acted) || owner == r.third && !done(acted) || owner == r.to && !done(transferred) {
				t.Errorf("owner %s", owner)
			}
		}},
		"another node ends the transfer": {act: otherNode, then: func(t *testing.T, r *removal, transferred, _ answer) {
			if owner := r.owner(); owner != r.to || !done(transferred) && transferred.Status != http.StatusServiceUnavailable {
				t.Errorf("owner %s", owner)
			}
		}},
		"another node ends the transfer, and it comes back": {late: true, prepare: indexed, act: func(r *removal) answer {
			otherNode(r)
			return r.goes(r.org)
		}, then: cameThrough},
		"another node ends the transfer, it comes back and goes again": {late: true, prepare: indexed, act: func(r *removal) answer {
			otherNode(r)
			r.goes(r.org)
			return r.goes(r.to)
		}, then: cameThrough},
		"another node ends the transfer, and it goes to a third organization": {late: true, prepare: indexed, act: func(r *removal) answer {
			otherNode(r)
			return r.goes(r.third)
		}, then: cameThrough},
		"another node ends a transfer from a third organization, and it comes home": {late: true, prepare: func(r *removal) {
			indexed(r)
			r.goes(r.third)
		}, act: func(r *removal) answer {
			otherNode(r)
			return r.goes(r.org)
		}, then: cameThrough},
		"another node ends a transfer from a third organization, and it goes back there": {late: true, prepare: func(r *removal) {
			r.goes(r.third)
		}, act: func(r *removal) answer {
			otherNode(r)
			return r.goes(r.third)
		}, then: cameThrough},
		"what nothing refers to is swept": {act: func(r *removal) answer {
			_, err := fsck.Run(r.t.Context(), r.store, fsck.Options{GC: true})
			r.must(err)
			return answer{}
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			equal(t, "pages of the draft", 2, r.draftPages())
		}},
		"the old organization is searched": {act: func(r *removal) answer {
			return try(r.world, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: r.org, Query: "text"})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			cameThrough(t, r, transferred, acted)
			equal(t, "the search", 200, acted.Status)
		}},
		"somebody is given a role": {act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{
				SpaceRef: api.SpaceRef{Space: r.space}, Body: api.PermissionCreate{Role: new(api.RoleRead), Users: []string{r.users["editor"].ID}},
			})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			equal(t, "may edit", !done(acted), spaceAs(r.world, "editor", r.space).Permissions.Edit)
		}},
		"a team is given a role": {prepare: func(r *removal) { r.team = r.newTeam("guest") }, act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateSpacePermission, api.CreateSpacePermissionInput{
				SpaceRef: api.SpaceRef{Space: r.space}, Body: api.PermissionCreate{Role: new(api.RoleRead), Teams: []string{r.team.ID}},
			})
		}, then: whole},
		"a team that has a role is deleted": {prepare: func(r *removal) {
			r.team = r.newTeam("guest")
			giveTeam(r.world, r.team, r.space, api.RoleRead)
		}, act: func(r *removal) answer { return try(r.world, "admin", api.DeleteTeam, ofTeam(r.world, r.team)) }, then: whole},
		"a member who has a role leaves the other organization": {prepare: func(r *removal) {
			r.must(orgs.Accounts{Store: r.store}.Member(r.t.Context(), r.to, r.users["editor"], api.RoleEdit))
			grant(r.world, "editor", r.space, api.RoleRead)
		}, act: func(r *removal) answer {
			return try(r.world, "admin", api.DeleteMember, api.MemberRef{Organization: r.to, User: r.users["editor"].ID})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			refused(r.world, "editor", api.GetSpace, api.GetSpaceInput{Space: r.space}, 404, api.ReasonNotFound)
			r.must(orgs.Accounts{Store: r.store}.Member(r.t.Context(), r.to, r.users["editor"], api.RoleEdit))
			equal(t, "may edit", true, spaceAs(r.world, "editor", r.space).Permissions.Edit) // the old grant is gone
		}},
		"an invite link into it is made": {act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: r.org, Body: api.LinkInviteCreate{Level: api.RoleRead, Space: r.space}})
		}, then: whole},
		"an invite link into the collection is made": {act: func(r *removal) answer {
			return try(r.world, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: r.org, Body: api.LinkInviteCreate{Level: api.RoleRead, Collection: r.outer}})
		}, then: whole},
		"somebody comes by an invite link": {prepare: func(r *removal) {
			r.secret = r.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: r.space}).Secret
		}, act: func(r *removal) answer {
			return try(r.world, "guest", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: r.secret}})
		}, then: whole},
		"it is duplicated": {act: func(r *removal) answer {
			return try(r.world, "admin", api.DuplicateSpace, api.SpaceRef{Space: r.space})
		}, then: func(t *testing.T, r *removal, transferred, acted answer) {
			whole(t, r, transferred, acted)
			if done(acted) {
				var made api.Space
				decode(r.world, acted, &made)
				r.rooted(made.ID)
				equal(t, "pages", 1, len(do(r.world, "admin", api.ListContentPages, api.GetContentInput{Space: made.ID}).Pages))
			}
		}},
	}
}

// otherNode lets another node go on with what is left.
func otherNode(r *removal) answer {
	r.clock.Advance(time.Minute)
	runJobs(r.world)
	return answer{}
}

// indexed searches the space, so that there is an index of it.
func indexed(r *removal) {
	do(r.world, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: r.org, Query: "text"})
}

// goes moves the collection, and searches where it is then: it is in the index, and nobody waits for it to come there.
func (r *removal) goes(to string) answer {
	given := r.give(to)
	do(r.world, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: to, Query: "text"})
	return given
}

// stillOnSite: either the site has the space, and it stayed, or it went and no site has it.
func stillOnSite(t *testing.T, r *removal, transferred, acted answer) {
	t.Helper()
	if done(acted) && transferred.Status != http.StatusPreconditionFailed || done(acted) == done(transferred) {
		t.Errorf("transfer %d, site %d", transferred.Status, acted.Status)
	}
	shown := strings.Contains(strings.Join(mentionsIn(r.world, r.org, r.space), " "), "}:site:")
	equal(t, "on a site", done(acted), shown)
	equal(t, "stayed", done(acted), r.owner() == r.org)
}

// trashedOrWhole: what was deleted can be restored in one organization, and what was not is where it is.
func trashedOrWhole(t *testing.T, r *removal, transferred, acted answer) {
	t.Helper()
	if !done(acted) {
		whole(t, r, transferred, acted)
		return
	}
	equal(t, "deleted", false, r.get(r.space).DeletedAt.IsZero())
	do(r.world, "admin", api.RestoreSpace, api.SpaceRef{Space: r.space})
	r.owner()
}

// cameThrough: the space is found where it is, and nowhere else.
func cameThrough(t *testing.T, r *removal, _, _ answer) {
	t.Helper()
	owner := r.owner()
	equal(t, "pages of the draft", 2, r.draftPages())
	for _, org := range []string{r.org, r.to, r.third} {
		hits := do(r.world, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: org, Query: "text", ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items
		found := slices.ContainsFunc(hits, func(h api.SpaceHit) bool { return h.ID == r.space })
		equal(t, "found in "+org, org == owner, found)
	}
}

// rooted fails the test unless a space stands in its organization, below what is there.
func (r *removal) rooted(id string) {
	r.t.Helper()
	owner, space := r.listed(id), r.get(id)
	equal(r.t, "organization", owner, space.Organization)
	if space.Parent != "" {
		equal(r.t, "organization of the parent", owner,
			do(r.world, "admin", api.GetCollection, api.CollectionRef{Collection: space.Parent}).Organization)
	}
}

func (r *removal) draftStatus() api.ChangeRequestStatus {
	r.t.Helper()
	return do(r.world, "admin", api.GetChangeRequest, r.draft).Status
}

func (r *removal) draftPages() int {
	r.t.Helper()
	return len(do(r.world, "admin", api.ListChangeRequestContentPages, api.ChangeRequestContentInput{ChangeRequestRef: r.draft}).Pages)
}
