package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// input is a sample request of one row on the sample organization: as the admin it succeeds.
type input struct {
	params map[string]string // beside those that go without saying
	query  string
	body   any
}

// importURL is a page that the web of a world with samples has.
const importURL = "https://elsewhere.example.com/page.md"

// inputs are sample requests by row. Every row that writes has one; tests that walk over the contract fail
// without.
func inputs(w *world, s *sample) map[string]input {
	w.web[importURL] = "# Imported\n\nText from elsewhere.\n"
	fromURL := api.Import{URL: importURL, Source: api.ImportMarkdown}
	toNotes := map[string]string{"space": s.Notes}
	sitePart := func(kind api.SitePointerType, id string) api.SitePointer { return api.SitePointer{Type: kind, ID: id} }
	return map[string]input{
		"tokens.create":        {body: api.TokenCreate{Name: "new"}},
		"tokens.rotate":        {body: api.TokenRotate{OldValidFor: 60}},
		"tokens.delete":        {},
		"users.update":         {params: map[string]string{"user": w.users["admin"].ID}, body: api.UserPatch{DisplayName: api.Some("Renamed")}},
		"organizations.create": {body: api.OrganizationCreate{Title: "Another"}},

		"organizations.update": {body: api.OrganizationPatch{Title: api.Some("Renamed"), Hostname: api.Some("acme")}},
		"organizations.join":   {params: map[string]string{"organization": w.otherOrg}},

		"members.update":  {body: api.MemberPatch{Role: api.Some(api.RoleCreate)}},
		"members.delete":  {},
		"members.ping":    {},
		"members.set-sso": {},

		"invites.create": {body: api.InviteCreate{Emails: []string{"another@elsewhere.example"}}},
		"invites.delete": {},
		"invites.accept": {body: api.InviteAccept{Secret: s.Invite.Secret, DisplayName: "Newcomer"}},

		"link-invites.create": {body: api.LinkInviteCreate{Level: api.RoleRead, Space: s.Notes}},
		"link-invites.update": {body: api.LinkInvitePatch{Level: api.Some(api.RoleComment)}},
		"link-invites.delete": {},

		"teams.create":         {body: api.TeamCreate{Title: "New", Members: []string{w.users["editor"].ID}}},
		"teams.update":         {body: api.TeamPatch{Title: "Renamed"}},
		"teams.delete":         {},
		"teams.update-members": {body: api.TeamMembersUpdate{Add: []string{w.users["editor"].Email}, Remove: []string{w.users["reviewer"].ID}}},
		"teams.add-member":     {params: map[string]string{"user": w.users["editor"].ID}},
		"teams.remove-member":  {},

		"collection-permissions.create":      {body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.users["creator"].ID}}},
		"collection-permissions.update-user": {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"collection-permissions.delete-user": {},
		"collection-permissions.update-team": {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"collection-permissions.delete-team": {},
		"space-permissions.create":           {body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.users["creator"].ID}}},
		"space-permissions.update-user":      {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"space-permissions.delete-user":      {},
		"space-permissions.update-team":      {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"space-permissions.delete-team":      {},
		"site-permissions.create":            {body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.users["creator"].ID}}},
		"site-permissions.update-user":       {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"site-permissions.delete-user":       {},
		"site-permissions.update-team":       {body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"site-permissions.delete-team":       {},

		"saml-providers.create": {body: api.SAMLProviderCreate{Label: "New"}},
		"saml-providers.update": {body: api.SAMLProviderPatch{Label: api.Some("Renamed")}},
		"saml-providers.delete": {},

		"collections.create": {body: api.CollectionCreate{Title: "New"}},
		"collections.update": {body: api.CollectionPatch{Title: api.Some("Renamed")}},
		"collections.delete": {},
		"collections.move":   {params: map[string]string{"collection": s.Nested}, body: api.Move{Parent: api.Null[string]()}},

		"spaces.create":        {body: api.SpaceCreate{Title: "New"}},
		"spaces.update":        {body: api.SpacePatch{Title: api.Some("Renamed")}},
		"spaces.delete":        {},
		"spaces.duplicate":     {},
		"transfers.take-back":  {},
		"transfers.ask":        {},
		"transfers.copy":       {},
		"transfers.agree":      {params: map[string]string{"organization": s.Other, "transfer": s.Asked}},
		"transfers.refuse":     {params: map[string]string{"organization": s.Other, "transfer": s.Asked}},
		"spaces.transfer":      {params: map[string]string{"space": s.Plain}, body: api.Transfer{Organization: s.Other}},
		"collections.transfer": {params: map[string]string{"collection": s.Nested}, body: api.Transfer{Organization: s.Other}},
		"spaces.restore":       {params: map[string]string{"space": s.Trash}},
		"spaces.move":          {body: api.Move{Parent: api.Some(s.Nested)}},

		"revisions.rollback":   {params: map[string]string{"revision": s.First}},
		"content.import":       {params: toNotes, body: fromURL},
		"content.get-file":     {params: map[string]string{"file": s.File}},
		"spaces.search":        {query: "?query=usage"},
		"organizations.search": {query: "?query=usage"},

		"change-requests.create":          {body: api.ChangeRequestCreate{Subject: "New"}},
		"change-requests.update":          {body: api.ChangeRequestPatch{Subject: api.Some("Renamed")}},
		"change-requests.merge":           {},
		"change-requests.pull":            {},
		"change-requests.request-review":  {body: api.ReviewRequest{Users: []string{w.users["creator"].ID}}},
		"change-requests.remove-reviewer": {},

		"change-request-content.edit": {body: api.ContentEdit{Changes: []api.ContentChange{
			update(s.Pages["Linux"], "# Linux\n\nUse the other package.\n"), insert("BSD", "", "# BSD\n"),
		}}},
		"change-request-content.import": {body: fromURL},

		"comments.create":   {body: api.CommentCreate{Page: s.Pages["Start"], Body: says("New.")}},
		"comments.update":   {body: api.CommentUpdate{Resolved: api.Some(true)}},
		"comments.reattach": {body: api.CommentPlace{Page: s.Pages["Start"]}},
		"comments.delete":   {},
		"replies.create":    {body: api.ReplyCreate{Body: says("New.")}},
		"replies.update":    {body: api.ReplyUpdate{AddedReactions: []string{"👍"}}},
		"replies.delete":    {},

		"change-request-reviews.create": {body: api.ReviewCreate{
			Status: api.ReviewApproved, Comment: new(says("Well done.")), Revision: s.Request.Revision, Comments: []api.CommentCreate{{Page: s.Pages["Usage"], Body: says("New.")}},
		}},
		"change-request-comments.create":   {body: api.CommentCreate{Body: says("New.")}},
		"change-request-comments.update":   {body: api.CommentUpdate{AddedReactions: []string{"👍"}}},
		"change-request-comments.reattach": {body: api.CommentPlace{Page: s.RequestPage}},
		"change-request-comments.delete":   {},
		"change-request-replies.create":    {body: api.ReplyCreate{Body: says("New.")}},
		"change-request-replies.update":    {body: api.ReplyUpdate{AddedReactions: []string{"👍"}}},
		"change-request-replies.delete":    {},

		"openapi-specs.create": {body: api.OpenAPISpecCreate{Slug: "other", Source: api.OpenAPISource{Text: petsText}}},
		"openapi-specs.put":    {body: api.OpenAPISpecPut{Source: api.OpenAPISource{URL: importURL}}},
		"openapi-specs.delete": {},

		"translations.create":          {body: api.TranslationCreate{Title: "New"}},
		"translations.update":          {body: api.TranslationCreate{Title: "Renamed"}},
		"translations.delete":          {},
		"translations.add-language":    {params: map[string]string{"language": "fr"}},
		"translations.remove-language": {},
		"sites.create":                 {body: api.SiteCreate{Title: "New", Spaces: api.SpaceSelection{s.Handbook}}},
		"sites.update":                 {body: api.SitePatch{Title: api.Some("Renamed")}},
		"sites.delete":                 {},
		"sites.publish":                {},
		"sites.update-adaptive-schema": {body: api.AdaptiveSchemaUpdate{JSONSchema: []byte(`{"type":"object","properties":{},"additionalProperties":false}`)}},
		"sites.update-auth":            {body: api.PublishingAuthPatch{FallbackURL: api.Some("https://example.com/login")}},
		"sites.regenerate-auth":        {},
		"sites.unpublish":              {params: map[string]string{"site": s.Published}},
		"sites.sort-structure": {body: api.SiteSort{
			Item: sitePart(api.PointerSiteSection, s.Section), Position: api.SitePosition{After: new(sitePart(api.PointerSiteSection, s.OtherSection))},
		}},
		"site-sections.create": {body: api.SiteSectionCreate{SpaceID: s.Handbook}},
		"site-sections.update": {body: api.SiteSectionPatch{Title: api.Some("Renamed")}},
		"site-sections.delete": {},
		"site-sections.move": {body: api.SiteSectionMove{Position: api.SiteSectionPosition{
			Before: &api.SiteSectionPointer{Type: "site-section", SiteSection: s.OtherSection},
		}}},
		"site-section-groups.create": {body: api.SiteSectionGroupCreate{Title: "New"}},
		"site-section-groups.update": {body: api.SiteSectionGroupPatch{Title: api.Some("Renamed")}},
		"site-section-groups.delete": {},
		"site-spaces.create":         {body: api.SiteSpaceCreate{SpaceID: s.Unshown}},
		"site-spaces.update":         {body: api.SiteSpacePatch{Path: api.Some("book")}},
		"site-spaces.delete":         {},
		"site-spaces.move": {body: api.SiteSpaceMove{Position: api.SiteSpacePosition{
			After: &api.SiteSpacePointer{Type: "site-space", SiteSpace: s.OtherSiteSpace},
		}}},
		"share-links.create": {body: api.ShareLinkCreate{Name: "New"}},
		"share-links.update": {body: api.ShareLinkPatch{Active: api.Some(false)}},
		"share-links.delete": {},

		"integrations.publish":             {body: w.linter("A new title")},
		"integrations.unpublish":           {},
		"integration-installations.create": {params: map[string]string{"integration": s.Formatter}, body: api.InstallationCreate{Organization: w.org}},
		"integration-installations.update": {body: api.InstallationPatch{ExternalIDs: api.Some([]string{"42"})}},
		"integration-installations.delete": {},
	}
}

// sampleOf is the sample request of a row. The test fails if the row writes and has none.
func (w *world) sampleOf(row api.Row, s *sample) input {
	w.t.Helper()
	in, ok := inputs(w, s)[row.Name]
	if !ok && row.Writes() {
		w.t.Fatalf("%s has no sample request: add one", row.Name)
	}
	return in
}

// pathOf is the path of a row on the sample organization.
func (w *world) pathOf(row api.Row, s *sample) string {
	w.t.Helper()
	return w.pathWith(row, s, nil)
}

// pathWith is pathOf with some parameters replaced.
func (w *world) pathWith(row api.Row, s *sample, other map[string]string) string {
	w.t.Helper()
	in := w.sampleOf(row, s)
	target := row.Path
	for _, p := range row.PathParams() {
		v, ok := other[p.Subject]
		if !ok {
			v, ok = in.params[p.Subject]
		}
		if !ok {
			v = w.paramOf(row, s, p.Subject)
		}
		target = strings.NewReplacer("{"+p.Name+"}", v, "{"+p.Name+"...}", v).Replace(target)
	}
	return target + in.query
}

// subjects are what the parameters of a row's path name, in order.
func subjects(row api.Row) []string {
	var all []string
	for _, p := range row.PathParams() {
		all = append(all, p.Subject)
	}
	return all
}

// paramOf is the value of a path parameter that goes without saying.
func (w *world) paramOf(row api.Row, s *sample, name string) string {
	w.t.Helper()
	onRequest := strings.HasPrefix(row.Name, "change-request-")
	pick := func(onSpace, onRequested string) string {
		if onRequest {
			return onRequested
		}
		return onSpace
	}
	values := map[string]string{
		"organization": w.org, "collection": s.Guides, "space": s.Handbook, "token": s.Token,
		"changeRequest": s.Request.ID, "revision": s.Request.Revision, "user": w.users["reviewer"].ID,
		"page": pick(s.Pages["Usage"], s.RequestPage), "file": pick(s.File, s.RequestFile),
		"site": s.Site, "siteSection": s.Section, "siteSectionGroup": s.Group, "siteSpace": s.SiteSpace, "shareLink": s.ShareLink,
		"pagePath": pick("start/install/linux", "start/install/windows"),
		"comment":  pick(s.Comment.ID, s.OnRequest.ID), "reply": pick(s.Reply.ID, s.RequestReply.ID),
		"review": s.Review.ID,
		"spec":   petsSlug, "version": s.SpecVersion,
		"team": s.Team, "subdomain": sampleSubdomain, "invite": s.Invite.ID, "linkInvite": s.LinkInvite.ID, "emailDomain": "example.com", "samlProvider": s.SAMLProvider, "transfer": s.Given, "translation": s.Translation, "language": "de",
		"integration": s.Linter, "installation": s.Installation,
		"reusableContent": s.ReusableContent,
	}
	v, ok := values[name]
	if !ok {
		w.t.Fatalf("%s: no sample of the parameter %s", row.Name, name)
	}
	return v
}

// bodyOf is the body of a row's sample request, nil without one.
func (w *world) bodyOf(row api.Row, s *sample) any { return w.sampleOf(row, s).body }

// eachRow runs a test for every row that a filter lets through.
func eachRow(t *testing.T, filter func(api.Row) bool, test func(t *testing.T, row api.Row)) {
	t.Helper()
	for _, row := range api.Rows() {
		if filter(row) {
			t.Run(row.Name, func(t *testing.T) { test(t, row) })
		}
	}
}
