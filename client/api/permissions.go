package api

// PermissionCreate is the body of CreateSpacePermission, CreateCollectionPermission and CreateSitePermission.
type PermissionCreate struct {
	Role  *Role    `json:"role" doc:"Null takes away what they were given."`
	Users []string `json:"users,omitzero" len:"1..400" each:"..100" doc:"Ids of members of the organization, guests included."`
	Teams []string `json:"teams,omitzero" len:"1..400" each:"..100" doc:"Ids of teams."`
}

// Validate checks that there are users or teams.
func (p PermissionCreate) Validate() []FieldError {
	if len(p.Users) == 0 && len(p.Teams) == 0 {
		return []FieldError{{Path: "users", Message: "is required where there are no teams"}}
	}
	return nil
}

// PermissionPatch changes the granted role of a user or team.
type PermissionPatch struct {
	Role Optional[Role] `json:"role,omitzero" null:"true" doc:"Null takes it away."`
}

// UserPermission is the permission of a member on a resource.
type UserPermission struct {
	Permission Role `json:"permission"`
	User       User `json:"user"`
}

var _ = declareColumns[UserPermission]("user.id=USER,user.displayName=NAME,user.email=EMAIL,permission")

// TeamPermission is the permission granted to a team on a resource.
type TeamPermission struct {
	Permission Role `json:"permission"`
	Team       Team `json:"team"`
}

var _ = declareColumns[TeamPermission]("team.id=TEAM,team.title=TITLE,team.members=MEMBERS,permission")
