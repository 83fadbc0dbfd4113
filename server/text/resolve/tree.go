package resolve

// Tree is the page tree of a revision.
type Tree interface {
	// Find returns the page with an id. ok is false if there is none.
	Find(id string) (p Page, ok bool)
	// Children returns the ids of the children of a page in reading order, "" being the root.
	Children(parent string) []string
	// Path returns the slugs from the root to a page, joined by slashes.
	Path(id string) string
}

// Page is a page of a tree.
type Page struct {
	ID, Slug string
	IsLink   bool    // the page only links to something; nothing refers to it by its path or name
	Origin   *Origin // nil if the page belongs to no source
}

// File is a file of a revision.
type File struct {
	ID, Name string
	Origin   *Origin // nil if the file belongs to no source
}

// Origin is the place of a page or file in its source.
type Origin struct {
	Source string // id of the source
	Path   string // relative to the root of the source
	Part   string // first heading of this part of a split document; "" for the first part
}
