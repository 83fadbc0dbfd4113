package servertest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
)

// Sample holds the ids of the objects of the sample organization.
type Sample struct {
	Guides, Nested string // collections; Nested is in Guides
	Handbook       string // space in Guides, locked, with pages
	Notes          string // space at the top level, live, with a comment
	Trash          string // deleted space
	Plain          string // empty space in Nested, on no site
	Other          string // another organization of the admin

	Pages map[string]string // pages of Handbook by title: Start, Install (below Start), Linux and Mac (below Install), Usage
	File  string            // file of Handbook

	Document string // document of Usage in Handbook

	ReusableContent string // reusable content of Handbook, which also has variables

	Merged       api.ChangeRequest // number 1 of Handbook, which added the pages
	Request      api.ChangeRequest // number 2, open, with an edit of Usage and a new page; outdated since number 3
	RequestPage  string            // new page of the open change request
	RequestFile  string            // new file of the open change request
	First        string            // first revision of Handbook
	Comment      api.Comment       // on a block of Usage in Handbook
	Reply        api.CommentReply  // reply to the comment on Usage
	OnRequest    api.Comment       // on the open change request
	Suggestion   api.Comment       // on RequestPage
	RequestReply api.CommentReply  // to OnRequest
	Review       api.Review        // of the open change request, by the creator
	Token        string            // unused token of the admin
	Translation  string            // into German
	SpecVersion  string            // version of the OpenAPI specification PetsSlug
	SAMLProvider string            // active, with Team as its default
	OIDCProvider string            // pending, with Team as its default and for a value of its claim
	Identity     string            // pending identity of SAMLProvider with the address of the editor

	Site           string // unpublished site with Handbook and Notes in sections
	Group          string // section group of Site with Section
	Section        string // section of Site with Handbook and Notes
	OtherSection   string // section of Site with Notes
	SiteSpace      string // site space of Section for Handbook
	OtherSiteSpace string // site space of Section for Notes
	ShareLink      string // share link of Site
	Published      string // another site without spaces, published by share links
	Unshown        string // space on no site

	Linter, Formatter string // private integrations of the organization
	Installation      string // installation of the linter in the organization, for Handbook and Site
	ImportRun         string // pending import into Notes
	Team              string // team with the reviewer
	ServiceAccount    string // service account with the role comment
	Trashed           string // collection in the trash
	Spare, Gone       string // organizations of the admin; Gone is in the trash
	Event             string // the oldest event of the organization
	IntegrationEvent  string // event of Installation
	Given, Asked      string // transfers to Other; the second has a request to return it
	Invite            api.Invite
	Inviting          string         // organization of the stranger
	Invited           api.Invite     // invite of the admin into Inviting
	LinkInvite        api.LinkInvite // invite link into Handbook
}

// UsageText is the text of the sample page Usage.
const UsageText = "# Usage\n\nFirst paragraph of the usage.\n\nSecond paragraph of the usage.\n"

// Populate creates the objects of the sample organization as its members and returns their ids.
func (w *World) Populate() *Sample {
	w.T.Helper()
	s := &Sample{Pages: map[string]string{}}
	s.Guides = Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: "Guides"},
	}).ID
	s.Nested = Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
		Organization: w.Org, Body: api.CollectionCreate{Title: "Nested", Parent: s.Guides},
	}).ID
	s.Handbook = w.CreateSpace("Handbook", s.Guides, "")
	s.Notes = w.CreateSpace("Notes", "", api.EditLive)
	s.Trash = w.CreateSpace("Trash", "", "")
	s.Plain = w.CreateSpace("Plain", s.Nested, "")
	s.Other = Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Third"}}).ID
	Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Trash})
	s.First = Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}).Revision
	w.populateHandbook(s)
	w.populateRequest(s)
	w.populateComments(s)
	w.populateSite(s)
	s.Token = Do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}}).ID
	s.Translation = w.NewTranslation("de").ID
	s.Linter, s.Formatter = w.Publish("acme.linter", w.LinterIntegration("Linter")).Name, w.Publish("acme.formatter",
		w.LinterIntegration("Formatter")).Name
	s.Installation = w.Install(s.Linter)
	w.RestrictInstallation(s.Linter, s.Installation, s.Handbook, s.Site)
	s.IntegrationEvent = InstallationEvent(w, s.Linter)
	s.SpecVersion = NewSpec(w, PetsSlug, PetsText).LastVersion
	s.Team = w.NewTeam("reviewer").ID
	for _, content := range []string{s.Guides, s.Handbook, s.Site} {
		GrantAccess(w, content, api.PermissionCreate{
			Role: new(api.RoleReview), Users: []string{w.Users["reviewer"].ID}, Teams: []string{s.Team},
		})
	}
	s.Trashed = w.NewCollection("Old", "").ID
	Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: s.Trashed})
	s.Spare, s.Gone = NewOrganization(w, "Spare"), NewOrganization(w, "Gone")
	Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
		OrganizationRef: api.OrganizationRef{Organization: s.Gone}, Title: "Gone",
	})
	s.Event = OldestEvent(w)
	s.Given, s.Asked = w.NewTransfer("Given"), w.NewTransfer("Asked")
	w.RequestReturn(s.Asked)
	options := ActiveSAMLSettings(w)
	options.DefaultTeam = api.Some(s.Team)
	s.SAMLProvider = NewSAMLProvider(w, options).ID
	MarkTried(w, s.SAMLProvider)
	client := OIDCSettings()
	client.DefaultTeam, client.Teams = api.Some(s.Team), api.Some([]api.ProviderTeam{{Value: "writers", Team: s.Team}})
	s.OIDCProvider = NewOIDCProvider(w, client).ID
	s.Identity = NewIdentity(w, s.SAMLProvider, "editor", "")
	NewIdentity(w, s.OIDCProvider, "creator", w.Users["creator"].ID)
	s.Invite = w.CreateInvite("newcomer@elsewhere.example", api.RoleEdit)
	s.Inviting = Do(w, "stranger", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Inviting"}}).ID
	s.Invited = Do(w, "stranger", api.CreateInvite, api.CreateInviteInput{
		Organization: s.Inviting, Body: api.InviteCreate{Emails: api.Invitees(w.Users["admin"].Email)},
	}).Invites[0]
	s.Document = Do(w, "admin", api.GetContentPage, api.PageInput{Space: s.Handbook, Page: s.Pages["Usage"]}).DocumentID
	s.LinkInvite = w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleEdit, Space: s.Handbook})
	UpdateOrganization(w, api.OrganizationPatch{Hostname: api.Some(sampleSubdomain)})
	w.TrustDomains("stranger", w.OtherOrg, "example.com")
	UpdateOrganization(w, api.OrganizationPatch{EmailDomains: api.Some([]string{"docs.example"})})
	s.ImportRun = Do(w, "admin", api.CreateImportRun, api.CreateImportRunInput{Organization: w.Org, Body: importIntoNotes(s)}).ID
	s.ServiceAccount = NewServiceAccount(w, "Bot", api.RoleComment).ID
	return s
}

// NewTransfer transfers a new space to another organization of the admin, and returns the transfer's id.
func (w *World) NewTransfer(title string) string {
	w.T.Helper()
	space, to := w.CreateSpace(title, "", ""), ""
	for _, o := range Do(w, "admin", api.ListOrganizations, api.ListOrganizationsInput{}).Items {
		if o.Title == "Third" || to == "" && o.ID != w.Org {
			to = o.ID
		}
	}
	Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: to}})
	all := api.ListOptions{Limit: api.Some(1000)}
	for _, made := range Do(w, "admin", api.ListTransfers, api.ListTransfersInput{Organization: w.Org, ListOptions: all}).Items {
		if made.Space == space {
			return made.ID
		}
	}
	w.T.Fatal("a transfer left no record")
	return ""
}

// RequestReturn requests the return of a transfer, and returns the target organization.
func (w *World) RequestReturn(transfer string) string {
	w.T.Helper()
	return Do(w, "admin", api.AskTransfer, api.TransferRef{Organization: w.Org, Transfer: transfer}).To
}

// sampleSubdomain is the subdomain of the sample organization.
const sampleSubdomain = "acme-docs"

// LinterIntegration returns an integration of the organization to publish.
func (w *World) LinterIntegration(title string) api.IntegrationPublish {
	return api.IntegrationPublish{
		Title: title, Description: "Finds mistakes.", Script: "export default {}\n", Organization: w.Org, Icon: OnePixel,
		Secrets: map[string]api.Text{"token": "hunter2"},
	}
}

// Publish publishes an integration under a name as the admin.
func (w *World) Publish(name string, body api.IntegrationPublish) api.Integration {
	w.T.Helper()
	return Do(w, "admin", api.PublishIntegration, api.PublishIntegrationInput{
		IntegrationRef: api.IntegrationRef{Integration: name}, Body: body,
	})
}

// Install installs an integration in the organization and returns the id of the installation.
func (w *World) Install(name string) string {
	w.T.Helper()
	return Do(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
		IntegrationRef: api.IntegrationRef{Integration: name}, Body: api.InstallationCreate{Organization: w.Org},
	}).ID
}

// importIntoNotes returns an import into Notes.
func importIntoNotes(s *Sample) api.ImportRunCreate {
	return api.ImportRunCreate{
		Source: api.ImportRunSource{
			Type: api.RunOfWebsite, URL: "https://elsewhere.example.com/page.html",
		}, Target: api.ImportRunTarget{Space: s.Notes},
	}
}

// RestrictInstallation restricts an installation to a space and a site.
func (w *World) RestrictInstallation(name, installation, space, site string) {
	w.T.Helper()
	at := api.InstallationRef{IntegrationRef: api.IntegrationRef{Integration: name}, Installation: installation}
	Do(w, "admin", api.UpdateIntegrationInstallation, api.UpdateInstallationInput{InstallationRef: at, Body: api.InstallationPatch{
		SpaceSelection: api.Some(api.SelectSelected), SiteSelection: api.Some(api.SelectSelected),
	}})
	Do(w, "admin", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
		InstallationRef: at, Body: api.InstallationSpaceCreate{Space: space},
	})
	Do(w, "admin", api.CreateInstallationSite, api.CreateInstallationSiteInput{
		InstallationRef: at, Body: api.InstallationSiteCreate{Site: site},
	})
}

// UpdateIndex updates the search index, which otherwise the first search does, and schedules the summaries of the change
// requests.
func (w *World) UpdateIndex() {
	w.T.Helper()
	w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/search?query=usage", nil, http.StatusOK)
	w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/change-requests", nil, http.StatusOK) // schedules summaries
}

// NewTranslation creates translation settings for languages.
func (w *World) NewTranslation(languages ...api.Language) api.Translation {
	w.T.Helper()
	made := Do(w, "admin", api.CreateTranslation, api.CreateTranslationInput{
		Organization: w.Org, Body: api.TranslationCreate{Title: "Ours"},
	})
	for _, l := range languages {
		made = Do(w, "admin", api.AddTranslationLanguage, api.TranslationLanguageRef{
			TranslationRef: api.TranslationRef{Organization: w.Org, Translation: made.ID}, Language: l,
		})
	}
	return made
}

// populateSite creates a site with sections.
func (w *World) populateSite(s *Sample) {
	w.T.Helper()
	s.Unshown = w.CreateSpace("Unshown", s.Nested, "")
	s.Site = Do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
		Title: "Product", Spaces: api.SpaceSelection{s.Handbook, s.Notes},
	}}).ID
	site := api.SiteRef{Organization: w.Org, Site: s.Site}
	section := func(space string) api.SiteSection {
		return Do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: space}})
	}
	s.OtherSection = section(s.Notes).ID
	first := Do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
	s.Section, s.SiteSpace, s.OtherSiteSpace = first.ID, first.SiteSpaces[0].ID, first.SiteSpaces[1].ID
	s.Group = Do(w, "admin", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
		SiteRef: site, Body: api.SiteSectionGroupCreate{Title: "More", Sections: []string{s.Section}},
	}).ID
	s.Published = Do(w, "admin", api.CreateSite, api.CreateSiteInput{
		Organization: w.Org, Body: api.SiteCreate{Visibility: api.SiteShareLink},
	}).ID
	Do(w, "admin", api.PublishSite, api.SiteRef{Organization: w.Org, Site: s.Published})
	s.ShareLink = Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: site, Body: api.ShareLinkCreate{Name: "Partner"},
	}).ID
	w.EnableAdaptive(site)
}

// ClaimsSchema is the schema of visitor claims in tests.
const ClaimsSchema = `{"type":"object","additionalProperties":false,"properties":{` +
	`"plan":{"type":"string","description":"Plan","enum":["pro","free"]},"beta":{"type":"boolean","description":"Tests what is new"}}}`

// EnableAdaptive enables adaptive content for a site, and returns the signing key of its visitor tokens.
func (w *World) EnableAdaptive(site api.SiteRef) string {
	w.T.Helper()
	Do(w, "admin", api.UpdateSite, api.UpdateSiteInput{
		SiteRef: site, Body: api.SitePatch{AdaptiveContent: api.Some(api.AdaptiveContent{Enabled: true})},
	})
	Do(w, "admin", api.UpdateSiteAdaptiveSchema, api.UpdateAdaptiveSchemaInput{
		SiteRef: site, Body: api.AdaptiveSchemaUpdate{JSONSchema: api.JSONObject(ClaimsSchema)},
	})
	return Do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
}

// CreateInvite creates an invite for an e-mail address.
func (w *World) CreateInvite(email string, role api.Role) api.Invite {
	w.T.Helper()
	made := Do(w, "admin", api.CreateInvite, api.CreateInviteInput{
		Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(email), Role: api.Some(role)},
	})
	return made.Invites[0]
}

// CreateLinkInvite creates an invite link.
func (w *World) CreateLinkInvite(as string, body api.LinkInviteCreate) api.LinkInvite {
	w.T.Helper()
	return Do(w, as, api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.Org, Body: body})
}

// NewTeam creates a team of people.
func (w *World) NewTeam(members ...string) api.Team {
	w.T.Helper()
	body := api.TeamCreate{Title: "Ours"}
	for _, name := range members {
		body.Members = append(body.Members, w.Users[name].ID)
	}
	return Do(w, "admin", api.CreateTeam, api.CreateTeamInput{Organization: w.Org, Body: body})
}

// CreateSpace creates a space and returns its id.
func (w *World) CreateSpace(title, parent string, mode api.EditMode) string {
	w.T.Helper()
	return Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.Org, Body: api.SpaceCreate{Title: title, Parent: parent, EditMode: mode},
	}).ID
}

// CreateRequest creates a change request.
func (w *World) CreateRequest(as, space, subject string) api.ChangeRequest {
	w.T.Helper()
	return Do(w, as, api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: subject}})
}

// Ref returns the reference of a change request.
func Ref(r api.ChangeRequest) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: r.Space, ChangeRequest: r.ID}
}

// Edit applies content operations to a change request.
func (w *World) Edit(as string, r api.ChangeRequest, changes ...api.ContentChange) api.ContentResult {
	w.T.Helper()
	return Do(w, as, api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: Ref(r), Body: api.ContentEdit{Changes: changes}})
}

// Merge merges a change request, and fails the test if there are conflicts.
func (w *World) Merge(as string, r api.ChangeRequest) {
	w.T.Helper()
	result := Do(w, as, api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: Ref(r)})
	if result.Result != api.OutcomeMerge {
		w.T.Fatalf("merge of %s: %+v", r.ID, result)
	}
}

// Insert returns the operation that inserts a page with a text, below the page into unless that is "".
func Insert(title, into, markdown string) api.ContentChange {
	c := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{Markdown: api.Some(markdown)}}
	if into != "" {
		c.Into = api.Some(into)
	}
	return c
}

// Update returns the operation that replaces the text of a page.
func Update(page, markdown string) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: &api.Document{Markdown: api.Some(markdown)}}
}

// InsertReusable returns the operation that inserts a reusable content.
func InsertReusable(title, markdown string) api.ContentChange {
	return api.ContentChange{
		Operation: api.InsertReusableContent, Title: api.Some(title), Document: &api.Document{Markdown: api.Some(markdown)},
	}
}

// SetVariables returns the operation that sets a variable of a page, or of the space if page is "".
func SetVariables(page, name, value string) api.ContentChange {
	return api.ContentChange{Operation: api.SetVariables, Page: page, Variables: map[string]*string{name: &value}}
}

// OnePixel is a PNG image in base64.
const OnePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (w *World) populateHandbook(s *Sample) {
	w.T.Helper()
	s.Merged = w.CreateRequest("creator", s.Handbook, "First pages")
	made := w.Edit("creator", s.Merged,
		WithRef("start", Insert("Start", "", "# Start\n\nWelcome.\n")),
		WithRef("install", Insert("Install", "start", "# Install\n\nOn every system.\n")),
		WithRef("linux", Insert("Linux", "install", "# Linux\n\nUse the package.\n")),
		WithRef("mac", Insert("Mac", "install", "# Mac\n\nUse the image.\n")),
		WithRef("usage", Insert("Usage", "", UsageText)),
		api.ContentChange{
			Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", ContentType: "image/png", Base64: OnePixel}},
		},
		InsertReusable("Note", "A note about {{ space.vars.product }}.\n"),
		SetVariables("", "product", "Lamp"), SetVariables("usage", "level", "easy"),
	)
	s.ReusableContent = made.Changes[5].ReusableContent.ID
	for i, title := range []string{"Start", "Install", "Linux", "Mac", "Usage"} {
		s.Pages[title] = made.Changes[i].Page.ID
	}
	s.File = made.InsertedFiles[0].File.ID
	w.Merge("reviewer", s.Merged)
}

// WithRef returns the operation c with a name by which others of the same request refer to its page.
func WithRef(name string, c api.ContentChange) api.ContentChange { c.Ref = name; return c }

func (w *World) populateRequest(s *Sample) {
	w.T.Helper()
	s.Request = w.CreateRequest("editor", s.Handbook, "Better usage")
	made := w.Edit("editor", s.Request,
		Update(s.Pages["Usage"], "# Usage\n\nFirst paragraph of the usage.\n\nSecond and better paragraph of the usage.\n"),
		Insert("Windows", s.Pages["Install"], "# Windows\n\nUse the installer.\n"),
		api.ContentChange{
			Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "other.png", ContentType: "image/png", Base64: OnePixel}},
		},
	)
	s.RequestPage, s.RequestFile = made.Changes[1].Page.ID, made.InsertedFiles[0].File.ID
	Do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: Ref(s.Request), Body: api.ReviewRequest{Users: []string{w.Users["reviewer"].ID}},
	})
	third := w.CreateRequest("creator", s.Handbook, "Meanwhile")
	w.Edit("creator", third, Update(s.Pages["Start"], "# Start\n\nA warm welcome.\n"))
	w.Merge("creator", third)
	s.Request = Do(w, "editor", api.GetChangeRequest, Ref(s.Request))
}

func (w *World) populateComments(s *Sample) {
	w.T.Helper()
	usage := Do(w, "reader", api.GetContentPage, api.PageInput{
		Space: s.Handbook, Page: s.Pages["Usage"], PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	s.Comment = Do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: s.Handbook, Body: api.CommentCreate{
		Page: s.Pages["Usage"], Node: usage.Blocks[1].ID, Body: CommentBody("Is that so?"),
	}})
	s.Reply = Do(w, "editor", api.CreateReply, api.CreateReplyInput{
		CommentRef: api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID}, Body: api.ReplyCreate{Body: CommentBody("It is.")},
	})
	s.OnRequest = Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: Ref(s.Request), Body: api.CommentCreate{Body: CommentBody("Good.")},
	})
	windows := Do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
		ChangeRequestRef: Ref(s.Request), Page: s.RequestPage, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	s.Suggestion = Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: Ref(s.Request), Body: api.CommentCreate{
			Page: s.RequestPage, Node: windows.Blocks[1].ID, Quote: "installer", Suggestion: &api.SuggestionCreate{Markdown: "package"},
			Body: CommentBody("Shorter."),
		},
	})
	s.Review = Do(w, "creator", api.CreateChangeRequestReview,
		api.CreateReviewInput{ChangeRequestRef: Ref(s.Request), Body: api.ReviewCreate{
			Status: api.ReviewChangesRequested, Comment: new(CommentBody("Not yet.")), Comments: []api.CommentCreate{
				{Page: s.Pages["Usage"], Body: CommentBody("This one.")},
			},
		}})
	s.RequestReply = Do(w, "editor", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: Ref(s.Request), Comment: s.OnRequest.ID},
		Body:                    api.ReplyCreate{Body: CommentBody("Thanks.")},
	})
}

// CommentBody returns a comment body with a text.
func CommentBody(markdown string) api.CommentBody {
	return api.CommentBody{Markdown: api.Some(markdown)}
}

// CreateSpaces creates n spaces at the top level and returns their ids.
func (w *World) CreateSpaces(n int) []string {
	w.T.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = w.CreateSpace(fmt.Sprintf("Space %d", i), "", "")
	}
	return ids
}
