package api

// What answers may hold and wsd never answers: it synchronizes with no git, sells nothing and shows no
// advertisements. The types are there so that the contract is whole: a client reads these members where they are.

// GitSync is how a space is synchronized with a repository.
type GitSync struct {
	RepoName             string `json:"repoName,omitzero"`
	InstallationProvider string `json:"installationProvider" enum:"github,gitlab,github-legacy"`
	Integration          string `json:"integration,omitzero"`
	URL                  string `json:"url,omitzero"`
	UpdatedAt            Time   `json:"updatedAt,omitzero"`
}

// GitObject is where a page, a file or a reusable content stands in a repository.
type GitObject struct {
	OID  string `json:"oid"`
	Path string `json:"path"`
	Part string `json:"part,omitzero" doc:"What this part begins at, of a page that was split as it was too large: an anchor of the file. Nothing for the first part."`
}

// GitCommit is the commit that a revision was made from or made into.
type GitCommit struct {
	OID              string `json:"oid"`
	Message          string `json:"message"`
	CreatedByService bool   `json:"createdByService"`
	URL              string `json:"url,omitzero"`
	Ref              string `json:"ref,omitzero"`
}

// SiteAds is what advertisements a site shows.
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

// Billing is how an organization pays.
type Billing struct {
	Interval            string `json:"interval" enum:"monthly,yearly"`
	EndDate             Time   `json:"endDate"`
	HasPaymentFailed    bool   `json:"hasPaymentFailed"`
	IsScheduledToCancel bool   `json:"isScheduledToCancel"`
}

// Blocked says why an organization is blocked.
type Blocked struct {
	Reason string `json:"reason" enum:"security"`
}

// BillingMigration is when an organization has to change its plan.
type BillingMigration struct {
	Deadline        Time `json:"deadline"`
	DiscountPercent int  `json:"discountPercent,omitzero"`
	DiscountEndDate Time `json:"discountEndDate,omitzero"`
}
