package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

const corpDomain = "corp.example"

// acceptInvite accepts an invite to an address with a new account and stores its token in w.Tokens under name.
func acceptInvite(w *servertest.World, name, inviter, org, email string) api.Accepted {
	w.T.Helper()
	invited := servertest.Do(w, inviter, api.CreateInvite, api.CreateInviteInput{
		Organization: org, Body: api.InviteCreate{Emails: api.Invitees(email)},
	})
	if len(invited.Invites) != 1 || len(invited.Users) != 0 {
		w.T.Fatalf("invited: %+v", invited)
	}
	came := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invited.Invites[0]))
	w.Tokens[name] = came.Token
	return came
}

// checkFoundOrganizations compares the organizations that a user finds by their domain. Only verified addresses find
// any.
func checkFoundOrganizations(w *servertest.World, as string, want ...string) {
	w.T.Helper()
	in := api.EmailDomainRef{EmailDomain: corpDomain}
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

// TestInviteVerifiesAddressOfProvenDomain checks that an invite by the organization that has proven the domain
// verifies the address, also after the proof has ended. If another organization or none has proven it, the address
// stays unverified.
func TestInviteVerifiesAddressOfProvenDomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setDomains(w, "admin", w.Org, corpDomain)
		acceptInvite(w, "early", "admin", w.Org, "early@"+corpDomain)
		checkFoundOrganizations(w, "early")
		w.ProveDomains("admin", w.Org, corpDomain)
		setDomains(w, "stranger", w.OtherOrg, corpDomain)
		squatter := acceptInvite(w, "squatter", "stranger", w.OtherOrg, "chief@"+corpDomain)
		checkFoundOrganizations(w, "squatter")
		chief := acceptInvite(w, "chief", "admin", w.Org, "chief@"+corpDomain)
		if chief.ID == squatter.ID || chief.User.Email != "chief@"+corpDomain {
			t.Errorf("the owner of the address came in as %+v", chief)
		}
		checkFoundOrganizations(w, "chief", w.Org)
		w.DNS.Set("_wsd-verification." + corpDomain)
		servertest.Do(w, "admin", api.CheckEmailDomain, api.OrganizationEmailDomainRef{Organization: w.Org, EmailDomain: corpDomain})
		checkFoundOrganizations(w, "chief", []string{}...)
		acceptInvite(w, "late", "admin", w.Org, "late@"+corpDomain)
		checkFoundOrganizations(w, "late")

		invited := servertest.Do(w, "stranger", api.CreateInvite, api.CreateInviteInput{
			Organization: w.OtherOrg, Body: api.InviteCreate{Emails: api.Invitees("chief@" + corpDomain)},
		})
		servertest.Equal(t, "is somebody there", 1, len(invited.Users))
		vouched, err := orgs.Accounts{Store: w.Store}.EnsureVerifiedUser(t.Context(), "chief@"+corpDomain, "")
		w.Must(err)
		servertest.Equal(t, "whose address it is", chief.ID, vouched.ID)
	})
}

// TestInviteVerifiesAddressOfExistingMember checks that members who joined before the domain was proven are invited
// again and keep their account. All their organizations then get the address, and further invites change nothing.
func TestInviteVerifiesAddressOfExistingMember(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ada := acceptInvite(w, "ada", "admin", w.Org, "ada@"+corpDomain)
		link := servertest.Do(w, "stranger", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: w.OtherOrg, Body: api.LinkInviteCreate{Role: api.Some(api.RoleRead)},
		})
		servertest.Equal(t, "address elsewhere", "", servertest.Do(w, "ada", api.AcceptInvite, servertest.AcceptLinkInput(link)).User.Email)
		inviting := api.CreateInviteInput{Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("ada@" + corpDomain)}}
		servertest.Equal(t, "members before the proof", 1, len(servertest.Do(w, "admin", api.CreateInvite, inviting).Users))
		w.ProveDomains("admin", w.Org, corpDomain)
		invite := servertest.Do(w, "admin", api.CreateInvite, inviting).Invites[0]
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusConflict, api.ReasonState)
		})
		came := servertest.Do(w, "ada", api.AcceptInvite, servertest.AcceptInput(invite))
		if came.ID != ada.ID || came.Token != "" {
			t.Errorf("came again as %+v", came)
		}
		checkFoundOrganizations(w, "ada", w.Org)
		elsewhere := servertest.Do(w, "stranger", api.GetMember, api.MemberRef{Organization: w.OtherOrg, User: ada.ID})
		servertest.Equal(t, "address elsewhere, proven", "ada@"+corpDomain, elsewhere.User.Email)
		servertest.Equal(t, "members when proven", 1, len(servertest.Do(w, "admin", api.CreateInvite, inviting).Users))
	})
}
