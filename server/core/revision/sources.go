package revision

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Prefix and limit of sources.
const (
	SourcePrefix = "src_"
	MaxSources   = 1000 // per space
)

// Source is the origin of imported or pushed pages and files. The next import from it finds them by their Origin.
type Source struct {
	ID         string         `json:"-"`
	Name       string         `json:"name,omitzero"` // unique in the space; "" if the import had no name
	Kind       api.SourceKind `json:"kind"`
	Address    string         `json:"address,omitzero"` // without query and user
	Author     string         `json:"author"`           // of the last import that changed something
	ImportedAt api.Time       `json:"at"`               // time of that import
	Summary    *SourceSummary `json:"summary,omitzero"` // nil if the source has none
}

// SourceSummary is the SUMMARY.md of a source. Its bytes are kept for folders that are made of the space.
type SourceSummary struct {
	Path string `json:"path"`
	Text string `json:"text"` // hash of the text
}

// RemovedItem is an imported page or file that users deleted. The next import uses it as the base: unchanged content
// stays deleted, and changed content is a conflict.
type RemovedItem struct {
	Page *Page `json:"page,omitzero"`
	File *File `json:"file,omitzero"`
}

// SourceMap holds the sources of a revision and the imported items that users deleted.
type SourceMap struct {
	Sources map[string]Source      // by id
	Removed map[string]RemovedItem // by id of the page or file
}

// ReadSources reads the map of sources with the given root.
func ReadSources(ctx context.Context, c *objects.Content, root string) (m SourceMap, err error) {
	m = SourceMap{Sources: map[string]Source{}, Removed: map[string]RemovedItem{}}
	entries, err := c.All(ctx, root)
	if err != nil {
		return m, fmt.Errorf("sources of %s: %w", c.Space(), err)
	}
	for id, e := range entries {
		if err := m.decode(id, e); err != nil {
			return m, fmt.Errorf("%w: source %s: %w", redis.ErrCorrupt, id, err)
		}
	}
	return m, nil
}

func (m SourceMap) decode(id string, e objects.Entry) error {
	if strings.HasPrefix(id, SourcePrefix) {
		var s Source
		if err := json.Unmarshal(e.Value, &s); err != nil {
			return err
		}
		s.ID = id
		m.Sources[id] = s
		return nil
	}
	var r RemovedItem
	if err := json.Unmarshal(e.Value, &r); err != nil {
		return err
	}
	if r.Page != nil {
		r.Page.ID = id
	}
	if r.File != nil {
		r.File.ID = id
	}
	m.Removed[id] = r
	return nil
}

// Find returns the source with the given id or name.
func (m SourceMap) Find(name string) (Source, bool) {
	if s, ok := m.Sources[name]; ok {
		return s, true
	}
	for _, id := range slices.Sorted(maps.Keys(m.Sources)) {
		if name != "" && m.Sources[id].Name == name {
			return m.Sources[id], true
		}
	}
	return Source{}, false
}

// PutSource adds or replaces a source of the worktree.
func (w *Worktree) PutSource(s Source) error {
	value, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("source %s: %w", s.ID, err)
	}
	e := &objects.Entry{Value: value}
	if s.Summary != nil {
		e.Refs = []string{s.Summary.Text}
	}
	w.sources[s.ID] = e
	return nil
}

// Summary returns the SUMMARY.md of the source that was imported last among those that have one, or nil if none has.
func (m SourceMap) Summary() *SourceSummary {
	var newest Source
	for _, id := range slices.Sorted(maps.Keys(m.Sources)) {
		if s := m.Sources[id]; s.Summary != nil && (newest.Summary == nil || s.ImportedAt.After(newest.ImportedAt.Time)) {
			newest = s
		}
	}
	return newest.Summary
}

// ForgetRemoved drops the record of a deleted item that its source no longer contains.
func (w *Worktree) ForgetRemoved(id string) { w.sources[id] = nil }

// SourceMap reads the sources of the revision that the worktree is based on.
func (w *Worktree) SourceMap(ctx context.Context) (SourceMap, error) {
	return ReadSources(ctx, w.Content, w.BaseRevision.Sources)
}

// MergeSources merges the changes of theirs to the sources and the deleted items. It never conflicts: the later
// version of a source is used.
func (w *Worktree) MergeSources(ctx context.Context, base, theirs Revision) error {
	diff, err := w.Content.Diff(ctx, base.Sources, theirs.Sources)
	if err != nil || len(diff) == 0 {
		if err != nil {
			err = fmt.Errorf("compare sources: %w", err)
		}
		return err
	}
	ids := slices.Sorted(maps.Keys(diff))
	now, err := w.Content.Get(ctx, theirs.Sources, ids...)
	if err != nil {
		return fmt.Errorf("sources of the merge: %w", err)
	}
	ours, err := w.SourceMap(ctx)
	if err != nil {
		return err
	}
	before, err := ReadSources(ctx, w.Content, base.Sources)
	if err != nil {
		return err
	}
	added := SourceMap{Sources: map[string]Source{}, Removed: map[string]RemovedItem{}}
	for _, id := range ids {
		e, exists := now[id]
		switch {
		case !exists && strings.HasPrefix(id, SourcePrefix): // sources are never removed
		case !exists:
			w.sources[id] = nil
		case !strings.HasPrefix(id, SourcePrefix):
			w.sources[id] = &e
		default:
			if err := added.decode(id, e); err != nil {
				return fmt.Errorf("%w: source %s: %w", redis.ErrCorrupt, id, err)
			}
			if err := w.mergeSource(ctx, before.Sources[id], ours, added.Sources[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeSource merges one source of theirs. If another source has taken its name in the meantime, a number is
// appended.
func (w *Worktree) mergeSource(ctx context.Context, before Source, ours SourceMap, theirs Source) error {
	if known, ok := ours.Sources[theirs.ID]; ok {
		isNewer := theirs.ImportedAt.After(known.ImportedAt.Time)
		summary, err := w.mergeSummaries(ctx, before.Summary, known.Summary, theirs.Summary, isNewer)
		if err != nil {
			return err
		}
		if theirs.Summary = summary; !isNewer {
			if known.Summary.Equal(summary) {
				return nil
			}
			known.Summary = summary
			return w.PutSource(known)
		}
	}
	name := theirs.Name
	for n := 2; name != ""; n++ {
		if other, taken := ours.Find(name); !taken || other.ID == theirs.ID {
			break
		}
		name = fmt.Sprintf("%s (%d)", theirs.Name, n)
	}
	theirs.Name = name
	ours.Sources[theirs.ID] = theirs
	return w.PutSource(theirs)
}

// writeSources stages the map of sources with the changes of the worktree, including the imported items that it
// deleted, and returns its root.
func (w *Worktree) writeSources(ctx context.Context) (root string, err error) {
	changes := maps.Clone(w.sources)
	for id := range w.changed {
		old, current := w.BaseTree.Page(id), w.Tree.Page(id)
		if _, decided := changes[id]; decided && current == nil {
			continue
		}
		switch {
		case current == nil && old != nil && old.Origin != nil:
			if changes[id], err = encodeRemovedPage(old); err != nil {
				return "", err
			}
		case current != nil && old == nil && w.BaseRevision.Sources != "":
			changes[id] = nil
		}
	}
	if err := w.addRemovedFiles(ctx, changes); err != nil {
		return "", err
	}
	set, removed := map[string]objects.Entry{}, []string(nil)
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		if e := changes[id]; e != nil {
			set[id] = *e
		} else {
			removed = append(removed, id)
		}
	}
	if len(set) == 0 && (len(removed) == 0 || w.BaseRevision.Sources == "") {
		return w.BaseRevision.Sources, nil
	}
	if root, err = w.Content.Apply(ctx, w.BaseRevision.Sources, set, removed); err != nil {
		return "", fmt.Errorf("sources of %s: %w", w.Content.Space(), err)
	}
	return root, nil
}

// RecordRemovedPage records a page that an import contains but that stays deleted.
func (w *Worktree) RecordRemovedPage(p *Page) (err error) {
	w.sources[p.ID], err = encodeRemovedPage(p)
	return err
}

// RecordRemovedFile records a file that an import contains but that stays deleted.
func (w *Worktree) RecordRemovedFile(f File) (err error) {
	w.sources[f.ID], err = encodeRemovedFile(f)
	return err
}

func encodeRemovedPage(p *Page) (*objects.Entry, error) {
	e, err := p.Entry()
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(RemovedItem{Page: p})
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.ID, err)
	}
	return &objects.Entry{Value: value, Refs: e.Refs}, nil
}

// addRemovedFiles adds the imported files that the worktree removed to changes, and clears the records of those that
// exist again.
func (w *Worktree) addRemovedFiles(ctx context.Context, changes map[string]*objects.Entry) error {
	if w.BaseRevision.Sources != "" {
		for id := range w.Files {
			if _, decided := changes[id]; !decided {
				changes[id] = nil
			}
		}
	}
	removed := slices.DeleteFunc(slices.Sorted(maps.Keys(w.RemovedFiles)), func(id string) bool {
		_, decided := changes[id]
		return decided
	})
	if len(removed) == 0 {
		return nil
	}
	entries, err := w.Content.Get(ctx, w.BaseHead.Files, removed...)
	if err != nil {
		return fmt.Errorf("removed files: %w", err)
	}
	for id, e := range entries {
		f, err := DecodeFile(id, e)
		if err != nil {
			return err
		}
		if f.Origin == nil {
			continue
		}
		if changes[id], err = encodeRemovedFile(f); err != nil {
			return err
		}
	}
	return nil
}

func encodeRemovedFile(f File) (*objects.Entry, error) {
	value, err := json.Marshal(RemovedItem{File: &f})
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", f.ID, err)
	}
	return &objects.Entry{Value: value, Refs: []string{f.Manifest}}, nil
}
