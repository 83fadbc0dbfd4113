package orgs_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// TestAccountsCreate checks that an account of the operator is created once, with the role of the last call and a
// token for each call.
func TestAccountsCreate(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a := orgs.Accounts{Store: w.Store}
		options := orgs.AccountOptions{
			Email: "ada@corp.example", DisplayName: "Ada", Organization: "Acme", Role: api.RoleRead,
			Token: orgs.TokenOptions{Name: "first", Scopes: []api.Scope{api.ScopeRead}},
		}
		first, err := a.Create(t.Context(), options)
		w.Must(err)
		options.Role = api.RoleAdmin
		second, err := a.Create(t.Context(), options)
		w.Must(err)
		if !first.Created || second.Created || first.ID != second.ID || first.TokenID == second.TokenID {
			t.Errorf("first %+v, second %+v", first, second)
		}
		if first.Organization != w.Org || second.Organization != w.Org || first.DisplayName != "Ada" {
			t.Errorf("first %+v, second %+v", first, second)
		}
		w.Tokens["ada"] = first.Token
		member := servertest.Do(w, "ada", api.GetMember, api.MemberRef{Organization: w.Org, User: first.ID})
		servertest.Equal(t, "role", new(api.RoleAdmin), member.Role)
		options.Organization = ""
		if alone, err := a.Create(t.Context(), options); err != nil || alone.Organization != "" {
			t.Errorf("without an organization: %q %v", alone.Organization, err)
		}
	})
}

func TestAccountsCreateChecksOrganizationFirst(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		before := w.Dump()
		for name, options := range map[string]orgs.AccountOptions{
			"unknown organization":        {Email: "ada@corp.example", Organization: "Nowhere"},
			"second initial organization": {Email: "ada@corp.example", Organization: "Second", Initial: true},
		} {
			_, err := orgs.Accounts{Store: w.Store}.Create(t.Context(), options)
			if e, ok := api.AsError(err); !ok || options.Initial && (e.Reason != api.ReasonState || e.Hint == "") {
				t.Errorf("%s: %v", name, err)
			}
		}
		servertest.WantUnchanged(w, before, "a refused account")
	})
}
