package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

const corp = "corp.example"

// accept lets somebody in by an invite to an address, with a new account, and gives them a name.
func accept(w *servertest.World, name, inviter, org, email string) api.Accepted {
	w.T.Helper()
	invited := servertest.Do(w, inviter, api.CreateInvite, api.CreateInviteInput{Organization: org, Body: api.InviteCreate{Emails: api.Invitees(email)}})
	if len(invited.Invites) != 1 || len(invited.Users) != 0 {
		w.T.Fatalf("invited: %+v", invited)
	}
	came := servertest.Do(w, "", api.AcceptInvite, servertest.Accepting(invited.Invites[0]))
	w.Tokens[name] = came.Token
	return came
}

// finds holds whether somebody is told which organizations are open to their domain: only who has a verified address is.
func finds(w *servertest.World, as string, want ...string) {
	w.T.Helper()
	in := api.EmailDomainRef{EmailDomain: corp}
	if want == nil {
		servertest.Refused(w, as, api.FindOrganization, in, http.StatusForbidden, api.ReasonForbidden)
		return
	}
	found := []string{}
	for _, o := range servertest.Do(w, as, api.FindOrganization, in).Organizations {
		found = append(found, o.ID)
	}
	servertest.Equal(w.T, "organizations that "+as+" finds", want, found)
}

// Who is invited by the organization whose own the domain is has a verified address, which stays when the proof lapses.
// Where another organization has proven the domain, or nobody has, the address is only written down.
func TestAnInviteProvesAnAddressOfItsOwnDomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		set(w, "admin", w.Org, corp)
		accept(w, "early", "admin", w.Org, "early@"+corp)
		finds(w, "early")
		w.Prove("admin", w.Org, corp)
		set(w, "stranger", w.OtherOrg, corp)
		squatter := accept(w, "squatter", "stranger", w.OtherOrg, "chief@"+corp)
		finds(w, "squatter")
		chief := accept(w, "chief", "admin", w.Org, "chief@"+corp)
		if chief.ID == squatter.ID || chief.User.Email != "chief@"+corp {
			t.Errorf("the owner of the address came in as %+v", chief)
		}
		finds(w, "chief", w.Org)
		w.DNS.Set("_wsd-verification." + corp)
		servertest.Do(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: w.Org, EmailDomain: corp})
		finds(w, "chief", []string{}...)
		accept(w, "late", "admin", w.Org, "late@"+corp)
		finds(w, "late")

		invited := servertest.Do(w, "stranger", api.CreateInvite, api.CreateInviteInput{Organization: w.OtherOrg, Body: api.InviteCreate{Emails: api.Invitees("chief@" + corp)}})
		servertest.Equal(t, "is somebody there", 1, len(invited.Users))
		vouched, err := orgs.Accounts{Store: w.Store}.Vouched(t.Context(), "chief@"+corp, "")
		w.Must(err)
		servertest.Equal(t, "whose address it is", chief.ID, vouched.ID)
	})
}

// Members who came before the domain was proven are invited again, with the account that they have. Then every
// organization that they are in knows the address, and there is nothing more to invite them for.
func TestMembersAreInvitedAgain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ada := accept(w, "ada", "admin", w.Org, "ada@"+corp)
		link := servertest.Do(w, "stranger", api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.OtherOrg, Body: api.LinkInviteCreate{Role: api.Some(api.RoleRead)}})
		servertest.Equal(t, "address elsewhere", "", servertest.Do(w, "ada", api.AcceptInvite, servertest.Following(link)).User.Email)
		inviting := api.CreateInviteInput{Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("ada@" + corp)}}
		servertest.Equal(t, "members before the proof", 1, len(servertest.Do(w, "admin", api.CreateInvite, inviting).Users))
		w.Prove("admin", w.Org, corp)
		invite := servertest.Do(w, "admin", api.CreateInvite, inviting).Invites[0]
		w.Untouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.Accepting(invite), http.StatusConflict, api.ReasonState)
		})
		came := servertest.Do(w, "ada", api.AcceptInvite, servertest.Accepting(invite))
		if came.ID != ada.ID || came.Token != "" {
			t.Errorf("came again as %+v", came)
		}
		finds(w, "ada", w.Org)
		elsewhere := servertest.Do(w, "stranger", api.GetMember, api.MemberRef{Organization: w.OtherOrg, User: ada.ID})
		servertest.Equal(t, "address elsewhere, proven", "ada@"+corp, elsewhere.User.Email)
		servertest.Equal(t, "members when proven", 1, len(servertest.Do(w, "admin", api.CreateInvite, inviting).Users))
	})
}
