package api

import (
	"net/http"
	"strings"
)

// Routes of spaces.
var (
	ListSpaces = get[ListSpacesInput, Page[Space]]("spaces.list", "/v1/orgs/{organizationId}/spaces",
		"List the spaces of an organization that you can read.", withOperation("listSpacesInOrganizationById"))
	CreateSpace = create[CreateSpaceInput, Space]("spaces.create", "/v1/orgs/{organizationId}/spaces", "Create a space.", withOptionalBody,
		withOperation("createSpace"))
	GetSpace    = get[GetSpaceInput, Space]("spaces.get", "/v1/spaces/{spaceId}", "Show a space.", withOperation("getSpaceById"))
	GetSpacePdf = get[GetSpacePDFInput, PDF]("spaces.get-pdf", "/v1/spaces/{spaceId}/pdf",
		"Print the content of a space as a PDF and answer where it can be downloaded for an hour.", markSlow, withOperation("getSpacePDF"))
	UpdateSpace = patch[UpdateSpaceInput, Space]("spaces.update", "/v1/spaces/{spaceId}",
		"Change a space's title, emoji, icon, language, edit mode, default level or merge rules.", withOperation("updateSpaceById"))
	DeleteSpace = remove[SpaceRef]("spaces.delete", "/v1/spaces/{spaceId}", http.StatusResetContent,
		"Delete a space; it can be restored for 7 days.", withOperation("deleteSpaceById"))
	RestoreSpace = post[SpaceRef, Space]("spaces.restore", "/v1/spaces/{spaceId}/restore",
		"Restore a space deleted within the last 7 days.", withOperation("restoreSpace"))
	DuplicateSpace = create[SpaceRef, Space]("spaces.duplicate", "/v1/spaces/{spaceId}/duplicate",
		"Copy a space with its content; change requests, comments and grants stay behind.", markSlow, withOperation("duplicateSpace"))
	MoveSpace = post[MoveSpaceInput, Space]("spaces.move", "/v1/spaces/{spaceId}/move", "Move a space to another collection or position.",
		withOperation("moveSpace"), failsWith(ReasonNoChange))

	ListSpaceCommenters = get[ListCommentersInput, Page[Member]]("spaces.list-commenters", "/v1/spaces/{spaceId}/commenters",
		"List the members who commented on what readers see of a space.", withOperation("listCommentersInSpace"))
)

// ListCommentersInput is the input of ListSpaceCommenters.
type ListCommentersInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
}

// GetSpacePDFInput is the input of GetSpacePdf.
type GetSpacePDFInput struct {
	Space string `path:"spaceId" pattern:"id"`
	PDFOptions
}

// PDFOptions selects the content of a PDF.
type PDFOptions struct {
	Page string         `query:"page" pattern:"id" doc:"Only this page and those below it."`
	Only Optional[bool] `query:"only" default:"false" doc:"true leaves out what is below the page."`
}

// PDF is the download URL of a PDF.
type PDF struct {
	URL string `json:"url" format:"uri" doc:"Needs no token; valid for an hour. It shows the content of the moment in which it was asked for."`
}

// SpaceRef identifies a space.
type SpaceRef struct {
	Space string `path:"spaceId" pattern:"id"`
}

// GetSpaceInput is the input of GetSpace.
type GetSpaceInput struct {
	Space        string `path:"spaceId" pattern:"id"`
	ShareKey     string `query:"shareKey" secret:"true" len:"..200" doc:"Key of a share link of a site that shows the space: lets a visitor in, and becomes part of the published URLs."`
	VisitorToken string `query:"jwt_token" secret:"true" len:"..16384" doc:"Token of a visitor, signed with the key of the site's publishing auth: lets a visitor in, and brings the claims that conditions look at."`
}

// ListSpacesInput is the input of ListSpaces.
type ListSpacesInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// CreateSpaceInput is the input of CreateSpace.
type CreateSpaceInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         SpaceCreate
}

// SpaceCreate is the body of CreateSpace.
type SpaceCreate struct {
	Title    string         `json:"title,omitzero" len:"0..50" doc:"Default: Untitled."`
	Emoji    string         `json:"emoji,omitzero" len:"1..50" format:"emoji" doc:"Default: 📘."`
	Parent   string         `json:"parent,omitzero" pattern:"id" doc:"The collection to create it in; default the top."`
	EditMode EditMode       `json:"editMode,omitzero" doc:"Default: locked."`
	Icon     string         `json:"icon,omitzero" len:"1..2048" format:"uri" doc:"Address of a picture, with https; the emoji stays."`
	Language Language       `json:"language,omitzero" doc:"What it is written in."`
	Empty    Optional[bool] `json:"empty,omitzero" doc:"A new space has no pages: only true is taken."`

	Template       JSONObject `json:"template,omitzero" len:"..20" keys:"..100" each:"..10000" doc:"Refused: there are no templates of spaces."`
	ComputedSource JSONObject `json:"computedSource,omitzero" len:"..20" keys:"..100" each:"..10000" doc:"Refused: only pages are computed."`
}

// Validate checks the URL of the icon, and rejects a template, a computed source and the value false of empty, which wsd does
// not support.
func (s SpaceCreate) Validate() []FieldError {
	wrong := checkIcon(s.Icon)
	if empty, isSet := s.Empty.Get(); isSet && !empty {
		wrong = append(wrong, FieldError{Path: "empty", Message: "must be true: a new space has no pages"})
	}
	if s.ComputedSource != nil {
		wrong = append(wrong, FieldError{Path: "computedSource", Message: "is not supported: a space is not computed, pages in it may be"})
	}
	return append(wrong, rejectTemplate(s.Template)...)
}

// checkIcon reports an error unless the URL of an icon is empty or begins with https://.
func checkIcon(address string) []FieldError {
	if address == "" || strings.HasPrefix(address, "https://") {
		return nil
	}
	return []FieldError{{Path: "icon", Message: "must begin with https://"}}
}

// rejectTemplate returns an error if a template is given, because wsd has no templates.
func rejectTemplate(template JSONObject) []FieldError {
	if template == nil {
		return nil
	}
	return []FieldError{{Path: "template", Message: "is not supported: there are no templates of spaces"}}
}

// UpdateSpaceInput is the input of UpdateSpace.
type UpdateSpaceInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  SpacePatch
}

// SpacePatch is the body of UpdateSpace.
type SpacePatch struct {
	Title        Optional[string]     `json:"title,omitzero" len:"0..50"`
	Emoji        Optional[string]     `json:"emoji,omitzero" len:"1..50" format:"emoji" null:"true" doc:"null goes back to 📘."`
	Icon         Optional[string]     `json:"icon,omitzero" len:"1..2048" format:"uri" null:"true" doc:"Address of a picture, with https; null removes it. The emoji stays."`
	Language     Optional[Language]   `json:"language,omitzero" null:"true" doc:"What it is written in; null removes it."`
	EditMode     Optional[EditMode]   `json:"editMode,omitzero"`
	DefaultLevel Optional[Level]      `json:"defaultLevel,omitzero" null:"true" doc:"Role for everybody, inherit, or null for nobody but admins, the creator and people added by name."`
	MergeRules   Optional[MergeRules] `json:"mergeRules,omitzero" doc:"What has to hold before a change request is merged."`
}

// Validate checks the URL of the icon and the merge rules.
func (p SpacePatch) Validate() []FieldError {
	icon, _ := p.Icon.Get()
	return append(checkIcon(icon), checkMergeRules(p.MergeRules, true)...)
}

// MoveSpaceInput is the input of MoveSpace.
type MoveSpaceInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  Move
}

// EditMode controls whether a space may be edited directly.
type EditMode string

// Values of EditMode.
const (
	EditLive   EditMode = "live"
	EditLocked EditMode = "locked"
)

// Values returns the edit modes.
func (EditMode) Values() []EditMode { return []EditMode{EditLive, EditLocked} }

// Visibility is the audience of a space or site.
type Visibility string

// Values of Visibility.
const (
	VisibilityPublic       Visibility = "public"
	VisibilityUnlisted     Visibility = "unlisted"
	VisibilityShareLink    Visibility = "share-link"
	VisibilityVisitorAuth  Visibility = "visitor-auth"
	VisibilityInCollection Visibility = "in-collection"
	VisibilityPrivate      Visibility = "private"
)

// Values returns the visibilities of a space.
func (Visibility) Values() []Visibility {
	return []Visibility{
		VisibilityPublic, VisibilityUnlisted, VisibilityShareLink, VisibilityVisitorAuth, VisibilityInCollection, VisibilityPrivate,
	}
}

// SpaceFields holds the stored members of a Space.
type SpaceFields struct {
	Object       string      `json:"object" enum:"space"`
	ID           string      `json:"id"`
	Title        string      `json:"title" len:"0..50"`
	Emoji        string      `json:"emoji" len:"1..50"`
	CreatedAt    Time        `json:"createdAt"`
	DeletedAt    Time        `json:"deletedAt,omitzero"`
	EditMode     EditMode    `json:"editMode,omitzero"`
	Organization string      `json:"organization"`
	Parent       string      `json:"parent,omitzero" doc:"Id of the collection; absent at the top level."`
	DefaultLevel *Level      `json:"defaultLevel" doc:"Role that members without a permission have; inherit takes that of the collection or organization."`
	Icon         string      `json:"icon,omitzero" len:"1..2048" doc:"As it was given; urls has it, too."`
	Language     Language    `json:"language,omitzero" doc:"What it is written in."`
	MergeRules   *MergeRules `json:"mergeRules,omitzero" doc:"With the type inherit: those of the organization. Not shown to visitors."`
}

// Space is a tree of documentation pages with a history.
type Space struct {
	SpaceFields
	Visibility          Visibility       `json:"visibility"`
	UpdatedAt           Time             `json:"updatedAt"`
	Revision            string           `json:"revision" doc:"The revision that readers see."`
	Comments            int              `json:"comments" doc:"Open comments outside change requests."`
	ChangeRequests      int              `json:"changeRequests" doc:"Number of change requests in all states."`
	ChangeRequestsOpen  int              `json:"changeRequestsOpen" doc:"Number of change requests that are open."`
	ChangeRequestsDraft int              `json:"changeRequestsDraft" doc:"Number of change requests that are drafts."`
	GitSync             *GitSync         `json:"gitSync,omitzero" doc:"Never there: wsd synchronizes with no git."`
	VisitorAuth         *VisitorAuth     `json:"visitorAuth,omitzero" doc:"Of a space that is published to visitors with a token."`
	URLs                SpaceURLs        `json:"urls"`
	Permissions         SpacePermissions `json:"permissions"`
}

var _ = declareColumns[Space]("id,title,visibility,changeRequestsOpen=OPEN,comments,updatedAt")

// VisitorAuthBackend is the authentication backend for visitors of a space.
type VisitorAuthBackend string

// VisitorAuthCustom accepts tokens signed with the key of the site's publishing auth.
const VisitorAuthCustom VisitorAuthBackend = "custom"

// Values returns the backends.
func (VisitorAuthBackend) Values() []VisitorAuthBackend {
	return []VisitorAuthBackend{VisitorAuthCustom}
}

// VisitorAuth is the authentication of visitors of a space.
type VisitorAuth struct {
	Backend VisitorAuthBackend `json:"backend" doc:"Who authenticates visitors."`
}

// SpaceURLs are the URLs of a space; published is set if a site has the space, and public if everybody may see it.
type SpaceURLs struct {
	Location  string `json:"location"`
	App       string `json:"app"`
	Published string `json:"published,omitzero"`
	Public    string `json:"public,omitzero" doc:"Address of the published site; absent if it is not public."`
	Icon      string `json:"icon,omitzero"`
}

// SpacePermissions are the permissions of the caller on a space.
type SpacePermissions struct {
	View            bool `json:"view"`
	Access          bool `json:"access"`
	Admin           bool `json:"admin"`
	ViewInviteLinks bool `json:"viewInviteLinks"`
	Edit            bool `json:"edit"`
	TriggerGitSync  bool `json:"triggerGitSync"`
	Comment         bool `json:"comment"`
	Merge           bool `json:"merge"`
	Review          bool `json:"review"`
}
