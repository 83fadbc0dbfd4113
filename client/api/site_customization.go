package api

import "encoding/json"

// Routes of the customization of docs sites.
var (
	GetSiteCustomization = get[GetSiteCustomizationInput, SiteCustomization]("sites.get-customization",
		"/v1/orgs/{organizationId}/sites/{siteId}/customization", "Show how a docs site is to look.",
		withOperation("getSiteCustomizationById"))
	UpdateSiteCustomization = put[UpdateSiteCustomizationInput, SiteCustomization]("sites.update-customization",
		"/v1/orgs/{organizationId}/sites/{siteId}/customization", "Say how a docs site is to look; what is left out gets its default.",
		withOperation("updateSiteCustomizationById"))
)

// GetSiteCustomizationInput is the input of GetSiteCustomization.
type GetSiteCustomizationInput struct {
	SiteRef
	Unmasked Optional[bool] `query:"unmasked" default:"false" doc:"Show what a plan does not include, too. No site of wsd has a plan that leaves something out: both answer the same."`
}

// UpdateSiteCustomizationInput is the input of UpdateSiteCustomization.
type UpdateSiteCustomizationInput struct {
	SiteRef
	Body SiteCustomizationPut
}

// SiteCustomizationPut is the body of UpdateSiteCustomization. In JSON, members with defaults may be omitted. In Go,
// start with DefaultCustomization or with the result of GetSiteCustomization.
type SiteCustomizationPut struct{ SiteCustomization }

// hasDefaults declares that members with defaults may be omitted.
func (SiteCustomizationPut) hasDefaults() {}

// SiteCustomization is the appearance of a site. Its pages are drawn by a separate renderer; wsd evaluates only the
// conditions of links.
type SiteCustomization struct {
	Title                 string                            `json:"title,omitzero" len:"2..128" doc:"What renderers call the site; the site's own title unless another one is set."`
	LocalizedTitle        map[string]string                 `json:"localizedTitle,omitempty" len:"0..100" keys:"1..20" keyPattern:"id" each:"1..128" doc:"Titles by language."`
	Styling               CustomizationStyling              `json:"styling"`
	Internationalization  CustomizationInternationalization `json:"internationalization"`
	Favicon               CustomizationFavicon              `json:"favicon" doc:"The site's own icon unless another one is set."`
	Header                CustomizationHeader               `json:"header"`
	Footer                CustomizationFooter               `json:"footer"`
	Announcement          *CustomizationAnnouncement        `json:"announcement,omitzero"`
	Themes                CustomizationThemes               `json:"themes"`
	PDF                   CustomizationPDF                  `json:"pdf"`
	Feedback              CustomizationFeedback             `json:"feedback"`
	AI                    CustomizationAI                   `json:"ai"`
	AdvancedCustomization CustomizationAdvanced             `json:"advancedCustomization"`
	Git                   CustomizationGit                  `json:"git"`
	PageActions           CustomizationPageActions          `json:"pageActions"`
	ExternalLinks         CustomizationExternalLinks        `json:"externalLinks"`
	Pagination            CustomizationPagination           `json:"pagination"`
	Trademark             CustomizationTrademark            `json:"trademark"`
	PrivacyPolicy         CustomizationURL                  `json:"privacyPolicy"`
	SocialPreview         CustomizationPicture              `json:"socialPreview"`
	SocialAccounts        []CustomizationSocialAccount      `json:"socialAccounts" len:"0..50"`
	Insights              CustomizationInsights             `json:"insights"`
}

// UnmarshalJSON implements json.Unmarshaler. Omitted members get their defaults.
func (c *SiteCustomization) UnmarshalJSON(data []byte) error {
	type plain SiteCustomization
	read := plain(DefaultCustomization())
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*c = SiteCustomization(read)
	return nil
}

// DefaultCustomization returns the appearance of a site that was not customized. It has no tracking and no external
// requests.
func DefaultCustomization() SiteCustomization {
	even := func(color string) CustomizationThemedColor {
		return CustomizationThemedColor{Light: color, Dark: color}
	}
	code := CustomizationThemedCode{Light: "default-light", Dark: "default-dark"}
	return SiteCustomization{
		Styling: CustomizationStyling{
			Theme: "clean", PrimaryColor: CustomizationThemedColor{Light: "#2f6f4f", Dark: "#6fbf95"},
			InfoColor: even("#6b7280"), SuccessColor: even("#15803d"), WarningColor: even("#b45309"), DangerColor: even("#b91c1c"),
			Corners: "rounded", Depth: "subtle", Links: "default", Background: "plain", Icons: "regular", Search: "subtle",
			Font: CustomizationFont{Name: "Inter"}, MonospaceFont: CustomizationFont{Name: "IBMPlexMono"},
			CodeTheme: CustomizationCodeTheme{Default: code, OpenAPI: code},
			Sidebar:   CustomizationSidebar{Background: "default", List: "default"},
		},
		Internationalization: CustomizationInternationalization{Locale: "en"},
		Header:               CustomizationHeader{Preset: "default", Links: []CustomizationHeaderItem{}},
		Footer:               CustomizationFooter{Groups: []CustomizationFooterGroup{}},
		Themes:               CustomizationThemes{Default: "light", Toggeable: true},
		PDF:                  CustomizationPDF{Enabled: true},
		AI:                   CustomizationAI{Mode: AINone},
		PageActions:          CustomizationPageActions{Markdown: true, Items: []PageAction{PageActionMarkdown, PageActionPDF}},
		ExternalLinks:        CustomizationExternalLinks{Target: "self"},
		Pagination:           CustomizationPagination{Enabled: true},
		SocialAccounts:       []CustomizationSocialAccount{},
	}
}

// CustomizationInternationalization is the language of the texts of a renderer.
type CustomizationInternationalization struct {
	Locale string `json:"locale" default:"en" enum:"en,fr,es,zh,ja,de,nl,no,pt-br,ru"`
}

// CustomizationThemes are the default theme of a site and whether readers can change it.
type CustomizationThemes struct {
	Default   string `json:"default" default:"light" enum:"light,dark,system"`
	Toggeable bool   `json:"toggeable" default:"true" doc:"Readers may change it. The name is that of the public API."`
}

// CustomizationPDF controls whether pages are offered as PDF.
type CustomizationPDF struct {
	Enabled bool `json:"enabled" default:"true"`
}

// CustomizationFeedback controls whether readers are asked for feedback on a page.
type CustomizationFeedback struct {
	Enabled bool `json:"enabled" default:"false" doc:"Always false: wsd collects no feedback of readers."`
}

// AINone is the only value of CustomizationAI.Mode in wsd.
const AINone = "none"

// CustomizationAI configures AI features for readers.
type CustomizationAI struct {
	Mode string `json:"mode" default:"none" enum:"none,search,assistant" doc:"Always none: wsd answers no questions."`
}

// CustomizationAdvanced controls whether a site has custom markup and scripts.
type CustomizationAdvanced struct {
	Enabled bool `json:"enabled" default:"false" doc:"Always false: wsd keeps no markup and scripts of sites."`
}

// CustomizationGit controls whether pages link to their source in a repository.
type CustomizationGit struct {
	ShowEditLink bool `json:"showEditLink" default:"false" doc:"Whether pages have a link to edit them."`
}

// CustomizationExternalLinks controls where links to other sites open.
type CustomizationExternalLinks struct {
	Target string `json:"target" default:"self" enum:"self,blank"`
}

// CustomizationPagination controls whether pages end with links to the previous and next page.
type CustomizationPagination struct {
	Enabled bool `json:"enabled" default:"true"`
}

// CustomizationTrademark controls whether a renderer shows the product name.
type CustomizationTrademark struct {
	Enabled bool `json:"enabled" default:"false"`
}

// CustomizationURL is the URL of further information, such as a privacy policy.
type CustomizationURL struct {
	URL string `json:"url,omitzero" len:"1..2048" format:"uri"`
}

// CustomizationPicture is the URL of a picture.
type CustomizationPicture struct {
	URL string `json:"url,omitzero" len:"1..2048" format:"uri" pattern:"https"`
}

// CustomizationInsights controls the tracking of readers.
type CustomizationInsights struct {
	TrackingCookie bool `json:"trackingCookie" default:"false" doc:"Whether pages set a cookie to count visitors."`
}

// SocialPlatform is a social network.
type SocialPlatform string

// Values returns the platforms.
func (SocialPlatform) Values() []SocialPlatform {
	return []SocialPlatform{
		"twitter", "instagram", "facebook", "linkedin", "github", "discord", "slack", "youtube", "tiktok", "reddit", "bluesky",
		"mastodon", "threads", "medium",
	}
}

// CustomizationSocialAccount is a social account of a site.
type CustomizationSocialAccount struct {
	Platform SocialPlatform       `json:"platform"`
	Handle   string               `json:"handle" len:"1..256" doc:"Name of the account, without the address."`
	Display  CustomizationDisplay `json:"display"`
}

// CustomizationDisplay controls where an account is shown.
type CustomizationDisplay struct {
	Header bool `json:"header"`
	Footer bool `json:"footer"`
}
