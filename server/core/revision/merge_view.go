package revision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store/objects"
)

// Side is one version of a content as input of a merge: the page tree, and the reusable contents, which are pages
// outside of the tree.
type Side struct {
	Tree      *Tree
	Reusables map[string]*Page
}

func (s Side) page(id string) *Page {
	if p := s.Reusables[id]; p != nil {
		return p
	}
	return s.Tree.Page(id)
}

// Versions holds the three versions of a merge.
type Versions struct{ Base, Ours, Theirs Side }

// Versions reads the page trees and the given reusable contents of three revisions: base, ours, theirs, in this order.
func (rs *Revisions) Versions(
	ctx context.Context, content *objects.Content, revisions [3]Revision, reusables []string,
) (v Versions, err error) {
	for i, side := range []*Side{&v.Base, &v.Ours, &v.Theirs} {
		if side.Tree, err = rs.Tree(ctx, content, revisions[i].Pages); err != nil {
			return v, err
		}
		if len(reusables) == 0 {
			continue
		}
		if side.Reusables, err = ReadReusables(ctx, content, revisions[i].Reusables, reusables...); err != nil {
			return v, err
		}
	}
	return v, nil
}

// mergeView implements merge.View. It caches pages, since a merge reads the same ones repeatedly.
type mergeView struct {
	side  Side
	pages map[string]merge.Page
}

// NewMergeView returns a merge.View of a side.
func NewMergeView(side Side) merge.View { return mergeView{side: side, pages: map[string]merge.Page{}} }

// Page implements merge.View.
func (v mergeView) Page(id string) (merge.Page, bool) {
	if seen, ok := v.pages[id]; ok {
		return seen, true
	}
	p := v.side.page(id)
	if p == nil {
		return merge.Page{}, false
	}
	v.pages[id] = merge.Page{Parent: p.Parent, Order: p.Order, Attributes: Attributes(p), Text: p.TextID()}
	return v.pages[id], true
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

// setAttributes replaces the attributes of a page, as returned by Attributes. Members that are not attributes do not
// change.
func setAttributes(p *Page, named map[string]string) error {
	members, variables := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, v := range named {
		if variable, ok := strings.CutPrefix(name, VariableAttributePrefix); ok {
			variables[variable] = json.RawMessage(v)
		} else {
			members[name] = json.RawMessage(v)
		}
	}
	next := Page{
		ID: p.ID, Parent: p.Parent, Order: p.Order, DerivedTitle: p.DerivedTitle, Text: p.Text, Blocks: p.Blocks,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Origin: p.Origin,
	}
	if err := errors.Join(recode(members, &next), recode(variables, &next.Variables)); err != nil {
		return fmt.Errorf("attributes of %s: %w", p.ID, err)
	}
	*p = next
	return nil
}

// recode encodes members and decodes them into target.
func recode(members map[string]json.RawMessage, target any) error {
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, target)
}
