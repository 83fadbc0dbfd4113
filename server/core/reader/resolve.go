package reader

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store/objects"
)

// Files returns the files of the revision by id.
func (v *View) Files(ctx context.Context) (map[string]revision.File, error) {
	files, err := v.service.Revisions.Files(ctx, v.content, v.Revision.Files)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]revision.File, len(files))
	for _, f := range files {
		byID[f.ID] = f
	}
	return byID, nil
}

// Resolver returns the resolver of destinations in the texts of the view.
func (v *View) Resolver(ctx context.Context) (*resolve.Resolver, error) {
	key := objects.KeyOf(v.content, []string{v.Revision.Pages, v.Revision.Files}, v.versions)
	if r, ok := v.service.Caches.resolvers.Get(key); ok {
		return r, nil
	}
	files, err := v.Files(ctx)
	if err != nil {
		return nil, err
	}
	r := revision.NewResolver(v.content.Space(), v.Tree, files)
	v.service.Caches.resolvers.Put(key, r)
	return r, nil
}
