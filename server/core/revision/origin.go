package revision

import (
	"docspace.dev/wsd/client/api"
)

// Origin describes the import that a page or file came from: its source, its path in the source, and its text as
// imported. It is kept through moves, renames and edits, so that links of the source still resolve and the next
// import of the source can compare with the previous one.
type Origin struct {
	Source    string       `json:"source"`          // id of the source
	Path      string       `json:"path"`            // relative to the root of the source; unique for each part
	Part      string       `json:"part,omitzero"`   // first heading of this part of a split page; "" for the first part
	OID       string       `json:"oid,omitzero"`    // blob id of the imported bytes: see content.BlobID
	CreatedAt api.Time     `json:"at"`              // time of the import
	Text      string       `json:"text,omitzero"`   // hash of the imported Markdown
	Blocks    string       `json:"blocks,omitzero"` // hash of its block table
	State     *OriginState `json:"place,omitzero"`  // nil for files, and for pages imported by early versions
}

// OriginState is the position and the attributes of a page as imported.
type OriginState struct {
	Parent        string       `json:"parent,omitzero"` // page id, "" at the root
	Order         string       `json:"order"`
	Type          api.PageType `json:"type"`
	Title         string       `json:"title,omitzero"`
	Slug          string       `json:"slug,omitzero"`
	RequestedSlug string       `json:"wished,omitzero"` // slug in the source, if a sibling already had it
	Emoji         string       `json:"emoji,omitzero"`
	Description   string       `json:"description,omitzero"`
}

// OriginStateOf returns the current position and attributes of a page.
func OriginStateOf(p *Page) *OriginState {
	return &OriginState{
		Parent: p.Parent, Order: p.Order, Type: p.Type, Title: p.Title, Slug: p.Slug, Emoji: p.Emoji, Description: p.Description,
	}
}

// AsImported returns the page as last imported. Members that imports do not set have their current values.
func (p *Page) AsImported() *Page {
	came := *p
	if o := p.Origin; o != nil {
		came.Text, came.Blocks = o.Text, o.Blocks
		if at := o.State; at != nil {
			came.Parent, came.Order, came.Type, came.Title = at.Parent, at.Order, at.Type, at.Title
			came.Slug, came.Emoji, came.Description = at.Slug, at.Emoji, at.Description
		}
	}
	return &came
}

// refs returns the hashes of the objects that the origin keeps alive.
func (o *Origin) refs() []string {
	if o == nil || o.Text == "" {
		return nil
	}
	return []string{o.Text, o.Blocks}
}

// Object returns the origin for the API, or nil for a page or file that was not imported.
func (o *Origin) Object() *api.GitObject {
	if o == nil {
		return nil
	}
	return &api.GitObject{OID: o.OID, Path: o.Path, Part: o.Part}
}

// SameItem reports whether two origins refer to the same part of the same document.
func (o *Origin) SameItem(other *Origin) bool {
	if o == nil || other == nil {
		return o == other
	}
	return o.SameDocument(other) && o.Part == other.Part
}

// SameDocument reports whether two origins refer to the same document of a source, possibly to different parts.
func (o *Origin) SameDocument(other *Origin) bool {
	return o != nil && other != nil && o.Source == other.Source && o.Path == other.Path
}

// SameSource reports whether two origins refer to the same source.
func (o *Origin) SameSource(other *Origin) bool {
	return o != nil && other != nil && o.Source == other.Source
}

// EqualImportTime reports whether two origins are from the same import of a source.
func (o *Origin) EqualImportTime(other *Origin) bool {
	return o.SameSource(other) && o.CreatedAt == other.CreatedAt
}

// EqualImport reports whether an import brought the same content as the previous one.
func (o *Origin) EqualImport(before *Origin) bool {
	if before == nil || (o.State == nil) != (before.State == nil) || o.State != nil && *o.State != *before.State {
		return false
	}
	a, b := *o, *before
	a.CreatedAt, a.State, b.CreatedAt, b.State = api.Time{}, nil, api.Time{}, nil
	return a == b
}

// laterOrigin returns the origin of the later import. It returns a if both are equally old, and the other one if an origin is
// nil.
func laterOrigin(a, b *Origin) *Origin {
	if a == nil || b != nil && b.CreatedAt.After(a.CreatedAt.Time) {
		return b
	}
	return a
}
