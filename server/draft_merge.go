package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/merge"
	"docspace.dev/wsd/store/objects"
)

// changedEntries lists what differs between the base of a map and a side.
func (d *draft) changedEntries(ctx context.Context, base string, sides ...string) ([]string, error) {
	changed := map[string]bool{}
	for _, side := range sides {
		diff, err := d.content.Diff(ctx, base, side)
		if err != nil {
			return nil, fmt.Errorf("compare revisions: %w", err)
		}
		for id := range diff {
			changed[id] = true
		}
	}
	return slices.Sorted(maps.Keys(changed)), nil
}

// apply carries the outcome of a merge into the draft, which stands at ours.
func (d *draft) apply(v versions, merged merge.Result) error {
	for _, id := range slices.Sorted(maps.Keys(merged.Set)) {
		p, err := mergedPage(id, v, merged.Set[id])
		if err != nil {
			return err
		}
		if text, ok := merged.NewTexts[id]; ok {
			if err := d.setText(p, text); err != nil {
				return err
			}
		}
		if strings.HasPrefix(id, reusablePrefix) {
			d.reusables[id] = p
		} else {
			d.put(p)
		}
	}
	for _, id := range merged.Deleted {
		if strings.HasPrefix(id, reusablePrefix) {
			d.reusables[id] = nil
			continue
		}
		d.changed[id] = true
		d.tree.remove(id)
	}
	return nil
}

// mergeFiles merges the files by id.
func (d *draft) mergeFiles(ctx context.Context, base, theirs revision, answers merge.Resolutions) ([]merge.Conflict, error) {
	var sides [3]map[string]string
	for i, root := range []string{base.Files, d.was.Files, theirs.Files} {
		entries, err := d.content.All(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("files of the merge: %w", err)
		}
		sides[i] = map[string]string{}
		for id, e := range entries {
			sides[i][id] = string(e.Value)
		}
	}
	merged, conflicts := merge.ResolveMap(merge.KindFile, sides[0], sides[1], sides[2], answers)
	for id := range sides[1] {
		if _, ok := merged[id]; !ok {
			d.gone[id] = true
		}
	}
	for id, v := range merged {
		if sides[1][id] == v {
			continue
		}
		f, err := decodeFile(id, objects.Entry{Value: []byte(v)})
		if err != nil {
			return nil, err
		}
		d.files[id] = &f
	}
	return conflicts, nil
}

// mergedPage turns a page of the merge into one of the tree. What merge does not know comes from the side whose
// text it has, else from whichever side has the page.
func mergedPage(id string, v versions, m merge.Page) (*page, error) {
	p := &page{ID: id}
	for _, side := range []side{v.base, v.theirs, v.ours} {
		if from := side.page(id); from != nil {
			if p.CreatedAt.IsZero() {
				p.CreatedAt = from.CreatedAt
			}
			if from.UpdatedAt.After(p.UpdatedAt.Time) {
				p.UpdatedAt = from.UpdatedAt
			}
			if m.Text == from.textID() {
				p.Text, p.Blocks, p.Derived = from.Text, from.Blocks, from.Derived
			}
		}
	}
	p.Parent, p.Order = m.Parent, m.Order
	return p, setAttributes(p, m.Attributes)
}
