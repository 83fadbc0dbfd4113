package api

// Types of members that responses may have but wsd never sets, because it has no Git synchronization, billing or
// advertisements. They complete the contract.

// GitSync describes the synchronization of a space with a Git repository.
type GitSync struct {
	RepoName             string `json:"repoName,omitzero" doc:"Name of the repository."`
	InstallationProvider string `json:"installationProvider" enum:"github,gitlab,github-legacy"`
	Integration          string `json:"integration,omitzero" doc:"Name of the integration that synchronizes."`
	URL                  string `json:"url,omitzero"`
	UpdatedAt            Time   `json:"updatedAt,omitzero"`
}

// GitObject is the location of a page, a file or a reusable content in a Git repository.
type GitObject struct {
	OID  string `json:"oid" doc:"Hash of the object."`
	Path string `json:"path"`
	Part string `json:"part,omitzero" doc:"What this part begins at, of a page that was split as it was too large: an anchor of the file. Nothing for the first part."`
}

// GitCommit is the commit that a revision was imported from or exported to.
type GitCommit struct {
	OID              string `json:"oid" doc:"Hash of the commit."`
	Message          string `json:"message"`
	CreatedByService bool   `json:"createdByService" doc:"Whether a service made the commit."`
	URL              string `json:"url,omitzero"`
	Ref              string `json:"ref,omitzero" doc:"Name of the branch."`
}

// SiteAds describes the advertisements of a site.
type SiteAds struct {
	Status      string `json:"status" enum:"pending,in-review,rejected,live,disabled"`
	Submittable bool   `json:"submittable,omitzero" doc:"Whether advertisements can be applied for."`
}

// SiteFeature is a feature of a plan.
type SiteFeature struct {
	ID             string   `json:"id" doc:"Such as sites-adaptive-content."`
	Plan           SiteType `json:"plan"`
	Frozen         bool     `json:"frozen" doc:"Whether the plan does not include the feature."`
	Customizations []string `json:"customizations,omitempty" doc:"Such as header-logo."`
}

// Billing describes how an organization pays.
type Billing struct {
	Interval            string `json:"interval" enum:"monthly,yearly"`
	EndDate             Time   `json:"endDate" doc:"When the plan ends."`
	HasPaymentFailed    bool   `json:"hasPaymentFailed" doc:"Whether the last payment failed."`
	IsScheduledToCancel bool   `json:"isScheduledToCancel" doc:"Whether the plan ends at endDate."`
}

// Blocked is the reason why an organization is blocked.
type Blocked struct {
	Reason string `json:"reason" enum:"security" doc:"Why it is not possible."`
}

// BillingMigration is the deadline for an organization to change its plan.
type BillingMigration struct {
	Deadline        Time `json:"deadline" doc:"When the plan has to be changed."`
	DiscountPercent int  `json:"discountPercent,omitzero" doc:"Discount in percent."`
	DiscountEndDate Time `json:"discountEndDate,omitzero" doc:"When the discount ends."`
}
