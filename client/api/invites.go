package api

import (
	"fmt"
	"net/http"
	"strings"
)

// Routes of invites by e-mail address. wsd sends no mail; the inviter passes the secret on.
var (
	ListInvites = get[ListInvitesInput, Page[Invite]]("invites.list", "/v1/orgs/{organizationId}/invites",
		"List the invites that are open, without their secrets.")
	CreateInvite = post[CreateInviteInput, Invited]("invites.create", "/v1/orgs/{organizationId}/invites",
		"Invite people by e-mail address; each new invite has a secret that is shown once, and an open one is changed.",
		markSecret, withOperation("inviteUsersToOrganization"))
	DeleteInvite = remove[InviteRef]("invites.delete", "/v1/orgs/{organizationId}/invites/{inviteId}", http.StatusResetContent,
		"Take back an invite; its secret is worth nothing any more.")
	JoinInvite = post[JoinInviteInput, Accepted]("invites.join", "/v1/orgs/{organizationId}/invites/{inviteId}",
		"Become a member by an invite as who you are: with its secret in the place of its id, or with the id of one to an e-mail address "+
			"that is proven to be yours.", withOperation("joinOrganizationWithInvite"))
	AcceptInvite = post[AcceptInviteInput, Accepted]("invites.accept", "/v1/invites/accept",
		"Accept an invite, or come in by an invite link: makes you a member and, if you have no account, gives you one and its first "+
			"token.", markSecret)
)

// InviteRef identifies an invite.
type InviteRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Invite       string `path:"inviteId" pattern:"id"`
}

// ListInvitesInput is the input of ListInvites.
type ListInvitesInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// CreateInviteInput is the input of CreateInvite.
type CreateInviteInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         InviteCreate
}

// InviteCreate is the body of CreateInvite.
type InviteCreate struct {
	Emails []Invitee      `json:"emails" len:"1..100" each:"..320" doc:"The e-mail addresses to invite: texts, or objects of email and a role, a name and teams of their own."`
	Role   Optional[Role] `json:"role,omitzero" null:"true" doc:"Their role in the organization; null makes them guests. Default: that of an invite that is open, or the organization's default role."`
	Teams  []string       `json:"teams,omitzero" len:"0..50" each:"1..64" doc:"Ids of the teams that they come into. Default: those of an invite that is open, or none."`
	// NewSecret replaces the secrets of open invites.
	NewSecret bool `json:"newSecret,omitzero" doc:"Give those who have an open invite a new secret; the one before ends. Without it the invite keeps its secret, which is not shown again."`
	SSO       bool `json:"sso,omitzero" doc:"They sign in by the identity provider of the organization: see members.set-sso. It takes a provider by which an admin has signed in."`
}

// Validate checks the invitees.
func (c InviteCreate) Validate() []FieldError {
	var wrong []FieldError
	for i, invitee := range c.Emails {
		_, faults := invitee.Read()
		for _, v := range faults {
			wrong = append(wrong, FieldError{Path: strings.TrimSuffix(fmt.Sprintf("emails[%d].%s", i, v.Path), "."), Message: v.Message})
		}
	}
	return wrong
}

// InviteFields holds the stored members of an Invite.
type InviteFields struct {
	Object    string `json:"object" enum:"invite"`
	ID        string `json:"id"`
	Email     string `json:"email"`
	Role      *Role  `json:"role" doc:"Null for guests."`
	CreatedAt Time   `json:"createdAt"`
	ExpiresAt Time   `json:"expiresAt" doc:"When the invite ends."`
	// Name is the name of the account that accepting creates. Older builds ignore it and Teams.
	Name  string   `json:"name,omitzero" doc:"The name of a new account, unless another is given on accepting."`
	Teams []string `json:"teams,omitzero" doc:"Ids of the teams that a new member comes into."`
}

// Invite is a pending invite by e-mail address.
type Invite struct {
	InviteFields
	Existing bool   `json:"existing,omitzero" doc:"The address had this open invite before: only in the answer of CreateInvite."`
	Secret   string `json:"secret,omitzero" doc:"What AcceptInvite takes; only in the answer that made it."`
}

var _ = declareColumns[Invite]("id,email,role,expiresAt")

// Invited is the result of CreateInvite.
type Invited struct {
	Users   []string `json:"users" doc:"Ids of those who are members already: they were not invited."`
	Invited int      `json:"invited" doc:"How many were invited who had no open invite."`
	Invites []Invite `json:"invites" doc:"The invites, new ones and those that were open, with new secrets."`
}

var _ = declareView[Invited](ViewTable, "invites")

// JoinInviteInput is the input of JoinInvite.
type JoinInviteInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Invite       string `path:"inviteId" pattern:"id"`
}

// AcceptInviteInput is the input of AcceptInvite.
type AcceptInviteInput struct {
	Body InviteAccept
}

// InviteAccept is the body of AcceptInvite.
type InviteAccept struct {
	Secret      string `json:"secret" len:"1..200" doc:"The secret of the invite."`
	DisplayName string `json:"displayName,omitzero" len:"1..64" doc:"The name of a new account; default the name in the invite, or the e-mail address that was invited. An invite link names nobody: there it is required."`
}

// Accepted is the result of AcceptInvite.
type Accepted struct {
	ID           string `json:"id" doc:"The id of the user."`
	Organization string `json:"organization"`
	User         User   `json:"user"`
	Token        string `json:"token,omitzero" doc:"The first token of a new account; only in this answer."`

	TokenScopes    []Scope `json:"tokenScopes,omitempty" doc:"The scopes of the token: what the role needs at least."`
	TokenExpiresAt Time    `json:"tokenExpiresAt,omitzero" doc:"When the token ends if it is not used; each use moves the end to 90 days later, within the maximum age of tokens of the server."`
}
