package pages

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
)

// setOrigin records the source, path and part of a page. The operation's text becomes the base of the next import from that
// source.
func (e *contentEditor) setOrigin(ctx context.Context, c *rest.Call, p *revision.Page, change api.ContentChange) error {
	if change.SourceName == "" {
		return nil
	}
	source, err := e.resolveSource(ctx, c, change.SourceName)
	if err != nil {
		return err
	}
	sourcePath, err := cleanSourcePath(change.Path)
	if err != nil {
		return err
	}
	origin := &revision.Origin{Source: source, Path: sourcePath, Part: change.Part}
	if origin.Part == "" && p.Origin.SameDocument(origin) {
		origin.Part = p.Origin.Part
	}
	t, err := e.draft.Text(ctx, p)
	if err != nil {
		return err
	}
	o := &revision.Origin{
		Source: source, Path: sourcePath, Part: origin.Part, OID: content.BlobID(t.Markdown), CreatedAt: e.now, Text: p.Text,
		Blocks: p.Blocks,
		State:  revision.OriginStateOf(p),
	}
	e.placed[p.ID] = e.current
	if !o.EqualImport(p.Origin) {
		p.Origin = o
	}
	return nil
}

// checkOrigins returns an error if a page that got a path has that of another page of its source. It is called after all
// operations, so that pages can swap their paths.
func (e *contentEditor) checkOrigins() error {
	if len(e.placed) == 0 {
		return nil
	}
	type item struct{ source, path, part string }
	owners := map[item]string{}
	for _, id := range e.draft.Tree.ReadingOrder("") {
		o := e.draft.Tree.Page(id).Origin
		if o == nil {
			continue
		}
		at := item{o.Source, o.Path, o.Part}
		other, taken := owners[at]
		owners[at] = id
		if !taken {
			continue
		}
		change, placed := e.placed[id]
		if !placed {
			if change, placed = e.placed[other]; !placed { // it was so before
				continue
			}
			other = id
		}
		err := api.InvalidField("path", "is where the page %s of this source lies", other).WithHint("Update that page.")
		return revision.PrefixFields(fmt.Sprintf("changes[%d]", change), err)
	}
	return nil
}

// resolveSource returns the id of the named source and marks the source as pushed by the caller.
func (e *contentEditor) resolveSource(ctx context.Context, c *rest.Call, name string) (string, error) {
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
		return "", api.InvalidField("sourceName", "would be source %d of the space; it has at most %d", len(known.Sources)+1,
			revision.MaxSources)
	default:
		source = revision.Source{ID: e.newSourceID(name), Name: name}
	}
	if pushed, ok := e.pushedSources[source.ID]; ok {
		return pushed.ID, nil
	}
	source.Kind, source.Address, source.Author, source.ImportedAt = api.SourcePush, "", c.Caller.User, e.now
	e.pushedSources[source.ID] = source
	return source.ID, nil
}

// recordSources writes the pushed sources to the draft if the operations changed anything.
func (e *contentEditor) recordSources() error {
	if e.draft.IsEmpty() {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(e.pushedSources)) {
		if err := e.draft.PutSource(e.pushedSources[id]); err != nil {
			return err
		}
	}
	return nil
}

// maxSummaryBytes is the maximum size of a SUMMARY.md.
const maxSummaryBytes = 1 << 20

// setSummary keeps the SUMMARY.md of a source. It changes no page.
func (e *contentEditor) setSummary(ctx context.Context, c *rest.Call, change api.ContentChange) error {
	text, given := change.Document.Markdown.Get()
	switch {
	case !given:
		return api.InvalidField("document.markdown", "is required")
	case len(text) > maxSummaryBytes:
		return api.InvalidField("document.markdown", "must have at most %d bytes, not %d", maxSummaryBytes, len(text))
	}
	known, err := e.draft.SourceMap(ctx)
	if err != nil {
		return err
	}
	id, err := e.resolveSource(ctx, c, change.SourceName)
	if err != nil {
		return err
	}
	at, err := cleanSourcePath(change.Path)
	if err != nil {
		return err
	}
	source := e.pushedSources[id]
	source.Summary = &revision.SourceSummary{Path: at, Text: e.draft.Content.Stage(objects.NewBlob([]byte(text)))}
	e.pushedSources[id] = source
	if was := known.Sources[id].Summary; was != nil && *was == *source.Summary {
		return nil
	}
	return e.draft.PutSource(source)
}

// newSourceID returns the id of a new source. All operations of the request get the same id.
func (e *contentEditor) newSourceID(name string) string {
	if e.sources[name] == "" {
		e.sources[name] = e.service.IDs.New(revision.SourcePrefix)
	}
	return e.sources[name]
}

// cleanSourcePath returns a path relative to the root of its source, in Unicode normal form C.
func cleanSourcePath(given string) (string, error) {
	clean := norm.NFC.String(strings.TrimPrefix(given, "/"))
	if clean == "" || clean == ".." || path.Clean(clean) != clean || strings.HasPrefix(clean, "../") {
		return "", api.InvalidField("path", "must be a plain path from the root of the source, as in guide/install.md, not %q", given)
	}
	return clean, nil
}

// addFile adds a file of insert_files. A file of a source that is unchanged keeps its record.
func (e *contentEditor) addFile(ctx context.Context, c *rest.Call, id, sourceName string, given api.FileInsert,
	f fetchedFile,
) (*revision.File, error) {
	known, isKnown := e.existingFiles[id]
	if sourceName == "" {
		added := e.draft.AddFile(id, given.Name, f.contentType, f.data)
		added.Origin = known.Origin
		return added, nil
	}
	source, err := e.resolveSource(ctx, c, sourceName)
	if err != nil {
		return nil, err
	}
	sourcePath, err := cleanSourcePath(given.Path)
	if err != nil {
		return nil, err
	}
	oid := content.BlobID(f.data)
	isSame := isKnown && known.Name == given.Name && known.Origin != nil && known.Origin.OID == oid &&
		known.Origin.Source == source && known.Origin.Path == sourcePath
	if isSame {
		return &known, nil
	}
	added := e.draft.AddFile(id, given.Name, f.contentType, f.data)
	added.Origin = &revision.Origin{Source: source, Path: sourcePath, OID: oid, CreatedAt: e.now}
	return added, nil
}

// matchFiles finds the existing files that the given ones replace, and those at the source paths of the pushed files. These get the
// new bytes and keep their ids.
func (e *contentEditor) matchFiles(ctx context.Context) error {
	if !slices.ContainsFunc(e.changes, func(c api.ContentChange) bool {
		return len(c.Files) > 0 && c.SourceName != "" || slices.ContainsFunc(c.Files, isReplacement)
	}) {
		return nil
	}
	known, err := e.draft.SourceMap(ctx)
	if err != nil {
		return err
	}
	files, err := e.service.Revisions.Files(ctx, e.draft.Content, e.draft.BaseHead.Files)
	if err != nil {
		return err
	}
	m := fileMatcher{
		editor: e, sources: known, files: map[string]revision.File{}, at: map[sourceKey]string{}, displaced: map[string]bool{},
		replaced: map[string]bool{},
	}
	for _, f := range files {
		m.files[f.ID] = f
		if f.Origin != nil {
			m.at[sourceKey{f.Origin.Source, f.Origin.Path}] = f.ID
		}
	}
	for _, change := range e.changes {
		for _, id := range change.FileIDs {
			m.displaced[id] = true
		}
		for _, given := range change.Files {
			m.displaced[given.Replaces] = true
		}
	}
	for i, change := range e.changes {
		for j, given := range change.Files {
			if err := m.match(i, j, change.SourceName, given); err != nil {
				return revision.PrefixFields(fmt.Sprintf("changes[%d].files[%d]", i, j), err)
			}
		}
	}
	return nil
}

func isReplacement(f api.FileInsert) bool { return f.Replaces != "" }

// sourceKey is the place of a file in a source.
type sourceKey struct{ source, path string }

// fileMatcher finds the existing files of given ones.
type fileMatcher struct {
	editor    *contentEditor
	sources   revision.SourceMap
	files     map[string]revision.File // by id
	at        map[sourceKey]string     // ids by place
	displaced map[string]bool          // ids of the files that the edit deletes or replaces

	replaced map[string]bool // ids of the files that a file that was matched replaces
}

// match gives file j of change i the id of the file that it replaces, or that lies at its place.
func (m *fileMatcher) match(i, j int, sourceName string, given api.FileInsert) error {
	id := ""
	if at, err := cleanSourcePath(given.Path); err == nil && sourceName != "" {
		if source, ok := m.sources.Find(sourceName); ok {
			id = m.at[sourceKey{source.ID, at}]
		}
	}
	if m.displaced[id] {
		id = ""
	}
	if given.Replaces != "" {
		if _, ok := m.files[given.Replaces]; !ok {
			return api.InvalidField("replaces", "is not a file of the change request")
		}
		if m.replaced[given.Replaces] {
			return api.InvalidField("replaces", "is replaced twice")
		}
		m.replaced[given.Replaces] = true
		if id != "" {
			return api.InvalidField("path", "is where the file %s of this source lies", id).WithHint("Replace or delete that file.")
		}
		id = given.Replaces
	}
	if id == "" {
		return nil
	}
	m.editor.fileIDs[[2]int{i, j}], m.editor.existingFiles[id] = id, m.files[id]
	m.editor.bindRef(given.Ref, id)
	return nil
}
