package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// sample is what the sample organization of a world is made of: ids.
type sample struct {
	Guides, Nested string // collections, Nested is in Guides
	Handbook       string // space in Guides, locked, with pages
	Notes          string // space at the top, live, with a comment
	Trash          string // deleted space
	Plain          string // empty space in Nested, on no site
	Other          string // another organization of the admin's

	Pages map[string]string // of Handbook by title: Start, Install (below Start), Linux and Mac (below Install), Usage
	File  string            // of Handbook

	ReusableContent string // of Handbook, which has variables, too

	Merged       api.ChangeRequest // number 1 of Handbook: what brought the pages
	Request      api.ChangeRequest // number 2, open, with an edit of Usage and a new page; outdated since number 3
	RequestPage  string            // the new page of Request
	RequestFile  string            // the new file of Request
	First        string            // revision of Handbook
	Comment      api.Comment       // on a block of Usage in Handbook
	Reply        api.CommentReply  // to Comment
	OnRequest    api.Comment       // on Request
	RequestReply api.CommentReply  // to OnRequest
	Review       api.Review        // of Request, by the creator
	Token        string            // of the admin, unused
	Translation  string            // into German
	SpecVersion  string            // of the OpenAPI specification petsSlug
	SAMLProvider string            // active, with Team as its default

	Site           string // shows Handbook and Notes, in sections; not published
	Group          string // section group of Site with Section
	Section        string // of Site with Handbook and Notes
	OtherSection   string // of Site with Notes
	SiteSpace      string // of Section, shows Handbook
	OtherSiteSpace string // of Section, shows Notes
	ShareLink      string // of Site
	Published      string // another site, published by share links, without spaces
	Unshown        string // space that no site shows

	Linter, Formatter string // private integrations of the organization
	Installation      string // of Linter in the organization
	Team              string // of the reviewer
	Given, Asked      string // transfers to Other, of which one is asked back
	Invite            api.Invite
	LinkInvite        api.LinkInvite // into Handbook
}

const usageText = "# Usage\n\nFirst paragraph of the usage.\n\nSecond paragraph of the usage.\n"

// populate makes the sample organization.
func (w *world) populate() *sample {
	w.t.Helper()
	s := &sample{Pages: map[string]string{}}
	s.Guides = do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Guides"}}).ID
	s.Nested = do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Nested", Parent: s.Guides}}).ID
	s.Handbook = w.space("Handbook", s.Guides, "")
	s.Notes = w.space("Notes", "", api.EditLive)
	s.Trash = w.space("Trash", "", "")
	s.Plain = w.space("Plain", s.Nested, "")
	s.Other = do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Third"}}).ID
	do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Trash})
	s.First = do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}).Revision
	w.populateHandbook(s)
	w.populateRequest(s)
	w.populateComments(s)
	w.populateSite(s)
	s.Token = do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	s.Translation = w.newTranslation("de").ID
	s.Linter, s.Formatter = w.publish("acme.linter", w.linter("Linter")).Name, w.publish("acme.formatter", w.linter("Formatter")).Name
	s.Installation = w.install(s.Linter)
	s.SpecVersion = newSpec(w, petsSlug, petsText).LastVersion
	s.Team = w.newTeam("reviewer").ID
	for _, content := range []string{s.Guides, s.Handbook, s.Site} {
		give(w, content, api.PermissionCreate{Role: new(api.RoleReview), Users: []string{w.users["reviewer"].ID}, Teams: []string{s.Team}})
	}
	s.Given, s.Asked = w.givenAway("Given"), w.givenAway("Asked")
	w.askedBack(s.Asked)
	options := complete(w)
	options.DefaultTeam = api.Some(s.Team)
	s.SAMLProvider = newSAMLProvider(w, options).ID
	s.Invite = w.invite("newcomer@elsewhere.example", api.RoleEdit)
	s.LinkInvite = w.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Handbook})
	settings(w, api.OrganizationPatch{Hostname: api.Some(sampleSubdomain)})
	do(w, "stranger", api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: w.otherOrg, Body: api.OrganizationPatch{EmailDomains: api.Some([]string{"example.com"})},
	})
	return s
}

// samples returns what makes worlds with a sample organization: where the engine can copy, the organization is made once.
func samples(t *testing.T, engine storetest.Engine) func(t *testing.T) (*world, *sample) {
	t.Helper()
	if !engine.Copies() {
		return func(t *testing.T) (*world, *sample) {
			t.Helper()
			w := newWorld(t, engine)
			return w, w.populate()
		}
	}
	model := newWorld(t, engine)
	s := model.populate()
	return func(t *testing.T) (*world, *sample) {
		t.Helper()
		same := *s
		same.Pages = maps.Clone(s.Pages)
		return model.copy(t), &same
	}
}

// givenAway transfers a new space to another organization of the admin's, and returns the transfer.
func (w *world) givenAway(title string) string {
	w.t.Helper()
	space, to := w.space(title, "", ""), ""
	for _, o := range do(w, "admin", api.ListOrganizations, api.ListOrganizationsInput{}).Items {
		if o.Title == "Third" || to == "" && o.ID != w.org {
			to = o.ID
		}
	}
	do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: to}})
	all := api.ListOptions{Limit: api.Some(1000)}
	for _, made := range do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: w.org, ListOptions: all}).Items {
		if made.Space == space {
			return made.ID
		}
	}
	w.t.Fatal("a transfer left no record")
	return ""
}

// askedBack asks for what was transferred, and returns the organization that it went to.
func (w *world) askedBack(transfer string) string {
	w.t.Helper()
	return do(w, "admin", api.AskTransfer, api.TransferRef{Organization: w.org, Transfer: transfer}).To
}

// sampleSubdomain is the hostname of a sample organization.
const sampleSubdomain = "acme-docs"

// linter is an integration of the organization.
func (w *world) linter(title string) api.IntegrationPublish {
	return api.IntegrationPublish{
		Title: title, Description: "Finds mistakes.", Script: "export default {}\n", Organization: w.org, Icon: onePixel,
		Secrets: map[string]api.Text{"token": "hunter2"},
	}
}

// publish publishes an integration as the admin.
func (w *world) publish(name string, body api.IntegrationPublish) api.Integration {
	w.t.Helper()
	return do(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{IntegrationRef: api.IntegrationRef{Integration: name}, Body: body})
}

// install installs an integration in the organization and returns the installation's id.
func (w *world) install(name string) string {
	w.t.Helper()
	return do(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
		IntegrationRef: api.IntegrationRef{Integration: name}, Body: api.InstallationCreate{Organization: w.org},
	}).ID
}

// indexed brings the search index up to date, which the first search does otherwise.
func (w *world) indexed() {
	w.t.Helper()
	w.call("admin", http.MethodGet, "/v1/orgs/"+w.org+"/search?query=usage", nil, http.StatusOK)
}

// newTranslation makes translation settings with languages.
func (w *world) newTranslation(languages ...api.Language) api.Translation {
	w.t.Helper()
	made := do(w, "admin", api.CreateTranslation, api.CreateTranslationInput{Organization: w.org, Body: api.TranslationCreate{Title: "Ours"}})
	for _, l := range languages {
		made = do(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{
			TranslationRef: api.TranslationRef{Organization: w.org, Translation: made.ID}, Language: l,
		})
	}
	return made
}

// populateSite makes a site of sections.
func (w *world) populateSite(s *sample) {
	w.t.Helper()
	s.Unshown = w.space("Unshown", s.Nested, "")
	s.Site = do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{
		Title: "Product", Spaces: api.SpaceSelection{s.Handbook, s.Notes},
	}}).ID
	site := api.SiteRef{Organization: w.org, Site: s.Site}
	section := func(space string) api.SiteSection {
		return do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space}})
	}
	first := section(s.Handbook)
	s.Section, s.SiteSpace, s.OtherSiteSpace = first.ID, first.SiteSpaces[0].ID, first.SiteSpaces[1].ID
	s.OtherSection = section(s.Notes).ID
	s.Group = do(w, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: "More", Sections: []string{s.Section}},
	}).ID
	s.Published = do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{Visibility: api.SiteShareLink}}).ID
	do(w, "admin", api.PublishSite, api.SiteRef{Organization: w.org, Site: s.Published})
	s.ShareLink = do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site, Body: api.ShareLinkCreate{Name: "Partner"}}).ID
	w.adapt(site)
}

// claimsSchema describes the claims of visitors in tests.
const claimsSchema = `{"type":"object","additionalProperties":false,"properties":{` +
	`"plan":{"type":"string","description":"Plan","enum":["pro","free"]},"beta":{"type":"boolean","description":"Tests what is new"}}}`

// adapt makes a site adapt to its visitors, and returns the key that signs their tokens.
func (w *world) adapt(site api.SiteRef) string {
	w.t.Helper()
	do(w, "admin", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{AdaptiveContent: api.Some(api.AdaptiveContent{Enabled: true})}})
	do(w, "admin", api.UpdateSiteAdaptiveSchema, api.UpdateAdaptiveSchemaInput{SiteRef: site, Body: api.AdaptiveSchemaUpdate{JSONSchema: api.JSONObject(claimsSchema)}})
	return do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
}

// invite invites somebody by e-mail address.
func (w *world) invite(email string, role api.Role) api.Invite {
	w.t.Helper()
	made := do(w, "admin", api.CreateInvite, api.CreateInviteInput{
		Organization: w.org, Body: api.InviteCreate{Emails: []string{email}, Role: api.Some(role)},
	})
	return made.Invited[0]
}

// linkInvite makes an invite link.
func (w *world) linkInvite(as string, body api.LinkInviteCreate) api.LinkInvite {
	w.t.Helper()
	return do(w, as, api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.org, Body: body})
}

// newTeam makes a team of people.
func (w *world) newTeam(members ...string) api.Team {
	w.t.Helper()
	body := api.TeamCreate{Title: "Ours"}
	for _, name := range members {
		body.Members = append(body.Members, w.users[name].ID)
	}
	return do(w, "admin", api.CreateTeam, api.CreateTeamInput{Organization: w.org, Body: body})
}

// space makes a space.
func (w *world) space(title, parent string, mode api.EditMode) string {
	w.t.Helper()
	return do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.org, Body: api.SpaceCreate{Title: title, Parent: parent, EditMode: mode},
	}).ID
}

// request starts a change request.
func (w *world) request(as, space, subject string) api.ChangeRequest {
	w.t.Helper()
	return do(w, as, api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: subject}})
}

// ref names a change request.
func ref(r api.ChangeRequest) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: r.Space, ChangeRequest: r.ID}
}

// edit applies content operations to a change request.
func (w *world) edit(as string, r api.ChangeRequest, changes ...api.ContentChange) api.ContentResult {
	w.t.Helper()
	return do(w, as, api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref(r), Body: api.ContentEdit{Changes: changes}})
}

// merge merges a change request and expects no conflict.
func (w *world) merge(as string, r api.ChangeRequest) {
	w.t.Helper()
	result := do(w, as, api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref(r)})
	if result.Result != api.OutcomeMerge {
		w.t.Fatalf("merge of %s: %+v", r.ID, result)
	}
}

// insert is the operation that inserts a page with a text, below another if into is not "".
func insert(title, into, markdown string) api.ContentChange {
	c := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{Markdown: markdown}}
	if into != "" {
		c.Into = api.Some(into)
	}
	return c
}

// update is the operation that replaces a page's text.
func update(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: markdown}}
}

// insertReusable is the operation that inserts a reusable content.
func insertReusable(title, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertReusableContent, Title: api.Some(title), Document: &api.Document{Markdown: markdown}}
}

// setVariables is the operation that sets a variable of a page, or of the space if page is "".
func setVariables(page, name, value string) api.ContentChange {
	return api.ContentChange{Operation: api.SetVariables, Page: page, Variables: map[string]*string{name: &value}}
}

// onePixel is a PNG image.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (w *world) populateHandbook(s *sample) {
	w.t.Helper()
	s.Merged = w.request("creator", s.Handbook, "First pages")
	made := w.edit("creator", s.Merged,
		named("start", insert("Start", "", "# Start\n\nWelcome.\n")),
		named("install", insert("Install", "start", "# Install\n\nOn every system.\n")),
		named("linux", insert("Linux", "install", "# Linux\n\nUse the package.\n")),
		named("mac", insert("Mac", "install", "# Mac\n\nUse the image.\n")),
		named("usage", insert("Usage", "", usageText)),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", ContentType: "image/png", Base64: onePixel}}},
		insertReusable("Note", "A note about {{ space.vars.product }}.\n"),
		setVariables("", "product", "Lamp"), setVariables("usage", "level", "easy"),
	)
	s.ReusableContent = made.Changes[5].ReusableContent.ID
	for i, title := range []string{"Start", "Install", "Linux", "Mac", "Usage"} {
		s.Pages[title] = made.Changes[i].Page.ID
	}
	s.File = made.InsertedFiles[0].File.ID
	w.merge("reviewer", s.Merged)
}

// named gives a page that is inserted a name within the request.
func named(name string, c api.ContentChange) api.ContentChange { c.Ref = name; return c }

func (w *world) populateRequest(s *sample) {
	w.t.Helper()
	s.Request = w.request("editor", s.Handbook, "Better usage")
	made := w.edit("editor", s.Request,
		update(s.Pages["Usage"], "# Usage\n\nFirst paragraph of the usage.\n\nSecond and better paragraph of the usage.\n"),
		insert("Windows", s.Pages["Install"], "# Windows\n\nUse the installer.\n"),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "other.png", ContentType: "image/png", Base64: onePixel}}},
	)
	s.RequestPage, s.RequestFile = made.Changes[1].Page.ID, made.InsertedFiles[0].File.ID
	do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: ref(s.Request), Body: api.ReviewRequest{Users: []string{w.users["reviewer"].ID}},
	})
	third := w.request("creator", s.Handbook, "Meanwhile")
	w.edit("creator", third, update(s.Pages["Start"], "# Start\n\nA warm welcome.\n"))
	w.merge("creator", third)
	s.Request = do(w, "editor", api.GetChangeRequest, ref(s.Request))
}

func (w *world) populateComments(s *sample) {
	w.t.Helper()
	usage := do(w, "reader", api.GetContentPage, api.PageInput{
		Space: s.Handbook, Page: s.Pages["Usage"], PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	s.Comment = do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: s.Handbook, Body: api.CommentCreate{
		Page: s.Pages["Usage"], Node: usage.Blocks[1].ID, Body: says("Is that so?"),
	}})
	s.Reply = do(w, "editor", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID}, Body: api.ReplyCreate{Body: says("It is.")},
	})
	s.OnRequest = do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: ref(s.Request), Body: api.CommentCreate{Body: says("Good.")},
	})
	s.Review = do(w, "creator", api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref(s.Request), Body: api.ReviewCreate{
		Status: api.ReviewChangesRequested, Comment: new(says("Not yet.")), Comments: []api.CommentCreate{{Page: s.Pages["Usage"], Body: says("This one.")}},
	}})
	s.RequestReply = do(w, "editor", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref(s.Request), Comment: s.OnRequest.ID},
		Body:                    api.ReplyCreate{Body: says("Thanks.")},
	})
}

func says(markdown string) api.CommentBody { return api.CommentBody{Markdown: markdown} }

// manySpaces makes n more spaces at the top.
func (w *world) manySpaces(n int) []string {
	w.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = w.space(fmt.Sprintf("Space %d", i), "", "")
	}
	return ids
}
