package api

// Types of members that responses may have but wsd never sets, because it has no Git synchronization, billing or
// advertisements. They complete the contract.

// GitSync describes the synchronization of a space with a Git repository.
type GitSync struct {
	RepoName             string `json:"repoName,omitzero"`
	InstallationProvider string `json:"installationProvider" enum:"github,gitlab,github-legacy"`
	Integration          string `json:"integration,omitzero"`
	URL                  string `json:"url,omitzero"`
	UpdatedAt            Time   `json:"updatedAt,omitzero"`
}

// GitObject is the location of a page, a file or a reusable content in a Git repository.
type GitObject struct {
	OID  string `json:"oid"`
	Path string `json:"path"`
	Part string `json:"part,omitzero" doc:"What this part begins at, of a page that was split as it was too large: an anchor of the file. Nothing for the first part."`
}

// GitCommit is the commit that a revision was imported from or exported to.
type GitCommit struct {
	OID              string `json:"oid"`
	Message          string `json:"message"`
	CreatedByService bool   `json:"createdByService"`
	URL              string `json:"url,omitzero"`
	Ref              string `json:"ref,omitzero"`
}

// SiteAds describes the advertisements of a site.
type SiteAds struct {
	Status      string `json:"status" enum:"pending,in-review,rejected,live,disabled"`
	Submittable bool   `json:"submittable,omitzero"`
}

// SiteFeature is a feature of a plan.
type SiteFeature struct {
	ID             string   `json:"id" doc:"Such as sites-adaptive-content."`
	Plan           SiteType `json:"plan"`
	Frozen         bool     `json:"frozen"`
	Customizations []string `json:"customizations,omitempty" doc:"Such as header-logo."`
}

// Billing describes how an organization pays.
type Billing struct {
	Interval            string `json:"interval" enum:"monthly,yearly"`
	EndDate             Time   `json:"endDate"`
	HasPaymentFailed    bool   `json:"hasPaymentFailed"`
	IsScheduledToCancel bool   `json:"isScheduledToCancel"`
}

// Blocked is the reason why an organization is blocked.
type Blocked struct {
	Reason string `json:"reason" enum:"security"`
}

// BillingMigration is the deadline for an organization to change its plan.
type BillingMigration struct {
	Deadline        Time `json:"deadline"`
	DiscountPercent int  `json:"discountPercent,omitzero"`
	DiscountEndDate Time `json:"discountEndDate,omitzero"`
}
