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

// SpecVersion is the version of an OpenAPI specification that computed pages of a revision are made of. Its document is
// among the objects of the space, so that it is there as long as the revision, whatever becomes of the specification.
type SpecVersion struct {
	Version string `json:"version"`
	Bundle  string `json:"bundle"` // manifest
}

// SpecOf is how a computed page names its specification: by slug or by id. It is the key of Revision.Specs.
func SpecOf(p *Page) (name string, ok bool) {
	if p == nil || p.Type != api.PageComputed || p.Computed == nil {
		return "", false
	}
	return p.Computed.Dependencies.Spec.Ref.Spec, true
}

// SpecsOf are the specifications that the computed pages of a tree name, in order.
func SpecsOf(t *Tree) []string {
	var names []string
	for at := t; at != nil; at = at.Base {
		for id := range at.Changed {
			if name, ok := SpecOf(t.Page(id)); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// touchesSpecs reports whether computed pages came, went or changed.
func (d *Worktree) touchesSpecs() bool {
	for id := range d.changed {
		_, now := SpecOf(d.Tree.Page(id))
		if _, before := SpecOf(d.Start.Page(id)); before || now {
			return true
		}
	}
	return false
}

// specs are the versions that the revision will name: those of the revision before, and those that were named since.
// What no page is made of any more is left out.
func (d *Worktree) specs() map[string]SpecVersion {
	if len(d.named) == 0 && !d.touchesSpecs() {
		return d.Was.Specs
	}
	all, specs := maps.Clone(d.Was.Specs), map[string]SpecVersion{}
	if all == nil {
		all = map[string]SpecVersion{}
	}
	maps.Copy(all, d.named)
	for _, name := range SpecsOf(d.Tree) {
		if v, ok := all[name]; ok {
			specs[name] = v
		}
	}
	return specs
}

// nameSpecs names the newest version for computed pages whose specification the revision before does not name. The
// record of the specification is read in the transaction: what becomes newer meanwhile is found by its own job.
func (s *Revisions) nameSpecs(ctx context.Context, tx *store.Tx, org string, d *Worktree) error {
	if !d.touchesSpecs() {
		return nil
	}
	for _, name := range SpecsOf(d.Tree) {
		if _, named := d.Was.Specs[name]; named {
			continue
		}
		if _, err := s.NameSpec(ctx, tx, org, d, name); err != nil {
			return err
		}
	}
	return nil
}

// NameSpec lets the next revision name the newest version of a specification, whose document goes among the objects of
// the space. A specification without one, or whose document is lost, is named by none: pages are then made of what
// there is when they are read, and named is false.
func (s *Revisions) NameSpec(ctx context.Context, tx *store.Tx, org string, d *Worktree, name string) (named bool, err error) {
	delete(d.named, name)
	slug, err := s.SpecSlug(ctx, org, name)
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
	data, err := s.ReadFile(ctx, spec.Fields.ID, version.Private.Bundle)
	if errors.Is(err, objects.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("version %s: %w", version.Fields.ID, err)
	}
	stored := NewFile(d.Content, "", slug+".json", "application/json", data)
	d.named[name] = SpecVersion{Version: version.Fields.ID, Bundle: stored.Manifest}
	return true, nil
}

// SpecSlug is the slug of a specification that is named by its slug or its id, "" where there is none.
func (s *Revisions) SpecSlug(ctx context.Context, org, name string) (string, error) {
	if !strings.HasPrefix(name, store.OpenAPISpecPrefix) {
		return name, nil
	}
	b := s.store.Pipeline()
	behind := b.Range(store.OpenAPISpecsKey(org), name, 1, false)
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("find specification %s: %w", name, err)
	}
	members := behind.Value()
	if len(members) == 0 || !strings.HasPrefix(members[0], store.OpenAPISpecMember(name, "")) {
		return "", nil
	}
	return store.OpenAPISpecSlug(members[0]), nil
}
