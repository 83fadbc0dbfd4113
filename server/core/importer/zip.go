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
)

// summaryName is the file that orders an archive's pages.
const summaryName = "SUMMARY.md"

// bundle is an archive that is being imported.
type bundle struct {
	req         Request
	limits      Limits
	result      Result
	texts       map[string]*Page // Markdown files by path
	paths       []string         // their paths, sorted
	placed      map[string]bool
	root        string // common root directory, with a slash
	summaryPath string // path of SUMMARY.md, "" without one
}

// importZip imports an archive of Markdown: every text byte for byte, with titles, order and nesting from its SUMMARY.md,
// else by directory.
func (i *Importer) importZip(ctx context.Context, req Request) (Result, error) {
	resp, err := i.fetchStart(ctx, req.URL, i.limits.ArchiveSize)
	if err != nil {
		return Result{}, err
	}
	reader, size, err := openArchive(resp.Body, i.limits)
	if err != nil {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": " + err.Error()}
	}
	if err := req.ReserveMemory(ctx, int64(len(resp.Body))+size); err != nil {
		return Result{}, err
	}
	unpacked, err := unpack(ctx, reader, i.limits)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": " + err.Error()}
	}
	b := &bundle{req: req, limits: i.limits, texts: map[string]*Page{}, placed: map[string]bool{}}
	summary, err := b.load(ctx, unpacked)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err != nil {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": " + err.Error()}
	}
	b.arrange(summary)
	req.Progress(b.result.Total, b.result.Total)
	return b.result, ctx.Err()
}

// arrange builds the tree of the loaded texts.
func (b *bundle) arrange(summary []byte) {
	if summary != nil {
		b.result.Pages = b.summaryPages(parseSummary(summary))
	}
	b.placeUnlisted(summary != nil)
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
	b.root, b.summaryPath = commonDirectory(names), findSummary(names)
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
		case isMarkdown(e.name):
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
			fileTitle(e.name)),
		Description: content.Description(text), Slug: fileSlug(e.name),
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

// summaryPages returns the pages of the entries of SUMMARY.md, in its order.
func (b *bundle) summaryPages(items []summaryItem) []*Page {
	var pages []*Page
	for _, item := range items {
		page := b.summaryPage(item)
		children := b.summaryPages(item.children)
		if page == nil { // no page to attach the children to
			pages = append(pages, children...)
			continue
		}
		page.Children = append(page.Children, children...)
		pages = append(pages, page)
	}
	return pages
}

// summaryPage returns the page of an entry: a group for a heading, a page with a link for an external destination, else the
// loaded text, or nil if this is missing or already placed.
func (b *bundle) summaryPage(item summaryItem) *Page {
	if item.dest == "" {
		return &Page{Title: titleOrDefault(item.title), Group: true, Source: summaryName}
	}
	if isExternal(item.dest) {
		b.result.Notes = append(b.result.Notes, fmt.Sprintf("%s: %s became a page with a link", summaryName, item.dest))
		return &Page{
			Title: titleOrDefault(item.title), Source: item.dest,
			Markdown: fmt.Appendf(nil, "[%s](<%s>)\n", item.title, item.dest),
		}
	}
	name := b.summaryTarget(item.dest)
	page := b.texts[name]
	if page == nil || b.placed[name] {
		why := "is not in the archive"
		if page != nil {
			why = "is listed more than once"
		}
		b.result.Notes = append(b.result.Notes, fmt.Sprintf("%s: %s %s", summaryName, item.dest, why))
		return nil
	}
	b.placed[name] = true
	if item.title != "" {
		page.Title = item.title
	}
	return page
}

// placeUnlisted adds the texts that SUMMARY.md does not list below the nearest directory's page, or at the end.
func (b *bundle) placeUnlisted(listed bool) {
	rest := slices.DeleteFunc(slices.Clone(b.paths), func(name string) bool { return b.placed[name] })
	if listed && len(rest) > 0 {
		b.result.Notes = append(b.result.Notes, fmt.Sprintf("%d pages are not in %s and were added by their path", len(rest), summaryName))
	}
	// A directory's own page precedes the directory's other pages.
	slices.SortStableFunc(rest, func(x, y string) int { return comparePaths(x, y) })
	groups := map[string]*Page{}
	for _, name := range rest {
		b.placed[name] = true
		parent := b.parentOf(name, listed, groups)
		if parent == nil {
			b.result.Pages = append(b.result.Pages, b.texts[name])
			continue
		}
		parent.Children = append(parent.Children, b.texts[name])
	}
}

// parentOf returns the page of the nearest ancestor directory of name, or nil for the top level. Without SUMMARY.md, a
// directory without a page of its own becomes a group.
func (b *bundle) parentOf(name string, listed bool, groups map[string]*Page) *Page {
	dir := path.Dir(name)
	if isIndex(name) {
		dir = path.Dir(dir)
	}
	for ; dir != "."; dir = path.Dir(dir) {
		if index := b.indexPath(dir); index != "" && index != name {
			return b.texts[index]
		}
		if listed {
			continue
		}
		if groups[dir] == nil {
			group := &Page{Title: path.Base(dir), Slug: path.Base(dir), Group: true, Source: dir, Path: strings.TrimPrefix(dir, b.root)}
			groups[dir] = group
			if above := b.parentOf(dir, listed, groups); above != nil {
				above.Children = append(above.Children, group)
			} else {
				b.result.Pages = append(b.result.Pages, group)
			}
		}
		return groups[dir]
	}
	return nil
}

// indexPath returns the path of a directory's own page, or "" if there is none.
func (b *bundle) indexPath(dir string) string {
	for _, base := range []string{"README.md", "readme.md", "Readme.md", "index.md", "README.markdown", "index.markdown"} {
		if name := path.Join(dir, base); b.texts[name] != nil {
			return name
		}
	}
	return ""
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

// comparePaths orders paths by name, with a directory's own page first.
func comparePaths(x, y string) int {
	return strings.Compare(sortKey(x), sortKey(y))
}

func sortKey(name string) string {
	if isIndex(name) {
		return strings.TrimSuffix(name, path.Base(name)) + "\x00"
	}
	return name
}

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

func isIndex(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return isMarkdown(name) && (stem == "readme" || stem == "index")
}

// fileSlug returns the requested slug of a Markdown file: its name, or that of the directory for the directory's own
// page, "" for the archive's own page, whose slug is made from its title.
func fileSlug(name string) string {
	if !isIndex(name) {
		return strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if dir := path.Dir(name); dir != "." {
		return path.Base(dir)
	}
	return ""
}

func fileTitle(name string) string {
	if title := fileSlug(name); title != "" {
		return title
	}
	return "Home"
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
