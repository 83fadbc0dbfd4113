package orgs_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// inviteMany creates open invites by a member.
func inviteMany(w *servertest.World, as string, count int) {
	w.T.Helper()
	for made := 0; made < count; {
		var emails []string
		for ; made < count && len(emails) < 50; made++ {
			emails = append(emails, fmt.Sprintf("p%d@elsewhere.example", made))
		}
		servertest.Do(w, as, api.CreateInvite, api.CreateInviteInput{
			Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(emails...), Role: api.Some(api.RoleRead)},
		})
	}
}

func openInvites(w *servertest.World) int {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.Org}).Count +
		servertest.Do(w, "admin", api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Count
}

// TestInvitesEndWithMembership checks that the open invites and invite links of a member are deleted with the membership, up to the
// limit of its transaction, that a job deletes the rest, and that all of them are counted in the response. Those of others stay.
func TestInvitesEndWithMembership(t *testing.T) {
	t.Parallel()
	const limit = 150 // of a transaction
	for _, extra := range []int{0, 1} {
		t.Run(fmt.Sprintf("%d beyond the limit", extra), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				w.SetMember("creator", api.RoleAdmin)
				w.CreateInvite("other@elsewhere.example", api.RoleRead)
				w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
				inviteMany(w, "creator", limit-1+extra)
				w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)})
				gone := w.Call("admin", http.MethodDelete, "/v1/orgs/"+w.Org+"/members/"+w.Users["creator"].ID, nil, http.StatusNoContent)
				want := fmt.Sprintf("invites=%d, invite-links=1", limit-1+extra)
				servertest.Equal(t, "went with it", want, gone.Header.Get(api.RemovedHeader))
				servertest.Equal(t, "open invites", 2+extra, openInvites(w))
				servertest.RunJobs(w)
				servertest.Equal(t, "open invites", 2, openInvites(w))
			})
		})
	}
}

// TestInvitesOfReturnedMemberAreOld checks that an invite from before a membership ended is not open again when its author comes
// back before the job has deleted it, and that the job keeps those that the author made since.
func TestInvitesOfReturnedMemberAreOld(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		old := w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		user := w.Users["creator"]
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.Org, user.ID)
			if err != nil {
				return err
			}
			tx.Schedule(w.Org, txn.JobName(store.InvitesKind, user.ID), 0)
			return tx.DeleteMember(w.Org, m) // as if the link had not fitted into the transaction
		}))
		w.Clock.Advance(time.Second)
		w.SetMember("creator", api.RoleAdmin)
		now := w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		checkLinkRefused(w, old, http.StatusConflict, api.ReasonState)
		shown := servertest.Do(w, "admin", api.GetLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: old.ID})
		servertest.Equal(t, "reason", api.RedundantAuthorLeft, shown.RedundantReason)
		servertest.RunJobs(w)
		servertest.Equal(t, "open invites", 1, openInvites(w))
		servertest.AcceptLink(w, "newcomer", now)
	})
}

// TestMemberDeletionListsWhatStays checks that the dry run of the deletion of a member lists what the member made and stays, and
// nothing that others made.
func TestMemberDeletionListsWhatStays(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		sample := w.Populate()
		w.SetMember("creator", api.RoleAdmin)
		site := api.SiteRef{Organization: w.Org, Site: sample.Site}
		link := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: "For the board"},
		})
		path := "/v1/orgs/" + w.Org + "/members/" + w.Users["creator"].ID + "?dryRun=true"
		var removal api.Removal
		servertest.Decode(w, w.Call("admin", http.MethodDelete, path, nil, http.StatusOK), &removal)
		want := []api.Taken{api.NewTaken("share-links", 1, api.TakenThing{ID: link.ID, Title: "For the board"})}
		servertest.Equal(t, "stays", want, removal.Stays)
	})
}

// TestRedundantReasons checks the reason for which an invite link is redundant.
func TestRedundantReasons(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		link := func(body api.LinkInviteCreate) api.LinkInvite { return w.CreateLinkInvite("creator", body) }
		ends := api.At(w.Clock.Now().Add(time.Hour))
		w.SetMember("creator", api.RoleAdmin)
		expired := link(api.LinkInviteCreate{Role: api.Some(api.RoleRead), ExpiresAt: api.Some(ends)})
		gone := link(api.LinkInviteCreate{Level: api.RoleRead, Space: space})
		open := link(api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		left := link(api.LinkInviteCreate{Level: api.RoleRead, Space: w.NewSpaceIn("Other", "").ID})
		leaked := servertest.NewToken(w, "creator", "leaked", api.TokenCreate{})
		ended := w.CreateLinkInvite("leaked", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.Clock.Advance(2 * time.Hour)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		reasons := func() string {
			text := ""
			for _, l := range []api.LinkInvite{expired, gone, left, ended, open} {
				shown := servertest.Do(w, "admin", api.GetLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: l.ID})
				servertest.Equal(t, "redundant", shown.RedundantReason != "", shown.Redundant)
				text += string(shown.RedundantReason) + ";"
			}
			return text
		}
		servertest.Equal(t, "reasons", "expired;content_gone;;;;", reasons())
		servertest.Do(w, "creator", api.DeleteToken, api.TokenRef{Token: leaked.ID})
		servertest.Equal(t, "reasons", "expired;content_gone;;token_ended;;", reasons())
		unchanged := servertest.Do(w, "admin", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{Organization: w.Org, LinkInvite: ended.ID},
		})
		servertest.Equal(t, "reason of an unchanged link", api.RedundantTokenEnded, unchanged.RedundantReason)
		checkLinkRefused(w, ended, http.StatusConflict, api.ReasonState)
		servertest.UpdateOrganization(w, api.OrganizationPatch{InviteLinks: api.Some(false)})
		servertest.Equal(t, "reasons", "expired;content_gone;switched_off;token_ended;switched_off;", reasons())
		servertest.UpdateOrganization(w, api.OrganizationPatch{InviteLinks: api.Some(true)})
		w.SetMember("creator", api.RoleGuest)
		servertest.Equal(t, "reasons", "expired;content_gone;author_left;token_ended;;", reasons()) // the creator has no access
	})
}

// TestOperatorCreatesOrganizations checks that with the setting nobody creates organizations, that the refusal names whom to ask, that
// the account says so, and that invites into organizations are accepted as before.
func TestOperatorCreatesOrganizations(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		may := func(as string) bool { return servertest.Do(w, as, api.GetUser, api.NoInput{}).MayCreateOrganizations }
		bound := servertest.Do(w, "editor", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Scopes: []api.Scope{api.ScopeAdmin}, Organization: api.Some(w.Org)},
		})
		w.Tokens["bound"] = bound.Token
		servertest.Equal(t, "may", true, may("editor"))
		servertest.Equal(t, "may with a bound token", false, may("bound"))
		servertest.Equal(t, "may with the scope read", false, may(servertest.AdminReading))
		w.Serve(func(o *server.Options) { o.OperatorCreatesOrganizations = true })
		servertest.Equal(t, "may", false, may("editor"))
		w.WantUntouched(func() api.Error {
			refusal := servertest.Refused(w, "editor", api.CreateOrganization, api.CreateOrganizationInput{
				Body: api.OrganizationCreate{Title: "Mine"},
			}, http.StatusForbidden, api.ReasonForbidden)
			if refusal.Hint == "" {
				t.Error("it does not say whom to ask")
			}
			return refusal
		})
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(w.CreateInvite("a@elsewhere.example", api.RoleRead)))
		servertest.AcceptLink(w, "by link", w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)}))
	})
}
