package api

import (
	"encoding/json"
	"net/http"
	"slices"
)

// Routes of docs sites.
var (
	ListSites = get[ListSitesInput, Page[Site]]("sites.list", "/v1/orgs/{organizationId}/sites",
		"List the docs sites of an organization that you can see.", withOperation("listSites"))
	CreateSite = create[CreateSiteInput, Site]("sites.create", "/v1/orgs/{organizationId}/sites",
		"Create a docs site; it is not published yet.", withOptionalBody, withOperation("createSite"))
	GetSite = get[SiteRef, Site]("sites.get", "/v1/orgs/{organizationId}/sites/{siteId}", "Show a docs site.",
		withOperation("getSiteById"))
	UpdateSite = patch[UpdateSiteInput, Site]("sites.update", "/v1/orgs/{organizationId}/sites/{siteId}",
		"Change a docs site: its title, audience, addresses, icon and defaults.", withOperation("updateSiteById"))
	DeleteSite = remove[SiteRef]("sites.delete", "/v1/orgs/{organizationId}/sites/{siteId}", http.StatusResetContent,
		"Delete a docs site with its sections and share links; the spaces stay.", withOperation("deleteSiteById"))
	PublishSite = post[SiteRef, Site]("sites.publish", "/v1/orgs/{organizationId}/sites/{siteId}/publish",
		"Publish a docs site to the audience that its visibility names.", withOperation("publishSite"))
	UnpublishSite = post[SiteRef, Site]("sites.unpublish", "/v1/orgs/{organizationId}/sites/{siteId}/unpublish",
		"Take a docs site off the air; nothing of it is lost.", withOperation("unpublishSite"))
	GetSitePreview = get[SitePreviewInput, SitePreview]("sites.get-preview",
		"/v1/orgs/{organizationId}/sites/{siteId}/publishing/preview", "Make an address at which a docs site can be looked at for an "+
			"hour, as a visitor with the claims that you give.", withOperation("getSitePublishingPreviewById"))
	GetSitePublished = get[SiteVisit, PublishedSite]("sites.get-published", "/v1/orgs/{organizationId}/sites/{siteId}/published",
		"Show all that a renderer needs of a docs site.", withOperation("getPublishedContentSite"))
)

// SiteRef identifies a site.
type SiteRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Site         string `path:"siteId" pattern:"id"`
}

// SiteVisit is the input of operations that visitors of a site may call.
type SiteVisit struct {
	SiteRef
	ShareKey     string `query:"shareKey" secret:"true" len:"..200" doc:"Key of a share link: lets a visitor into a site that is published by share links, and becomes part of the published URLs."`
	VisitorToken string `query:"jwt_token" secret:"true" len:"..16384" doc:"Token of a visitor, signed with the key of the site's publishing auth: lets a visitor in, and brings the claims that conditions look at. A member who brings it sees the site as that visitor."`
}

// SitePreviewInput is the input of GetSitePreview.
type SitePreviewInput struct {
	SiteRef
	SiteSpace string `query:"siteSpace" pattern:"id" doc:"The site space to begin with; the site's first page without it."`
	Claims    string `query:"claims" len:"..4096" doc:"Claims of the visitor, in Rison: (plan:pro,beta:!t)."`
	Draft     bool   `query:"draft" doc:"true is refused: sites have no drafts."`
	Target    string `query:"target" len:"..200" doc:"Refused: a site has one address."`
}

// CheckParams rejects draft and target, because sites in wsd have no drafts and only one address.
func (in SitePreviewInput) CheckParams() []FieldError {
	return slices.Concat(
		rejectParam("draft", in.Draft, "must be false: sites have no drafts here, and what is changed is shown at once"),
		rejectParam("target", in.Target != "", "cannot be given: a site has one address here"))
}

// SitePreview is a preview URL of a docs site, which is valid for an hour.
type SitePreview struct {
	URL string `json:"url"`
}

// ListSitesInput is the input of ListSites.
type ListSitesInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Space     string         `query:"space" pattern:"id" doc:"Only sites that show this space."`
	Title     string         `query:"title" len:"..256" doc:"Only sites with this text in their title, in upper or lower case."`
	Published Optional[bool] `query:"published" doc:"Only sites that are published, or only those that are not."`
	Types     []SiteType     `query:"type" len:"0..6" doc:"Only sites of these types."`
}

// CreateSiteInput is the input of CreateSite.
type CreateSiteInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         SiteCreate
}

// SiteCreate is the body of CreateSite.
type SiteCreate struct {
	Type       SiteType       `json:"type,omitzero" default:"basic"`
	Title      string         `json:"title,omitzero" len:"2..128" doc:"Default: Untitled."`
	Visibility SiteVisibility `json:"visibility,omitzero" doc:"Default: public; nobody sees it before it is published."`
	Spaces     SpaceSelection `json:"spaces,omitempty" len:"0..100" each:"..100" doc:"The spaces to show, by id; or empty or sample: make a new space, without pages or with one to start from."`
}

// SpaceSelection selects the spaces of a new site: their ids, or one word for a space that is created for it.
type SpaceSelection []string

// The words of a SpaceSelection.
const (
	SpaceSample = "sample"
	SpaceEmpty  = "empty"
)

// Words returns the strings allowed instead of the list.
func (SpaceSelection) Words() []string { return []string{SpaceSample, SpaceEmpty} }

// Word returns the string given instead of the list, if any.
func (s SpaceSelection) Word() (string, bool) {
	if len(s) == 1 && slices.Contains(s.Words(), s[0]) {
		return s[0], true
	}
	return "", false
}

// MarshalJSON implements json.Marshaler.
func (s SpaceSelection) MarshalJSON() ([]byte, error) {
	if word, ok := s.Word(); ok {
		return json.Marshal(word)
	}
	return json.Marshal([]string(s))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *SpaceSelection) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil {
		*s = SpaceSelection{word}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// UpdateSiteInput is the input of UpdateSite.
type UpdateSiteInput struct {
	SiteRef
	Body SitePatch
}

// SitePatch is the body of UpdateSite.
type SitePatch struct {
	Title              Optional[string]          `json:"title,omitzero" len:"2..128"`
	Visibility         Optional[SiteVisibility]  `json:"visibility,omitzero"`
	Icon               Optional[SiteIcon]        `json:"icon,omitzero" null:"true" doc:"null removes it."`
	Basename           Optional[string]          `json:"basename,omitzero" len:"1..100" pattern:"slug" doc:"Name of the site in its address; no other site of the organization may have it."`
	Hostname           Optional[string]          `json:"hostname,omitzero" len:"0..512" pattern:"hostname" null:"true" doc:"Custom hostname, which only one site can have; null removes it."`
	AdaptiveContent    Optional[AdaptiveContent] `json:"adaptiveContent,omitzero"`
	AgentsContext      Optional[AgentsContext]   `json:"agentsContext,omitzero" doc:"Excluded: the site is not there for tokens that were made for agents or belong to installations."`
	DefaultSiteSpace   Optional[string]          `json:"defaultSiteSpace,omitzero" pattern:"id" doc:"The site space that is shown first where it stands: in its section, or in the site."`
	DefaultSiteSection Optional[string]          `json:"defaultSiteSection,omitzero" pattern:"id" doc:"The section that is shown first."`
	Proxy              Optional[string]          `json:"proxy,omitzero" len:"0..512" pattern:"proxy" null:"true" doc:"Host and path that forward to the site, as in example.com/docs; null removes it."`
}

// SiteType is the plan of a site. wsd stores it but has no paid plans.
type SiteType string

// Values of SiteType.
const (
	SiteBasic         SiteType = "basic"
	SitePremium       SiteType = "premium"
	SiteUltimate      SiteType = "ultimate"
	SiteSponsored     SiteType = "sponsored"
	SiteLegacyBasic   SiteType = "legacy-basic"
	SiteLegacyPremium SiteType = "legacy-premium"
)

// Values returns the values of SiteType.
func (SiteType) Values() []SiteType {
	return []SiteType{SiteBasic, SitePremium, SiteUltimate, SiteSponsored, SiteLegacyBasic, SiteLegacyPremium}
}

// SiteVisibility is the audience of a published site.
type SiteVisibility string

// Values of SiteVisibility, widest first.
const (
	SitePublic      SiteVisibility = "public"       // everyone
	SiteUnlisted    SiteVisibility = "unlisted"     // everyone with the address; search engines do not list the site
	SiteVisitorAuth SiteVisibility = "visitor-auth" // visitors with a signed token
	SiteShareLink   SiteVisibility = "share-link"   // visitors with a share link
)

// Values returns the visibilities, widest first.
func (SiteVisibility) Values() []SiteVisibility {
	return []SiteVisibility{SitePublic, SiteUnlisted, SiteVisitorAuth, SiteShareLink}
}

// AgentsContext controls whether AI agents, which use tokens created for agents, and installations can see a site.
type AgentsContext string

// Values of AgentsContext.
const (
	AgentsExcluded AgentsContext = "excluded"
	AgentsIncluded AgentsContext = "included"
)

// Values returns the values of AgentsContext.
func (AgentsContext) Values() []AgentsContext { return []AgentsContext{AgentsExcluded, AgentsIncluded} }

// AdaptiveContent controls whether a site adapts to the claims of its visitors.
type AdaptiveContent struct {
	Enabled bool `json:"enabled" doc:"Whether conditions of the site are evaluated for visitors."`
}

// SiteIcon is the icon of a site: an emoji, or an image.
type SiteIcon struct {
	Emoji string          `json:"emoji,omitzero" len:"1..50" format:"emoji"`
	Icon  *SiteIconImages `json:"icon,omitzero"`
}

// SiteIconImages are the URLs of an icon for light and for dark backgrounds.
type SiteIconImages struct {
	Light string `json:"light" format:"uri" len:"0..2048"`
	Dark  string `json:"dark" format:"uri" len:"0..2048"`
}

// Validate checks that an icon has either an emoji or images.
func (p SitePatch) Validate() []FieldError {
	icon, ok := p.Icon.Get()
	if ok && (icon.Emoji == "") == (icon.Icon == nil) {
		return []FieldError{{Path: "icon", Message: "must have either emoji or icon"}}
	}
	return nil
}

// SiteFields holds the stored members of a Site.
type SiteFields struct {
	Object          string          `json:"object" enum:"site"`
	ID              string          `json:"id"`
	Type            SiteType        `json:"type"`
	Title           string          `json:"title" len:"2..128"`
	Icon            *SiteIcon       `json:"icon,omitzero"`
	Hostname        string          `json:"hostname,omitzero" len:"0..512" pattern:"hostname" doc:"Domain of its own; absent without one."`
	Basename        string          `json:"basename,omitzero" len:"1..100" doc:"Last segment of the address of the site, where it has no hostname; the id is used without one."`
	Visibility      SiteVisibility  `json:"visibility"`
	Published       bool            `json:"published" doc:"Whether visitors can read it."`
	CreatedAt       Time            `json:"createdAt"`
	AdaptiveContent AdaptiveContent `json:"adaptiveContent"`
	AgentsContext   AgentsContext   `json:"agentsContext"`
}

// Site is a published documentation site.
type Site struct {
	SiteFields
	Proxy      *SiteProxy    `json:"proxy,omitzero"`
	SiteSpaces int           `json:"siteSpaces" doc:"How many of its spaces you can see."`
	Ads        *SiteAds      `json:"ads,omitzero" doc:"Never there: wsd shows no advertisements."`
	Features   []SiteFeature `json:"features" doc:"Always empty: wsd sells nothing."`
	URLs       SiteURLs      `json:"urls"`
}

var _ = declareColumns[Site]("id,title,visibility,published,siteSpaces=SPACES,urls.published=URL")

// SiteProxy describes the forwarding that a reverse proxy in front of a site has to perform.
type SiteProxy struct {
	Origin string `json:"origin" doc:"Host and path that people see."`
	Target string `json:"target" doc:"Address that the proxy forwards to."`
}

// SiteURLs are the URLs of a site; published is absent until the site is published.
type SiteURLs struct {
	Location  string `json:"location"`
	App       string `json:"app"`
	Published string `json:"published,omitzero"`
}

// PublishedURLs are the URLs of a part of a site; published is absent until the site is published.
type PublishedURLs struct {
	Published string `json:"published,omitzero"`
}

// PublishedSite is a site with everything that a renderer needs: structure, customizations and scripts.
type PublishedSite struct {
	Object         string             `json:"object" enum:"published-content-site"`
	Site           Site               `json:"site"`
	Structure      SiteStructure      `json:"structure"`
	Customizations SiteCustomizations `json:"customizations"`
	Scripts        []SiteScript       `json:"scripts" doc:"Scripts of installed integrations."`
}

// SiteCustomizations are the customizations of a site.
type SiteCustomizations struct {
	Site       SiteCustomization            `json:"site"`
	SiteSpaces map[string]SiteCustomization `json:"siteSpaces" doc:"By site space; what is absent looks like the site."`
}

// SiteScript is a script that a renderer must include.
type SiteScript struct {
	Script                string `json:"script" format:"uri" doc:"Address of the script."`
	ContentSecurityPolicy string `json:"contentSecurityPolicy,omitzero" doc:"Content-Security-Policy that the script needs."`
	Cookies               bool   `json:"cookies" doc:"Whether the script sets cookies."`
}
