package orgs_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// inviteAgain sends a request of one person and returns the whole answer.
func inviteAgain(w *servertest.World, as string, body api.InviteCreate) api.Invited {
	w.T.Helper()
	if body.Emails == nil {
		body.Emails = api.Invitees("A@elsewhere.example")
	}
	made := servertest.Do(w, as, api.CreateInvite, api.CreateInviteInput{Organization: w.Org, Body: body})
	servertest.Equal(w.T, "invites in the answer", 1, len(made.Invites))
	return made
}

// openInvitesOf returns the open invites of the organization, as they are listed.
func openInvitesOf(w *servertest.World) []api.Invite {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.Org}).Items
}

// TestInvitingAgainChangesInvite checks that an address has one open invite: inviting again changes its role, teams and name, and
// answers it without a secret. What is not given stays.
func TestInvitingAgainChangesInvite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, team := w.NewSpace().ID, w.NewTeam().ID
		first := inviteAgain(w, "admin", api.InviteCreate{Role: api.Some(api.RoleRead), Teams: []string{team, team}})
		servertest.Equal(t, "newly invited", 1, first.Invited)
		one := first.Invites[0]
		servertest.Equal(t, "teams", []string{team}, one.Teams)
		before := w.Dump()
		same := inviteAgain(w, "admin", api.InviteCreate{Role: api.Some(api.RoleRead)})
		servertest.Equal(t, "invites again", api.Invite{InviteFields: one.InviteFields, Existing: true}, same.Invites[0])
		servertest.Equal(t, "newly invited again", 0, same.Invited)
		servertest.Equal(t, "records after the same again", len(before), len(w.Dump()))
		w.Clock.Advance(time.Hour)
		changed := inviteAgain(w, "admin", api.InviteCreate{
			Role: api.Some(api.RoleEdit), Teams: []string{}, Emails: []api.Invitee{{
				Object: api.JSONObject(`{"email":"a@elsewhere.example","name":"Ann Other"}`),
			}},
		}).Invites[0]
		if changed.ID != one.ID || !changed.Existing || changed.Secret != "" || *changed.Role != api.RoleEdit || len(changed.Teams) != 0 ||
			!changed.ExpiresAt.After(one.ExpiresAt.Time) {
			t.Errorf("changed to %+v", changed)
		}
		servertest.Equal(t, "open invites", 1, len(openInvitesOf(w)))
		w.Tokens["a"] = servertest.Do(w, "", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: one.Secret}}).Token
		servertest.Equal(t, "role", api.RoleEdit, servertest.ShownRole(w, "a", space))
		servertest.Equal(t, "name", "Ann Other", servertest.Do(w, "a", api.GetUser, api.NoInput{}).DisplayName)
		w.Fsck()
	})
}

// TestNewSecretEndsOldOne checks that an open invite gets a new secret on request, and that the one before ends.
func TestNewSecretEndsOldOne(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		one := inviteAgain(w, "admin", api.InviteCreate{NewSecret: true}).Invites[0]
		two := inviteAgain(w, "admin", api.InviteCreate{NewSecret: true}).Invites[0]
		if two.ID != one.ID || two.Secret == "" || two.Secret == one.Secret || !two.Existing {
			t.Errorf("the invites are %+v and %+v", one, two)
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(one), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
		})
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(two))
		third := inviteAgain(w, "admin", api.InviteCreate{Emails: api.Invitees("b@elsewhere.example")}).Invites[0]
		w.Clock.Advance(7 * 24 * time.Hour)
		fourth := inviteAgain(w, "admin", api.InviteCreate{Emails: api.Invitees("b@elsewhere.example")}).Invites[0]
		if fourth.ID == third.ID || fourth.Existing || fourth.Secret == "" {
			t.Errorf("an expired invite is answered: %+v", fourth)
		}
		servertest.Do(w, "admin", api.DeleteInvite, api.InviteRef{Organization: w.Org, Invite: third.ID})
		servertest.Equal(t, "after the expired one is deleted", fourth.ID,
			inviteAgain(w, "admin", api.InviteCreate{Emails: api.Invitees("b@elsewhere.example")}).Invites[0].ID)
		w.Fsck()
	})
}

// TestInviteBelongsToWhoChangedIt checks that whoever invites again becomes the author, which needs the role and the scope that
// inviting needs, and bounds what the invite gives: its role and its teams.
func TestInviteBelongsToWhoChangedIt(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, gone := w.NewSpace().ID, w.NewTeam().ID
		w.SetMember("creator", api.RoleAdmin)
		w.SetMember("reviewer", api.RoleAdmin)
		owned, other := w.NewTeam("reviewer").ID, w.NewTeam().ID
		one := inviteAgain(w, "creator", api.InviteCreate{Role: api.Some(api.RoleAdmin), Teams: []string{gone, owned, other}}).Invites[0]
		servertest.NewToken(w, "admin", "writer", api.TokenCreate{Scopes: []api.Scope{api.ScopeWrite}})
		for _, as := range []string{"editor", "writer"} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, as, api.CreateInvite, api.CreateInviteInput{
					Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(one.Email), Role: api.Some(api.RoleRead)},
				}, http.StatusForbidden, api.ReasonForbidden)
			})
		}
		servertest.Equal(t, "same invite", one.ID, inviteAgain(w, "reviewer", api.InviteCreate{}).Invites[0].ID)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
		servertest.Do(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
			TeamRef: api.TeamRef{Organization: w.Org, Team: owned}, Body: api.TeamMembersUpdate{
				Memberships: map[string]api.TeamMembership{w.Users["reviewer"].ID: {Role: api.TeamOwner}},
			},
		})
		w.SetMember("reviewer", api.RoleComment)
		servertest.Do(w, "admin", api.DeleteTeam, api.TeamRef{Organization: w.Org, Team: gone})
		made := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(one))
		w.Tokens["a"] = made.Token
		servertest.Equal(t, "role", api.RoleComment, servertest.ShownRole(w, "a", space))
		teams := servertest.Do(w, "admin", api.ListMemberTeams, api.ListMemberTeamsInput{
			MemberRef: api.MemberRef{Organization: w.Org, User: made.ID},
		})
		if teams.Count != 1 || teams.Items[0].Team.ID != owned {
			t.Errorf("the teams are %+v", teams.Items)
		}
		two := inviteAgain(w, "admin", api.InviteCreate{Emails: api.Invitees("b@elsewhere.example"), Teams: []string{other}}).Invites[0]
		made = servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(two))
		teams = servertest.Do(w, "admin", api.ListMemberTeams, api.ListMemberTeamsInput{
			MemberRef: api.MemberRef{Organization: w.Org, User: made.ID},
		})
		servertest.Equal(t, "teams of the invite of an admin", 1, teams.Count)
		w.Fsck()
	})
}

// TestInvitesOfOlderBuilds checks that two open invites to one address, as older builds made them, can both be accepted, and that
// inviting again keeps the later one and ends the other.
func TestInvitesOfOlderBuilds(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		var made []api.Invite
		forget := func(email string) {
			w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				key, field := store.InvitedKey(w.Org), store.InvitedField(email)
				_, _, err := tx.Field(key, field)
				tx.DeleteField(key, field)
				return err
			}))
		}
		makeTwo := func(email string) {
			for range 2 {
				made = append(made, w.CreateInvite(email, api.RoleRead))
				id := made[len(made)-1].ID
				w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
					d, err := tx.Invite(w.Org, id)
					if err == nil {
						d.Fields.Email = "hidden-" + email // so that the next request does not find it
						_, err = tx.PutInvite(w.Org, d)
					}
					return err
				}))
				forget(email)
			}
			for _, i := range made[len(made)-2:] {
				w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
					d, err := tx.Invite(w.Org, i.ID)
					if err == nil {
						d.Fields.Email = email
						_, err = tx.PutInvite(w.Org, d)
					}
					return err
				}))
			}
		}
		makeTwo("a@elsewhere.example")
		makeTwo("b@elsewhere.example")
		w.Fsck()
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(made[0]))
		again := inviteAgain(w, "admin", api.InviteCreate{Emails: api.Invitees("b@elsewhere.example")}).Invites[0]
		servertest.Equal(t, "kept", made[3].ID, again.ID)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(made[2]), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
		})
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(made[3]))
		w.Fsck()
	})
}
