package api

import "net/http"

// Routes of invite links. With the secret of a link, a user becomes a member or gets access to a space or collection;
// see AcceptInvite.
var (
	ListLinkInvites = get[ListLinkInvitesInput, Page[LinkInvite]]("link-invites.list", "/v1/orgs/{organizationId}/link-invites",
		"List the invite links that you may manage.", withOperation("listOrganizationInviteLinks"))
	CreateLinkInvite = create[CreateLinkInviteInput, LinkInvite]("link-invites.create", "/v1/orgs/{organizationId}/link-invites",
		"Make an invite link into the organization, or into one space or collection.", markSecret,
		withOperation("createOrganizationInvite"))
	GetLinkInvite = get[LinkInviteRef, LinkInvite]("link-invites.get", "/v1/orgs/{organizationId}/link-invites/{inviteId}",
		"Show an invite link with its secret.", withOperation("getOrganizationInviteLink"))
	UpdateLinkInvite = patch[UpdateLinkInviteInput, LinkInvite]("link-invites.update", "/v1/orgs/{organizationId}/link-invites/{inviteId}",
		"Change what an invite link gives to those who come by it from now on.", markSecret, withOperation("updateOrganizationInviteById"))
	DeleteLinkInvite = remove[LinkInviteRef]("link-invites.delete", "/v1/orgs/{organizationId}/link-invites/{inviteId}",
		http.StatusResetContent, "Delete an invite link; who came by it stays.", withOperation("deleteOrganizationInviteById"))
)

// LinkInviteRef identifies an invite link.
type LinkInviteRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	LinkInvite   string `path:"inviteId" pattern:"id"`
}

// ListLinkInvitesInput is the input of ListLinkInvites.
type ListLinkInvitesInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// CreateLinkInviteInput is the input of CreateLinkInvite.
type CreateLinkInviteInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         LinkInviteCreate
}

// LinkInviteCreate is the body of CreateLinkInvite: a role in the organization, or a level in a space or collection.
type LinkInviteCreate struct {
	Role       Optional[Role] `json:"role,omitzero" null:"true" doc:"What the link gives in the organization; null makes guests."`
	Level      Role           `json:"level,omitzero" doc:"What the link gives in the space or collection; at most your own role there."`
	Space      string         `json:"space,omitzero" pattern:"id" doc:"The space that the link leads into."`
	Collection string         `json:"collection,omitzero" pattern:"id" doc:"The collection that the link leads into."`
	ExpiresAt  Optional[Time] `json:"expiresAt,omitzero" doc:"When the link stops working; default never."`
}

// Validate checks that either the role is set, or the level with exactly one of space and collection.
func (c LinkInviteCreate) Validate() []FieldError {
	inOrganization, inContent := !c.Role.IsZero(), c.Space != "" || c.Collection != ""
	switch {
	case inOrganization && (inContent || c.Level != ""):
		return []FieldError{{Path: "role", Message: "is for a link into the organization; one into a space or collection has a level"}}
	case inOrganization:
		return nil
	case c.Level == "" && !inContent:
		return []FieldError{{Path: "role", Message: "is required, or level with space or collection"}}
	case c.Level == "":
		return []FieldError{{Path: "level", Message: "is required with space or collection"}}
	case (c.Space == "") == (c.Collection == ""):
		return []FieldError{{Path: "space", Message: "is required with level, or collection: one of the two"}}
	}
	return nil
}

// UpdateLinkInviteInput is the input of UpdateLinkInvite.
type UpdateLinkInviteInput struct {
	LinkInviteRef
	Body LinkInvitePatch
}

// LinkInvitePatch is the body of UpdateLinkInvite. The target of a link cannot be changed.
type LinkInvitePatch struct {
	Role      Optional[Role] `json:"role,omitzero" null:"true" doc:"Of a link into the organization; null makes guests."`
	Level     Optional[Role] `json:"level,omitzero" doc:"Of a link into a space or collection; at most your own role there."`
	ExpiresAt Optional[Time] `json:"expiresAt,omitzero" null:"true" doc:"When the link stops working; null: never."`
}

// LinkInviteFields holds the stored members of a LinkInvite.
type LinkInviteFields struct {
	Object     string         `json:"object" enum:"invite"`
	ID         string         `json:"id"`
	Role       Optional[Role] `json:"role,omitzero" null:"true" doc:"What the link gives in the organization, null for guests; absent where it leads into a space or collection."`
	Level      Role           `json:"level,omitzero" doc:"What the link gives in the space or collection."`
	Space      string         `json:"space,omitzero"`
	Collection string         `json:"collection,omitzero"`
	CreatedAt  Time           `json:"createdAt"`
	ExpiresAt  Time           `json:"expiresAt,omitzero" doc:"When the invite link ends; absent if it does not."`
}

// Content returns the space or collection that the link gives access to, or "" for the organization.
func (f LinkInviteFields) Content() string { return f.Space + f.Collection }

// RedundantReason is the reason why an invite link admits nobody.
type RedundantReason string

// Values of RedundantReason.
const (
	RedundantExpired     RedundantReason = "expired"
	RedundantAuthorLeft  RedundantReason = "author_left" // or is disabled, or has no access any more to what the link leads into
	RedundantTokenEnded  RedundantReason = "token_ended" // the token that made the link was revoked
	RedundantContentGone RedundantReason = "content_gone"
	RedundantSwitchedOff RedundantReason = "switched_off" // the organization has switched invite links off
)

// Values returns the reasons.
func (RedundantReason) Values() []RedundantReason {
	return []RedundantReason{RedundantExpired, RedundantAuthorLeft, RedundantTokenEnded, RedundantContentGone, RedundantSwitchedOff}
}

// LinkInvite is an invite link, which any number of people may use.
type LinkInvite struct {
	LinkInviteFields
	Redundant       bool            `json:"redundant" doc:"It leads nowhere now: it has expired, what it leads into is gone, who made it has no access there any more, the token that made it has ended, or the organization has switched invite links off or is joined by single sign-on."`
	RedundantReason RedundantReason `json:"redundantReason,omitzero" doc:"Why it is redundant; absent where it is not. The reason author_left: who made it has left, is disabled, or has no access any more to what it leads into."`
	Secret          string          `json:"secret,omitzero" doc:"What AcceptInvite takes. A token without the scope to make such a link does not see it."`
}

var _ = declareColumns[LinkInvite]("id,role,level,space,collection,expiresAt,redundant,redundantReason=REASON")
