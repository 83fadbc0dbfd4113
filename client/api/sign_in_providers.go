package api

// ProviderTeam names a value that a sign-in provider sends about a person, and the team that it stands for.
type ProviderTeam struct {
	Value string `json:"value" len:"1..256" doc:"What the provider sends, compared exactly."`
	Team  string `json:"team" pattern:"id" doc:"The team that people with the value come into."`
}
