package rest_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// newDeletedOrganization creates and deletes an organization as the admin, and returns its id.
func newDeletedOrganization(w *servertest.World, title string) string {
	w.T.Helper()
	admin := w.Users["admin"].ID
	w.Must(orgs.Accounts{Store: w.Store}.SetLimits(w.T.Context(), store.User(admin), store.UserQuotaKey(admin),
		map[string]*int64{"organizations": new(int64(1000))}))
	made := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: title}})
	servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
		OrganizationRef: api.OrganizationRef{Organization: made.ID}, Title: title,
	})
	return made.ID
}

func deletePath(w *servertest.World, path string) {
	w.T.Helper()
	if a := w.Send("admin", http.MethodDelete, path, nil); a.Status != http.StatusNoContent && a.Status != http.StatusResetContent {
		w.T.Errorf("DELETE %s: %d %s", path, a.Status, a.Body)
	}
}

// moreLists returns further lists, see lists.
func moreLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	all := map[string]mutableList{}
	for _, some := range []map[string]mutableList{
		memberLists(w, s, next), organizationLists(w, s, next), integrationLists(w, s, next), grantLists(w, s),
		requestLists(w, s, next), revisionLists(w, s, next), linkLists(w, s, next), searchLists(w, s, next),
	} {
		maps.Copy(all, some)
	}
	return all
}

func memberLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	org := "/v1/orgs/" + w.Org
	one := org + "/members/" + w.Users["reviewer"].ID
	members := func(query string) mutableList {
		return mutableList{
			path:   org + "/members" + query,
			create: func() string { w.Clock.Advance(time.Second); return servertest.NewMember(w, api.RoleEdit) },
			remove: func(id string) { deletePath(w, org+"/members/"+id) },
		}
	}
	active := members("?sort=lastSeenAt")
	active.move = func(id string) {
		w.Clock.Advance(time.Second)
		w.Call(id, http.MethodPost, org+"/ping", nil, http.StatusOK)
	}
	active.create = func() string { id := members("").create(); active.move(id); return id }
	teams := func(path string) mutableList {
		return mutableList{
			path: path,
			create: func() string {
				members := []string{w.Users["reviewer"].ID}
				return servertest.Do(w, "admin", api.CreateTeam, api.CreateTeamInput{
					Organization: w.Org, Body: api.TeamCreate{Title: next(), Members: members},
				}).ID
			},
			remove: func(id string) { deletePath(w, org+"/teams/"+id) },
		}
	}
	team := org + "/teams/" + s.Team + "/members"
	serviceAccounts := mutableList{
		path:   org + "/service-accounts",
		create: func() string { return servertest.NewServiceAccount(w, next(), api.RoleRead).ID },
		remove: func(id string) { deletePath(w, org+"/service-accounts/"+id) },
	}
	return map[string]mutableList{
		"service accounts": serviceAccounts,
		"members":          members(""), "members, oldest first": members("?order=asc"), "editors": members("?role=edit&search=newcomer"),
		"members by last visit": active,
		"spaces of a member": {
			path: one + "/spaces", create: func() string {
				return w.CreateSpace(next(), "", "")
			}, remove: func(id string) { deletePath(w, "/v1/spaces/"+id) },
		},
		"teams of a member": teams(one + "/teams"), "teams": teams(org + "/teams"), "teams by title": teams(org + "/teams?title=item"),
		"team members": {
			path: team,
			create: func() string {
				id := servertest.NewMember(w, api.RoleRead)
				w.Call("admin", http.MethodPut, team+"/"+id, nil, http.StatusNoContent)
				return id
			},
			remove: func(id string) { deletePath(w, team+"/"+id) },
		},
	}
}

// changeDomains replaces the e-mail domains of the organization with the result of change.
func changeDomains(w *servertest.World, change func(all []string) []string) {
	w.T.Helper()
	all := []string{}
	for _, d := range servertest.EmailDomains(w, "admin", w.Org) {
		all = append(all, d.Domain)
	}
	servertest.UpdateOrganization(w, api.OrganizationPatch{EmailDomains: api.Some(change(all))})
}

func organizationLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	org := "/v1/orgs/" + w.Org
	invited := 0
	specs := org + "/openapi"
	return map[string]mutableList{
		"invites": {
			path: org + "/invites",
			create: func() string {
				invited++
				return w.CreateInvite(fmt.Sprintf("invited%d@elsewhere.example", invited), api.RoleRead).ID
			},
			remove: func(id string) { deletePath(w, org+"/invites/"+id) },
		},
		"e-mail domains": {
			path: org + "/email-domains", initial: 10,
			create: func() string {
				made := strings.ReplaceAll(strings.ToLower(next()), " ", "-") + ".example"
				changeDomains(w, func(all []string) []string { return append(all, made) })
				return made
			},
			remove: func(id string) {
				changeDomains(w, func(all []string) []string { return slices.DeleteFunc(all, func(d string) bool { return d == id }) })
			},
		},
		"link invites": {
			path: org + "/link-invites",
			create: func() string {
				return w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: s.Handbook}).ID
			},
			remove: func(id string) { deletePath(w, org+"/link-invites/"+id) },
		},
		"SAML providers": {
			path: org + "/saml", initial: 10,
			create: func() string { return servertest.NewSAMLProvider(w, api.SAMLProviderSettings{}).ID },
			remove: func(id string) { deletePath(w, org+"/saml/"+id) },
		},
		"OIDC providers": {
			path: org + "/oidc", initial: 10,
			create: func() string { return servertest.NewOIDCProvider(w, api.OIDCProviderSettings{}).ID },
			remove: func(id string) { deletePath(w, org+"/oidc/"+id) },
		},
		"identities": {
			path: org + "/identities", create: func() string { return servertest.NewIdentity(w, s.SAMLProvider, "editor", "") },
			remove: func(id string) { deletePath(w, org+"/identities/"+id) },
		},
		"linked identities": {
			path: org + "/identities?status=linked", create: func() string {
				servertest.NewIdentity(w, s.SAMLProvider, "editor", "")
				return servertest.NewIdentity(w, s.SAMLProvider, "editor", w.Users["editor"].ID)
			},
			remove: func(id string) { deletePath(w, org+"/identities/"+id) },
		},
		"identities of a member": {
			path: org + "/identities?user=" + w.Users["editor"].ID + "&provider=" + s.SAMLProvider,
			create: func() string {
				return servertest.NewIdentity(w, s.SAMLProvider, "editor", w.Users["editor"].ID)
			},
			remove: func(id string) { deletePath(w, org+"/identities/"+id) },
		},
		"transfers": {
			path: org + "/transfers", initial: 10,
			create: func() string { return w.NewTransfer(next()) },
		},
		"translations": {
			path:   org + "/translations",
			create: func() string { return w.NewTranslation().ID },
			remove: func(id string) { deletePath(w, org+"/translations/"+id) },
		},
		"specifications": {
			path: specs,
			create: func() string {
				return servertest.NewSpec(w, strings.ReplaceAll(strings.ToLower(next()), " ", "-"), servertest.PetsText).ID
			},
			remove: func(id string) { deletePath(w, specs+"/"+slugOf(w, id)) },
		},
		"versions of a specification": {
			path: specs + "/" + servertest.PetsSlug + "/versions",
			create: func() string {
				w.Clock.Advance(time.Second)
				servertest.PutSpec(w, servertest.PetsSlug, api.OpenAPISource{
					Text: strings.Replace(servertest.PetsText, `"Pets"`, `"`+next()+`"`, 1),
				})
				return servertest.ReadSpec(w, servertest.PetsSlug).LastVersion
			},
		},
	}
}

// slugOf returns the slug of a specification.
func slugOf(w *servertest.World, id string) string {
	w.T.Helper()
	for _, spec := range servertest.Do(w, "admin", api.ListOpenAPISpecs, api.ListOpenAPISpecsInput{Organization: w.Org}).Items {
		if spec.ID == id {
			return spec.Slug
		}
	}
	w.T.Fatalf("no specification is %s", id)
	return ""
}

func integrationLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	installations := "/v1/integrations/" + s.Formatter + "/installations"
	at := api.InstallationRef{IntegrationRef: api.IntegrationRef{Integration: s.Linter}, Installation: s.Installation}
	selected := "/v1/integrations/" + s.Linter + "/installations/" + s.Installation
	open := w.LinterIntegration("Formatter")
	open.Visibility = api.IntegrationPublic
	return map[string]mutableList{
		"integrations": {
			path: "/v1/integrations?search=item",
			create: func() string {
				title := next()
				return w.Publish("acme."+strings.ToLower(title[5:])+"x", w.LinterIntegration(title)).Name
			},
			remove: func(name string) { deletePath(w, "/v1/integrations/"+name) },
		},
		"installations": {
			path: installations,
			create: func() string {
				open.Organization = w.Org
				w.Publish(s.Formatter, open)
				other := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{
					Body: api.OrganizationCreate{Title: next()},
				}).ID
				return servertest.Do(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
					IntegrationRef: api.IntegrationRef{Integration: s.Formatter}, Body: api.InstallationCreate{Organization: other},
				}).ID
			},
			remove: func(id string) { deletePath(w, installations+"/"+id) },
		},
		"spaces of an installation": {
			path: selected + "/spaces",
			create: func() string {
				id := w.CreateSpace(next(), "", "")
				servertest.Do(w, "admin", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
					InstallationRef: at, Body: api.InstallationSpaceCreate{Space: id},
				})
				return id
			},
			remove: func(id string) { deletePath(w, selected+"/spaces/"+id) },
		},
		"sites of an installation": {
			path: selected + "/sites",
			create: func() string {
				id := servertest.NewSite(w, api.SiteUnlisted).Site
				servertest.Do(w, "admin", api.CreateInstallationSite, api.CreateInstallationSiteInput{
					InstallationRef: at, Body: api.InstallationSiteCreate{Site: id},
				})
				return id
			},
			remove: func(id string) { deletePath(w, selected+"/sites/"+id) },
		},
		"imports": {
			path: "/v1/org/" + w.Org + "/imports",
			create: func() string {
				return servertest.Do(w, "admin", api.CreateImportRun,
					api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
						Source: api.ImportRunSource{
							Type: api.RunOfWebsite, URL: servertest.ImportURL,
						}, Target: api.ImportRunTarget{Space: s.Notes},
					}}).ID
			},
		},
	}
}

// grantLists returns the lists of grants of a space, a collection and a site.
func grantLists(w *servertest.World, s *servertest.Sample) map[string]mutableList {
	all := map[string]mutableList{}
	for kind, at := range map[string]struct{ id, path string }{
		"space":      {s.Handbook, "/v1/spaces/" + s.Handbook + "/permissions"},
		"collection": {s.Guides, "/v1/collections/" + s.Guides + "/permissions"},
		"site":       {s.Site, "/v1/orgs/" + w.Org + "/sites/" + s.Site + "/permissions"},
	} {
		all["users of a "+kind] = mutableList{
			path: at.path + "/users",
			create: func() string {
				id := servertest.NewMember(w, api.RoleRead)
				servertest.GrantAccess(w, at.id, api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{id}})
				return id
			},
			remove: func(id string) { deletePath(w, at.path+"/users/"+id) },
		}
		all["teams of a "+kind] = mutableList{
			path: at.path + "/teams",
			create: func() string {
				id := w.NewTeam().ID
				servertest.GrantAccess(w, at.id, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{id}})
				return id
			},
			remove: func(id string) { deletePath(w, at.path+"/teams/"+id) },
		}
		all["everybody in a "+kind] = mutableList{
			path: at.path + "/aggregate", create: func() string { return servertest.NewMember(w, api.RoleEdit) },
			remove: func(id string) { deletePath(w, "/v1/orgs/"+w.Org+"/members/"+id) },
		}
	}
	return all
}

func requestLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	request := "/v1/spaces/" + s.Handbook + "/change-requests/" + s.Request.ID
	thread := request + "/comments/" + s.OnRequest.ID
	post := func(as, path string, body any) string {
		a := w.Send(as, http.MethodPost, path, body)
		if a.Status >= http.StatusMultipleChoices {
			w.T.Errorf("POST %s: %d %s", path, a.Status, a.Body)
		}
		var made struct{ ID string }
		servertest.Decode(w, a, &made)
		return made.ID
	}
	said := map[string]string{} // comment by commenter
	commenters := func(place string) mutableList {
		return mutableList{
			path: place + "/commenters",
			create: func() string {
				id := servertest.NewMember(w, api.RoleComment)
				said[id] = post(id, place+"/comments", api.CommentCreate{Body: servertest.CommentBody(next())})
				return id
			},
			remove: func(id string) { deletePath(w, place+"/comments/"+said[id]) },
		}
	}
	return map[string]mutableList{
		"comments of a request": {
			path: request + "/comments",
			create: func() string {
				return post("commenter", request+"/comments", api.CommentCreate{Body: servertest.CommentBody(next())})
			},
			remove: func(id string) { deletePath(w, request+"/comments/"+id) },
		},
		"replies of a request": {
			path: thread + "/replies",
			create: func() string {
				return post("commenter", thread+"/replies", api.ReplyCreate{Body: servertest.CommentBody(next())})
			},
			remove: func(id string) { deletePath(w, thread+"/replies/"+id) },
		},
		"commenters of a request": commenters(request), "commenters": commenters("/v1/spaces/" + s.Handbook),
		"contributors": {
			path: request + "/contributors",
			create: func() string {
				id := servertest.NewMember(w, api.RoleEdit)
				w.Edit(id, s.Request, servertest.Insert(next(), "", "x\n"))
				return id
			},
			move: func(id string) {
				w.Clock.Advance(time.Second)
				w.Edit(id, s.Request, servertest.Insert(next(), "", "x\n"))
			},
		},
		"requested reviewers": {
			path: request + "/requested-reviewers",
			create: func() string {
				id := servertest.NewMember(w, api.RoleReview)
				w.Call("editor", http.MethodPost, request+"/requested-reviewers", api.ReviewRequest{Users: []string{id}}, http.StatusOK)
				return id
			},
			remove: func(id string) { deletePath(w, request+"/requested-reviewers/"+id) },
		},
		"reviews": {
			path: request + "/reviews",
			create: func() string {
				return post(servertest.NewMember(w, api.RoleReview), request+"/reviews", api.ReviewCreate{Status: api.ReviewApproved})
			},
		},
	}
}

func revisionLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	space := "/v1/spaces/" + s.Handbook
	merged := func(change func() api.ContentChange) func() string {
		return func() string {
			r := w.CreateRequest("creator", s.Handbook, next())
			w.Edit("creator", r, change())
			return w.MustMerge(servertest.Ref(r)).Revision
		}
	}
	return map[string]mutableList{
		"sources": {
			path: space + "/sources",
			create: func() string {
				name := next()
				merged(func() api.ContentChange {
					page := servertest.Insert(name, "", "x\n")
					page.SourceName, page.Path = name, "x.md"
					return page
				})()
				for _, source := range servertest.Do(w, "editor", api.ListSources, api.ListSourcesInput{
					Space: s.Handbook, ListOptions: api.ListOptions{Limit: api.Some(1000)},
				}).Items {
					if source.Name == name {
						return source.ID
					}
				}
				return ""
			},
		},
		"revisions": {path: space + "/revisions", create: merged(func() api.ContentChange { return servertest.Insert(next(), "", "x\n") })},
		"revisions of a request": {
			path: space + "/change-requests/" + s.Request.ID + "/revisions",
			create: func() string {
				return w.Edit("editor", s.Request, servertest.Insert(next(), "", "x\n")).ChangeRequest.Revision
			},
		},
		"revisions of a page": {
			path:   space + "/content/page/" + s.Pages["Start"] + "/revisions",
			create: merged(func() api.ContentChange { return servertest.Update(s.Pages["Start"], next()+"\n") }),
		},
	}
}

// TestIterationTestsAreComplete checks that lists contains every row that returns a list, except for logs, which package events tests.
func TestIterationTestsAreComplete(t *testing.T) {
	t.Parallel()
	walked := map[string]bool{}
	for _, l := range lists(&servertest.World{Users: map[string]api.UserFields{}}, &servertest.Sample{}, nil) {
		path, _, _ := strings.Cut(l.path, "?")
		walked[strings.Replace(path, "/"+servertest.PetsSlug+"/", "//", 1)] = true
	}
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for _, row := range api.Rows() {
		if row.Name == api.SearchSite.Name || row.Name == api.ListRevisionFiles.Name {
			continue // the search of a site is part of the organization's, which is tested; nothing is added to a revision
		}
		if row.IsCounted() && !walked[parameter.ReplaceAllString(row.Path, "")] {
			t.Errorf("no list is %s (%s)", row.Name, row.Path)
		}
	}
}
