package mergerules

// Input is what a condition may speak of.
type Input struct {
	ChangeRequest     ChangeRequest `expr:"changeRequest"`
	Actor             Actor         `expr:"actor"` // who would merge
	Reviews           []Review      `expr:"reviews"`
	Approvals         int           `expr:"approvals"`
	UnresolvedThreads int           `expr:"unresolvedThreads"`
	BrokenLinks       int           `expr:"brokenLinks"`
	Pages             []Page        `expr:"pages"` // that would change
}

// ChangeRequest is the one that would be merged.
type ChangeRequest struct {
	Number    int    `expr:"number"`
	Subject   string `expr:"subject"`
	Status    string `expr:"status"`
	CreatedBy string `expr:"createdBy"`
	Outdated  bool   `expr:"outdated"`
}

// Actor is a member of the organization with the role in the space.
type Actor struct {
	ID   string `expr:"id"`
	Role string `expr:"role"`
}

// Review is somebody's last verdict.
type Review struct {
	Reviewer string `expr:"reviewer"`
	Status   string `expr:"status"`
	Outdated bool   `expr:"outdated"`
}

// Page is a page that a merge would change, with the kind of its change.
type Page struct {
	ID     string `expr:"id"`
	Path   string `expr:"path"`
	Title  string `expr:"title"`
	Change string `expr:"change"`
}
