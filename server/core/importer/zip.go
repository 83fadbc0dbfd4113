package importer

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// bundle is an archive that is being imported.
type bundle struct {
	req         Request
	limits      Limits
	result      Result
	texts       map[string]*Page // Markdown files by path
	paths       []string         // their paths, sorted
	root        string           // common root directory, with a slash
	summaryPath string           // path of SUMMARY.md, "" without one
}

// importZip imports an archive of Markdown: every text byte for byte, with titles, order and nesting from its SUMMARY.md,
// else by directory.
func (i *Importer) importZip(ctx context.Context, req Request) (Result, error) {
	from, err := i.readStart(ctx, req, i.limits.ArchiveSize)
	if err != nil {
		return Result{}, err
	}
	reader, size, err := openArchive(from.body, i.limits)
	if err != nil {
		return Result{}, from.errorf("%v", err)
	}
	if err := req.ReserveMemory(ctx, int64(len(from.body))+size); err != nil {
		return Result{}, err
	}
	unpacked, err := unpack(ctx, reader, i.limits)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		return Result{}, from.errorf("%v", err)
	}
	b := &bundle{req: req, limits: i.limits, texts: map[string]*Page{}}
	summary, err := b.load(ctx, unpacked)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		return Result{}, from.errorf("%v", err)
	}
	b.arrange(summary)
	req.Progress(b.result.Total, b.result.Total)
	return b.result, ctx.Err()
}

// arrange builds the tree of the loaded texts.
func (b *bundle) arrange(summary []byte) {
	folder := dialects.Folder{Documents: b.paths, Root: b.root}
	if summary != nil {
		folder.SummaryPath, folder.Summary = b.summaryPath, summary
		b.result.SummaryPath, b.result.Summary = strings.TrimPrefix(b.summaryPath, b.root), summary
	}
	entries, notes := folder.Read()
	for _, note := range notes {
		b.result.Notes = append(b.result.Notes, note.String())
	}
	b.result.Pages = b.pages(entries)
	nameGroups(b.result.Pages, strings.TrimPrefix(b.summaryPath, b.root))
	setSlugs(b.result.Pages)
	b.assignIDs(b.result.Pages)
}

// load divides the entries into texts and files and returns SUMMARY.md, nil without one.
func (b *bundle) load(ctx context.Context, unpacked archive) (summary []byte, err error) {
	names := slices.Clone(unpacked.tooBig)
	for _, e := range unpacked.entries {
		names = append(names, e.name)
	}
	b.root, b.summaryPath = commonDirectory(names), dialects.FindSummary(names)
	for _, name := range unpacked.tooBig {
		b.noteOmitted(name, "it is larger than %d bytes", b.limits.ResourceSize)
	}
	for _, e := range unpacked.entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case e.name == b.summaryPath:
			summary = e.data
			if summary == nil {
				summary = []byte{}
			}
		case dialects.IsMarkdown(e.name):
			b.addText(e)
		default:
			b.addFile(e)
		}
	}
	if len(b.texts) > b.limits.Pages {
		return nil, fmt.Errorf("it has %d pages, more than %d", len(b.texts), b.limits.Pages)
	}
	if len(b.texts)+len(b.result.Files) == 0 {
		return nil, fmt.Errorf("it has neither pages nor files")
	}
	slices.Sort(b.paths)
	return summary, nil
}

func (b *bundle) addText(e entry) {
	text, note := decode(e.data, "", e.name)
	if fault := textFault(text); fault != "" {
		b.noteOmitted(e.name, "%s", fault)
		return
	}
	if note != "" {
		b.result.Notes = append(b.result.Notes, note)
	}
	b.result.Total++
	b.result.Imported++
	b.paths = append(b.paths, e.name)
	b.texts[e.name] = &Page{
		Markdown: text, Source: e.name, Path: strings.TrimPrefix(e.name, b.root), OID: content.BlobID(e.data), Title: markdownTitle(text,
			dialects.FileTitle(e.name)),
		Description: content.Description(text), Slug: dialects.FileName(e.name),
	}
}

func (b *bundle) addFile(e entry) {
	b.result.Total++
	b.result.Imported++
	b.result.Files = append(b.result.Files, &File{
		ID: b.req.NewID("f_"), Name: e.name, Data: e.data, Source: e.name, Path: strings.TrimPrefix(e.name,
			b.root), OID: content.BlobID(e.data),
		ContentType: contentType(e.name, e.data),
	})
}

// noteOmitted counts a resource that is not imported, and adds it to the notes and to the unread resources of the result.
func (b *bundle) noteOmitted(name, format string, args ...any) {
	b.result.Total++
	b.result.Notes = append(b.result.Notes, name+": "+fmt.Sprintf(format, args...))
	b.result.Unread = append(b.result.Unread, Unread{Path: strings.TrimPrefix(name, b.root)})
}

// pages returns the pages of the entries of the tree.
func (b *bundle) pages(entries []*dialects.Entry) []*Page {
	pages := make([]*Page, 0, len(entries))
	for _, e := range entries {
		page := b.page(e)
		page.Children = b.pages(e.Children)
		pages = append(pages, page)
	}
	return pages
}

// page returns the page of an entry, without its children: a page with a link for a link, else the loaded text or a group.
func (b *bundle) page(e *dialects.Entry) *Page {
	switch {
	case e.Kind == dialects.Link:
		b.result.Notes = append(b.result.Notes, fmt.Sprintf("%s: %s became a page with a link", dialects.SummaryName, e.Link))
		return &Page{
			Title: titleOrDefault(e.Title), Source: e.Link,
			Markdown: fmt.Appendf(nil, "[%s](<%s>)\n", e.Title, e.Link),
		}
	case e.Kind == dialects.Group && e.Path != "":
		name := path.Base(e.Path)
		return &Page{Title: name, Slug: name, Group: true, Source: e.Path, Path: strings.TrimPrefix(e.Path, b.root)}
	case e.Kind == dialects.Group:
		return &Page{Title: titleOrDefault(e.Title), Group: true, Source: dialects.SummaryName}
	}
	page := b.texts[e.Path]
	if e.Title != "" {
		page.Title = e.Title
	}
	return page
}

func (b *bundle) assignIDs(pages []*Page) {
	for _, page := range pages {
		page.ID = b.req.NewID("p_")
		b.assignIDs(page.Children)
	}
}

// setSlugs makes the requested slugs unique among siblings, in order.
func setSlugs(pages []*Page) {
	taken := slugSet{}
	for _, page := range pages {
		page.RequestedSlug = firstSlug(page.Slug, page.Title)
		page.Slug = taken.Take(page.RequestedSlug)
		setSlugs(page.Children)
	}
}

// titleOrDefault returns the title, or "Untitled" if it is empty.
func titleOrDefault(title string) string {
	if title == "" {
		return "Untitled"
	}
	return title
}

// contentType returns the type by extension, else the type detected from the content.
func contentType(name string, data []byte) string {
	if byName := mime.TypeByExtension(path.Ext(name)); byName != "" {
		return byName
	}
	return http.DetectContentType(data)
}
