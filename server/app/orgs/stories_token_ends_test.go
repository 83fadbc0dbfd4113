package orgs_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func TestScopesForRole(t *testing.T) {
	t.Parallel()
	for role, want := range map[api.Role]api.Scope{
		api.RoleGuest: api.ScopeWrite, api.RoleRead: api.ScopeRead, api.RoleComment: api.ScopeWrite, api.RoleEdit: api.ScopeWrite,
		api.RoleReview: api.ScopeWrite, api.RoleCreate: api.ScopeWrite, api.RoleAdmin: api.ScopeAdmin,
	} {
		servertest.Equal(t, "scopes of "+string(role), []api.Scope{want}, orgs.ScopesForRole(role))
	}
}

// TestFirstTokenHasLeastScope checks that the first token of a new account has the least scope that the invite needs, and that the
// answer says so.
func TestFirstTokenHasLeastScope(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		for i, c := range []struct {
			link api.LinkInviteCreate
			want api.Scope
		}{
			{api.LinkInviteCreate{Role: api.Some(api.RoleRead)}, api.ScopeRead},
			{api.LinkInviteCreate{Role: api.Some(api.RoleComment)}, api.ScopeWrite},
			{api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)}, api.ScopeAdmin},
			{api.LinkInviteCreate{Role: api.Null[api.Role]()}, api.ScopeWrite},
			{api.LinkInviteCreate{Level: api.RoleRead, Space: space}, api.ScopeRead},
			{api.LinkInviteCreate{Level: api.RoleReview, Space: space}, api.ScopeWrite},
			{api.LinkInviteCreate{Level: api.RoleAdmin, Space: space}, api.ScopeAdmin},
		} {
			name := fmt.Sprintf("newcomer %d", i)
			made := servertest.AcceptLink(w, name, w.CreateLinkInvite("admin", c.link))
			servertest.Equal(t, fmt.Sprintf("scopes of the first token of %+v", c.link), []api.Scope{c.want}, made.TokenScopes)
			servertest.Equal(t, "end of the first token", api.At(w.Clock.Now().Add(90*day)), made.TokenExpiresAt)
			token := servertest.Do(w, name, api.ListTokens, api.ListTokensInput{}).Items[0]
			servertest.Equal(t, "scopes of the token", made.TokenScopes, token.Scopes)
			servertest.Equal(t, "least scopes", token.Scopes, leastScopes(w, made.ID, ""))
		}
		invite := servertest.InviteAs(w, "admin", "reading@elsewhere.example", api.RoleRead)
		servertest.Equal(t, "scopes of a reader", []api.Scope{api.ScopeRead},
			servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite)).TokenScopes)
	})
}

// leastScopes returns LeastScopes of a user.
func leastScopes(w *servertest.World, user, org string) []api.Scope {
	w.T.Helper()
	scopes, err := (&orgs.Service{Store: w.Store}).LeastScopes(w.T.Context(), user, org)
	w.Must(err)
	return scopes
}

// TestLeastScopesFollowRoles checks that the least scopes of a user consider grants, levels, teams and all organizations.
func TestLeastScopesFollowRoles(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		reader, other := w.Users["reader"].ID, servertest.NewOrganization(w, "Other", "reader")
		check := func(what, org string, want api.Scope) {
			t.Helper()
			servertest.Equal(t, "scopes of a reader "+what, []api.Scope{want}, leastScopes(w, reader, org))
		}
		space := w.NewSpace().ID
		check("", w.Org, api.ScopeRead)
		servertest.Grant(w, "reader", space, api.RoleEdit)
		check("with a grant", w.Org, api.ScopeWrite)
		servertest.Grant(w, "reader", space, api.RoleRead)
		check("with a grant to read", w.Org, api.ScopeRead)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: w.NewSpace().ID, Body: api.SpacePatch{DefaultLevel: api.Some(api.Level(api.RoleComment))},
		})
		check("with a space whose level is higher", w.Org, api.ScopeWrite)
		check("in another organization with a higher role", other, api.ScopeWrite)
		servertest.Equal(t, "scopes of an admin", []api.Scope{api.ScopeAdmin}, leastScopes(w, w.Users["admin"].ID, ""))
		servertest.Equal(t, "scopes of a stranger", []api.Scope{api.ScopeWrite}, leastScopes(w, w.Users["stranger"].ID, w.Org))
	})
}

// TestTokenOfReaderJoins checks that the first token of a reader accepts invites with the scope read, and that another token with that
// scope does not.
func TestTokenOfReaderJoins(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.AcceptLink(w, "newcomer", w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)}))
		other := servertest.NewOrganization(w, "Other")
		link := servertest.Do(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: other, Body: api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)},
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, servertest.AdminReading, api.AcceptInvite, servertest.AcceptLinkInput(link), http.StatusForbidden,
				api.ReasonForbidden)
		})
		servertest.Do(w, "newcomer", api.AcceptInvite, servertest.AcceptLinkInput(link))
		servertest.Equal(t, "status in the other organization", http.StatusOK, statusIn(w, "newcomer", other))
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "newcomer", api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: other, Body: api.OrganizationPatch{Title: api.Some("Mine")},
			}, http.StatusForbidden, api.ReasonForbidden)
		})
	})
}

// shownEnd returns the end of a token of the user of a token, as the user sees it.
func shownEnd(w *servertest.World, as, id string) api.Time {
	w.T.Helper()
	for _, token := range servertest.Do(w, as, api.ListTokens, api.ListTokensInput{}).Items {
		if token.ID == id {
			return token.ExpiresAt
		}
	}
	w.T.Fatalf("%s has no token %s", as, id)
	return api.Time{}
}

// TestFirstTokenEndsAfterDisuse checks that the token of an accepted invite ends 90 days after its last use, that lists show this
// end, that a rotation keeps it, and that tokens made with it end no later.
func TestFirstTokenEndsAfterDisuse(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		accept := func(name string) api.Accepted {
			return servertest.AcceptLink(w, name, w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)}))
		}
		made := accept("used")
		unused := accept("unused")
		id := servertest.Do(w, "used", api.ListTokens, api.ListTokensInput{}).Items[0].ID
		servertest.Equal(t, "the token is unused before its end", true, unused.TokenExpiresAt.After(w.Clock.Now()))
		w.Clock.Advance(60 * day)
		servertest.Equal(t, "the used token works", true, servertest.TokenWorks(w, "used"))
		want := api.At(w.Clock.Now().Truncate(time.Minute).Add(90*day + time.Minute))
		servertest.Equal(t, "end", want, shownEnd(w, "used", id))
		servertest.Equal(t, "end that admins see", want, memberTokensOf(w, made.ID)[0].ExpiresAt)
		listed := map[string]api.Time{}
		mine := operator.TokenFilter{User: made.ID}
		w.Must(operator.Service{Store: w.Store}.ListTokens(t.Context(), mine, func(page []operator.Token) error {
			for _, token := range page {
				listed[token.ID] = token.ExpiresAt
			}
			return nil
		}))
		servertest.Equal(t, "end that the operator sees", want, listed[id])
		w.Must(w.Store.Update(t.Context(), store.User(made.ID), txn.UpdateOptions{DryRun: true}, func(tx *store.Tx) error {
			d, err := tx.Token(made.ID, id)
			servertest.Equal(t, "end that the build before sees", made.TokenExpiresAt, d.Private.ExpiresAt)
			return err
		}))
		child := servertest.NewToken(w, "used", "child", api.TokenCreate{})
		servertest.Equal(t, "end of a child", want, child.ExpiresAt)
		servertest.Do(w, "used", api.CreateToken, api.CreateTokenInput{ // as the default of wsctl
			Body: api.TokenCreate{Name: "90 days", ExpiresAt: servertest.TimeAfter(w, 90*day)},
		})
		servertest.Refused(w, "used", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "longer", ExpiresAt: servertest.TimeAfter(w, 91*day)},
		}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		rotated := servertest.Do(w, "used", api.RotateToken, servertest.RotateInput(id, 0))
		w.Tokens["used"] = rotated.Token
		servertest.Equal(t, "end after the rotation", want, rotated.ExpiresAt)
		w.Clock.Advance(60 * day)
		servertest.Equal(t, "the unused token works", false, servertest.TokenWorks(w, "unused"))
		servertest.Equal(t, "the rotated token works", true, servertest.TokenWorks(w, "used"))
		servertest.Equal(t, "the child works", true, servertest.TokenWorks(w, "child"))
		w.Clock.Advance(60 * day)
		servertest.Equal(t, "the child works after its end", false, servertest.TokenWorks(w, "child"))
		servertest.Equal(t, "the used token works", true, servertest.TokenWorks(w, "used"))
		w.Clock.Advance(90*day + time.Minute)
		servertest.Equal(t, "the token works 90 days after its last use", false, servertest.TokenWorks(w, "used"))
		servertest.Equal(t, "tokens that the admins see", 0, len(memberTokensOf(w, made.ID)))
	})
}

// memberTokensOf returns the tokens of a member that work in the organization.
func memberTokensOf(w *servertest.World, user string) []api.MemberToken {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListMemberTokens, api.ListMemberTokensInput{
		MemberRef: api.MemberRef{Organization: w.Org, User: user},
	}).Items
}

// TestServerBoundsAgeOfTokens checks that tokens of people end at the maximum age of the server, with those that they made, and that
// those of service accounts and installations do not.
func TestServerBoundsAgeOfTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		start := w.Clock.Now()
		account := servertest.NewServiceAccount(w, "Bot", api.RoleRead)
		w.Tokens["bot"] = servertest.NewServiceToken(w, account.ID, api.ServiceAccountTokenCreate{
			Name: "bot", ExpiresAt: servertest.TimeAfter(w, 100*day),
		}).Token
		older := servertest.NewToken(w, "admin", "older", api.TokenCreate{})
		servertest.Equal(t, "end without a maximum age", api.Time{}, older.ExpiresAt)
		w.Serve(func(o *server.Options) { o.TokenMaxAge = 30 * day })
		w.Clock.Advance(10 * day)
		root := shownEnd(w, "admin", servertest.Do(w, "admin", api.ListTokens, api.ListTokensInput{}).Items[0].ID)
		if root.After(start.Add(30*day)) || root.IsZero() {
			t.Errorf("a root token ends at %s", root)
		}
		servertest.Equal(t, "end of a token without an end", root, servertest.NewToken(w, "admin", "child", api.TokenCreate{}).ExpiresAt)
		later := api.CreateTokenInput{Body: api.TokenCreate{Name: "later", ExpiresAt: servertest.TimeAfter(w, 25*day)}}
		w.WantUntouched(func() api.Error {
			refusal := servertest.Refused(w, "admin", api.CreateToken, later, http.StatusUnprocessableEntity, api.ReasonInvalid)
			if !strings.Contains(refusal.Message, "30 days") || refusal.Fields[0].Path != "expiresAt" {
				t.Errorf("%+v", refusal)
			}
			return refusal
		})
		made := servertest.AcceptLink(w, "newcomer", w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)}))
		servertest.Equal(t, "end of a first token", api.At(w.Clock.Now().Add(30*day)), made.TokenExpiresAt)
		w.Clock.Advance(20 * day)
		for _, as := range []string{"admin", "child", "older"} {
			refusal := servertest.Refused(w, as, api.GetUser, api.NoInput{}, http.StatusUnauthorized, api.ReasonUnauthenticated)
			if !strings.Contains(refusal.Message, "30 days") || !strings.Contains(refusal.Hint, "wsd token create") {
				t.Errorf("%s: %+v", as, refusal)
			}
		}
		w.Tokens["wrong"] = w.Tokens["admin"] + "x"
		wrong := servertest.Refused(w, "wrong", api.GetUser, api.NoInput{}, http.StatusUnauthorized, api.ReasonUnauthenticated)
		if strings.Contains(wrong.Message, "days") {
			t.Errorf("a wrong secret learns: %s", wrong.Message)
		}
		servertest.Equal(t, "the newcomer's token works", true, servertest.TokenWorks(w, "newcomer"))
		servertest.Equal(t, "the token of a service account works", true, servertest.TokenWorks(w, "bot"))
		w.Clock.Advance(10*day + time.Minute)
		servertest.Equal(t, "the newcomer's token works after 30 days of use", false, servertest.TokenWorks(w, "newcomer"))
	})
}

// newRootToken creates a token of a user that no other token made.
func newRootToken(w *servertest.World, user, name string) {
	w.T.Helper()
	_, text, err := orgs.Accounts{Store: w.Store}.CreateToken(w.T.Context(), w.Users[user].ID, orgs.TokenOptions{Name: name})
	w.Must(err)
	w.Tokens[name] = text
}

// setTokenMaxAge returns the input that sets the maximum age of tokens in the organization; 0 = none.
func setTokenMaxAge(w *servertest.World, days int) api.UpdateOrganizationInput {
	value := api.Some(days)
	if days == 0 {
		value = api.Null[int]()
	}
	return api.UpdateOrganizationInput{Organization: w.Org, Body: api.OrganizationPatch{TokenMaxAgeDays: value}}
}

// TestOrganizationBoundsAgeOfTokens checks that tokens of people that are older than an organization allows are refused in it only, with
// those that they made, and that setting the age does not refuse the token that sets it.
func TestOrganizationBoundsAgeOfTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := servertest.NewOrganization(w, "Other", "editor")
		account := servertest.NewServiceAccount(w, "Bot", api.RoleRead)
		w.Tokens["bot"] = servertest.NewServiceToken(w, account.ID, api.ServiceAccountTokenCreate{
			Name: "bot", ExpiresAt: servertest.TimeAfter(w, 100*day),
		}).Token
		w.Clock.Advance(10 * day)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateOrganization, setTokenMaxAge(w, 10), http.StatusConflict, api.ReasonState)
		})
		newRootToken(w, "admin", "fresh")
		set := servertest.Do(w, "fresh", api.UpdateOrganization, setTokenMaxAge(w, 10))
		servertest.Equal(t, "maximum age", 10, set.TokenMaxAgeDays)
		servertest.Equal(t, "changed members in the event", "tokenMaxAgeDays",
			strings.Join(changedMembers(w, "fresh", api.UpdateOrganization.Name), ","))
		servertest.NewToken(w, "editor", "child", api.TokenCreate{})
		for _, as := range []string{"editor", "child"} {
			refusal := servertest.Refused(w, as, api.GetOrganization, api.OrganizationRef{Organization: w.Org}, http.StatusForbidden,
				api.ReasonTokenTooOld)
			if !strings.Contains(refusal.Message, "10 days after") || !strings.Contains(refusal.Hint, "wsd token create") {
				t.Errorf("%s: %+v", as, refusal)
			}
			servertest.Equal(t, "status elsewhere", http.StatusOK, statusIn(w, as, other))
			for _, o := range servertest.Do(w, as, api.ListOrganizations, api.ListOrganizationsInput{}).Items {
				if o.ID == w.Org {
					t.Errorf("%s lists the organization", as)
				}
			}
		}
		servertest.Refused(w, "editor", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.Org)},
		}, http.StatusForbidden, api.ReasonTokenTooOld)
		listed := servertest.Do(w, "fresh", api.ListMemberTokens, api.ListMemberTokensInput{
			MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID},
		})
		servertest.Equal(t, "tokens of the editor that work", 0, len(listed.Items))
		servertest.Equal(t, "status of a service account", http.StatusOK, statusIn(w, "bot", w.Org))

		w.Clock.Advance(5 * day)
		want := api.At(w.Clock.Now().Add(5 * day))
		bound := servertest.NewToken(w, "fresh", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		servertest.Equal(t, "end of a bound token", want, bound.ExpiresAt)
		servertest.Refused(w, "fresh", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{
			Name: "longer", Organization: api.Some(w.Org), ExpiresAt: servertest.TimeAfter(w, 6*day),
		}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		w.Clock.Advance(5 * day)
		servertest.Refused(w, "fresh", api.UpdateOrganization, setTokenMaxAge(w, 0), http.StatusForbidden, api.ReasonTokenTooOld)
		newRootToken(w, "admin", "newer")
		servertest.Do(w, "newer", api.UpdateOrganization, setTokenMaxAge(w, 0))
		servertest.Equal(t, "status without a maximum age", http.StatusOK, statusIn(w, "editor", w.Org))
	})
}

// TestTooOldTokenCannotJoin checks that a token that is too old for an organization does not accept its invites.
func TestTooOldTokenCannotJoin(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Advance(10 * day)
		newRootToken(w, "admin", "fresh")
		servertest.Do(w, "fresh", api.UpdateOrganization, setTokenMaxAge(w, 5))
		link := w.CreateLinkInvite("fresh", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.Equal(t, "end of a link of a token that ends", api.At(w.Clock.Now().Add(5*day)), link.ExpiresAt)
		servertest.Refused(w, "stranger", api.AcceptInvite, servertest.AcceptLinkInput(link), http.StatusForbidden, api.ReasonTokenTooOld)
		newRootToken(w, "stranger", "new")
		servertest.Do(w, "new", api.AcceptInvite, servertest.AcceptLinkInput(link))
	})
}

// TestMaximumAgeIsRemovedAfterEarlierBuild checks that an admin removes a maximum age that a build which does not know it has removed from
// the record of the organization only.
func TestMaximumAgeIsRemovedAfterEarlierBuild(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Advance(10 * day)
		newRootToken(w, "admin", "fresh")
		servertest.Do(w, "fresh", api.UpdateOrganization, setTokenMaxAge(w, 5))
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(w.Org)
			if err != nil {
				return err
			}
			o.Fields.TokenMaxAgeDays = 0
			_, err = tx.PutOrganization(o)
			return err
		}))
		servertest.Equal(t, "status before", http.StatusForbidden, statusIn(w, "editor", w.Org))
		servertest.Do(w, "fresh", api.UpdateOrganization, setTokenMaxAge(w, 0))
		servertest.Equal(t, "status afterwards", http.StatusOK, statusIn(w, "editor", w.Org))
	})
}

// changedMembers returns the changed members of the last event of a kind in the organization.
func changedMembers(w *servertest.World, as, kind string) []string {
	w.T.Helper()
	events := servertest.Do(w, as, api.ListEvents, api.ListEventsInput{Organization: w.Org, EventFilter: api.EventFilter{Kind: kind}}).Items
	if len(events) == 0 {
		w.T.Fatalf("no event %s", kind)
	}
	return events[0].Changed
}
