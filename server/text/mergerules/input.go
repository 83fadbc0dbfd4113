package mergerules

// Input holds the variables of a condition.
type Input struct {
	ChangeRequest     ChangeRequest `expr:"changeRequest"`
	Actor             Actor         `expr:"actor"` // the user who merges
	Reviews           []Review      `expr:"reviews"`
	ServiceReviews    []Review      `expr:"serviceReviews"` // of service accounts
	Approvals         int           `expr:"approvals"`
	UnresolvedThreads int           `expr:"unresolvedThreads"`
	BrokenLinks       int           `expr:"brokenLinks"`
	Pages             []Page        `expr:"pages"` // pages that the merge changes
}

// ChangeRequest is the change request to be merged.
type ChangeRequest struct {
	Number    int    `expr:"number"`
	Subject   string `expr:"subject"`
	Status    string `expr:"status"`
	CreatedBy string `expr:"createdBy"`
	Outdated  bool   `expr:"outdated"`
}

// Actor is a member of the organization with a role in the space.
type Actor struct {
	ID   string `expr:"id"`
	Role string `expr:"role"`
}

// Review is the last review of a reviewer.
type Review struct {
	Reviewer string `expr:"reviewer"`
	Status   string `expr:"status"`
	Outdated bool   `expr:"outdated"`
}

// Page is a page that the merge changes, with the kind of its change.
type Page struct {
	ID     string `expr:"id"`
	Path   string `expr:"path"`
	Title  string `expr:"title"`
	Change string `expr:"change"`
}
