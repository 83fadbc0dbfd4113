package pages

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) exportEndpoints() []rest.Endpoint {
	return slices.Concat(
		rest.Twins(api.ExportContent.Row, auth.InSpace(api.RoleRead),
			rest.Read(api.ExportChangeRequestContent, auth.InSpace(api.RoleComment), s.exportHead)),
		[]rest.Endpoint{rest.Read(api.ExportRevision, auth.InSpace(api.RoleComment), s.exportRevision)},
	)
}

func (s *Service) exportHead(_ context.Context, r *rest.Request, b *txn.Batch,
	in api.ChangeRequestExportInput,
) rest.Finish[api.Archive] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	space := b.Record(store.SpaceKey(r.Org, target.Space))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Archive], err error) {
		head, _, err := p.Get()
		if err != nil {
			return none, err
		}
		return s.export(ctx, target, head.Revision, space)
	}
}

func (s *Service) exportRevision(_ context.Context, r *rest.Request, b *txn.Batch,
	in api.ExportRevisionInput,
) rest.Finish[api.Archive] {
	target := revision.Target{Space: in.Space}
	p := s.Revisions.ReadTarget(r.Org, b, target)
	space := b.Record(store.SpaceKey(r.Org, target.Space))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Archive], err error) {
		if _, _, err := p.Get(); err != nil {
			return none, err
		}
		if _, err := s.Revisions.LookupRevision(ctx, c.Org, in.Space, in.Revision); err != nil {
			return none, err
		}
		return s.export(ctx, target, in.Revision, space)
	}
}

// export returns the content of a revision as a zip archive. The archive is written while the objects are read, so its
// memory does not depend on its size. It is the same for equal revisions.
func (s *Service) export(ctx context.Context, target revision.Target, id string, space *txn.Future[txn.Record],
) (none rest.Result[api.Archive], err error) {
	record, ok, err := space.Get()
	if err != nil || !ok {
		return none, rest.NotFoundIfNil(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(record); err != nil {
		return none, err
	}
	x := &exporter{content: s.Store.Content(target.Space), revisions: s.Revisions}
	if x.revision, err = x.revisions.Revision(ctx, x.content, id); err != nil {
		return none, err
	}
	if x.FolderContent, err = x.revisions.FolderContent(ctx, x.content, x.revision); err != nil {
		return none, err
	}
	x.manifest = api.ExportManifest{
		Version: 1, Space: target.Space, Title: d.Fields.Title, ChangeRequest: requestNumber(target), Revision: id,
		Number: x.revision.Number, CreatedAt: api.At(x.revision.CreatedAt), Entries: []api.ExportEntry{},
		Pages: exportedPages(x.Tree, x.Folder),
	}
	result := rest.Result[api.Archive]{Media: api.ExportContent.Text, Stream: func(ctx context.Context, w io.Writer) error {
		work, err := s.Slow.BeginLarge(ctx, exportBatch*revision.FileChunkBytes)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		defer work.End()
		return x.write(ctx, w)
	}}
	return result.WithVersion(strings.TrimPrefix(id, revision.RevisionPrefix)), nil
}

// exportedPages returns the pages of a tree in reading order.
func exportedPages(tree *revision.Tree, folder revision.Folder) []api.ExportedPage {
	pages := []api.ExportedPage{}
	for _, id := range tree.ReadingOrder("") {
		p := tree.Page(id)
		pages = append(pages, api.ExportedPage{
			ID: id, Parent: p.Parent, Type: p.Type, Title: p.Name(), Slug: p.Slug, Path: folder.Paths[id],
			ExportedSettings: api.ExportedSettings{
				Icon: p.Icon, Emoji: p.Emoji, Description: p.Description,
				Hidden: p.Hidden, NoIndex: p.NoIndex, NoRobotsIndex: p.NoRobotsIndex,
			},
		})
	}
	return pages
}

// requestNumber returns the number of the change request of a target, 0 for the space itself.
func requestNumber(target revision.Target) int {
	at := target.ChangeRequest
	number, err := strconv.Atoi(at[strings.LastIndexByte(at, '_')+1:])
	if err != nil {
		return 0
	}
	return number
}

// exportBatch is the number of documents that are read in one round trip.
const exportBatch = 16

// exporter writes a revision as an archive.
type exporter struct {
	revision.FolderContent

	content   *objects.Content
	revisions *revision.Revisions
	revision  revision.Revision
	manifest  api.ExportManifest
	archive   *zip.Writer
}

// write writes the archive, with the manifest at its end.
func (x *exporter) write(ctx context.Context, w io.Writer) error {
	x.archive = zip.NewWriter(w)
	if x.Summary.Path != "" {
		if err := x.add(api.ExportEntry{Path: x.Summary.Path, Kind: api.ExportSummary}, x.Summary.Text); err != nil {
			return err
		}
	}
	if x.Summary.Reason != "" {
		x.note("%s %s", x.Summary.Path, x.Summary.Reason)
	}
	documents := slices.SortedFunc(slices.Values(x.Folder.Documents), func(a, b []*revision.Page) int {
		return cmp.Compare(x.Folder.Paths[a[0].ID], x.Folder.Paths[b[0].ID])
	})
	for batch := range slices.Chunk(documents, exportBatch) {
		if err := x.writeDocuments(ctx, batch); err != nil {
			return err
		}
	}
	for _, f := range x.Files {
		if err := x.writeFile(ctx, f); err != nil {
			return err
		}
	}
	if err := x.writeReusables(ctx); err != nil {
		return err
	}
	slices.SortFunc(x.manifest.Entries, func(a, b api.ExportEntry) int { return cmp.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(x.manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := x.create(api.ManifestName, append(data, '\n')); err != nil {
		return err
	}
	return x.archive.Close()
}

func (x *exporter) note(format string, args ...any) {
	x.manifest.Notes = append(x.manifest.Notes, fmt.Sprintf(format, args...))
}

// writeDocuments writes documents whose texts are read in one round trip, or one by one if one of them is lost.
func (x *exporter) writeDocuments(ctx context.Context, documents [][]*revision.Page) error {
	var hashes []string
	for _, document := range documents {
		for _, part := range document {
			if part.Text != "" {
				hashes = append(hashes, part.Text)
			}
		}
	}
	texts, err := x.content.Objects(ctx, hashes)
	if err != nil && (!objects.IsLost(err) || len(documents) == 1) {
		if objects.IsLost(err) {
			return x.noteLost(api.ExportEntry{Kind: api.ExportPage, Path: x.Folder.Paths[documents[0][0].ID], IDs: idsOf(documents[0])})
		}
		return fmt.Errorf("texts of %s: %w", x.content.Space(), err)
	}
	for _, document := range documents {
		if err != nil {
			if err := x.writeDocuments(ctx, [][]*revision.Page{document}); err != nil {
				return err
			}
			continue
		}
		if err := x.writeDocument(document, texts); err != nil {
			return err
		}
	}
	return nil
}

func idsOf(document []*revision.Page) (ids []string) {
	for _, part := range document {
		ids = append(ids, part.ID)
	}
	return ids
}

func (x *exporter) writeDocument(document []*revision.Page, texts map[string][]byte) error {
	e := api.ExportEntry{Kind: api.ExportPage, Path: x.Folder.Paths[document[0].ID], IDs: idsOf(document)}
	if document[0].Origin != nil {
		e.Source = document[0].Origin.Source
	}
	text, parts := x.Folder.Document(document, texts)
	e.Parts = parts
	return x.add(e, text)
}

func (x *exporter) writeFile(ctx context.Context, f revision.File) error {
	e := api.ExportEntry{Kind: api.ExportFile, Path: x.Folder.Paths[f.ID], IDs: []string{f.ID}}
	if f.Origin != nil {
		e.Source = f.Origin.Source
	}
	data, err := x.revisions.ReadFile(ctx, x.content.Space(), f.Manifest)
	if objects.IsLost(err) {
		return x.noteLost(e)
	}
	if err != nil {
		return fmt.Errorf("file %s: %w", f.ID, err)
	}
	return x.add(e, data)
}

func (x *exporter) writeReusables(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(x.Reusables)) {
		p := x.Reusables[id]
		e := api.ExportEntry{Kind: api.ExportReusable, Path: x.Folder.Paths[id], IDs: []string{id}}
		var text []byte
		if p.Text != "" {
			var err error
			text, err = x.content.Object(ctx, p.Text)
			if objects.IsLost(err) {
				if err := x.noteLost(e); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return fmt.Errorf("reusable content %s: %w", id, err)
			}
		}
		if err := x.add(e, text); err != nil {
			return err
		}
	}
	return nil
}

// noteLost lists content that the archive does not have because it was declared lost in a repair.
func (x *exporter) noteLost(e api.ExportEntry) error {
	x.manifest.Entries = append(x.manifest.Entries, e)
	x.note("%s was lost on the server and is not here", e.Path)
	return nil
}

// add writes a file of the folder and lists it.
func (x *exporter) add(e api.ExportEntry, data []byte) error {
	sum := sha256.Sum256(data)
	e.Size, e.SHA256 = len(data), hex.EncodeToString(sum[:])
	x.manifest.Entries = append(x.manifest.Entries, e)
	return x.create(e.Path, data)
}

func (x *exporter) create(name string, data []byte) error {
	w, err := x.archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: x.revision.CreatedAt})
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}
