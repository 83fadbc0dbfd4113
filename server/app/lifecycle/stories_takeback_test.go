package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
)

// TestTransferNeedsRoleAdmin checks that a user with the role create cannot transfer anything, neither by that role
// nor by a role they gave themselves in the space.
func TestTransferNeedsRoleAdmin(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		loot := servertest.Do(w, "creator", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Loot"},
		}).ID
		space, collection := w.NewSpaceIn("Docs", "").ID, w.NewCollection("Books", "").ID
		servertest.Grant(w, "creator", space, api.RoleAdmin)
		servertest.Grant(w, "creator", collection, api.RoleAdmin)
		servertest.Refused(w, "creator", api.TransferSpace, servertest.TransferInput(space, loot), 403, api.ReasonForbidden)
		servertest.Refused(w, "creator", api.TransferCollection, api.TransferCollectionInput{
			Collection: collection, Body: api.Transfer{Organization: loot},
		}, 403, api.ReasonForbidden)
		servertest.Refused(w, servertest.AdminWriting, api.TransferSpace,
			servertest.TransferInput(space, servertest.NewOrganization(w, "Own")), 403, api.ReasonForbidden)
		servertest.Refused(w, "creator", api.ListTransfers, api.ListTransfersInput{Organization: w.Org}, 403, api.ReasonForbidden)
		servertest.Equal(t, "transfers", 0, len(servertest.ListTransfers(w, w.Org)))
	})
}

// TestTakeBackUnchangedSpace checks that an unchanged space can be taken back without agreement. It returns to its former
// collection with the roles of current members, and the events are visible in both organizations.
func TestTakeBackUnchangedSpace(t *testing.T) {
	t.Parallel()
	for _, collection := range []bool{false, true} {
		servertest.Story(t, func(t *testing.T, w *servertest.World) {
			g := servertest.TransferAway(w, collection)
			mine, theirs := g.Transfer, servertest.ListTransfers(g.World, g.ToOrganization)[0]
			servertest.Equal(t, "directions", [2]api.TransferDirection{
				api.TransferOut, api.TransferIn,
			}, [2]api.TransferDirection{mine.Direction, theirs.Direction})
			servertest.Equal(t, "organizations", [2]string{w.Org, g.ToOrganization}, [2]string{theirs.From, theirs.To})
			servertest.Equal(t, "what", !collection, mine.Space == g.Space && mine.Title == "Docs")
			servertest.Equal(t, "by", w.Users["admin"].ID, theirs.TransferredBy.ID)
			servertest.Equal(t, "until", mine.TransferredAt.Add(7*24*time.Hour), theirs.TakeBackUntil.Time)
			g.WantState(api.TransferOpen)

			servertest.Refused(w, "admin", api.TakeTransferBack, g.TargetRef(), 409, api.ReasonState)
			servertest.Refused(w, "admin", api.AgreeTransfer, g.TargetRef(), 409, api.ReasonState)
			servertest.Refused(w, "creator", api.TakeTransferBack, g.SourceRef(), 403, api.ReasonForbidden)
			servertest.Refused(w, "stranger", api.TakeTransferBack, g.SourceRef(), 404, api.ReasonNotFound)
			w.Call("admin", "POST", "/v1/orgs/"+w.Org+"/transfers/"+mine.ID+"/take-back?dryRun=true", nil, 200)
			g.WantState(api.TransferOpen)

			servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["commenter"].ID})
			w.Clock.Advance(time.Minute)
			w.SetMember("commenter", api.RoleGuest) // a new membership does not restore the old role
			back := servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef(), "Idempotency-Key", "back")
			servertest.Equal(t, "state", api.TransferTakenBack, back.State)
			g.WantReturned(1)
			if collection {
				servertest.Equal(t, "collection", g.NestedCollection,
					servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.Space}).Parent)
			}
			servertest.Equal(t, "the reader reviews again", api.RoleReview, servertest.ShownRole(w, "reader", g.Space))
			servertest.Equal(t, "the team reviews again", api.RoleReview, servertest.ShownRole(w, "guest", g.Space))
			servertest.Refused(w, "commenter", api.GetSpace, api.GetSpaceInput{Space: g.Space}, 404, api.ReasonNotFound)
			servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef(), "Idempotency-Key", "back")
			servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef())
			servertest.Refused(w, "admin", api.AskTransfer, g.SourceRef(), 409, api.ReasonState)
			servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: g.Space, Body: api.SpacePatch{Title: api.Some("Ours")}})
		})
	}
}

// TestTakeBackRestoresGrants checks that changes to grants by the other organization are discarded, and deleted teams
// get nothing.
func TestTakeBackRestoresGrants(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, false)
		level := api.Level(api.RoleAdmin)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: g.Space, Body: api.SpacePatch{DefaultLevel: api.Some(level)},
		})
		servertest.GrantAccess(w, g.Space, api.PermissionCreate{Role: new(api.RoleAdmin), Users: []string{w.Users["creator"].ID}})
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, g.Team))
		servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef())
		g.WantReturned(1)
		servertest.Equal(t, "the editor", api.RoleEdit, servertest.ShownRole(w, "editor", g.Space))
		servertest.Equal(t, "the guest", api.RoleGuest, servertest.ShownRole(w, "guest", g.Space))
		servertest.Equal(t, "grants", 2, servertest.Do(w, "admin", api.ListSpacePermissionUsers, api.ListSpaceGrantsInput{
			SpaceRef: api.SpaceRef{Space: g.Space},
		}).Count)
	})
}

// TestTakeBackOfChangedSpaceNeedsAgreement checks that after a change to the content an admin of the other
// organization has to agree, and the changes are kept.
func TestTakeBackOfChangedSpaceNeedsAgreement(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, true)
		servertest.Equal(t, "comment", 200, g.CommentInTarget().Status)
		e := servertest.Refused(w, "admin", api.TakeTransferBack, g.SourceRef(), 409, api.ReasonState)
		servertest.Equal(t, "what was written", true, len(e.Fields) == 1 && e.Fields[0].Path == g.Space &&
			strings.Contains(e.Fields[0].Message, "comments"))
		found := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.Space})
		servertest.Equal(t, "still there", g.ToOrganization, found.Organization)
		servertest.Equal(t, "and open", 200, g.CommentInTarget().Status)

		servertest.Refused(w, "admin", api.RefuseTransfer, g.TargetRef(), 409, api.ReasonState)
		asked := servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
		servertest.Equal(t, "asked", [2]string{
			string(api.TransferAsked), w.Users["admin"].ID,
		}, [2]string{string(asked.State), asked.AskedBy.ID})
		g.WantState(api.TransferAsked)
		servertest.Equal(t, "by", w.Users["admin"].ID, servertest.ListTransfers(g.World, g.ToOrganization)[0].AskedBy.ID)
		servertest.Refused(w, "creator", api.AgreeTransfer, g.TargetRef(), 403, api.ReasonForbidden)
		servertest.Refused(w, "admin", api.AgreeTransfer, g.SourceRef(), 409, api.ReasonState)
		servertest.Do(w, "admin", api.RefuseTransfer, g.TargetRef())
		g.WantState(api.TransferRefused)
		servertest.Refused(w, "admin", api.AgreeTransfer, g.TargetRef(), 409, api.ReasonState)

		servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
		servertest.Do(w, "admin", api.AgreeTransfer, g.TargetRef(), "Idempotency-Key", "agreed")
		servertest.Do(w, "admin", api.AgreeTransfer, g.TargetRef(), "Idempotency-Key", "agreed")
		g.WantReturned(3)
	})
}

// TestTakeBackDetectsChanges checks that any written content counts as a change; settings do not.
func TestTakeBackDetectsChanges(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, false)
		own := servertest.Do(w, "creator", api.CreateCollection, api.CreateCollectionInput{
			Organization: g.ToOrganization, Body: api.CollectionCreate{Title: "Theirs"},
		}).ID
		servertest.Do(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: g.Space, Body: api.Move{Parent: api.Some(own)}})
		servertest.Do(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{Space: g.Space, Body: api.SpacePatch{Title: api.Some("Theirs")}})
		w.Call("admin", "POST", "/v1/orgs/"+w.Org+"/transfers/"+g.Transfer.ID+"/take-back?dryRun=true", nil, 200)
		site := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: g.ToOrganization, Body: api.SiteCreate{Spaces: api.SpaceSelection{g.Space}},
		}).ID
		servertest.Refused(w, "admin", api.TakeTransferBack, g.SourceRef(), 412, api.ReasonPrecondition)
		servertest.Do(w, "admin", api.DeleteSite, api.SiteRef{Organization: g.ToOrganization, Site: site})
		request := servertest.Do(w, "creator", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: g.Space})
		g.WantModified("change requests")
		w.Edit("creator", request, servertest.NewPage("Theirs", "Theirs.\n"))
		w.Merge("creator", request)
		g.WantModified("content, change requests")
	})
}

// TestCopyTransferCopiesOriginalState checks that a copy has the content at the time of the transfer without later
// changes, which stay with the other organization.
func TestCopyTransferCopiesOriginalState(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, true)
		g.CommentInTarget()
		theirs := servertest.Do(w, "creator", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: g.Space})
		w.Edit("creator", theirs, servertest.NewPage("Theirs", "Theirs.\n"))
		w.Merge("creator", theirs)
		w.Call("admin", "POST", "/v1/orgs/"+w.Org+"/transfers/"+g.Transfer.ID+"/copy?dryRun=true", nil, 200)
		g.WantState(api.TransferOpen)
		copied := servertest.Do(w, "admin", api.CopyTransfer, g.SourceRef(), "Idempotency-Key", "copy")
		servertest.Equal(t, "a repeat", copied.Copy, servertest.Do(w, "admin", api.CopyTransfer, g.SourceRef(), "Idempotency-Key",
			"copy").Copy)
		g.WantState(api.TransferCopied)
		outer := servertest.Do(w, "admin", api.GetCollection, api.CollectionRef{Collection: copied.Copy})
		servertest.Equal(t, "the collection", "Outer "+w.Org, outer.Title+" "+outer.Organization)
		var space api.Space
		for _, s := range servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Items {
			if s.Title == "Docs" {
				space = s
			}
		}
		servertest.Equal(t, "comments and requests", [2]int{}, [2]int{space.Comments, space.ChangeRequests})
		pages := servertest.Do(w, "admin", api.ListContentPages, api.GetContentInput{Space: space.ID}).Pages
		servertest.Equal(t, "pages", 1, len(pages))
		text := servertest.Do(w, "admin", api.GetContentPage, api.PageInput{
			Space: space.ID, Page: g.Page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		servertest.Equal(t, "text", "Text.\n", *text.Markdown)
		servertest.Equal(t, "the reader reviews the copy", api.RoleReview, servertest.ShownRole(w, "reader", space.ID))
		servertest.Equal(t, "the team reviews the copy", api.RoleReview, servertest.ShownRole(w, "guest", space.ID))
		servertest.Equal(t, "pages of theirs", 2,
			len(servertest.Do(w, "creator", api.ListContentPages, api.GetContentInput{Space: g.Space}).Pages))
		servertest.Refused(w, "admin", api.TakeTransferBack, g.SourceRef(), 409, api.ReasonState)
		servertest.Equal(t, "copy visible to the other organization", "", servertest.Do(w, "admin", api.GetTransfer, g.TargetRef()).Copy)
	})
}

// TestTakeBackFromTrash checks that a space in the trash of the other organization can be taken back, including
// collections deleted with it, and is not purged before the deadline.
func TestTakeBackFromTrash(t *testing.T) {
	t.Parallel()
	for _, collection := range []bool{false, true} {
		servertest.Story(t, func(t *testing.T, w *servertest.World) {
			g := servertest.TransferAway(w, collection)
			if collection {
				servertest.Do(w, "creator", api.DeleteCollection, api.CollectionRef{Collection: g.Collection})
			} else {
				servertest.Do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.Space})
			}
			w.Clock.Advance(7*24*time.Hour - time.Minute)
			servertest.RunJobs(w)
			servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef())
			g.WantReturned(1)
			if collection {
				inner := servertest.Do(w, "admin", api.GetCollection, api.CollectionRef{Collection: g.NestedCollection})
				servertest.Equal(t, "collections", [2]string{"Inner", g.Collection}, [2]string{inner.Title, inner.Parent})
				servertest.Equal(t, "collection", g.NestedCollection,
					servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.Space}).Parent)
			}
			w.Clock.Advance(30 * 24 * time.Hour)
			servertest.RunJobs(w)
			g.WantReturned(1)
			w.Fsck()
		})
	}
}

// TestPurgeWaitsForTakeBackDeadline checks that the purge waits for the take-back deadline even if that is later than
// the end of the time in the trash.
func TestPurgeWaitsForTakeBackDeadline(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		limits := budgets.Defaults()
		w.Must(limits.Set("take-back=720h"))
		w.Serve(func(o *server.Options) { o.Budgets = limits })
		g := servertest.TransferAway(w, false)
		servertest.Do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.Space})
		w.Clock.Advance(29 * 24 * time.Hour)
		servertest.RunJobs(w)
		servertest.Do(w, "admin", api.CopyTransfer, g.SourceRef())
		w.Clock.Advance(24 * time.Hour)
		servertest.RunJobs(w)
		if left := servertest.KeysWithIDIn(w, g.ToOrganization, g.Space); len(left) > 1 {
			t.Errorf("not removed: %v", left)
		}
	})
}

// TestTakeBackFailsAfterDeadline checks that a transfer cannot be taken back after the deadline.
func TestTakeBackFailsAfterDeadline(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, false)
		w.Clock.Advance(7 * 24 * time.Hour)
		g.WantState(api.TransferFinal)
		for _, row := range []api.Route[api.TransferRef, api.TransferRecord]{api.TakeTransferBack, api.AskTransfer, api.CopyTransfer} {
			servertest.Refused(w, "admin", row, g.SourceRef(), 409, api.ReasonState)
		}
	})
}

// TestTakeBackAfterFurtherTransfer checks that a space that the other organization has transferred further can be copied but
// its return cannot be requested, and that one that was transferred back is reported as returned.
func TestTakeBackAfterFurtherTransfer(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, false)
		third := servertest.NewOrganization(w, "Third")
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(g.Space, third))
		g.WantState(api.TransferPassedOn)
		servertest.Refused(w, "admin", api.TakeTransferBack, g.SourceRef(), 409, api.ReasonState)
		servertest.Refused(w, "admin", api.AskTransfer, g.SourceRef(), 409, api.ReasonState)
		for _, on := range servertest.ListTransfers(w, third) {
			servertest.Do(w, "admin", api.TakeTransferBack, api.TransferRef{Organization: g.ToOrganization, Transfer: on.ID})
		}
		servertest.Refused(w, "admin", api.CopyTransfer, g.TargetRef(), 409, api.ReasonState)
		copied := servertest.Do(w, "admin", api.CopyTransfer, g.SourceRef()).Copy
		servertest.Equal(t, "the copy", w.Org, servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: copied}).Organization)

		g = servertest.TransferAway(w, false)
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(g.Space, w.Org))
		servertest.Equal(t, "state", api.TransferReturned, servertest.Do(w, "admin", api.GetTransfer, api.TransferRef{
			Organization: g.ToOrganization, Transfer: g.Transfer.ID,
		}).State)
	})
}
