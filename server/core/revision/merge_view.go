package revision

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/server/text/merge"
)

// Side is what merge sees of one version of a content: the tree of pages, and reusable contents, which are pages that
// stand nowhere.
type Side struct {
	Tree      *Tree
	Reusables map[string]*Page
}

func (v Side) page(id string) *Page {
	if p := v.Reusables[id]; p != nil {
		return p
	}
	return v.Tree.Page(id)
}

// Versions are the three sides of a merge.
type Versions struct{ Base, Ours, Theirs Side }

// mergeView lets package merge read a side. It is asked for the same few pages again and again.
type mergeView struct {
	side Side
	seen map[string]merge.Page
}

// ViewOf lets package merge read a side.
func ViewOf(side Side) merge.View { return mergeView{side: side, seen: map[string]merge.Page{}} }

// Page implements merge.View.
func (v mergeView) Page(id string) (merge.Page, bool) {
	if seen, ok := v.seen[id]; ok {
		return seen, true
	}
	p := v.side.page(id)
	if p == nil {
		return merge.Page{}, false
	}
	v.seen[id] = merge.Page{Parent: p.Parent, Order: p.Order, Attributes: Attributes(p), Text: p.TextID()}
	return v.seen[id], true
}

// Slug implements merge.View.
func (v mergeView) Slug(id string) string {
	p := v.side.page(id)
	if p == nil || p.Slug == "" {
		return ""
	}
	slug, _ := json.Marshal(p.Slug) // strings always encode
	return string(slug)
}

// Children implements merge.View.
func (v mergeView) Children(parent string) []string { return v.side.Tree.Children(parent) }

// setAttributes is the reverse of attributes, on top of what merge does not know.
func setAttributes(p *Page, named map[string]string) error {
	members, variables := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, v := range named {
		if variable, ok := strings.CutPrefix(name, VariableAttribute); ok {
			variables[variable] = json.RawMessage(v)
		} else {
			members[name] = json.RawMessage(v)
		}
	}
	next := Page{
		ID: p.ID, Parent: p.Parent, Order: p.Order, Derived: p.Derived, Text: p.Text, Blocks: p.Blocks,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Origin: p.Origin,
	}
	if err := errors.Join(recode(members, &next), recode(variables, &next.Variables)); err != nil {
		return fmt.Errorf("attributes of %s: %w", p.ID, err)
	}
	*p = next
	return nil
}

// recode writes members out and reads them into target.
func recode(members map[string]json.RawMessage, target any) error {
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, target)
}
