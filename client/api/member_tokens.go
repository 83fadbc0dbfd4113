package api

import "net/http"

// Routes of the tokens of members.
var (
	ListMemberTokens = get[ListMemberTokensInput, Page[MemberToken]]("member-tokens.list",
		"/v1/orgs/{organizationId}/members/{userId}/tokens", "List the tokens of a member that work in the organization.")
	DeleteMemberToken = remove[MemberTokenRef]("member-tokens.delete",
		"/v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId}", http.StatusResetContent,
		"End a token of a member, and those that it made: a token that works in other organizations, too, only ends for this one.")
)

// ListMemberTokensInput is the input of ListMemberTokens.
type ListMemberTokensInput struct {
	MemberRef
	ListOptions
}

// MemberTokenRef identifies a token of a member.
type MemberTokenRef struct {
	MemberRef
	Token string `path:"tokenId" pattern:"id"`
}

// MemberToken is a token of a member as the admins of an organization see it. A token that works in other organizations, too, has only
// its id, scopes and times.
type MemberToken struct {
	Object string  `json:"object" enum:"member-token"`
	ID     string  `json:"id"`
	User   User    `json:"user,omitzero"`
	Name   string  `json:"name,omitzero" doc:"Only of tokens that work in this organization alone."`
	Scopes []Scope `json:"scopes" doc:"Scopes of the token."`
	// Type is set for logins and sessions.
	Type         TokenType `json:"type,omitzero" doc:"As in tokens.list: login or session, absent for other tokens."`
	Organization string    `json:"organization,omitzero" doc:"Set if the token works in this organization alone."`
	CreatedAt    Time      `json:"createdAt"`
	ExpiresAt    Time      `json:"expiresAt,omitzero" doc:"When the token ends; absent if it does not."`
	LastUsedAt   Time      `json:"lastUsedAt,omitzero" doc:"In this organization, to the minute."`
	Agent        bool      `json:"agent,omitzero" doc:"Sites that exclude agents do not exist for it. Only of tokens that work in this organization alone, as the following."`
	Installation string    `json:"installation,omitzero" doc:"The installation of an integration that it is for."`
	Parent       string    `json:"parent,omitzero" doc:"The token that made it: it ends when that one does."`
	RotatedAt    Time      `json:"rotatedAt,omitzero" doc:"When it was given its present secret."`

	Spaces []string         `json:"spaces,omitempty" doc:"Ids of the only spaces that it opens; only of tokens of service accounts."`
	Groups []OperationGroup `json:"groups,omitempty" doc:"The only operations that it may call, by the first word of their names; only of tokens of service accounts."`
}

var _ = declareColumns[MemberToken]("id,user.displayName=WHOSE,name,scopes,organization=ONLY IN,createdAt,expiresAt,lastUsedAt,type")
