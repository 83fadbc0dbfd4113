package tuitest

import (
	"context"

	"docspace.dev/wsd/client/api"
)

func (f client) Sites(ctx context.Context, _ string) ([]api.Site, error) {
	docs := api.Site{
		SiteFields: api.SiteFields{
			ID: "site_1", Title: "Handbook", Published: true,
		}, URLs: api.SiteURLs{Published: "https://docs.tidemark.example"},
	}
	status := api.Site{SiteFields: api.SiteFields{ID: "site_2", Title: "Status"}}
	if f.Empty {
		return nil, f.recordCall(ctx, "sites")
	}
	return []api.Site{docs, status}, f.recordCall(ctx, "sites")
}

func (f client) Members(ctx context.Context, _ string) ([]api.Member, error) {
	return []api.Member{
		{User: NewUser("u_7", "Ruth")}, {
			User: NewUser("u_2", "Grace"), Role: new(api.RoleAdmin),
		}, {User: NewUser("u_3", "Lin"), Role: new(api.RoleReview)},
	}, f.recordCall(ctx, "members")
}

// Permitted returns the permissions of the members; Ruth can only read.
func (f client) Permitted(ctx context.Context, _ string) ([]api.UserPermission, error) {
	if len(f.PermittedUsers) > 0 {
		var all []api.UserPermission
		for _, u := range f.PermittedUsers {
			all = append(all, api.UserPermission{User: u, Permission: api.RoleReview})
		}
		return all, f.recordCall(ctx, "permitted")
	}
	return []api.UserPermission{
		{
			User: NewUser("u_7", "Ruth"), Permission: api.RoleRead,
		}, {User: NewUser("u_2", "Grace"), Permission: api.RoleAdmin}, {User: NewUser("u_3", "Lin"), Permission: api.RoleComment},
	}, f.recordCall(ctx, "permitted")
}

func (f client) User(ctx context.Context) (api.User, error) {
	return NewUser("u_1", "Ada"), f.recordCall(ctx, "user")
}

func (f client) Organizations(ctx context.Context) ([]api.Organization, error) {
	two := []api.Organization{
		{OrganizationFields: api.OrganizationFields{ID: "o_1", Title: "Tidemark Instruments"}},
		{OrganizationFields: api.OrganizationFields{ID: "o_2", Title: "Other\x1b]0;title\x07 people"}},
	}
	switch {
	case f.Empty:
		two = nil
	case f.OneOrganization:
		two = two[:1]
	}
	return two, f.recordCall(ctx, "organizations")
}

func (f client) Collections(ctx context.Context, _ string) ([]api.Collection, error) {
	all := []api.Collection{
		{CollectionFields: api.CollectionFields{ID: "l_1", Title: "Customers"}},
		{CollectionFields: api.CollectionFields{ID: "l_2", Title: "Inside", Parent: "l_1"}},
	}
	if f.Empty {
		all = nil
	}
	return all, f.recordCall(ctx, "collections")
}

func (f client) Spaces(ctx context.Context, _ string) ([]api.Space, error) {
	all := []api.Space{
		{
			SpaceFields: api.SpaceFields{
				ID: "s_1", Title: "Skylark Handbook", Emoji: "🌦️", Parent: "l_1",
			}, ChangeRequestsOpen: 1, Comments: 2,
		},
		{SpaceFields: api.SpaceFields{ID: "s_2", Title: "操作手册", Emoji: "🛠️", Parent: "l_2"}},
		{SpaceFields: api.SpaceFields{ID: "s_3", Title: "Team Guide", Emoji: "📘"}, ChangeRequestsDraft: 3},
	}
	if f.Empty {
		all = nil
	}
	return all, f.recordCall(ctx, "spaces")
}

func (f client) Space(ctx context.Context, id string) (api.Space, error) {
	return api.Space{SpaceFields: api.SpaceFields{ID: id, Title: "Skylark Handbook", Organization: "o_1"}}, f.recordCall(ctx, "space")
}
