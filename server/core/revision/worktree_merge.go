package revision

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store/objects"
)

// ChangedEntries lists what differs between the base of a map and a side.
func (d *Worktree) ChangedEntries(ctx context.Context, base string, sides ...string) ([]string, error) {
	changed := map[string]bool{}
	for _, side := range sides {
		diff, err := d.Content.Diff(ctx, base, side)
		if err != nil {
			return nil, fmt.Errorf("compare revisions: %w", err)
		}
		for id := range diff {
			changed[id] = true
		}
	}
	return slices.Sorted(maps.Keys(changed)), nil
}

// Apply carries the outcome of a merge into the worktree, which stands at ours.
func (d *Worktree) Apply(v Versions, merged merge.Result) error {
	for _, id := range slices.Sorted(maps.Keys(merged.Set)) {
		p, err := mergedPage(id, v, merged.Set[id])
		if err != nil {
			return err
		}
		if text, ok := merged.NewTexts[id]; ok {
			if err := d.SetText(p, text); err != nil {
				return err
			}
		}
		if strings.HasPrefix(id, ReusablePrefix) {
			d.Reusables[id] = p
		} else {
			d.Put(p)
		}
	}
	for _, id := range merged.Deleted {
		if strings.HasPrefix(id, ReusablePrefix) {
			d.Reusables[id] = nil
			continue
		}
		d.changed[id] = true
		d.Tree.remove(id)
	}
	return nil
}

// MergeFiles merges the files by id.
func (d *Worktree) MergeFiles(ctx context.Context, base, theirs Revision, answers merge.Resolutions) ([]merge.Conflict, error) {
	var sides [3]map[string]string
	for i, root := range []string{base.Files, d.Was.Files, theirs.Files} {
		entries, err := d.Content.All(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("files of the merge: %w", err)
		}
		sides[i] = map[string]string{}
		for id, e := range entries {
			sides[i][id] = string(e.Value)
		}
	}
	origins, err := withoutOrigins(sides)
	if err != nil {
		return nil, err
	}
	merged, conflicts := merge.ResolveMap(merge.KindFile, sides[0], sides[1], sides[2], answers)
	for id := range sides[1] {
		if _, ok := merged[id]; !ok {
			d.Gone[id] = true
		}
	}
	for id, v := range merged {
		origin, differs := origins[id]
		if sides[1][id] == v && !differs {
			continue
		}
		f, err := DecodeFile(id, objects.Entry{Value: []byte(v)})
		if err != nil {
			return nil, err
		}
		f.Origin = origin
		d.Files[id] = &f
	}
	return conflicts, nil
}

// withoutOrigins takes the origins out of the files that differ, as they never conflict: it returns that of the later
// import for each file that ours has another one of.
func withoutOrigins(sides [3]map[string]string) (map[string]*Origin, error) {
	origins := map[string]*Origin{}
	for id := range unionOf(sides) {
		if sides[0][id] == sides[1][id] && sides[1][id] == sides[2][id] {
			continue
		}
		var own, last *Origin
		for i, side := range sides {
			value, there := side[id]
			if !there {
				continue
			}
			f, err := DecodeFile(id, objects.Entry{Value: []byte(value)})
			if err != nil {
				return nil, err
			}
			last = later(last, f.Origin)
			if i == 1 {
				own = f.Origin
			}
			f.Origin = nil
			e, err := f.entry()
			if err != nil {
				return nil, err
			}
			side[id] = string(e.Value)
		}
		if later(own, last) != own {
			origins[id] = last
		}
	}
	return origins, nil
}

func unionOf(sides [3]map[string]string) map[string]bool {
	ids := map[string]bool{}
	for _, side := range sides {
		for id := range side {
			ids[id] = true
		}
	}
	return ids
}

// TakeOrigins lets pages that a merge has left as they are in ours come from the later import of the two sides.
func (d *Worktree) TakeOrigins(v Versions, pages []string) {
	for _, id := range pages {
		p := d.Tree.Page(id)
		theirs := v.Theirs.Tree.Page(id)
		if p == nil || theirs == nil || later(p.Origin, theirs.Origin) == p.Origin {
			continue
		}
		next := *p
		next.Origin = theirs.Origin
		d.Put(&next)
	}
}

// mergedPage turns a page of the merge into one of the tree. What merge does not know comes from the side whose
// text it has, else from whichever side has the page.
func mergedPage(id string, v Versions, m merge.Page) (*Page, error) {
	p := &Page{ID: id}
	for _, side := range []Side{v.Base, v.Theirs, v.Ours} {
		if from := side.page(id); from != nil {
			if p.CreatedAt.IsZero() {
				p.CreatedAt = from.CreatedAt
			}
			if from.UpdatedAt.After(p.UpdatedAt.Time) {
				p.UpdatedAt = from.UpdatedAt
			}
			p.Origin = later(p.Origin, from.Origin)
			if m.Text == from.TextID() {
				p.Text, p.Blocks, p.Derived = from.Text, from.Blocks, from.Derived
			}
		}
	}
	p.Parent, p.Order = m.Parent, m.Order
	return p, setAttributes(p, m.Attributes)
}
