package servertest

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Input is a sample request of a row. As the admin of the sample organization it succeeds.
type Input struct {
	Params map[string]string // path parameters other than the defaults
	Query  string
	Body   any
}

// ImportURL is a page that worlds with samples can fetch.
const ImportURL = "https://elsewhere.example.com/page.md"

// Inputs returns the sample requests by row. Every row that writes has one.
func Inputs(w *World, s *Sample) map[string]Input {
	w.Web[ImportURL] = "# Imported\n\nText from elsewhere.\n"
	all := map[string]Input{}
	for _, some := range []map[string]Input{peopleInputs(w, s), providerInputs(w), contentInputs(w, s), specInputs(), siteInputs(w, s)} {
		maps.Copy(all, some)
	}
	return all
}

// peopleInputs returns the requests on users, organizations and grants.
func peopleInputs(w *World, s *Sample) map[string]Input {
	return map[string]Input{
		"tokens.create": {Body: api.TokenCreate{Name: "new"}},
		"tokens.rotate": {Body: api.TokenRotate{OldValidFor: 60}},
		"tokens.delete": {},
		"users.update": {
			Params: map[string]string{"user": w.Users["admin"].ID}, Body: api.UserPatch{DisplayName: api.Some("Renamed")},
		},
		"organizations.create": {Body: api.OrganizationCreate{Title: "Another"}},

		"organizations.update": {Body: api.OrganizationPatch{Title: api.Some("Renamed"), Hostname: api.Some("acme")}},
		"organizations.delete": {Params: map[string]string{"organization": s.Spare}, Query: "?title=Spare"},

		"names.find": {Body: api.NameQuery{Names: []api.Name{{Kind: api.NameSpace, Name: "handbook"}}}},

		"organizations.restore": {Params: map[string]string{"organization": s.Gone}},

		"organizations.join": {Params: map[string]string{"organization": w.OtherOrg}},

		"email-domains.check": {Params: map[string]string{"emailDomain": "docs.example"}},

		"members.update":  {Body: api.MemberPatch{Role: api.Some(api.RoleCreate)}},
		"members.delete":  {},
		"members.ping":    {},
		"members.set-sso": {},

		"member-tokens.delete": {Params: map[string]string{"user": w.Users["admin"].ID}},

		"invites.create":     {Body: api.InviteCreate{Emails: api.Invitees("another@elsewhere.example")}},
		"invites.delete":     {},
		"content.find":       {Query: "?url=" + url.QueryEscape(PublicURL+"/app/pages/"+s.Handbook+"~"+s.Pages["Usage"])},
		"revisions.get-file": {Params: map[string]string{"file": s.File}},

		"invites.join":   {Params: map[string]string{"organization": s.Inviting, "invite": s.Invited.ID}},
		"invites.accept": {Body: api.InviteAccept{Secret: s.Invite.Secret, DisplayName: "Newcomer"}},

		"link-invites.create": {Body: api.LinkInviteCreate{Level: api.RoleRead, Space: s.Notes}},
		"link-invites.update": {Body: api.LinkInvitePatch{Level: api.Some(api.RoleComment)}},
		"link-invites.delete": {},

		"service-accounts.create": {Body: api.ServiceAccountCreate{DisplayName: "Checker", Role: api.Some(api.RoleComment)}},
		"service-accounts.update": {Body: api.ServiceAccountPatch{DisplayName: api.Some("Renamed")}},
		"service-accounts.delete": {},
		"service-accounts.create-token": {Body: api.ServiceAccountTokenCreate{
			Name: "new", Spaces: []string{s.Handbook}, Groups: []api.OperationGroup{"content"},
		}},

		"teams.create": {Body: api.TeamCreate{Title: "New", Members: []string{w.Users["editor"].ID}}},
		"teams.update": {Body: api.TeamPatch{Title: "Renamed"}},
		"teams.delete": {},
		"teams.update-members": {
			Body: api.TeamMembersUpdate{Add: []string{w.Users["editor"].Email}, Remove: []string{w.Users["reviewer"].ID}},
		},
		"teams.add-member":    {Params: map[string]string{"user": w.Users["editor"].ID}},
		"teams.remove-member": {},

		"collection-permissions.create":      {Body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.Users["creator"].ID}}},
		"collection-permissions.update-user": {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"collection-permissions.delete-user": {},
		"collection-permissions.update-team": {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"collection-permissions.delete-team": {},
		"space-permissions.create":           {Body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.Users["creator"].ID}}},
		"space-permissions.update-user":      {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"space-permissions.delete-user":      {},
		"space-permissions.update-team":      {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"space-permissions.delete-team":      {},
		"site-permissions.create":            {Body: api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{w.Users["creator"].ID}}},
		"site-permissions.update-user":       {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"site-permissions.delete-user":       {},
		"site-permissions.update-team":       {Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}},
		"site-permissions.delete-team":       {},
	}
}

// providerInputs returns the requests on identity providers.
func providerInputs(w *World) map[string]Input {
	return map[string]Input{
		"saml-providers.create": {Body: api.SAMLProviderCreate{Label: "New"}},
		"saml-providers.update": {Body: api.SAMLProviderPatch{Label: api.Some("Renamed")}},
		"saml-providers.delete": {},

		"oidc-providers.create": {Body: api.OIDCProviderCreate{Label: "New", OIDCProviderSettings: OIDCSettings()}},
		"oidc-providers.update": {Body: api.OIDCProviderPatch{Label: api.Some("Renamed")}},
		"oidc-providers.delete": {},

		"identities.update": {Body: api.IdentityPatch{User: api.Some(w.Users["editor"].ID)}},
		"identities.delete": {},
	}
}

// contentInputs returns the requests on spaces and their content.
func contentInputs(w *World, s *Sample) map[string]Input {
	fromURL := api.Import{URL: ImportURL, Source: api.ImportMarkdown}
	toNotes := map[string]string{"space": s.Notes}
	return map[string]Input{
		"collections.create":  {Body: api.CollectionCreate{Title: "New"}},
		"collections.update":  {Body: api.CollectionPatch{Title: api.Some("Renamed")}},
		"collections.delete":  {},
		"collections.restore": {Params: map[string]string{"collection": s.Trashed}},

		"collections.move": {Params: map[string]string{"collection": s.Nested}, Body: api.Move{Parent: api.Null[string]()}},

		"spaces.create":        {Body: api.SpaceCreate{Title: "New"}},
		"spaces.update":        {Body: api.SpacePatch{Title: api.Some("Renamed")}},
		"spaces.delete":        {},
		"spaces.duplicate":     {},
		"transfers.take-back":  {},
		"transfers.ask":        {},
		"transfers.copy":       {},
		"transfers.agree":      {Params: map[string]string{"organization": s.Other, "transfer": s.Asked}},
		"transfers.refuse":     {Params: map[string]string{"organization": s.Other, "transfer": s.Asked}},
		"spaces.transfer":      {Params: map[string]string{"space": s.Plain}, Body: api.Transfer{Organization: s.Other}},
		"collections.transfer": {Params: map[string]string{"collection": s.Nested}, Body: api.Transfer{Organization: s.Other}},
		"spaces.restore":       {Params: map[string]string{"space": s.Trash}},
		"spaces.move":          {Body: api.Move{Parent: api.Some(s.Nested)}},

		"revisions.rollback":   {Params: map[string]string{"revision": s.First}},
		"content.import":       {Params: toNotes, Body: fromURL},
		"content.get-file":     {Params: map[string]string{"file": s.File}},
		"spaces.search":        {Query: "?query=usage"},
		"organizations.search": {Query: "?query=usage"},

		"change-requests.create":          {Body: api.ChangeRequestCreate{Subject: "New"}},
		"change-requests.update":          {Body: api.ChangeRequestPatch{Subject: api.Some("Renamed")}},
		"change-requests.merge":           {},
		"change-requests.pull":            {},
		"change-requests.request-review":  {Body: api.ReviewRequest{Users: []string{w.Users["creator"].ID}}},
		"change-requests.remove-reviewer": {},

		"change-requests.apply-suggestions": {
			Body: api.SuggestionsApply{Revision: s.Request.Revision, Comments: []string{s.Suggestion.ID}},
		},
		"change-requests.update-reading": {Body: api.ReadingUpdate{Read: []string{s.RequestPage}}},
		"change-requests.put-saved-queries": {
			Body: api.SavedQueries{Queries: []api.SavedQuery{{Name: "Mine", Creator: w.Users["admin"].ID}}},
		},

		"change-request-content.edit": {Body: api.ContentEdit{Changes: []api.ContentChange{
			Update(s.Pages["Linux"], "# Linux\n\nUse the other package.\n"), Insert("BSD", "", "# BSD\n"),
		}}},
		"change-request-content.import": {Body: fromURL},

		"comments.create":   {Body: api.CommentCreate{Page: s.Pages["Start"], Body: CommentBody("New.")}},
		"comments.update":   {Body: api.CommentUpdate{Resolved: api.Some(true)}},
		"comments.reattach": {Body: api.CommentPlace{Page: s.Pages["Start"]}},
		"comments.delete":   {},
		"replies.create":    {Body: api.ReplyCreate{Body: CommentBody("New.")}},
		"replies.update":    {Body: api.ReplyUpdate{AddedReactions: []string{"👍"}}},
		"replies.delete":    {},

		"change-request-reviews.create": {Body: api.ReviewCreate{
			Status: api.ReviewApproved, Comment: new(CommentBody("Well done.")), Revision: s.Request.Revision,
			Comments: []api.CommentCreate{
				{Page: s.Pages["Usage"], Body: CommentBody("New.")},
			},
		}},
		"change-request-reviews.submit": {Body: api.ReviewSubmit{
			Status: api.ReviewApproved, Comment: new(CommentBody("Well done.")), Revision: s.Request.Revision, Drafts: []api.ReviewDraft{
				{CommentCreate: api.CommentCreate{Page: s.Pages["Usage"], Body: CommentBody("New.")}},
			},
		}},
		"change-request-comments.create":   {Body: api.CommentCreate{Body: CommentBody("New.")}},
		"change-request-comments.update":   {Body: api.CommentUpdate{AddedReactions: []string{"👍"}}},
		"change-request-comments.reattach": {Body: api.CommentPlace{Page: s.RequestPage}},
		"change-request-comments.delete":   {},
		"change-request-replies.create":    {Body: api.ReplyCreate{Body: CommentBody("New.")}},
		"change-request-replies.update":    {Body: api.ReplyUpdate{AddedReactions: []string{"👍"}}},
		"change-request-replies.delete":    {},
	}
}

// specInputs returns the requests on OpenAPI specifications and translations.
func specInputs() map[string]Input {
	return map[string]Input{
		"openapi-specs.create": {Body: api.OpenAPISpecCreate{Slug: "other", Source: api.OpenAPISource{Text: PetsText}}},
		"openapi-specs.put":    {Body: api.OpenAPISpecPut{Source: api.OpenAPISource{URL: ImportURL}}},
		"openapi-specs.delete": {Query: "?force=true"},

		"translations.create":          {Body: api.TranslationCreate{Title: "New"}},
		"translations.update":          {Body: api.TranslationCreate{Title: "Renamed"}},
		"translations.delete":          {},
		"translations.add-language":    {Params: map[string]string{"language": "fr"}},
		"translations.remove-language": {},
	}
}

// siteInputs returns the requests on sites and integrations.
func siteInputs(w *World, s *Sample) map[string]Input {
	sitePart := func(kind api.SitePointerType, id string) api.SitePointer { return api.SitePointer{Type: kind, ID: id} }
	return map[string]Input{
		"sites.create":               {Body: api.SiteCreate{Title: "New", Spaces: api.SpaceSelection{s.Handbook}}},
		"sites.update":               {Body: api.SitePatch{Title: api.Some("Renamed")}},
		"sites.delete":               {},
		"sites.publish":              {},
		"sites.search":               {Body: api.SiteSearch{Query: "usage"}},
		"sites.update-customization": {Body: map[string]any{"title": "Another"}},
		"sites.update-adaptive-schema": {
			Body: api.AdaptiveSchemaUpdate{JSONSchema: []byte(`{"type":"object","properties":{},"additionalProperties":false}`)},
		},
		"sites.update-auth":     {Body: api.PublishingAuthPatch{FallbackURL: api.Some("https://example.com/login")}},
		"sites.regenerate-auth": {},
		"sites.unpublish":       {Params: map[string]string{"site": s.Published}},
		"sites.sort-structure": {Body: api.SiteSort{
			Item: sitePart(api.PointerSiteSection, s.Section), Position: api.SitePosition{
				After: new(sitePart(api.PointerSiteSection, s.OtherSection)),
			},
		}},
		"site-sections.create": {Body: api.SiteSectionCreate{SpaceID: s.Handbook}},
		"site-sections.update": {Body: api.SiteSectionPatch{Title: api.Some("Renamed")}},
		"site-sections.delete": {},
		"site-sections.move": {Body: api.SiteSectionMove{Position: api.SiteSectionPosition{
			Before: &api.SiteSectionPointer{Type: "site-section", SiteSection: s.OtherSection},
		}}},
		"site-section-groups.create": {Body: api.SiteSectionGroupCreate{Title: "New"}},
		"site-section-groups.update": {Body: api.SiteSectionGroupPatch{Title: api.Some("Renamed")}},
		"site-section-groups.delete": {},
		"site-spaces.create":         {Body: api.SiteSpaceCreate{SpaceID: s.Unshown}},
		"site-spaces.update":         {Body: api.SiteSpacePatch{Path: api.Some("book")}},
		"site-spaces.delete":         {},
		"site-spaces.move": {Body: api.SiteSpaceMove{Position: api.SiteSpacePosition{
			After: &api.SiteSpacePointer{Type: "site-space", SiteSpace: s.OtherSiteSpace},
		}}},
		"events.tail":            {Query: "?follow=false"},
		"integration-events.get": {Params: map[string]string{"event": s.IntegrationEvent}},

		"share-links.create": {Body: api.ShareLinkCreate{Name: "New"}},
		"share-links.update": {Body: api.ShareLinkPatch{Active: api.Some(false)}},
		"share-links.delete": {},

		"openapi-specs.update": {Body: api.OpenAPISpecPatch{Visibility: api.SpecPublic}},

		"integrations.publish":   {Body: w.LinterIntegration("A new title")},
		"integrations.unpublish": {},
		"integration-installations.create": {
			Params: map[string]string{"integration": s.Formatter}, Body: api.InstallationCreate{Organization: w.Org},
		},
		"integration-installations.update": {Body: api.InstallationPatch{ExternalIDs: api.Some([]string{"42"})}},
		"integration-installations.delete": {},
		"installation-tokens.create":       {},
		"import-runs.create":               {Body: importIntoNotes(s)},
		"import-runs.cancel":               {},
		"installation-spaces.create":       {Body: api.InstallationSpaceCreate{Space: s.Notes}},
		"installation-spaces.update":       {Body: api.InstallationContentPatch{ExternalIDs: api.Some([]string{"42"})}},
		"installation-spaces.delete":       {},
		"installation-sites.create":        {Body: api.InstallationSiteCreate{Site: s.Published}},
		"installation-sites.update":        {Body: api.InstallationContentPatch{ExternalIDs: api.Some([]string{"42"})}},
		"installation-sites.delete":        {},
	}
}

// SampleInput returns the sample request of a row. It fails the test if the row writes and has none.
func (w *World) SampleInput(row api.Row, s *Sample) Input {
	w.T.Helper()
	in, ok := Inputs(w, s)[row.Name]
	if !ok && row.Writes() {
		w.T.Fatalf("%s has no sample request: add one", row.Name)
	}
	return in
}

// SamplePath returns the path of a row's sample request.
func (w *World) SamplePath(row api.Row, s *Sample) string {
	w.T.Helper()
	return w.SamplePathWith(row, s, nil)
}

// SamplePathWith is like SamplePath with some parameters replaced.
func (w *World) SamplePathWith(row api.Row, s *Sample, other map[string]string) string {
	w.T.Helper()
	target := row.Path
	for _, p := range row.PathParams() {
		v, ok := other[p.Subject]
		if !ok {
			v = w.SampleParam(row, s, p.Subject)
		}
		target = strings.NewReplacer("{"+p.Name+"}", v, "{"+p.Name+"...}", v).Replace(target)
	}
	return target + w.SampleInput(row, s).Query
}

// Subjects returns the subjects of the path parameters of a row, in order.
func Subjects(row api.Row) []string {
	var all []string
	for _, p := range row.PathParams() {
		all = append(all, p.Subject)
	}
	return all
}

// SampleParam returns the value of a path parameter of a row's sample request.
func (w *World) SampleParam(row api.Row, s *Sample, subject string) string {
	w.T.Helper()
	if v, ok := w.SampleInput(row, s).Params[subject]; ok {
		return v
	}
	return w.paramOf(row, s, subject)
}

// paramOf returns the default value of a path parameter.
func (w *World) paramOf(row api.Row, s *Sample, name string) string {
	w.T.Helper()
	onRequest := strings.HasPrefix(row.Name, "change-request-")
	pick := func(onSpace, onRequested string) string {
		if onRequest {
			return onRequested
		}
		return onSpace
	}
	values := map[string]string{
		"organization": w.Org, "collection": s.Guides, "space": s.Handbook, "token": s.Token,
		"changeRequest": s.Request.ID, "revision": s.Request.Revision, "user": w.Users["reviewer"].ID, "serviceAccount": s.ServiceAccount,
		"page": pick(s.Pages["Usage"], s.RequestPage), "file": pick(s.File, s.RequestFile),
		"site": s.Site, "siteSection": s.Section, "siteSectionGroup": s.Group, "siteSpace": s.SiteSpace, "shareLink": s.ShareLink,
		"pagePath": pick("start/install/linux", "start/install/windows"),
		"comment":  pick(s.Comment.ID, s.OnRequest.ID), "reply": pick(s.Reply.ID, s.RequestReply.ID),
		"review": s.Review.ID, "submission": "mine",
		"spec": PetsSlug, "version": s.SpecVersion,
		"team": s.Team, "subdomain": sampleSubdomain, "invite": s.Invite.ID, "linkInvite": s.LinkInvite.ID, "emailDomain": "example.com",
		"samlProvider": s.SAMLProvider, "oidcProvider": s.OIDCProvider, "identity": s.Identity, "transfer": s.Given,
		"translation": s.Translation, "language": "de",
		"integration": s.Linter, "installation": s.Installation,
		"reusableContent": s.ReusableContent, "importRun": s.ImportRun, "document": s.Document, "event": s.Event,
	}
	v, ok := values[name]
	if !ok {
		w.T.Fatalf("%s: no sample of the parameter %s", row.Name, name)
	}
	return v
}

// SampleBody returns the body of a row's sample request, or nil.
func (w *World) SampleBody(row api.Row, s *Sample) any { return w.SampleInput(row, s).Body }

// EachRow runs a test for every row accepted by filter.
func EachRow(t *testing.T, filter func(api.Row) bool, test func(t *testing.T, row api.Row)) {
	t.Helper()
	for _, row := range api.Rows() {
		if filter(row) {
			t.Run(row.Name, func(t *testing.T) { test(t, row) })
		}
	}
}
