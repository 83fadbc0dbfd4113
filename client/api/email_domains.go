package api

// Routes of the e-mail domains of an organization and their verification.
var (
	ListEmailDomains = get[ListEmailDomainsInput, Page[EmailDomain]]("email-domains.list", "/v1/orgs/{organizationId}/email-domains",
		"List the e-mail domains of an organization, with the DNS record that proves each.")
	CheckEmailDomain = post[OrganizationEmailDomainRef, EmailDomain]("email-domains.check",
		"/v1/orgs/{organizationId}/email-domains/{emailDomain}/check", "Ask DNS now whether an e-mail domain is the organization's; wsd "+
			"asks once a day by itself.")
)

// ListEmailDomainsInput is the input of ListEmailDomains.
type ListEmailDomainsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// OrganizationEmailDomainRef identifies an e-mail domain of an organization.
type OrganizationEmailDomainRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	EmailDomain  string `path:"emailDomain" pattern:"domain"`
}

// EmailDomain is an e-mail domain of an organization. If it is verified or trusted, users with an address in it may
// join.
type EmailDomain struct {
	Object      string `json:"object" enum:"email-domain"`
	Domain      string `json:"domain"`
	Proven      bool   `json:"proven" doc:"Its DNS has the record: people with an address of the domain may join, and an invite to one makes it a verified address."`
	Trusted     bool   `json:"trusted" doc:"Whoever runs the server says so; that counts like a proof."`
	RecordName  string `json:"recordName" doc:"Name of the TXT record that proves the domain."`
	RecordValue string `json:"recordValue,omitzero" doc:"What the record says, for this organization alone. Absent until wsd has made it, for a domain that an earlier version stored."`
	SeenAt      Time   `json:"seenAt,omitzero" doc:"When the record was found last. While DNS does not answer, the proof holds for three days from then."`
	CheckedAt   Time   `json:"checkedAt,omitzero" doc:"When DNS was asked last."`
	Problem     string `json:"problem,omitzero" doc:"Why it is not proven, or what was wrong when DNS was asked last."`
}

var _ = declareColumns[EmailDomain]("domain,proven,trusted,recordName,recordValue,problem")
