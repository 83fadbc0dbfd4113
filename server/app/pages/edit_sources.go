package pages

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
)

// setOrigin says of a page that an operation names a source for where it lies there. What the operation brings is what
// the source brought: the next import of it starts from that.
func (e *contentEditor) setOrigin(ctx context.Context, c *rest.Call, p *revision.Page, change api.ContentChange) error {
	if change.SourceName == "" {
		return nil
	}
	source, err := e.source(ctx, c, change.SourceName)
	if err != nil {
		return err
	}
	at, err := sourcePath(change.Path)
	if err != nil {
		return err
	}
	place := &revision.Origin{Source: source, Path: at}
	if p.Origin.SameDocument(place) {
		place.Part = p.Origin.Part
	}
	for _, id := range e.draft.Tree.Reading("") {
		if o := e.draft.Tree.Page(id).Origin; id != p.ID && o.SamePlace(place) {
			return api.InvalidField("path", "is where the page %s of this source lies", id).WithHint("Update that page.")
		}
	}
	t, err := e.draft.Text(ctx, p)
	if err != nil {
		return err
	}
	o := &revision.Origin{
		Source: source, Path: at, Part: place.Part, OID: content.BlobID(t.Markdown), At: e.now, Text: p.Text, Blocks: p.Blocks, Place: revision.PlaceOf(p),
	}
	if !o.Repeats(p.Origin) {
		p.Origin = o
	}
	return nil
}

// source is the id of the source that an operation names. It is from now on the caller's push.
func (e *contentEditor) source(ctx context.Context, c *rest.Call, name string) (string, error) {
	known, err := e.draft.SourceMap(ctx)
	if err != nil {
		return "", err
	}
	source, ok := known.Find(name)
	switch {
	case ok:
	case strings.HasPrefix(name, revision.SourcePrefix):
		return "", api.InvalidField("sourceName", "is not the id of a source of the space")
	case len(known.Sources) >= revision.MaxSources:
		return "", api.InvalidField("sourceName", "would be source %d of the space; it has at most %d", len(known.Sources)+1, revision.MaxSources)
	default:
		source = revision.Source{ID: e.sourceID(name), Name: name}
	}
	source.Kind, source.Address, source.Author, source.At = api.SourcePush, "", c.Caller.User, e.now
	e.pushed[source.ID] = source
	return source.ID, nil
}

// noteSources writes down who pushed what, where that changed anything.
func (e *contentEditor) noteSources() error {
	if e.draft.IsEmpty() {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(e.pushed)) {
		if err := e.draft.PutSource(e.pushed[id]); err != nil {
			return err
		}
	}
	return nil
}

// sourceID is the id of a new source, the same for all operations of the request.
func (e *contentEditor) sourceID(name string) string {
	if e.sources[name] == "" {
		e.sources[name] = e.service.IDs.New(revision.SourcePrefix)
	}
	return e.sources[name]
}

// sourcePath is a path in a source as it is kept: from its root, in the normal form C.
func sourcePath(given string) (string, error) {
	at := norm.NFC.String(strings.TrimPrefix(given, "/"))
	if at == "" || at == ".." || path.Clean(at) != at || strings.HasPrefix(at, "../") {
		return "", api.InvalidField("path", "must be a plain path from the root of the source, as in guide/install.md, not %q", given)
	}
	return at, nil
}

// addFile adds a file of insert_files. One that lies in its source as it is pushed stays as it is.
func (e *contentEditor) addFile(ctx context.Context, c *rest.Call, id, sourceName string, given api.FileInsert, f fetchedFile) (*revision.File, error) {
	if sourceName == "" {
		return e.draft.AddFile(id, given.Name, f.contentType, f.data), nil
	}
	source, err := e.source(ctx, c, sourceName)
	if err != nil {
		return nil, err
	}
	at, err := sourcePath(given.Path)
	if err != nil {
		return nil, err
	}
	oid := content.BlobID(f.data)
	if known, ok := e.there[id]; ok && known.Origin.OID == oid && known.Name == given.Name {
		return &known, nil
	}
	added := e.draft.AddFile(id, given.Name, f.contentType, f.data)
	added.Origin = &revision.Origin{Source: source, Path: at, OID: oid, At: e.now}
	return added, nil
}

// findFiles finds the files that sources have already at the paths of those that are pushed: they get the new bytes under
// their ids.
func (e *contentEditor) findFiles(ctx context.Context) error {
	if !slices.ContainsFunc(e.changes, func(c api.ContentChange) bool { return len(c.Files) > 0 && c.SourceName != "" }) {
		return nil
	}
	known, err := e.draft.SourceMap(ctx)
	if err != nil {
		return err
	}
	files, err := e.service.Revisions.Files(ctx, e.draft.Content, e.draft.From.Files)
	if err != nil {
		return err
	}
	type place struct{ source, path string }
	at := map[place]revision.File{}
	for _, f := range files {
		if f.Origin != nil {
			at[place{f.Origin.Source, f.Origin.Path}] = f
		}
	}
	for i, change := range e.changes {
		source, ok := known.Find(change.SourceName)
		for j, given := range change.Files {
			path, err := sourcePath(given.Path)
			if f := at[place{source.ID, path}]; ok && err == nil && f.ID != "" {
				e.fileIDs[[2]int{i, j}], e.there[f.ID] = f.ID, f
				e.name(given.Ref, f.ID)
			}
		}
	}
	return nil
}
