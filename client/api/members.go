package api

import "net/http"

// Routes of the members of an organization.
var (
	ListMembers = get[ListMembersInput, Page[Member]]("members.list", "/v1/orgs/{organizationId}/members",
		"List the members of an organization.", withOperation("listMembersInOrganizationById"))
	GetMember = get[MemberRef, Member]("members.get", "/v1/orgs/{organizationId}/members/{userId}",
		"Show a member of an organization.", withOperation("getMemberInOrganizationById"))
	UpdateMember = patch[UpdateMemberInput, Member]("members.update", "/v1/orgs/{organizationId}/members/{userId}",
		"Change a member's role in the organization.", withOperation("updateMemberInOrganizationById"))
	DeleteMember = remove[MemberRef]("members.delete", "/v1/orgs/{organizationId}/members/{userId}", http.StatusNoContent,
		"Remove a member from an organization, or leave it yourself.", withOperation("removeMemberFromOrganizationById"))
	PingMember = post[PingInput, Ping]("members.ping", "/v1/orgs/{organizationId}/ping",
		"Say that you are here: sets when you were last seen, and answers a token for visiting the organization's site for authenticated "+
			"visitors.", withOperation("updateOrganizationMemberLastSeenAt"))
	SetMemberSSO = post[MemberRef, Member]("members.set-sso", "/v1/orgs/{organizationId}/members/{userId}/sso",
		"Make a member sign in by single sign-on.", withOperation("setUserAsSSOMemberForOrganization"))
	ListMemberSpaces = get[ListMemberSpacesInput, Page[MemberSpace]]("members.list-spaces",
		"/v1/orgs/{organizationId}/members/{userId}/spaces", "List the spaces that a member may read, with the member's role in each.",
		withOperation("listSpacesForOrganizationMember"))
	ListMemberTeams = get[ListMemberTeamsInput, Page[MemberTeam]]("members.list-teams", "/v1/orgs/{organizationId}/members/{userId}/teams",
		"List the teams that a member is in.", withOperation("listTeamsForOrganizationMember"))
)

// MemberRef identifies a member of an organization.
type MemberRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	User         string `path:"userId" pattern:"id"`
}

// PingInput is the input of PingMember.
type PingInput struct {
	OrganizationRef
	Site string `query:"site" pattern:"id" doc:"The site for authenticated visitors to make a token for; needed if the organization has several."`
}

// RoleFilter is a role in an organization, or guest for members without a role.
type RoleFilter string

// FilterGuest selects the members without a role.
const FilterGuest RoleFilter = "guest"

// Values returns the roles, strongest first, and guest.
func (RoleFilter) Values() []RoleFilter {
	var values []RoleFilter
	for _, r := range Role("").Values() {
		values = append(values, RoleFilter(r))
	}
	return append(values, FilterGuest)
}

// MemberSort is the sort key of a list of members.
type MemberSort string

// Values of MemberSort.
const (
	SortJoined   MemberSort = "joinedAt"
	SortLastSeen MemberSort = "lastSeenAt"
	SortName     MemberSort = "name"
)

// Values returns the sort keys.
func (MemberSort) Values() []MemberSort { return []MemberSort{SortJoined, SortLastSeen, SortName} }

// ListMembersInput is the input of ListMembers.
type ListMembersInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Order  Order      `query:"order" default:"desc" doc:"By what the list is sorted by."`
	Role   RoleFilter `query:"role" doc:"Only members with this role in the organization."`
	Search string     `query:"search" len:"..320" doc:"Only members with this in their name or e-mail address."`
	Sort   MemberSort `query:"sort" default:"joinedAt" doc:"By lastSeenAt the list has only members who were ever seen."`
}

// UpdateMemberInput is the input of UpdateMember.
type UpdateMemberInput struct {
	MemberRef
	Body MemberPatch
}

// MemberPatch is the body of UpdateMember.
type MemberPatch struct {
	Role Optional[Role] `json:"role,omitzero" null:"true" doc:"Null makes the member a guest."`
}

// ListMemberSpacesInput is the input of ListMemberSpaces.
type ListMemberSpacesInput struct {
	MemberRef
	ListOptions
	Order Order `query:"order" default:"desc" doc:"By when the spaces were created."`
}

// ListMemberTeamsInput is the input of ListMemberTeams.
type ListMemberTeamsInput struct {
	MemberRef
	ListOptions
	Title string `query:"title" len:"..256" doc:"Only teams with this in their title."`
}

// MemberFields holds the stored members of a Member.
type MemberFields struct {
	Object   string `json:"object" enum:"member"`
	ID       string `json:"id" doc:"The id of the user."`
	JoinedAt Time   `json:"joinedAt" doc:"When the member joined."`
	SSO      bool   `json:"sso" doc:"Signs in by single sign-on."`
}

// Member is a user's membership in an organization.
type Member struct {
	MemberFields
	Role       *Role `json:"role" doc:"Null for guests, who have only what they were given by name."`
	User       User  `json:"user"`
	Disabled   bool  `json:"disabled" doc:"Whoever runs the server has disabled the account: it gives no access until it is enabled again."`
	LastSeenAt Time  `json:"lastSeenAt,omitzero" doc:"When the member was last active, to the minute; absent if never."`
	Spaces     int   `json:"spaces" doc:"How many spaces the member may read."`
	Teams      int   `json:"teams" doc:"Number of the teams of the member."`
}

var _ = declareColumns[Member]("id,user.displayName=NAME,user.email=EMAIL,role,joinedAt,lastSeenAt,spaces,teams")

// Ping is the result of PingMember.
type Ping struct {
	ServiceVisitorClaims string `json:"serviceVisitorClaims,omitzero" doc:"A JWT, signed with the key of the site, that makes the user a visitor of that site and of no other, for an hour; absent if the organization has no such site with a key, or several and none was named. Claims: sub, aud (the site), name, email, organization, role (guest without one)."`
}

// MemberSpace is a space with the permissions of a member on it.
type MemberSpace struct {
	Permission Role  `json:"permission"`
	Space      Space `json:"space"`
}

var _ = declareColumns[MemberSpace]("space.id=SPACE,space.title=TITLE,permission,space.visibility=VISIBILITY")

// MemberTeam is a team with the role of a member in it.
type MemberTeam struct {
	Team   Team           `json:"team"`
	Member TeamMembership `json:"member"`
}

var _ = declareColumns[MemberTeam]("team.id=TEAM,team.title=TITLE,member.role=ROLE,team.members=MEMBERS,team.spaces=SPACES")
