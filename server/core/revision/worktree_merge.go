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

// ChangedEntries returns the sorted ids of the entries that differ between the base of a map and any of the sides.
func (w *Worktree) ChangedEntries(ctx context.Context, base string, sides ...string) ([]string, error) {
	changed := map[string]bool{}
	for _, side := range sides {
		diff, err := w.Content.Diff(ctx, base, side)
		if err != nil {
			return nil, fmt.Errorf("compare revisions: %w", err)
		}
		for id := range diff {
			changed[id] = true
		}
	}
	return slices.Sorted(maps.Keys(changed)), nil
}

// Apply applies the result of a merge to the worktree, which must be based on ours.
func (w *Worktree) Apply(v Versions, merged merge.Result) error {
	for _, id := range slices.Sorted(maps.Keys(merged.Set)) {
		p, err := mergedPage(id, v, merged.Set[id])
		if err != nil {
			return err
		}
		if text, ok := merged.NewTexts[id]; ok {
			if err := w.SetText(p, text); err != nil {
				return err
			}
		}
		if strings.HasPrefix(id, ReusablePrefix) {
			w.Reusables[id] = p
		} else {
			w.Put(p)
		}
	}
	for _, id := range merged.Deleted {
		if strings.HasPrefix(id, ReusablePrefix) {
			w.Reusables[id] = nil
			continue
		}
		w.changed[id] = true
		w.Tree.remove(id)
	}
	return nil
}

// MergeFiles merges files by id and returns the conflicts.
func (w *Worktree) MergeFiles(ctx context.Context, base, theirs Revision, answers merge.Resolutions) ([]merge.Conflict, error) {
	var sides [3]map[string]string
	for i, root := range []string{base.Files, w.BaseRevision.Files, theirs.Files} {
		entries, err := w.Content.All(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("files of the merge: %w", err)
		}
		sides[i] = map[string]string{}
		for id, e := range entries {
			sides[i][id] = string(e.Value)
		}
	}
	origins, err := extractOrigins(sides)
	if err != nil {
		return nil, err
	}
	merged, conflicts := merge.ResolveMap(merge.KindFile, sides[0], sides[1], sides[2], answers)
	for id := range sides[1] {
		if _, ok := merged[id]; !ok {
			w.RemovedFiles[id] = true
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
		w.Files[id] = &f
	}
	return conflicts, nil
}

// extractOrigins removes the origins from the files that differ, since they never conflict. It returns the later
// origin of each file where it is not that of ours.
func extractOrigins(sides [3]map[string]string) (map[string]*Origin, error) {
	origins := map[string]*Origin{}
	for id := range unionIDs(sides) {
		if sides[0][id] == sides[1][id] && sides[1][id] == sides[2][id] {
			continue
		}
		var own, last *Origin
		for i, side := range sides {
			value, exists := side[id]
			if !exists {
				continue
			}
			f, err := DecodeFile(id, objects.Entry{Value: []byte(value)})
			if err != nil {
				return nil, err
			}
			last = laterOrigin(last, f.Origin)
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
		if laterOrigin(own, last) != own {
			origins[id] = last
		}
	}
	return origins, nil
}

func unionIDs(sides [3]map[string]string) map[string]bool {
	ids := map[string]bool{}
	for _, side := range sides {
		for id := range side {
			ids[id] = true
		}
	}
	return ids
}

// MergeOrigins sets the later origin on pages that the merge did not change.
func (w *Worktree) MergeOrigins(v Versions, pages []string) {
	for _, id := range pages {
		p := w.Tree.Page(id)
		theirs := v.Theirs.Tree.Page(id)
		if p == nil || theirs == nil || laterOrigin(p.Origin, theirs.Origin) == p.Origin {
			continue
		}
		next := *p
		next.Origin = theirs.Origin
		w.Put(&next)
	}
}

// mergedPage converts a merged page to a page of the tree. Members unknown to the merge are taken from the side with
// the same text, or else from any side with the page.
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
			p.Origin = laterOrigin(p.Origin, from.Origin)
			if m.Text == from.TextID() {
				p.Text, p.Blocks, p.DerivedTitle = from.Text, from.Blocks, from.DerivedTitle
			}
		}
	}
	p.Parent, p.Order = m.Parent, m.Order
	return p, setAttributes(p, m.Attributes)
}
