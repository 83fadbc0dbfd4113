package api

// ProviderTeam maps a value of an attribute of an identity provider to a team.
type ProviderTeam struct {
	Value string `json:"value" len:"1..256" doc:"A value of the attribute or claim that names teams."`
	Team  string `json:"team" pattern:"id" doc:"The id of the team whose members have the value."`
}
