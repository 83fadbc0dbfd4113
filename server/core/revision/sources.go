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

// Sources of a space: what its imports and pushes belong to.
const (
	SourcePrefix = "src_"
	MaxSources   = 1000 // of a space
)

// Source is what an import or a push brought pages and files from. Importing it again finds them by their Origin.
type Source struct {
	ID      string         `json:"-"`
	Name    string         `json:"name,omitzero"` // unique in the space; "" for an import that nobody named
	Kind    api.SourceKind `json:"kind"`
	Address string         `json:"address,omitzero"` // without query and user
	Author  string         `json:"author"`           // of the last import that changed something
	At      api.Time       `json:"at"`               // of that import
}

// Removed is what people took out of a source's content: the next import has it as the base that it left, so that what
// the source has not changed stays away, and what it has changed is a conflict.
type Removed struct {
	Page *Page `json:"page,omitzero"`
	File *File `json:"file,omitzero"`
}

// SourceMap is the sources of a revision, and what people removed of them.
type SourceMap struct {
	Sources map[string]Source  // by id
	Removed map[string]Removed // by id of the page or file
}

// ReadSources reads the map of sources of a revision.
func ReadSources(ctx context.Context, c *objects.Content, root string) (m SourceMap, err error) {
	m = SourceMap{Sources: map[string]Source{}, Removed: map[string]Removed{}}
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
	var r Removed
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

// Find returns the source of a name, or of an id.
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
func (d *Worktree) PutSource(s Source) error {
	value, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("source %s: %w", s.ID, err)
	}
	d.sources[s.ID] = &objects.Entry{Value: value}
	return nil
}

// Forget lets the worktree keep nothing of what is removed, because its source does not have it any more.
func (d *Worktree) Forget(id string) { d.sources[id] = nil }

// SourceMap reads the sources that the worktree began with.
func (d *Worktree) SourceMap(ctx context.Context) (SourceMap, error) {
	return ReadSources(ctx, d.Content, d.Was.Sources)
}

// MergeSources takes over what theirs changed of the sources and of what was removed of them. It never conflicts: of two
// that differ the later stands.
func (d *Worktree) MergeSources(ctx context.Context, base, theirs Revision) error {
	diff, err := d.Content.Diff(ctx, base.Sources, theirs.Sources)
	if err != nil || len(diff) == 0 {
		if err != nil {
			err = fmt.Errorf("compare sources: %w", err)
		}
		return err
	}
	ids := slices.Sorted(maps.Keys(diff))
	now, err := d.Content.Get(ctx, theirs.Sources, ids...)
	if err != nil {
		return fmt.Errorf("sources of the merge: %w", err)
	}
	ours, err := d.SourceMap(ctx)
	if err != nil {
		return err
	}
	added := SourceMap{Sources: map[string]Source{}, Removed: map[string]Removed{}}
	for _, id := range ids {
		e, there := now[id]
		switch {
		case !there && strings.HasPrefix(id, SourcePrefix): // sources stay
		case !there:
			d.sources[id] = nil
		case !strings.HasPrefix(id, SourcePrefix):
			d.sources[id] = &e
		default:
			if err := added.decode(id, e); err != nil {
				return fmt.Errorf("%w: source %s: %w", redis.ErrCorrupt, id, err)
			}
			if err := d.mergeSource(ours, added.Sources[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeSource takes over a source of theirs. A name that another source got meanwhile is freed by a number.
func (d *Worktree) mergeSource(ours SourceMap, theirs Source) error {
	if known, ok := ours.Sources[theirs.ID]; ok && !theirs.At.After(known.At.Time) {
		return nil
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
	return d.PutSource(theirs)
}

// sealSources makes the map of sources: with what came to the worktree, and with what it removed of them.
func (d *Worktree) sealSources(ctx context.Context) (root string, err error) {
	changes := maps.Clone(d.sources)
	for id := range d.changed {
		was, is := d.Start.Page(id), d.Tree.Page(id)
		if _, decided := changes[id]; decided && is == nil {
			continue
		}
		switch {
		case is == nil && was != nil && was.Origin != nil:
			if changes[id], err = removedPage(was); err != nil {
				return "", err
			}
		case is != nil && was == nil && d.Was.Sources != "":
			changes[id] = nil
		}
	}
	if err := d.removedFiles(ctx, changes); err != nil {
		return "", err
	}
	set, gone := map[string]objects.Entry{}, []string(nil)
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		if e := changes[id]; e != nil {
			set[id] = *e
		} else {
			gone = append(gone, id)
		}
	}
	if len(set) == 0 && (len(gone) == 0 || d.Was.Sources == "") {
		return d.Was.Sources, nil
	}
	if root, err = d.Content.Apply(ctx, d.Was.Sources, set, gone); err != nil {
		return "", fmt.Errorf("sources of %s: %w", d.Content.Space(), err)
	}
	return root, nil
}

// KeepRemoved lets the worktree know what an import brought of a page that stays away.
func (d *Worktree) KeepRemoved(p *Page) (err error) {
	d.sources[p.ID], err = removedPage(p)
	return err
}

// KeepRemovedFile is KeepRemoved of a file.
func (d *Worktree) KeepRemovedFile(f File) (err error) {
	d.sources[f.ID], err = removedFile(f)
	return err
}

func removedPage(p *Page) (*objects.Entry, error) {
	e, err := p.Entry()
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(Removed{Page: p})
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.ID, err)
	}
	return &objects.Entry{Value: value, Refs: e.Refs}, nil
}

// removedFiles notes the files of sources that the worktree removed, and those that came back.
func (d *Worktree) removedFiles(ctx context.Context, changes map[string]*objects.Entry) error {
	if d.Was.Sources != "" {
		for id := range d.Files {
			if _, decided := changes[id]; !decided {
				changes[id] = nil
			}
		}
	}
	gone := slices.DeleteFunc(slices.Sorted(maps.Keys(d.Gone)), func(id string) bool { _, decided := changes[id]; return decided })
	if len(gone) == 0 {
		return nil
	}
	entries, err := d.Content.Get(ctx, d.From.Files, gone...)
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
		if changes[id], err = removedFile(f); err != nil {
			return err
		}
	}
	return nil
}

func removedFile(f File) (*objects.Entry, error) {
	value, err := json.Marshal(Removed{File: &f})
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", f.ID, err)
	}
	return &objects.Entry{Value: value, Refs: []string{f.Manifest}}, nil
}
