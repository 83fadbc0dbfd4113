package api

// Routes of subdomains.
var (
	GetSubdomain = get[SubdomainRef, Subdomain]("subdomains.get", "/v1/subdomains/{subdomain}",
		"Find the organization of yours that has a subdomain as its hostname.", withOperation("getSubdomain"))
)

// SubdomainRef identifies a subdomain.
type SubdomainRef struct {
	Subdomain string `path:"subdomain" len:"3..32" pattern:"subdomain"`
}

// SubdomainTargetType is the type of the target of a subdomain.
type SubdomainTargetType string

// TargetOfOrganization is the type of a target that is an organization.
const TargetOfOrganization SubdomainTargetType = "organization"

// Values returns the values of SubdomainTargetType.
func (SubdomainTargetType) Values() []SubdomainTargetType {
	return []SubdomainTargetType{TargetOfOrganization}
}

// SubdomainTarget is the target of a subdomain.
type SubdomainTarget struct {
	Type         SubdomainTargetType `json:"type"`
	Organization string              `json:"organization" doc:"Its id."`
}

// Subdomain is the hostname of an organization.
type Subdomain struct {
	Object    string          `json:"object" enum:"subdomain"`
	Subdomain string          `json:"subdomain" len:"3..32" pattern:"subdomain" doc:"Hostname of the organization, or its first label."`
	Target    SubdomainTarget `json:"target"`
	IsActive  bool            `json:"isActive" doc:"Always true: a hostname that was given up leads nowhere."`
}
