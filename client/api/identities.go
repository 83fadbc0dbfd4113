package api

// IdentityFields holds the stored members of an Identity.
type IdentityFields struct {
	Object    string `json:"object" enum:"identity"`
	ID        string `json:"id"`
	Provider  string `json:"provider" doc:"The id of the provider."`
	Issuer    string `json:"issuer" doc:"What the provider calls itself: the entity id of a SAML provider, the issuer of an OIDC provider."`
	Subject   string `json:"subject" doc:"What the provider calls the person."`
	Email     string `json:"email,omitzero" doc:"The address that the provider had for the person at the first sign-in."`
	Name      string `json:"name,omitzero" doc:"The name that the provider had for the person at the first sign-in."`
	CreatedAt Time   `json:"createdAt"`
}
