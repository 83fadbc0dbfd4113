package api

import "net/http"

// Routes of teams.
var (
	ListTeams = get[ListTeamsInput, Page[Team]]("teams.list", "/v1/orgs/{organizationId}/teams",
		"List the teams of an organization.", withOperation("listTeamsInOrganizationById"))
	CreateTeam = put[CreateTeamInput, Team]("teams.create", "/v1/orgs/{organizationId}/teams", "Create a team.",
		withStatus(http.StatusCreated), withOperation("createOrganizationTeam"))
	GetTeam = get[TeamRef, Team]("teams.get", "/v1/orgs/{organizationId}/teams/{teamId}", "Show a team.",
		withOperation("getTeamInOrganizationById"))
	UpdateTeam = patch[UpdateTeamInput, Team]("teams.update", "/v1/orgs/{organizationId}/teams/{teamId}", "Rename a team.",
		withOperation("updateTeamInOrganizationById"))
	DeleteTeam = remove[TeamRef]("teams.delete", "/v1/orgs/{organizationId}/teams/{teamId}", http.StatusNoContent,
		"Delete a team; what its members had through it, they lose.", withOperation("removeTeamFromOrganizationById"))
	ListTeamMembers = get[ListTeamMembersInput, Page[TeamMemberItem]]("teams.list-members",
		"/v1/orgs/{organizationId}/teams/{teamId}/members", "List the members of a team.",
		withOperation("listTeamMembersInOrganizationById"))
	UpdateTeamMembers = put[UpdateTeamMembersInput, None]("teams.update-members", "/v1/orgs/{organizationId}/teams/{teamId}/members",
		"Add, remove and change several members of a team at once.", withStatus(http.StatusNoContent),
		withOperation("updateMembersInOrganizationTeam"))
	AddTeamMember = put[AddTeamMemberInput, None]("teams.add-member", "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}",
		"Add a member to a team, or change what they are in it.", withOptionalBody, withStatus(http.StatusNoContent),
		withOperation("addMemberToOrganizationTeamById"))
	RemoveTeamMember = remove[TeamMemberRef]("teams.remove-member", "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}",
		http.StatusNoContent, "Remove a member from a team.", withOperation("deleteMemberFromOrganizationTeamById"))
)

// TeamRole is the role of a member in a team.
type TeamRole string

// Values of TeamRole.
const (
	TeamOwner  TeamRole = "owner" // manages the team's members
	TeamMember TeamRole = "member"
)

// Values returns the roles in a team.
func (TeamRole) Values() []TeamRole { return []TeamRole{TeamOwner, TeamMember} }

// TeamRef identifies a team.
type TeamRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Team         string `path:"teamId" pattern:"id"`
}

// TeamMemberRef identifies a member of a team.
type TeamMemberRef struct {
	TeamRef
	User string `path:"userId" pattern:"id"`
}

// ListTeamsInput is the input of ListTeams.
type ListTeamsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Owner string `query:"owner" pattern:"id" doc:"Only teams whose members this member can manage."`
	Title string `query:"title" len:"..256" doc:"Only teams with this in their title."`
}

// CreateTeamInput is the input of CreateTeam.
type CreateTeamInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         TeamCreate
}

// TeamCreate is the body of CreateTeam.
type TeamCreate struct {
	Title   string   `json:"title" len:"1..64"`
	Members []string `json:"members,omitzero" len:"0..400" each:"..320" emails:"true" doc:"Ids or e-mail addresses of its first members, who are members of the organization."`
}

// UpdateTeamInput is the input of UpdateTeam.
type UpdateTeamInput struct {
	TeamRef
	Body TeamPatch
}

// TeamPatch is the body of UpdateTeam.
type TeamPatch struct {
	Title string `json:"title" len:"1..64"`
}

// ListTeamMembersInput is the input of ListTeamMembers.
type ListTeamMembersInput struct {
	TeamRef
	ListOptions
}

// UpdateTeamMembersInput is the input of UpdateTeamMembers.
type UpdateTeamMembersInput struct {
	TeamRef
	Body TeamMembersUpdate
}

// TeamMembersUpdate is the body of UpdateTeamMembers. A member that is both added and removed is removed.
type TeamMembersUpdate struct {
	Add         []string                  `json:"add,omitzero" len:"0..400" each:"..320" emails:"true" doc:"Ids or e-mail addresses of members of the organization; who is in the team already stays as they are."`
	Remove      []string                  `json:"remove,omitzero" len:"0..400" each:"..320" emails:"true" doc:"Ids or e-mail addresses; removing wins."`
	Memberships map[string]TeamMembership `json:"memberships,omitzero" len:"0..400" keys:"..100" doc:"What members are in the team, by user id; who is not in it is added."`
}

// AddTeamMemberInput is the input of AddTeamMember.
type AddTeamMemberInput struct {
	TeamMemberRef
	Body TeamMemberPut
}

// TeamMemberPut is the body of AddTeamMember.
type TeamMemberPut struct {
	Role TeamRole `json:"role,omitzero" doc:"Default: what the member is already, else member."`
}

// TeamMembership is the role of a member in a team.
type TeamMembership struct {
	Role TeamRole `json:"role"`
}

// TeamFields holds the stored members of a Team.
type TeamFields struct {
	Object    string `json:"object" enum:"team"`
	ID        string `json:"id"`
	Title     string `json:"title" len:"1..64"`
	CreatedAt Time   `json:"createdAt"`
}

// Team is a group of members that permissions are granted to together.
type Team struct {
	TeamFields
	Members     int             `json:"members" doc:"Number of members."`
	Spaces      int             `json:"spaces" doc:"How many spaces the team gives access to."`
	Permissions TeamPermissions `json:"permissions"`
}

var _ = declareColumns[Team]("id,title,members,spaces,createdAt")

// TeamPermissions are the permissions of the caller on a team.
type TeamPermissions struct {
	Admin bool `json:"admin" doc:"Manage its members."`
	View  bool `json:"view"`
}

// TeamMemberItem is a member of a team.
type TeamMemberItem struct {
	Organization Member                `json:"organization"`
	Team         TeamMembership        `json:"team"`
	Permissions  TeamMemberPermissions `json:"permissions"`
}

var _ = declareColumns[TeamMemberItem](
	"organization.id=USER,organization.user.displayName=NAME,organization.user.email=EMAIL," +
		"team.role=ROLE",
)

// TeamMemberPermissions are the permissions of the caller on a member of a team.
type TeamMemberPermissions struct {
	View bool `json:"view"`
}
