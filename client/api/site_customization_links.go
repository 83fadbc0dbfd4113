package api

// RefTarget is the target of a link of a site: a ContentRef whose URL may also be a mailto or tel URL.
type RefTarget struct {
	Kind       RefKind `json:"kind"`
	URL        string  `json:"url,omitzero" len:"1..2048" pattern:"link" doc:"Begins with https:, http:, mailto: or tel:."`
	Page       string  `json:"page,omitzero" pattern:"id"`
	Anchor     string  `json:"anchor,omitzero" len:"1..500"`
	File       string  `json:"file,omitzero" pattern:"id"`
	Space      string  `json:"space,omitzero" pattern:"id"`
	Collection string  `json:"collection,omitzero" pattern:"id"`
	Spec       string  `json:"spec,omitzero" len:"1..100" pattern:"specSlug" doc:"The slug of an OpenAPI specification."`
}

// CustomizationLink is a link of a site.
type CustomizationLink struct {
	Title          string            `json:"title" len:"1..64"`
	LocalizedTitle map[string]string `json:"localizedTitle,omitempty" len:"0..100" keys:"1..20" keyPattern:"id" each:"1..64" doc:"Titles by language."`
	To             RefTarget         `json:"to"`
}

// CustomizationHeader is the header of all pages.
type CustomizationHeader struct {
	Preset          string                    `json:"preset" default:"default" enum:"default,bold,contrast,custom,none"`
	Logo            *CustomizationThemedURL   `json:"logo,omitzero"`
	BackgroundColor *CustomizationThemedColor `json:"backgroundColor,omitzero"`
	LinkColor       *CustomizationThemedColor `json:"linkColor,omitzero"`
	PrimaryLink     *RefTarget                `json:"primaryLink,omitzero" doc:"Where the logo leads; the first page of the site unless it is set."`
	Links           []CustomizationHeaderItem `json:"links" len:"0..100"`
}

// CustomizationHeaderItem is a link or a menu of the header.
type CustomizationHeaderItem struct {
	Title          string              `json:"title" len:"1..128"`
	LocalizedTitle map[string]string   `json:"localizedTitle,omitempty" len:"0..100" keys:"1..20" keyPattern:"id" each:"1..128" doc:"Titles by language."`
	Style          string              `json:"style,omitzero" enum:"link,button-primary,button-secondary"`
	To             *RefTarget          `json:"to" doc:"null for a menu that leads nowhere itself."`
	Links          []CustomizationLink `json:"links,omitzero" len:"0..100" doc:"What the menu has."`
	Condition      string              `json:"condition,omitzero" len:"1..1024" doc:"Visitors whose claims do not meet it are not told of the item."`
}

// CustomizationFooter is the footer of all pages.
type CustomizationFooter struct {
	Logo      *CustomizationThemedURL    `json:"logo,omitzero"`
	Groups    []CustomizationFooterGroup `json:"groups" len:"0..50"`
	Copyright string                     `json:"copyright,omitzero" len:"0..300"`
}

// CustomizationFooterGroup is a group of links in the footer.
type CustomizationFooterGroup struct {
	Title          string              `json:"title" len:"0..128"`
	LocalizedTitle map[string]string   `json:"localizedTitle,omitempty" len:"0..100" keys:"1..20" keyPattern:"id" each:"1..128" doc:"Titles by language."`
	Links          []CustomizationLink `json:"links" len:"0..100"`
}

// CustomizationAnnouncement is the announcement banner of a site.
type CustomizationAnnouncement struct {
	Enabled          bool               `json:"enabled"`
	Message          string             `json:"message" len:"0..128"`
	LocalizedMessage map[string]string  `json:"localizedMessage,omitempty" len:"0..100" keys:"1..20" keyPattern:"id" each:"1..128" doc:"Messages by language."`
	Link             *CustomizationLink `json:"link,omitzero"`
	Style            string             `json:"style" enum:"info,warning,danger,success"`
}

// PageAction is an action that readers can apply to a page.
type PageAction string

// The actions, including those with members of their own in CustomizationPageActions.
const (
	PageActionMarkdown   PageAction = "markdown"
	PageActionPDF        PageAction = "pdf"
	PageActionExternalAI PageAction = "external-ai"
)

// Values returns the actions.
func (PageAction) Values() []PageAction {
	return []PageAction{"assistant", PageActionExternalAI, PageActionMarkdown, "mcp", "git", PageActionPDF}
}

// CustomizationPageActions are the actions offered to readers of a page. Items lists all of them; externalAI and
// markdown each represent some of them, and are derived from items if omitted.
type CustomizationPageActions struct {
	ExternalAI bool         `json:"externalAI" default:"false" doc:"Whether items has external-ai."`
	Markdown   bool         `json:"markdown" default:"true" doc:"Whether items has markdown."`
	Items      []PageAction `json:"items" len:"0..20" unique:"true" doc:"Default: markdown and pdf."`
}
