package pages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// Limits of a PDF. Larger content has to be exported page by page.
const (
	maxPDFPages     = 2_000
	maxPDFTextBytes = 8 << 20
)

// pdfJob describes a PDF completely. It is part of the signed address and immutable, so any node can render it again.
type pdfJob struct {
	Revision string `json:"r"`
	Page     string `json:"p,omitzero"` // page to print with its descendants; "" for all pages
	Only     bool   `json:"o,omitzero"`
	Title    string `json:"t"`
	Subtitle string `json:"s,omitzero"`
}

const pdfPrefix = "pdf~"

func (j pdfJob) String() string {
	data, _ := json.Marshal(j)
	return pdfPrefix + base64.RawURLEncoding.EncodeToString(data)
}

// parsePDFJob decodes a job from the object name of a signed address. It reports false if the name does not describe
// a PDF.
func parsePDFJob(object string) (j pdfJob, ok bool) {
	text, ok := strings.CutPrefix(object, pdfPrefix)
	if !ok {
		return j, false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	return j, err == nil && json.Unmarshal(data, &j) == nil
}

// NewPDFCache returns a cache of rendered PDFs with a budget in bytes.
func NewPDFCache(budget int64) *objects.DerivedCache[[]byte] {
	const rounding = 8 << 10 // allocation granularity in bytes
	return objects.NewDerivedCache(budget, func(data []byte) int { return cap(data) + rounding })
}

func (s *Files) pdfEndpoints() []rest.Endpoint {
	return rest.Twins(api.GetSpacePdf.Row, auth.InSpace(api.RoleRead),
		rest.Read(api.GetChangeRequestPdf, auth.InSpace(api.RoleComment), s.showPDF))
}

// showPDF renders the PDF and returns its download address. Errors of rendering are returned here; the address serves
// the current revision until it expires.
func (s *Files) showPDF(_ context.Context, r *rest.Request, b *txn.Batch, in api.GetChangeRequestPDFInput) rest.Finish[api.PDF] {
	target := revision.RequestTarget(in.ChangeRequestRef)
	p := s.Revisions.ReadTarget(r.Org, b, target)
	space := b.Record(store.SpaceKey(r.Org, target.Space))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.PDF], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		job, err := newPDFJob(p, space, head, in.PDFOptions)
		if err != nil {
			return none, err
		}
		if _, err := s.renderPDF(ctx, target.Space, job); err != nil {
			return none, err
		}
		address := auth.SignedAddress{Space: target.Space, Object: job.String(), Reason: c.AddressReason(target.Space)}
		r, err := rest.Value(api.PDF{URL: s.PublicURL + "/raw/" + s.Signer.Sign(address, auth.PDFRounding)})
		return r.WithVersion(version), err
	}
}

func newPDFJob(p revision.TargetRead, space *txn.Future[txn.Record], head store.Head, o api.PDFOptions) (pdfJob, error) {
	only, _ := o.Only.Get()
	job := pdfJob{Revision: head.Revision, Page: o.Page, Only: only}
	if only && o.Page == "" {
		return job, api.InvalidParam(api.FieldError{Path: "only", Message: "goes with page: of which page?"})
	}
	record, ok, err := space.Get()
	if err != nil || !ok {
		return job, rest.NotFoundIfNil(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(record); err != nil {
		return job, err
	}
	job.Title, job.Subtitle = d.Fields.Title, head.MovedAt.Format("2 January 2006, 15:04 MST")
	if p.ChangeRequest == "" {
		return job, nil
	}
	record, _, err = p.Record.Get()
	var request store.ChangeRequestDocument
	if err := errors.Join(err, request.Decode(record)); err != nil {
		return job, err
	}
	number := "Change request " + strconv.Itoa(request.Fields.Number)
	if request.Fields.Subject != "" {
		number += ": " + request.Fields.Subject
	}
	job.Subtitle = number + " · " + job.Subtitle
	return job, nil
}

// renderPDF returns a PDF, from the cache if it was rendered recently: the operation that returns an address is
// usually followed by the download.
func (s *Files) renderPDF(ctx context.Context, space string, job pdfJob) ([]byte, error) {
	name := objects.KeyOf(s.Store.Content(space), []string{revision.ObjectHash(job.Revision)}, job.String())
	if data, ok := s.PDFs.Get(name); ok {
		return data, nil
	}
	work, err := s.Slow.Begin(ctx, budgets.PrintStart)
	if err != nil {
		return nil, err
	}
	defer work.End()
	document, resources, err := s.buildPDF(ctx, space, job, work)
	if err != nil {
		return nil, err
	}
	if data, ok := s.PDFs.Get(name); ok { // rendered while waiting for the permit
		return data, nil
	}
	var out bytes.Buffer
	err = pdf.PDF(ctx, &out, document, resources, s.Fonts)
	if large, ok := errors.AsType[pdf.TooLargeError](err); ok {
		return nil, pdfTooLargeError(large.Error())
	}
	if err := errors.Join(err, resources.err); err != nil {
		return nil, fmt.Errorf("PDF of %s: %w", space, err)
	}
	data := bytes.Clone(out.Bytes()) // without the unused capacity of the buffer
	s.PDFs.Put(name, data)
	return data, nil
}

func pdfTooLargeError(why string) error {
	return api.Errorf(http.StatusUnprocessableEntity, api.ReasonTooLarge, "This is too large for a PDF: %s.", why).
		WithHint("Ask for a part of it with ?page=, or for one page with ?page=&only=true.")
}

// buildPDF loads the pages and resources of a job.
func (s *Files) buildPDF(ctx context.Context, space string, job pdfJob, work *budgets.Work) (pdf.Document, *pdfResources, error) {
	c := s.Store.Content(space)
	d := pdf.Document{Title: job.Title, Subtitle: job.Subtitle}
	v, err := s.Reading.AtRevision(ctx, c, job.Revision)
	if err != nil {
		return d, nil, err
	}
	d.Modified = v.Revision.CreatedAt
	t := v.Tree
	files, err := v.Files(ctx)
	if err != nil {
		return d, nil, err
	}
	resolver, err := v.Resolver(ctx)
	if err != nil {
		return d, nil, err
	}
	ids, err := job.pages(t)
	if err != nil {
		return d, nil, err
	}
	texts, err := readPDFTexts(ctx, c, v, ids, work)
	if err != nil {
		return d, nil, err
	}
	base := t.Depth(job.Page)
	if job.Page == "" {
		base = 1
	}
	places := map[string]content.FragmentOffsets{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return d, nil, err
		}
		p := t.Page(id)
		text := texts[id]
		if p.Type == api.PageLink && p.Target != nil {
			if to := cmp.Or(view.Href(t, p.Target), s.View.RefURL(*p.Target)); to != "" {
				text.Markdown = []byte("<" + to + ">")
			}
		}
		places[id] = content.ReadFragmentOffsets(text)
		d.Pages = append(d.Pages, pdf.Page{
			ID: id, Title: p.Name(), Level: t.Depth(id) - base, Markdown: text.Markdown, Fragments: places[id],
		})
	}
	read := func(f revision.File) ([]byte, error) { return s.Revisions.ReadFile(ctx, space, f.Manifest) }
	resources := &pdfResources{
		tree: t, files: files, readFile: read, texts: texts, anchorsByPage: places,
		pageURL: func(id string) string { return s.View.AppURL("pages", space+"~"+id) }, externalURL: s.View.RefURL,
		loadAnchors: func(id string) (content.FragmentOffsets, error) {
			text, err := v.Read(ctx, t.Page(id))
			return content.ReadFragmentOffsets(text.Text), err
		},
		loadLinks: func(id string) (revision.PageLinks, error) { return v.Links(ctx, id) },
	}
	resources.resolver = resolver.WithAnchors(func(page string) resolve.Anchors { return resources.links(page).Targets() })
	return d, resources, nil
}

// readPDFTexts returns the texts of pages by id, as their readers see them. The memory of the texts is charged to
// work.
func readPDFTexts(
	ctx context.Context, c *objects.Content, v *reader.View, ids []string, work *budgets.Work,
) (texts map[string]content.Text, err error) {
	const atOnce = 64
	texts, size := map[string]content.Text{}, 0
	for some := range slices.Chunk(ids, atOnce) {
		var hashes []string
		for _, id := range some {
			if p := v.Tree.Page(id); p.Text != "" {
				hashes = append(hashes, p.Text, p.Blocks)
			}
		}
		found, err := c.Objects(ctx, hashes)
		if err != nil {
			return nil, fmt.Errorf("texts of a PDF: %w", err)
		}
		before := size
		for _, id := range some {
			if texts[id], err = readPDFText(ctx, v, v.Tree.Page(id), found); err != nil {
				return nil, err
			}
			if size += len(texts[id].Markdown); size > maxPDFTextBytes {
				return nil, pdfTooLargeError(fmt.Sprintf("it has more than %d bytes of text", maxPDFTextBytes))
			}
		}
		if err := work.Grow(ctx, (size-before)*budgets.PrintFactor); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func readPDFText(ctx context.Context, v *reader.View, p *revision.Page, found map[string][]byte) (content.Text, error) {
	if v.IsGenerated(p.ID) {
		text, err := v.Read(ctx, p)
		return text.Text, err
	}
	if p.Text == "" {
		return content.Text{}, nil
	}
	stored, err := revision.DecodeText(found[p.Text], found[p.Blocks])
	if err != nil {
		return stored, err
	}
	text, err := v.Evaluate(ctx, p, stored)
	return text.Text, err
}

// pages lists the ids of the pages to print in reading order. Hidden pages are omitted with their descendants unless
// the job names them.
func (j pdfJob) pages(t *revision.Tree) (ids []string, err error) {
	if j.Page != "" && t.Page(j.Page) == nil {
		return nil, api.InvalidParam(api.FieldError{Path: "page", Message: "is not a page here"})
	}
	if j.Only {
		return []string{j.Page}, nil
	}
	if j.Page != "" {
		ids = []string{j.Page}
	}
	ids = append(ids, visibleDescendants(t, j.Page)...)
	if len(ids) > maxPDFPages {
		return nil, pdfTooLargeError(fmt.Sprintf("it has %d pages; a PDF has at most %d", len(ids), maxPDFPages))
	}
	return ids, nil
}

// visibleDescendants lists the visible pages below a page in reading order.
func visibleDescendants(t *revision.Tree, id string) (ids []string) {
	for _, child := range t.Children(id) {
		if !t.Page(child).Hidden {
			ids = append(append(ids, child), visibleDescendants(t, child)...)
		}
	}
	return ids
}

// pdfResources resolves the links and images in the texts of a PDF.
type pdfResources struct {
	tree          *revision.Tree
	files         map[string]revision.File
	resolver      *resolve.Resolver
	readFile      func(f revision.File) ([]byte, error)
	texts         map[string]content.Text            // texts of the pages in the PDF
	anchorsByPage map[string]content.FragmentOffsets // anchors of printed pages and of other link targets
	pageURL       func(page string) string           // address of a page that is not in the PDF
	externalURL   func(api.ContentRef) string
	loadAnchors   func(page string) (content.FragmentOffsets, error)
	loadLinks     func(page string) (revision.PageLinks, error)
	err           error // first error of reading a file or another page
}

// Link implements export.Resources. Pages that are not in the PDF are linked by their own addresses.
func (r *pdfResources) Link(page pdf.Page, destination string) pdf.Target {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(strings.ToLower(destination), scheme) {
			return pdf.Target{URL: destination}
		}
	}
	from := r.tree.Page(page.ID)
	if from == nil || content.IsExternal(destination) {
		return pdf.Target{}
	}
	found, ok := r.resolver.Resolve(from.LinkSource(), destination, false)
	if ref, elsewhere := resolve.ExternalRef(destination); !ok && elsewhere {
		return pdf.Target{URL: r.externalURL(ref)}
	}
	if !ok || found.Page == "" {
		return pdf.Target{}
	}
	return r.targetOf(found.Page, found.Fragment)
}

// targetOf returns the target for a page and an optional fragment. It is empty if the page does not have the
// fragment.
func (r *pdfResources) targetOf(page, fragment string) pdf.Target {
	target := pdf.Target{Page: page, URL: r.pageURL(page)}
	if fragment == "" {
		return target
	}
	target.URL += "#" + url.PathEscape(fragment)
	place, ok := r.anchors(page).Find(fragment)
	if !ok {
		return pdf.Target{}
	}
	if _, isPrinted := r.texts[page]; isPrinted {
		target.Fragment = place
	}
	return target
}

// links returns the links and anchors of a page for the resolver. It stores the first error in r.err.
func (r *pdfResources) links(page string) revision.PageLinks {
	links, err := r.loadLinks(page)
	if err != nil && r.err == nil {
		r.err = err
	}
	return links
}

// anchors returns the anchors of a page, whether the page is in the PDF or not, and caches them. It stores the first error in
// r.err.
func (r *pdfResources) anchors(page string) content.FragmentOffsets {
	places, known := r.anchorsByPage[page]
	if known {
		return places
	}
	places, err := r.loadAnchors(page)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.anchorsByPage[page] = places
	return places
}

// Image implements export.Resources.
func (r *pdfResources) Image(page pdf.Page, destination string) []byte {
	from := r.tree.Page(page.ID)
	if from == nil || content.IsExternal(destination) {
		return nil
	}
	found, _ := r.resolver.Resolve(from.LinkSource(), destination, true)
	f, known := r.files[found.File]
	if !known || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, f.ContentType) {
		return nil
	}
	data, err := r.readFile(f)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("image %s: %w", f.ID, err)
	}
	return data
}

// pdfFile returns a PDF as a download.
func (s *Files) pdfFile(ctx context.Context, space string, job pdfJob) (revision.Manifest, []byte, error) {
	data, err := s.renderPDF(ctx, space, job)
	name := cmp.Or(content.Slug(job.Title), "document")
	return revision.Manifest{Name: name + ".pdf", ContentType: "application/pdf"}, data, err
}
