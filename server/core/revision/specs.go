package revision

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// SpecVersion is the version of an OpenAPI specification used by computed pages of a revision. Its document is stored
// with the space, so that it exists as long as the revision.
type SpecVersion struct {
	Version string `json:"version"`
	Bundle  string `json:"bundle"` // hash of the manifest
}

// SpecName returns the specification of a computed page, as a slug or an id. It is the key of Revision.Specs.
func SpecName(p *Page) (name string, ok bool) {
	if p == nil || p.Type != api.PageComputed || p.Computed == nil {
		return "", false
	}
	return p.Computed.Dependencies.Spec.Ref.Spec, true
}

// SpecNames returns the specifications used by the computed pages of a tree, sorted.
func SpecNames(t *Tree) []string {
	var names []string
	for at := t; at != nil; at = at.Base {
		for id := range at.Changed {
			if name, ok := SpecName(t.Page(id)); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// changesSpecs reports whether computed pages were added, removed or changed.
func (w *Worktree) changesSpecs() bool {
	for id := range w.changed {
		_, now := SpecName(w.Tree.Page(id))
		if _, before := SpecName(w.BaseTree.Page(id)); before || now {
			return true
		}
	}
	return false
}

// specs returns the versions for the next revision: those of the current revision and those pinned since. Unused ones
// are dropped.
func (w *Worktree) specs() map[string]SpecVersion {
	if len(w.pinnedSpecs) == 0 && !w.changesSpecs() {
		return w.BaseRevision.Specs
	}
	all, specs := maps.Clone(w.BaseRevision.Specs), map[string]SpecVersion{}
	if all == nil {
		all = map[string]SpecVersion{}
	}
	maps.Copy(all, w.pinnedSpecs)
	for _, name := range SpecNames(w.Tree) {
		if v, ok := all[name]; ok {
			specs[name] = v
		}
	}
	return specs
}

// pinSpecs pins the newest version of the specifications of new computed pages. The record of a specification is read
// in the transaction; a newer version is picked up by the job of the specification.
func (rs *Revisions) pinSpecs(ctx context.Context, tx *store.Tx, org string, d *Worktree) error {
	if !d.changesSpecs() {
		return nil
	}
	for _, name := range SpecNames(d.Tree) {
		if _, named := d.BaseRevision.Specs[name]; named {
			continue
		}
		if _, err := rs.PinSpec(ctx, tx, org, d, name); err != nil {
			return err
		}
	}
	return nil
}

// PinSpec pins the newest version of a specification for the next revision and stages its document. named is false
// if the specification has no version or its document is lost; pages then use the current version when they are read.
func (rs *Revisions) PinSpec(ctx context.Context, tx *store.Tx, org string, d *Worktree, name string) (named bool, err error) {
	delete(d.pinnedSpecs, name)
	slug, err := rs.SpecSlug(ctx, org, name)
	if err != nil || slug == "" {
		return false, err
	}
	spec, err := tx.OpenAPISpec(org, slug)
	if err != nil || spec.Version == 0 || spec.Fields.LastVersion == "" {
		return false, err
	}
	version, err := tx.OpenAPIVersion(org, spec.Fields.LastVersion)
	if err != nil || version.Version == 0 {
		return false, err
	}
	data, err := rs.ReadFile(ctx, spec.Fields.ID, version.Private.Bundle)
	if errors.Is(err, objects.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("version %s: %w", version.Fields.ID, err)
	}
	stored := NewFile(d.Content, "", slug+".json", "application/json", data)
	d.pinnedSpecs[name] = SpecVersion{Version: version.Fields.ID, Bundle: stored.Manifest}
	return true, nil
}

// SpecSlug returns the slug of a specification given by slug or id, or "" if an id does not exist.
func (rs *Revisions) SpecSlug(ctx context.Context, org, name string) (string, error) {
	if !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		return name, nil
	}
	b := rs.store.NewBatch()
	reply := b.Range(store.OpenAPISpecsKey(org), name, 1, false)
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("find specification %s: %w", name, err)
	}
	members := reply.Value()
	if len(members) == 0 || !strings.HasPrefix(members[0], store.OpenAPISpecMember(name, "")) {
		return "", nil
	}
	return store.OpenAPISpecSlug(members[0]), nil
}
