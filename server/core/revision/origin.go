package revision

import (
	"docspace.dev/wsd/client/api"
)

// Origin says what an import brought of a page or file: of which source it is, where it lies there, and its text as it
// came, before anybody edited it here. It stays with the page through moves, renames and edits, so that links of the
// source lead where they led there, and so that the next import of the source knows what it brought the last time.
type Origin struct {
	Source string   `json:"source"`          // id of the source
	Path   string   `json:"path"`            // within the source, without a slash at the beginning; unique there with Part
	Part   string   `json:"part,omitzero"`   // what this part of a page that was split begins at; "" for the first
	OID    string   `json:"oid,omitzero"`    // of the bytes as they came: see content.BlobID
	At     api.Time `json:"at"`              // of the import
	Text   string   `json:"text,omitzero"`   // hash of the Markdown as it came
	Blocks string   `json:"blocks,omitzero"` // hash of its block table
	Place  *Place   `json:"place,omitzero"`  // of a page; nil for what was imported before places were kept
}

// Place is where a page stood when it came from its source, and what it was called there.
type Place struct {
	Parent      string       `json:"parent,omitzero"` // page id, "" at the root
	Order       string       `json:"order"`
	Type        api.PageType `json:"type"`
	Title       string       `json:"title,omitzero"`
	Slug        string       `json:"slug,omitzero"`
	Wished      string       `json:"wished,omitzero"` // the source's slug, where a sibling had it
	Emoji       string       `json:"emoji,omitzero"`
	Description string       `json:"description,omitzero"`
}

// PlaceOf is a page's place as it is now.
func PlaceOf(p *Page) *Place {
	return &Place{Parent: p.Parent, Order: p.Order, Type: p.Type, Title: p.Title, Slug: p.Slug, Emoji: p.Emoji, Description: p.Description}
}

// AsCame is a page as its last import brought it. What imports know nothing of, it has as it is now.
func (p *Page) AsCame() *Page {
	came := *p
	if o := p.Origin; o != nil {
		came.Text, came.Blocks = o.Text, o.Blocks
		if at := o.Place; at != nil {
			came.Parent, came.Order, came.Type, came.Title = at.Parent, at.Order, at.Type, at.Title
			came.Slug, came.Emoji, came.Description = at.Slug, at.Emoji, at.Description
		}
	}
	return &came
}

// refs are the objects that the origin keeps.
func (o *Origin) refs() []string {
	if o == nil || o.Text == "" {
		return nil
	}
	return []string{o.Text, o.Blocks}
}

// Object is the origin as answers show it; nil for what was made here.
func (o *Origin) Object() *api.GitObject {
	if o == nil {
		return nil
	}
	return &api.GitObject{OID: o.OID, Path: o.Path, Part: o.Part}
}

// SamePlace reports whether two origins name the same place of the same source.
func (o *Origin) SamePlace(other *Origin) bool {
	if o == nil || other == nil {
		return o == other
	}
	return o.SameDocument(other) && o.Part == other.Part
}

// SameDocument reports whether two origins are of one document of a source, perhaps of two of its parts.
func (o *Origin) SameDocument(other *Origin) bool {
	return o != nil && other != nil && o.Source == other.Source && o.Path == other.Path
}

// Repeats reports whether an import brought what the one before it did.
func (o *Origin) Repeats(before *Origin) bool {
	if before == nil || (o.Place == nil) != (before.Place == nil) || o.Place != nil && *o.Place != *before.Place {
		return false
	}
	a, b := *o, *before
	a.At, a.Place, b.At, b.Place = api.Time{}, nil, api.Time{}, nil
	return a == b
}

// later returns the origin of the later import, the first of two of the same.
func later(a, b *Origin) *Origin {
	if a == nil || b != nil && b.At.After(a.At.Time) {
		return b
	}
	return a
}
