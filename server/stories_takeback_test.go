package server_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/budgets"
)

// Who may only create cannot take anything out of the organization: neither by their role there, nor by one that they
// gave themselves in the space.
func TestOnlyAdminsTransfer(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		loot := do(w, "creator", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Loot"}}).ID
		space, collection := w.newSpaceIn("Docs", "").ID, w.newCollection("Books", "").ID
		grant(w, "creator", space, api.RoleAdmin)
		grant(w, "creator", collection, api.RoleAdmin)
		refused(w, "creator", api.TransferSpace, transferSpace(space, loot), 403, api.ReasonForbidden)
		refused(w, "creator", api.TransferCollection, api.TransferCollectionInput{Collection: collection, Body: api.Transfer{Organization: loot}}, 403, api.ReasonForbidden)
		refused(w, adminWriting, api.TransferSpace, transferSpace(space, organization(w, "Own")), 403, api.ReasonForbidden)
		refused(w, "creator", api.ListTransfers, api.ListTransfersInput{Organization: w.org}, 403, api.ReasonForbidden)
		equal(t, "transfers", 0, len(listTransfers(w, w.org)))
	})
}

// What nobody has touched comes back at once: as it was, to where it was open, with the roles of those who still are
// there. Both organizations can see what happened.
func TestTakeBackAtOnce(t *testing.T) {
	t.Parallel()
	for _, collection := range []bool{false, true} {
		story(t, func(t *testing.T, w *world) {
			g := giveAway(w, collection)
			mine, theirs := g.made, listTransfers(g.world, g.to)[0]
			equal(t, "directions", [2]api.TransferDirection{api.TransferOut, api.TransferIn}, [2]api.TransferDirection{mine.Direction, theirs.Direction})
			equal(t, "organizations", [2]string{w.org, g.to}, [2]string{theirs.From, theirs.To})
			equal(t, "what", !collection, mine.Space == g.space && mine.Title == "Docs")
			equal(t, "by", w.users["admin"].ID, theirs.TransferredBy.ID)
			equal(t, "until", mine.TransferredAt.Add(7*24*time.Hour), theirs.TakeBackUntil.Time)
			g.state(api.TransferOpen)

			refused(w, "admin", api.TakeTransferBack, g.theirs(), 409, api.ReasonState)
			refused(w, "admin", api.AgreeTransfer, g.theirs(), 409, api.ReasonState)
			refused(w, "creator", api.TakeTransferBack, g.mine(), 403, api.ReasonForbidden)
			refused(w, "stranger", api.TakeTransferBack, g.mine(), 404, api.ReasonNotFound)
			w.call("admin", "POST", "/v1/orgs/"+w.org+"/transfers/"+mine.ID+"/take-back?dryRun=true", nil, 200)
			g.state(api.TransferOpen)

			do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["commenter"].ID})
			w.clock.Advance(time.Minute)
			w.member("commenter", api.RoleGuest) // who comes again is not who was there
			back := do(w, "admin", api.TakeTransferBack, g.mine(), "Idempotency-Key", "back")
			equal(t, "state", api.TransferTakenBack, back.State)
			g.here(1)
			if collection {
				equal(t, "collection", g.inner, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.space}).Parent)
			}
			equal(t, "the reader reviews again", api.RoleReview, shownRole(w, "reader", g.space))
			equal(t, "the team reviews again", api.RoleReview, shownRole(w, "guest", g.space))
			refused(w, "commenter", api.GetSpace, api.GetSpaceInput{Space: g.space}, 404, api.ReasonNotFound)
			do(w, "admin", api.TakeTransferBack, g.mine(), "Idempotency-Key", "back")
			do(w, "admin", api.TakeTransferBack, g.mine())
			refused(w, "admin", api.AskTransfer, g.mine(), 409, api.ReasonState)
			do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: g.space, Body: api.SpacePatch{Title: api.Some("Ours")}})
		})
	}
}

// What the other organization changes about who may see it does not come along, and teams that are gone get nothing.
func TestTakeBackRestoresWhoMay(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, false)
		level := api.Level(api.RoleAdmin)
		do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: g.space, Body: api.SpacePatch{DefaultLevel: api.Some(level)}})
		give(w, g.space, api.PermissionCreate{Role: new(api.RoleAdmin), Users: []string{w.users["creator"].ID}})
		do(w, "admin", api.DeleteTeam, ofTeam(w, g.team))
		do(w, "admin", api.TakeTransferBack, g.mine())
		g.here(1)
		equal(t, "the editor", api.RoleEdit, shownRole(w, "editor", g.space))
		equal(t, "the guest", api.RoleGuest, shownRole(w, "guest", g.space))
		equal(t, "grants", 2, do(w, "admin", api.ListSpacePermissionUsers, api.ListSpaceGrantsInput{SpaceRef: api.SpaceRef{Space: g.space}}).Count)
	})
}

// Once somebody has written in it, it takes an admin of the other organization, and all that was written comes along.
func TestTakeBackTakesAgreement(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, true)
		equal(t, "comment", 200, g.comment().Status)
		e := refused(w, "admin", api.TakeTransferBack, g.mine(), 409, api.ReasonState)
		equal(t, "what was written", true, len(e.Fields) == 1 && e.Fields[0].Path == g.space && strings.Contains(e.Fields[0].Message, "comments"))
		equal(t, "still there", g.to, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.space}).Organization)
		equal(t, "and open", 200, g.comment().Status)

		refused(w, "admin", api.RefuseTransfer, g.theirs(), 409, api.ReasonState)
		asked := do(w, "admin", api.AskTransfer, g.mine())
		equal(t, "asked", [2]string{string(api.TransferAsked), w.users["admin"].ID}, [2]string{string(asked.State), asked.AskedBy.ID})
		g.state(api.TransferAsked)
		equal(t, "by", w.users["admin"].ID, listTransfers(g.world, g.to)[0].AskedBy.ID)
		refused(w, "creator", api.AgreeTransfer, g.theirs(), 403, api.ReasonForbidden)
		refused(w, "admin", api.AgreeTransfer, g.mine(), 409, api.ReasonState)
		do(w, "admin", api.RefuseTransfer, g.theirs())
		g.state(api.TransferRefused)
		refused(w, "admin", api.AgreeTransfer, g.theirs(), 409, api.ReasonState)

		do(w, "admin", api.AskTransfer, g.mine())
		do(w, "admin", api.AgreeTransfer, g.theirs(), "Idempotency-Key", "agreed")
		do(w, "admin", api.AgreeTransfer, g.theirs(), "Idempotency-Key", "agreed")
		g.here(3)
	})
}

// Whatever somebody writes is seen, and settings are not text.
func TestTakeBackSeesWhatWasWritten(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, false)
		own := do(w, "creator", api.CreateCollection, api.CreateCollectionInput{Organization: g.to, Body: api.CollectionCreate{Title: "Theirs"}}).ID
		do(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: g.space, Body: api.Move{Parent: api.Some(own)}})
		do(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{Space: g.space, Body: api.SpacePatch{Title: api.Some("Theirs")}})
		w.call("admin", "POST", "/v1/orgs/"+w.org+"/transfers/"+g.made.ID+"/take-back?dryRun=true", nil, 200)
		site := do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: g.to, Body: api.SiteCreate{Spaces: api.SpaceSelection{g.space}}}).ID
		refused(w, "admin", api.TakeTransferBack, g.mine(), 412, api.ReasonPrecondition)
		do(w, "admin", api.DeleteSite, api.SiteRef{Organization: g.to, Site: site})
		request := do(w, "creator", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: g.space})
		g.touched("change requests")
		w.edit("creator", request, newPage("Theirs", "Theirs.\n"))
		w.merge("creator", request)
		g.touched("content, change requests")
	})
}

// A copy is what was there when it went: not what the other organization wrote, which it keeps.
func TestTakeACopyInstead(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, true)
		g.comment()
		theirs := do(w, "creator", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: g.space})
		w.edit("creator", theirs, newPage("Theirs", "Theirs.\n"))
		w.merge("creator", theirs)
		w.call("admin", "POST", "/v1/orgs/"+w.org+"/transfers/"+g.made.ID+"/copy?dryRun=true", nil, 200)
		g.state(api.TransferOpen)
		copied := do(w, "admin", api.CopyTransfer, g.mine(), "Idempotency-Key", "copy")
		equal(t, "a repeat", copied.Copy, do(w, "admin", api.CopyTransfer, g.mine(), "Idempotency-Key", "copy").Copy)
		g.state(api.TransferCopied)
		outer := do(w, "admin", api.GetCollection, api.CollectionRef{Collection: copied.Copy})
		equal(t, "the collection", "Outer "+w.org, outer.Title+" "+outer.Organization)
		var space api.Space
		for _, s := range do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.org}).Items {
			if s.Title == "Docs" {
				space = s
			}
		}
		equal(t, "comments and requests", [2]int{}, [2]int{space.Comments, space.ChangeRequests})
		pages := do(w, "admin", api.ListContentPages, api.GetContentInput{Space: space.ID}).Pages
		equal(t, "pages", 1, len(pages))
		text := do(w, "admin", api.GetContentPage, api.PageInput{Space: space.ID, Page: g.page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
		equal(t, "text", "Text.\n", *text.Markdown)
		equal(t, "the reader reviews the copy", api.RoleReview, shownRole(w, "reader", space.ID))
		equal(t, "the team reviews the copy", api.RoleReview, shownRole(w, "guest", space.ID))
		equal(t, "pages of theirs", 2, len(do(w, "creator", api.ListContentPages, api.GetContentInput{Space: g.space}).Pages))
		refused(w, "admin", api.TakeTransferBack, g.mine(), 409, api.ReasonState)
		equal(t, "what the others are told of the copy", "", do(w, "admin", api.GetTransfer, g.theirs()).Copy)
	})
}

// In the trash of the other organization it can still be taken back, collections that were deleted with it included,
// and it is not removed before the time for that is over.
func TestTakeBackFromTheTrash(t *testing.T) {
	t.Parallel()
	for _, collection := range []bool{false, true} {
		story(t, func(t *testing.T, w *world) {
			g := giveAway(w, collection)
			if collection {
				do(w, "creator", api.DeleteCollection, api.CollectionRef{Collection: g.outer})
			} else {
				do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.space})
			}
			w.clock.Advance(7*24*time.Hour - time.Minute)
			runJobs(w)
			do(w, "admin", api.TakeTransferBack, g.mine())
			g.here(1)
			if collection {
				inner := do(w, "admin", api.GetCollection, api.CollectionRef{Collection: g.inner})
				equal(t, "collections", [2]string{"Inner", g.outer}, [2]string{inner.Title, inner.Parent})
				equal(t, "collection", g.inner, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.space}).Parent)
			}
			w.clock.Advance(30 * 24 * time.Hour)
			runJobs(w)
			g.here(1)
			w.fsck()
		})
	}
}

// The purge waits for the time in which it can be taken back, even if that is longer than things stay in the trash.
func TestPurgeWaitsForTheTimeToTakeBack(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		limits := budgets.Defaults()
		w.must(limits.Set("take-back=720h"))
		w.serve(func(o *server.Options) { o.Budgets = limits })
		g := giveAway(w, false)
		do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.space})
		w.clock.Advance(29 * 24 * time.Hour)
		runJobs(w)
		do(w, "admin", api.CopyTransfer, g.mine())
		w.clock.Advance(24 * time.Hour)
		runJobs(w)
		if left := mentionsIn(w, g.to, g.space); len(left) > 1 {
			t.Errorf("not removed: %v", left)
		}
	})
}

// After its time it cannot be taken back.
func TestTakeBackEnds(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, false)
		w.clock.Advance(7 * 24 * time.Hour)
		g.state(api.TransferFinal)
		for _, row := range []api.Route[api.TransferRef, api.TransferRecord]{api.TakeTransferBack, api.AskTransfer, api.CopyTransfer} {
			refused(w, "admin", row, g.mine(), 409, api.ReasonState)
		}
	})
}

// What was transferred on can only be copied; what came back by itself is back. Neither is forgotten.
func TestTakeBackOfWhatWentOn(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, false)
		third := organization(w, "Third")
		do(w, "admin", api.TransferSpace, transferSpace(g.space, third))
		g.state(api.TransferPassedOn)
		refused(w, "admin", api.TakeTransferBack, g.mine(), 409, api.ReasonState)
		for _, on := range listTransfers(w, third) {
			do(w, "admin", api.TakeTransferBack, api.TransferRef{Organization: g.to, Transfer: on.ID})
		}
		refused(w, "admin", api.CopyTransfer, g.theirs(), 409, api.ReasonState)
		copied := do(w, "admin", api.CopyTransfer, g.mine()).Copy
		equal(t, "the copy", w.org, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: copied}).Organization)

		g = giveAway(w, false)
		do(w, "admin", api.TransferSpace, transferSpace(g.space, w.org))
		equal(t, "state", api.TransferReturned, do(w, "admin", api.GetTransfer, api.TransferRef{Organization: g.to, Transfer: g.made.ID}).State)
	})
}
