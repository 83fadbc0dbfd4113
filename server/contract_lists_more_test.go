package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
)

// newcomer is a new member of the organization with a token, who goes by the id.
func newcomer(w *world, role api.Role) string {
	w.t.Helper()
	name := fmt.Sprintf("newcomer%d", len(w.users))
	user, err := orgs.Accounts{Store: w.store}.User(w.t.Context(), name+"@example.com", name)
	w.must(err)
	w.users[user.ID] = user
	w.tokens[user.ID] = w.token(user.ID)
	w.member(user.ID, role)
	return user.ID
}

// away deletes what a path names.
func away(w *world, path string) {
	w.t.Helper()
	if a := w.raw("admin", http.MethodDelete, path, nil); a.Status != http.StatusNoContent && a.Status != http.StatusResetContent {
		w.t.Errorf("DELETE %s: %d %s", path, a.Status, a.Body)
	}
}

// moreLists are those that lists has no room for.
func moreLists(w *world, s *sample, next func() string) map[string]listed {
	all := map[string]listed{}
	for _, some := range []map[string]listed{
		memberLists(w, s, next), organizationLists(w, s, next), integrationLists(w, s, next), grantLists(w, s),
		requestLists(w, s, next), revisionLists(w, s, next), linkLists(w, s, next), searchLists(w, s, next),
	} {
		maps.Copy(all, some)
	}
	return all
}

func memberLists(w *world, s *sample, next func() string) map[string]listed {
	org := "/v1/orgs/" + w.org
	one := org + "/members/" + w.users["reviewer"].ID
	members := func(query string) listed {
		return listed{
			path:   org + "/members" + query,
			make:   func() string { w.clock.Advance(time.Second); return newcomer(w, api.RoleEdit) },
			remove: func(id string) { away(w, org+"/members/"+id) },
		}
	}
	active := members("?sort=lastSeenAt")
	active.move = func(id string) {
		w.clock.Advance(time.Second)
		w.call(id, http.MethodPost, org+"/ping", nil, http.StatusOK)
	}
	active.make = func() string { id := members("").make(); active.move(id); return id }
	teams := func(path string) listed {
		return listed{
			path: path,
			make: func() string {
				members := []string{w.users["reviewer"].ID}
				return do(w, "admin", api.CreateTeam, api.CreateTeamInput{Organization: w.org, Body: api.TeamCreate{Title: next(), Members: members}}).ID
			},
			remove: func(id string) { away(w, org+"/teams/"+id) },
		}
	}
	team := org + "/teams/" + s.Team + "/members"
	return map[string]listed{
		"members": members(""), "members, oldest first": members("?order=asc"), "editors": members("?role=edit&search=newcomer"),
		"members by last visit": active,
		"spaces of a member":    {path: one + "/spaces", make: func() string { return w.space(next(), "", "") }, remove: func(id string) { away(w, "/v1/spaces/"+id) }},
		"teams of a member":     teams(one + "/teams"), "teams": teams(org + "/teams"), "teams by title": teams(org + "/teams?title=item"),
		"team members": {
			path: team,
			make: func() string {
				id := newcomer(w, api.RoleRead)
				w.call("admin", http.MethodPut, team+"/"+id, nil, http.StatusNoContent)
				return id
			},
			remove: func(id string) { away(w, team+"/"+id) },
		},
	}
}

func organizationLists(w *world, s *sample, next func() string) map[string]listed {
	org := "/v1/orgs/" + w.org
	invited := 0
	specs := org + "/openapi"
	return map[string]listed{
		"invites": {
			path: org + "/invites",
			make: func() string {
				invited++
				return w.invite(fmt.Sprintf("invited%d@elsewhere.example", invited), api.RoleRead).ID
			},
			remove: func(id string) { away(w, org+"/invites/"+id) },
		},
		"link invites": {
			path: org + "/link-invites",
			make: func() string {
				return w.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: s.Handbook}).ID
			},
			remove: func(id string) { away(w, org+"/link-invites/"+id) },
		},
		"SAML providers": {
			path: org + "/saml", few: 10,
			make:   func() string { return newSAMLProvider(w, api.SAMLProviderSettings{}).ID },
			remove: func(id string) { away(w, org+"/saml/"+id) },
		},
		"transfers": {
			path: org + "/transfers", few: 10,
			make: func() string { return w.givenAway(next()) },
		},
		"translations": {
			path:   org + "/translations",
			make:   func() string { return w.newTranslation().ID },
			remove: func(id string) { away(w, org+"/translations/"+id) },
		},
		"specifications": {
			path:   specs,
			make:   func() string { return newSpec(w, strings.ReplaceAll(strings.ToLower(next()), " ", "-"), petsText).ID },
			remove: func(id string) { away(w, specs+"/"+slugOf(w, id)) },
		},
		"versions of a specification": {
			path: specs + "/" + petsSlug + "/versions",
			make: func() string {
				w.clock.Advance(time.Second)
				putSpec(w, petsSlug, api.OpenAPISource{Text: strings.Replace(petsText, `"Pets"`, `"`+next()+`"`, 1)})
				return specRead(w, petsSlug).LastVersion
			},
		},
	}
}

// slugOf is the slug of a specification.
func slugOf(w *world, id string) string {
	w.t.Helper()
	for _, spec := range do(w, "admin", api.ListOpenAPISpecs, api.ListOpenAPISpecsInput{Organization: w.org}).Items {
		if spec.ID == id {
			return spec.Slug
		}
	}
	w.t.Fatalf("no specification is %s", id)
	return ""
}

func integrationLists(w *world, s *sample, next func() string) map[string]listed {
	installations := "/v1/integrations/" + s.Formatter + "/installations"
	open := w.linter("Formatter")
	open.Visibility = api.IntegrationPublic
	return map[string]listed{
		"integrations": {
			path: "/v1/integrations?search=item",
			make: func() string {
				title := next()
				return w.publish("acme."+strings.ToLower(title[5:])+"x", w.linter(title)).Name
			},
			remove: func(name string) { away(w, "/v1/integrations/"+name) },
		},
		"installations": {
			path: installations,
			make: func() string {
				open.Organization = w.org
				w.publish(s.Formatter, open)
				other := do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: next()}}).ID
				return do(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
					IntegrationRef: api.IntegrationRef{Integration: s.Formatter}, Body: api.InstallationCreate{Organization: other},
				}).ID
			},
			remove: func(id string) { away(w, installations+"/"+id) },
		},
	}
}

// grantLists are who may do what in a space, a collection and a site.
func grantLists(w *world, s *sample) map[string]listed {
	all := map[string]listed{}
	for kind, at := range map[string]struct{ id, path string }{
		"space":      {s.Handbook, "/v1/spaces/" + s.Handbook + "/permissions"},
		"collection": {s.Guides, "/v1/collections/" + s.Guides + "/permissions"},
		"site":       {s.Site, "/v1/orgs/" + w.org + "/sites/" + s.Site + "/permissions"},
	} {
		all["users of a "+kind] = listed{
			path: at.path + "/users",
			make: func() string {
				id := newcomer(w, api.RoleRead)
				give(w, at.id, api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{id}})
				return id
			},
			remove: func(id string) { away(w, at.path+"/users/"+id) },
		}
		all["teams of a "+kind] = listed{
			path: at.path + "/teams",
			make: func() string {
				id := w.newTeam().ID
				give(w, at.id, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{id}})
				return id
			},
			remove: func(id string) { away(w, at.path+"/teams/"+id) },
		}
		all["everybody in a "+kind] = listed{
			path: at.path + "/aggregate", make: func() string { return newcomer(w, api.RoleEdit) },
			remove: func(id string) { away(w, "/v1/orgs/"+w.org+"/members/"+id) },
		}
	}
	return all
}

func requestLists(w *world, s *sample, next func() string) map[string]listed {
	request := "/v1/spaces/" + s.Handbook + "/change-requests/" + s.Request.ID
	thread := request + "/comments/" + s.OnRequest.ID
	post := func(as, path string, body any) string {
		a := w.raw(as, http.MethodPost, path, body)
		if a.Status >= http.StatusMultipleChoices {
			w.t.Errorf("POST %s: %d %s", path, a.Status, a.Body)
		}
		var made struct{ ID string }
		decode(w, a, &made)
		return made.ID
	}
	said := map[string]string{} // by commenter
	commenters := func(place string) listed {
		return listed{
			path: place + "/commenters",
			make: func() string {
				id := newcomer(w, api.RoleComment)
				said[id] = post(id, place+"/comments", api.CommentCreate{Body: says(next())})
				return id
			},
			remove: func(id string) { away(w, place+"/comments/"+said[id]) },
		}
	}
	return map[string]listed{
		"comments of a request": {
			path:   request + "/comments",
			make:   func() string { return post("commenter", request+"/comments", api.CommentCreate{Body: says(next())}) },
			remove: func(id string) { away(w, request+"/comments/"+id) },
		},
		"replies of a request": {
			path:   thread + "/replies",
			make:   func() string { return post("commenter", thread+"/replies", api.ReplyCreate{Body: says(next())}) },
			remove: func(id string) { away(w, thread+"/replies/"+id) },
		},
		"commenters of a request": commenters(request), "commenters": commenters("/v1/spaces/" + s.Handbook),
		"contributors": {
			path: request + "/contributors",
			make: func() string {
				id := newcomer(w, api.RoleEdit)
				w.edit(id, s.Request, insert(next(), "", "x\n"))
				return id
			},
			move: func(id string) {
				w.clock.Advance(time.Second)
				w.edit(id, s.Request, insert(next(), "", "x\n"))
			},
		},
		"requested reviewers": {
			path: request + "/requested-reviewers",
			make: func() string {
				id := newcomer(w, api.RoleReview)
				w.call("editor", http.MethodPost, request+"/requested-reviewers", api.ReviewRequest{Users: []string{id}}, http.StatusOK)
				return id
			},
			remove: func(id string) { away(w, request+"/requested-reviewers/"+id) },
		},
		"reviews": {
			path: request + "/reviews",
			make: func() string {
				return post(newcomer(w, api.RoleReview), request+"/reviews", api.ReviewCreate{Status: api.ReviewApproved})
			},
		},
	}
}

func revisionLists(w *world, s *sample, next func() string) map[string]listed {
	space := "/v1/spaces/" + s.Handbook
	merged := func(change func() api.ContentChange) func() string {
		return func() string {
			r := w.request("creator", s.Handbook, next())
			w.edit("creator", r, change())
			return w.merged(ref(r)).Revision
		}
	}
	return map[string]listed{
		"revisions": {path: space + "/revisions", make: merged(func() api.ContentChange { return insert(next(), "", "x\n") })},
		"revisions of a request": {
			path: space + "/change-requests/" + s.Request.ID + "/revisions",
			make: func() string { return w.edit("editor", s.Request, insert(next(), "", "x\n")).ChangeRequest.Revision },
		},
		"revisions of a page": {
			path: space + "/content/page/" + s.Pages["Start"] + "/revisions",
			make: merged(func() api.ContentChange { return update(s.Pages["Start"], next()+"\n") }),
		},
	}
}

// Every row that answers a list is walked.
func TestWalksAreComplete(t *testing.T) {
	t.Parallel()
	walked := map[string]bool{}
	for _, l := range lists(&world{users: map[string]api.UserFields{}}, &sample{}, nil) {
		path, _, _ := strings.Cut(l.path, "?")
		walked[strings.Replace(path, "/"+petsSlug+"/", "//", 1)] = true
	}
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for _, row := range api.Rows() {
		if row.IsList() && !walked[parameter.ReplaceAllString(row.Path, "")] {
			t.Errorf("no list is %s (%s)", row.Name, row.Path)
		}
	}
}
