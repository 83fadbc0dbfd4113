package server_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// addObjects adds the objects that the fields need to the sample. It returns them by their names in testdata/fields.txt.
func (w *fieldWorld) addObjects() map[string]string {
	w.T.Helper()
	s := w.sample
	names := map[string]string{
		"Org": w.Org, "Other": s.Other, "Pixel": servertest.OnePixel, "Secret": s.Invite.Secret, "Team": s.Team, "Site": s.Site,
		"Group":   s.Group,
		"Section": s.Section, "OtherSection": s.OtherSection, "SiteSpace": s.SiteSpace, "OtherSiteSpace": s.OtherSiteSpace,
		"Guides": s.Guides, "Nested": s.Nested, "Handbook": s.Handbook, "Notes": s.Notes, "Plain": s.Plain, "Unshown": s.Unshown,
		"SAMLProvider": s.SAMLProvider, "OIDCProvider": s.OIDCProvider,
		"File": s.File, "RequestFile": s.RequestFile, "RequestPage": s.RequestPage, "ReusableContent": s.ReusableContent,
		"Request": s.Request.ID, "FirstRevision": s.Merged.RevisionInitial, "RequestRevision": s.Request.Revision,
		"RequestBase": s.Request.RevisionInitial, "OnRequest": s.OnRequest.ID, "MergedRevision": servertest.Do(w.World, "admin",
			api.GetChangeRequest, servertest.Ref(s.Merged)).RevisionMerged,
	}
	maps.Copy(names, s.Pages)
	for name, user := range w.Users {
		names["User"+name] = user.ID
	}
	w.addContent(names)
	w.addSites(names)
	names["Spare"] = servertest.Do(w.World, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: "Spare"},
	}).ID
	names["OrgLink"] = w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)}).ID
	certificate, _ := servertest.ActiveSAMLSettings(w.World).Certificate.Get()
	names["Certificate"] = strings.ReplaceAll(string(certificate), "\n", "\\n")
	names["Fourth"] = servertest.Do(w.World, "admin", api.CreateOrganization, api.CreateOrganizationInput{
		Body: api.OrganizationCreate{Title: "Fourth"},
	}).ID
	names["NextMonth"] = api.At(w.Clock.Now().AddDate(0, 1, 0)).String()
	names["SpareTeam"] = w.NewTeam("editor").ID
	names["OtherSecret"] = w.CreateInvite("second@elsewhere.example", api.RoleEdit).Secret
	servertest.Do(w.World, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: servertest.Ref(w.CreateRequest("editor", s.Handbook, "Later")), Body: api.ChangeRequestPatch{
			Status: api.Some(api.StatusOpen),
		},
	})
	w.addReactions()
	w.Clock.Advance(time.Minute)
	servertest.Do(w.World, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: servertest.Ref(s.Request), Body: api.ChangeRequestPatch{Subject: api.Some("Much better usage")},
	})
	return names
}

// addContent adds pages with variables, links and computed pages, comments, and a conflicting change request.
func (w *fieldWorld) addContent(names map[string]string) {
	w.T.Helper()
	s := w.sample
	w.Web["https://elsewhere.example.com/another.md"] = "# Another\n"
	w.Web["https://elsewhere.example.com/page.html"] = "<html><head><title>T</title></head><body><nav><a " +
		"href=\"/other.html\">T</a></nav><main><h1>T</h1><p><a href=\"/other.html\">x</a></p></main></body></html>"
	w.Web["https://elsewhere.example.com/other.html"] = "<html><body><main><h1>O</h1><p>x</p></main></body></html>"
	w.Web["https://elsewhere.example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
	servertest.NewSpec(w.World, "fish", servertest.PetsText)
	forSites := w.LinterIntegration("For sites")
	forSites.Target = api.TargetSite
	forSites.Configurations = api.IntegrationConfigurations{Account: &api.IntegrationConfiguration{
		Properties: map[string]api.IntegrationProperty{"a": {Type: api.PropertyString}},
	}}
	w.Publish("acme.sites", forSites)
	names["SitesInstallation"] = w.Install("acme.sites")
	anywhere := w.LinterIntegration("Anywhere")
	anywhere.Configurations = api.IntegrationConfigurations{Space: forSites.Configurations.Account, Site: forSites.Configurations.Account}
	w.Publish("acme.anywhere", anywhere)
	names["AnywhereInstallation"] = w.Install("acme.anywhere")
	conflicting := w.CreateRequest("editor", s.Handbook, "Against it")
	w.Edit("editor", conflicting, servertest.Update(s.Pages["Mac"], "# Mac\n\nUse theirs.\n"))
	first := w.CreateRequest("creator", s.Handbook, "More")
	pages := []api.ContentChange{
		servertest.Insert("Vars", "",
			"About {{ space.vars.product }}: [gone](/pages/gone), [web](https://example.com), [usage](usage).\n\n{% include \"reusable:"+
				s.ReusableContent+"\" %}\n"), servertest.InsertComputedPage("API", servertest.PetsSlug),
	}
	made := w.Edit("creator", first, append(slices.Clip(pages), servertest.Update(s.Pages["Mac"], "# Mac\n\nUse ours.\n"))...)
	w.Merge("reviewer", first)
	names["Vars"], names["Computed"] = made.Changes[0].Page.ID, made.Changes[1].Page.ID
	conflict := servertest.Do(w.World, "editor", api.PullChangeRequest, api.PullInput{
		ChangeRequestRef: servertest.Ref(conflicting),
	}).Conflicts[0]
	names["Conflicting"], names["Conflict"] = conflicting.ID, conflict.ID
	made = w.Edit("editor", s.Request, append(slices.Clip(pages), servertest.InsertReusable("Another", "x\n"))...)
	names["RequestVars"], names["RequestComputed"], names["RequestReusable"] = made.Changes[0].Page.ID, made.Changes[1].Page.ID,
		made.Changes[2].ReusableContent.ID
	names["RequestHead"] = made.ChangeRequest.Revision
	blocks := func(page string) []api.Block {
		return servertest.Do(w.World, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
			ChangeRequestRef: servertest.Ref(s.Request), Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		}).Blocks
	}
	names["RequestBlock"] = blocks(s.RequestPage)[1].ID
	names["OtherUsageBlock"], names["Block"], names["RequestUsageBlock"] = blocks(s.Pages["Usage"])[0].ID, blocks(s.Pages["Usage"])[1].ID,
		blocks(s.Pages["Usage"])[2].ID

	thread := servertest.Do(w.World, "admin", api.CreateComment, api.CreateCommentInput{
		Space: s.Handbook, Body: api.CommentCreate{Body: servertest.CommentBody("Done.")},
	})
	servertest.Do(w.World, "admin", api.UpdateComment, api.UpdateCommentInput{
		CommentRef: api.CommentRef{Space: s.Handbook, Comment: thread.ID}, Body: api.CommentUpdate{Resolved: api.Some(true)},
	})
	servertest.Do(w.World, "admin", api.CreateComment, api.CreateCommentInput{
		Space: s.Handbook, Body: api.CommentCreate{Body: servertest.CommentBody("Third.")},
	})
	for range 2 {
		thread = servertest.Do(w.World, "admin", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: servertest.Ref(s.Request), Body: api.CommentCreate{Body: servertest.CommentBody("More.")},
		})
	}
	servertest.Do(w.World, "admin", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{
			ChangeRequestRef: servertest.Ref(s.Request), Comment: thread.ID,
		}, Body: api.CommentUpdate{Resolved: api.Some(true)},
	})
}

// addReactions adds a reaction of the admin to every comment and reply of the sample.
func (w *fieldWorld) addReactions() {
	w.T.Helper()
	for _, row := range []api.Row{
		api.UpdateComment.Row, api.UpdateReply.Row, api.UpdateChangeRequestComment.Row, api.UpdateChangeRequestReply.Row,
	} {
		w.Call("admin", row.Method, w.SamplePath(row, w.sample), map[string]any{"addedReactions": []string{"👍"}}, row.Status)
	}
}

// addSites adds a section, site spaces, and a site without sections.
func (w *fieldWorld) addSites(names map[string]string) {
	w.T.Helper()
	s, site := w.sample, api.SiteRef{Organization: w.Org, Site: w.sample.Site}
	names["LastSection"] = servertest.Do(w.World, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{
		SiteRef: site, Body: api.SiteSectionCreate{SpaceID: s.Notes},
	}).ID
	names["LastSiteSpace"] = servertest.Do(w.World, "admin", api.CreateSiteSpace, api.CreateSiteSpaceInput{
		SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: w.CreateSpace("Shown", "", ""), SectionID: s.Section},
	}).ID
	flat := servertest.Do(w.World, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
		Title: "Flat", Spaces: api.SpaceSelection{s.Notes, s.Handbook},
	}}).ID
	names["Plainsite"] = flat
	spaces := servertest.Do(w.World, "admin", api.ListSiteSpaces, api.ListSiteSpacesInput{
		SiteVisit: api.SiteVisit{SiteRef: api.SiteRef{Organization: w.Org, Site: flat}},
	}).Items
	names["PlainSiteSpace"] = spaces[1].ID
	for range 2 { // a ping has to name a version
		names["Signed"] = servertest.Do(w.World, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Visibility: api.SiteVisitorAuth},
		}).ID
	}
	servertest.Do(w.World, "admin", api.RegenerateSiteAuth, api.SiteRef{Organization: w.Org, Site: names["Signed"]})
}
