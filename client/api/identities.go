package api

import "net/http"

// Routes of identities: people as the providers of an organization call them.
var (
	ListIdentities = get[ListIdentitiesInput, Page[Identity]]("identities.list", "/v1/orgs/{organizationId}/identities",
		"List the identities by which members sign in, and those that an admin can link with a member.")
	GetIdentity = get[IdentityRef, Identity]("identities.get", "/v1/orgs/{organizationId}/identities/{identityId}",
		"Show an identity of a provider, with its member or the members who have its address.")
	UpdateIdentity = patch[UpdateIdentityInput, Identity]("identities.update", "/v1/orgs/{organizationId}/identities/{identityId}",
		"Link an identity with a member, who signs in by it from then on, in place of the member that it was linked with.")
	DeleteIdentity = remove[IdentityRef]("identities.delete", "/v1/orgs/{organizationId}/identities/{identityId}",
		http.StatusNoContent, "Remove an identity; its sign-ins end.")
)

// IdentityStatus says whether an identity belongs to a member.
type IdentityStatus string

// Values of IdentityStatus.
const (
	IdentityLinked  IdentityStatus = "linked"
	IdentityPending IdentityStatus = "pending" // its sign-in was refused, and an admin can link it
)

// Values returns the values of IdentityStatus.
func (IdentityStatus) Values() []IdentityStatus {
	return []IdentityStatus{IdentityLinked, IdentityPending}
}

// IdentityRef identifies an identity of an organization.
type IdentityRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Identity     string `path:"identityId" pattern:"id"`
}

// ListIdentitiesInput is the input of ListIdentities.
type ListIdentitiesInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Provider string         `query:"provider" pattern:"id" doc:"Only identities of this provider, given by its id."`
	User     string         `query:"user" pattern:"id" doc:"Only identities by which this member signs in."`
	Status   IdentityStatus `query:"status" doc:"Only identities with this status."`
}

// UpdateIdentityInput is the input of UpdateIdentity.
type UpdateIdentityInput struct {
	IdentityRef
	Body IdentityPatch
}

// IdentityPatch is the body of UpdateIdentity.
type IdentityPatch struct {
	User Optional[string] `json:"user,omitzero" pattern:"id" doc:"The member who signs in by it, in place of another identity of the same provider. Neither a service account nor a disabled account."`
}

// IdentityFields holds the stored members of an Identity.
type IdentityFields struct {
	Object    string `json:"object" enum:"identity"`
	ID        string `json:"id"`
	Provider  string `json:"provider" doc:"The id of the provider."`
	Issuer    string `json:"issuer" doc:"What the provider calls itself: the entity id of a SAML provider, the issuer of an OIDC provider."`
	Subject   string `json:"subject" doc:"What the provider calls the person."`
	Email     string `json:"email,omitzero" doc:"The address that the provider had for the person when the identity was linked, or at the last refused sign-in."`
	Name      string `json:"name,omitzero" doc:"The name that the provider had for the person then."`
	CreatedAt Time   `json:"createdAt" doc:"When the person signed in first."`
}

// Identity is a person as a provider of an organization calls them.
type Identity struct {
	IdentityFields
	Status     IdentityStatus `json:"status"`
	User       *User          `json:"user,omitzero" doc:"The member who signs in by it. Absent while it is pending."`
	Candidates []User         `json:"candidates,omitzero" doc:"Of a pending identity: members with the same address, at most 10."`
	URLs       LocationURLs   `json:"urls"`
}

var _ = declareColumns[Identity]("id,status,user.displayName=MEMBER,provider,email,name,subject,createdAt")
