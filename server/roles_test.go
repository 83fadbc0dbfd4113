package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

//wsd:serial
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		at := createMatrixObjects(w, "acme")
		for _, p := range matrix {
			for who, has := range rolesByUser {
				checkPermission(w, t, p, at, who, contains(has, p.role))
			}
			servertest.Equal(t, p.method+" "+p.path+" without a token", p.statusWithoutToken(), sendRequest(w, "", p, at).Status)
			want := http.StatusForbidden
			if !p.writes() && p.role != "admin" && !strings.Contains(p.path, "/publishing/") {
				want = http.StatusOK
			}
			servertest.Equal(t, p.method+" "+p.path+" with a token for reading", want,
				sendRequest(w, servertest.AdminReading, p, at).Status)
		}
	})
}

// writes reports whether the request writes. A search does not, whatever its method.
func (p permission) writes() bool {
	return p.method != http.MethodGet && !strings.HasSuffix(p.path, "/search") && !strings.HasSuffix(p.path, "/names")
}

// statusWithoutToken returns the status of the request without a token.
func (p permission) statusWithoutToken() int {
	if p.role == anyone {
		return http.StatusOK
	}
	return http.StatusUnauthorized
}

func contains(list []string, wanted string) bool {
	return strings.Contains("\x00"+strings.Join(list, "\x00")+"\x00", "\x00"+wanted+"\x00")
}

// checkPermission compares one response with the matrix: a success, a 403 for those who may see the object, or exactly
// the response for an absent object.
func checkPermission(w *servertest.World, t *testing.T, p permission, at ids, who string, may bool) {
	t.Helper()
	a := sendRequest(w, who, p, at)
	sees := contains(rolesByUser[who], "read") && !strings.Contains(p.path, "{trashed") && !strings.Contains(p.path, "{gone}") ||
		contains(rolesByUser[who], member) && (strings.HasPrefix(p.path, "/users/") || strings.HasPrefix(p.path, "/orgs/") &&
			!strings.Contains(p.path, "{site}") && !strings.Contains(p.path, "{mixedSite}") && !strings.Contains(p.path, "{gone}") &&
			!strings.Contains(p.path, "{spaceInvite}") ||
			p.method == http.MethodPost && p.path == "/integrations/{integration}")
	switch {
	case may && a.Status >= 300:
		t.Errorf("%s %s as %s: %d %s, want a success", p.method, p.path, who, a.Status, a.Body)
	case !may && sees && a.Status != http.StatusForbidden:
		t.Errorf("%s %s as %s: %d %s, want 403", p.method, p.path, who, a.Status, a.Body)
	case !may && !sees:
		if absent := sendRequest(w, who, p, at.absentIDs()); a.Status != http.StatusNotFound || errorBody(a) != errorBody(absent) {
			t.Errorf("%s %s as %s: %d %s, a missing one answers %d %s", p.method, p.path, who, a.Status, errorBody(a), absent.Status,
				errorBody(absent))
		}
	}
}

// errorBody returns the body of an error without the request id.
func errorBody(a servertest.Response) string {
	e := a.Error()
	e.RequestID = ""
	data, _ := json.Marshal(e)
	return string(data)
}

// absentIDs returns ids of the same form that do not exist.
func (at ids) absentIDs() ids {
	for _, id := range []*string{&at.org, &at.collection, &at.space, &at.trashed, &at.site} {
		*id = servertest.AbsentID(*id)
	}
	at.extra = maps.Clone(at.extra)
	for name, id := range at.extra {
		at.extra[name] = servertest.AbsentID(id)
	}
	return at
}

// sendRequest sends the request of a line of the matrix.
func sendRequest(w *servertest.World, as string, p permission, at ids) servertest.Response {
	w.T.Helper()
	named := strings.NewReplacer("{org}", at.org, "{other}", at.other, "{collection}", at.collection, "{space}", at.space,
		"{trashed}", at.trashed,
		"{request}", at.request, "{page}", at.page, "{file}", at.file, "{comment}", at.comment, "{reply}", at.reply, "{reviewer}",
		at.reviewer, "{translation}", at.translation, "{spec}", at.spec, "{version}", at.version,
		"{reusable}", at.reusable,
		"{site}", at.site, "{section}", at.section, "{group}", at.group, "{siteSpace}", at.siteSpace, "{link}", at.link)
	path := "/v1" + at.expandNames(named.Replace(p.path))
	if p.writes() {
		path = servertest.WithQuery(path, "dryRun=true")
	}
	if p.body == "" {
		return w.Send(as, p.method, path, nil)
	}
	return w.Send(as, p.method, path, []byte(at.expandNames(named.Replace(p.body))))
}

// expandNames replaces the names of ids in text.
func (at ids) expandNames(text string) string {
	for name, id := range at.extra {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// createMatrixObjects creates one object of every kind as the admin. Their names in the world begin with name.
func createMatrixObjects(w *servertest.World, name string) ids {
	w.T.Helper()
	w.Web["https://example.com/a.md"] = "# A\n"
	w.NewSpaceIn("Before", "") // so that a collection and a space can be moved after their siblings
	at := ids{
		org: w.Org, other: servertest.NewOrganization(w, "Another "+name, "creator", "reviewer", "editor", "commenter", "reader",
			"guest"), collection: w.NewCollection("Books", "").ID, reviewer: w.Users["reviewer"].ID,
	}
	at.space = w.NewSpaceIn("Docs", at.collection).ID
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: at.space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)},
	})
	at.trashed = w.NewSpaceIn("Old", "").ID
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: at.trashed})
	empty := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: at.space}).Revision
	first := w.NewRequest("admin", at.space)
	made := w.Change(first, servertest.NewPage("Page", "x\n"), api.ContentChange{
		Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "f", ContentType: "text/plain", Base64: "aGk="}},
	}, servertest.InsertReusable("Note", "z\n"))
	at.reusable = made.Changes[1].ReusableContent.ID
	at.page, at.file = made.Changes[0].Page.ID, made.InsertedFiles[0].File.ID
	w.MustMerge(first)
	second := w.NewRequest("admin", at.space)
	at.request = second.ChangeRequest
	other := w.InsertPage(second, servertest.NewPage("Other", "y\n"))
	suggestion := servertest.Do(w, "admin", api.CreateChangeRequestComment,
		api.CreateChangeRequestCommentInput{ChangeRequestRef: second, Body: api.CommentCreate{
			Page: other, Node: w.DraftPage(second, other).Blocks[0].ID, Suggestion: &api.SuggestionCreate{Markdown: "z"},
			Body: servertest.CommentBody("z"),
		}})
	servertest.Do(w, "admin", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: second, Body: api.ReviewRequest{Users: []string{at.reviewer}},
	})
	review := servertest.Do(w, "admin", api.CreateChangeRequestReview, api.CreateReviewInput{
		ChangeRequestRef: second, Body: api.ReviewCreate{Status: api.ReviewApproved},
	})
	comment := servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{
		Space: at.space, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
	})
	at.comment = comment.ID
	at.reply = servertest.Do(w, "admin", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: at.space, Comment: at.comment}, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
	}).ID
	at.translation = w.NewTranslation("de").ID
	w.TrustDomains("admin", w.Org, "example.com", name+".community") // public
	servertest.UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some(name + "-docs")})
	invite := w.CreateInvite("newcomer@elsewhere.example", api.RoleEdit)
	link, spaceLink := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleEdit)}), w.CreateLinkInvite("admin",
		api.LinkInviteCreate{Level: api.RoleEdit, Space: at.space})
	at.extra = map[string]string{
		"event":  servertest.OldestEvent(w),
		"first":  empty,
		"invite": invite.ID, "secret": invite.Secret, "linkInvite": link.ID, "spaceInvite": spaceLink.ID, "linkSecret": link.Secret,
		"integration": w.Publish(name+".linter", w.LinterIntegration("Linter")).Name, "another": w.Publish(name+".formatter",
			w.LinterIntegration("Formatter")).Name,
		"installation": w.Install(name + ".linter"), "team": w.NewTeam("reviewer").ID, "domain": "example.com", "owned": name +
			".community", "self": at.reviewer, "subdomain": name + "-docs", "commenter": w.Users["commenter"].ID,
		"oidcProvider": servertest.NewOIDCProvider(w, servertest.OIDCSettings()).ID,
		"provider":     servertest.NewActiveSAMLProvider(w).ID, "review": review.ID, "suggestion": suggestion.ID,
		"suggestedOn": suggestion.Target.Revision, "submission": "drafts", "verdict": "verdict",
		"revision": servertest.Do(w, "admin", api.GetChangeRequest, second).Revision,
		"token":    servertest.NewToken(w, "reviewer", "of "+name, api.TokenCreate{Organization: api.Some(w.Org)}).ID,
		"document": servertest.Do(w, "admin", api.GetContentPage, api.PageInput{Space: at.space, Page: at.page}).DocumentID,
	}
	at.extra["identity"] = servertest.NewIdentity(w, at.extra["provider"], "editor", "")
	createMatrixTrash(w, &at)
	createMatrixTransfers(w, &at)
	at.spec = name + "-pets"
	at.version = servertest.NewSpec(w, at.spec, servertest.PetsText).LastVersion
	w.NewCollection("Last", "")
	createMatrixSite(w, &at)
	createMixedSite(w, &at)
	w.RestrictInstallation(at.extra["integration"], at.extra["installation"], at.space, at.site)
	at.extra["service"] = servertest.NewServiceAccount(w, "Bot", api.RoleRead).ID
	at.extra["integrationEvent"] = servertest.InstallationEvent(w, at.extra["integration"])
	at.extra["run"] = servertest.Do(w, "admin", api.CreateImportRun,
		api.CreateImportRunInput{Organization: w.Org, Body: api.ImportRunCreate{
			Source: api.ImportRunSource{Type: api.RunOfWebsite, URL: "https://example.com/"}, Target: api.ImportRunTarget{Space: at.space},
		}}).ID
	for _, content := range []string{at.collection, at.space} {
		servertest.GrantAccess(w, content, api.PermissionCreate{
			Role: new(api.RoleComment), Users: []string{at.extra["commenter"]}, Teams: []string{at.extra["team"]},
		})
	}
	servertest.GrantAccess(w, at.site, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{at.extra["commenter"]}})
	servertest.GrantAccess(w, at.site, api.PermissionCreate{Role: new(api.RoleReview), Teams: []string{at.extra["team"]}})
	return at
}

// createMatrixTrash creates an organization to delete, a deleted one, and a deleted collection.
func createMatrixTrash(w *servertest.World, at *ids) {
	w.T.Helper()
	for name, title := range map[string]string{"spare": "Spare", "gone": "Gone"} {
		id := servertest.NewOrganization(w, title)
		for who, role := range servertest.People {
			w.Must(orgs.Accounts{Store: w.Store}.SetMember(w.T.Context(), id, w.Users[who], role))
		}
		at.extra[name] = id
	}
	servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
		OrganizationRef: api.OrganizationRef{Organization: at.extra["gone"]}, Title: "Gone",
	})
	at.extra["trashedCollection"] = w.NewCollection("Old books", "").ID
	servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: at.extra["trashedCollection"]})
}

// createMatrixTransfers creates a transfer out of the organization, and one into it with a pending revocation.
func createMatrixTransfers(w *servertest.World, at *ids) {
	w.T.Helper()
	given, taken := w.NewSpaceIn("Given", "").ID, w.NewSpaceIn("Taken", "").ID
	for _, space := range []string{given, taken} {
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: at.other}})
	}
	servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: taken, Body: api.Transfer{Organization: w.Org}})
	for _, made := range servertest.Do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: w.Org}).Items {
		switch {
		case made.Space == given:
			at.extra["given"] = made.ID
		case made.Direction == api.TransferIn:
			at.extra["taken"] = made.ID
			servertest.Do(w, "admin", api.AskTransfer, api.TransferRef{Organization: at.other, Transfer: made.ID})
		}
	}
}

// createMatrixSite creates a site without visitors, with two objects of each kind that can be moved or must not be the
// last.
func createMatrixSite(w *servertest.World, at *ids) {
	w.T.Helper()
	first, second := w.NewSpaceIn("First", "").ID, w.NewSpaceIn("Second", "").ID
	at.site = servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
		Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{first, second}},
	}).ID
	site := api.SiteRef{Organization: w.Org, Site: at.site}
	servertest.Do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: first}})
	made := servertest.Do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
	at.section, at.siteSpace = made.ID, made.SiteSpaces[0].ID
	at.group = servertest.Do(w, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: "x"},
	}).ID
	at.link = servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}).ID
	w.EnableAdaptive(site)
}

// createMixedSite creates a site for authenticated visitors that shows a space under a condition. Only admins can read the
// space.
func createMixedSite(w *servertest.World, at *ids) {
	w.T.Helper()
	open, hidden := w.NewSpaceIn("Open", "").ID, w.NewSpaceIn("Hidden", "").ID
	w.Hide(hidden)
	site := api.SiteRef{Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
		Organization: w.Org, Body: api.SiteCreate{Visibility: api.SiteVisitorAuth, Spaces: api.SpaceSelection{open, hidden}},
	}).ID}
	servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
	shown := servertest.Do(w, "admin", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items
	servertest.Do(w, "admin", api.UpdateSiteSpace, api.UpdateSiteSpaceInput{
		SiteSpaceRef: api.SiteSpaceRef{SiteRef: site, SiteSpace: shown[1].ID},
		Body:         api.SiteSpacePatch{Condition: api.Some(`visitor.claims.plan == "pro"`)},
	})
	at.extra["mixedSite"], at.extra["hiddenSiteSpace"] = site.Site, shown[1].ID
	at.extra["mixedLink"] = servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}).ID
}

// TestRoleMatrixIsComplete checks that the matrix contains every operation except those on the caller's own tokens.
func TestRoleMatrixIsComplete(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, p := range matrix {
		path, _, _ := strings.Cut(p.path, "?")
		have[p.method+" "+withoutParamNames("/v1"+path)] = true
	}
	for _, row := range api.Rows() {
		path := strings.Replace(row.Path, "/change-requests/{changeRequestId}/comments", "/comments", 1)
		if key := row.Method + " " + withoutParamNames(path); !have[key] && row.Name != api.DeleteToken.Name &&
			row.Name != api.RotateToken.Name {
			t.Errorf("%s (%s) is not in the matrix", row.Name, key)
		}
	}
}

// withoutParamNames returns a path without the names of its parameters.
func withoutParamNames(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") || i > 0 && (segments[i-1] == "path" || segments[i-1] == "languages") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
