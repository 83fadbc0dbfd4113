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
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// Limits of a PDF. What is larger can be had page by page.
const (
	maxPDFPages = 2_000
	maxPDFText  = 8 << 20
)

// pdfJob is everything that a PDF is made of. It never changes, so it can be made again by any node: the address of
// a download holds it.
type pdfJob struct {
	Revision string `json:"r"`
	Page     string `json:"p,omitzero"` // with what is below it; "" = all
	Only     bool   `json:"o,omitzero"`
	Title    string `json:"t"`
	Subtitle string `json:"s,omitzero"`
}

const pdfPrefix = "pdf~"

func (j pdfJob) String() string {
	data, _ := json.Marshal(j)
	return pdfPrefix + base64.RawURLEncoding.EncodeToString(data)
}

// parsePDFJob reads what a signed address names; ok is false where it is no PDF.
func parsePDFJob(object string) (j pdfJob, ok bool) {
	text, ok := strings.CutPrefix(object, pdfPrefix)
	if !ok {
		return j, false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	return j, err == nil && json.Unmarshal(data, &j) == nil
}

// NewPDFCache is a cache of finished documents with a budget in bytes.
func NewPDFCache(budget int64) *cache.Cache[[]byte] {
	const rounding = 8 << 10 // of memory for so much
	return cache.New(budget, func(data []byte) int { return cap(data) + rounding })
}

func (s *Files) pdfEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetSpacePdf, auth.InSpace(api.RoleRead), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.GetSpacePDFInput) rest.Finish[api.PDF] {
			return s.showPDF(c, b, revision.Target{Space: in.Space}, in.PDFOptions)
		}),
		rest.Read(api.GetChangeRequestPdf, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, b *txn.Batch, in api.GetChangeRequestPDFInput) rest.Finish[api.PDF] {
			return s.showPDF(c, b, revision.TargetOf(in.ChangeRequestRef), in.PDFOptions)
		}),
	}
}

// showPDF makes the PDF and answers the address of its download: what cannot be printed is said here, and the address
// shows the revision of this moment for as long as it is valid.
func (s *Files) showPDF(c *rest.Call, b *txn.Batch, at revision.Target, o api.PDFOptions) rest.Finish[api.PDF] {
	p := s.Revisions.Placed(c, b, at)
	space := b.Record(store.SpaceKey(c.Org, at.Space))
	return func(ctx context.Context) (none rest.Result[api.PDF], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		job, err := newPDFJob(p, space, head, o)
		if err != nil {
			return none, err
		}
		if _, err := s.pdf(ctx, at.Space, job); err != nil {
			return none, err
		}
		r, err := rest.Value(api.PDF{URL: s.PublicURL + "/raw/" + s.Signer.Sign(at.Space, job.String(), auth.PDFRounding)})
		return r.Versioned(version), err
	}
}

func newPDFJob(p revision.Located, space *txn.Future[txn.Record], head store.Head, o api.PDFOptions) (pdfJob, error) {
	only, _ := o.Only.Get()
	job := pdfJob{Revision: head.Revision, Page: o.Page, Only: only}
	if only && o.Page == "" {
		return job, api.InvalidParam(api.FieldError{Path: "only", Message: "goes with page: of which page?"})
	}
	record, ok, err := space.Get()
	if err != nil || !ok {
		return job, rest.Missing(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(record); err != nil {
		return job, err
	}
	job.Title, job.Subtitle = d.Fields.Title, head.At.Format("2 January 2006, 15:04 MST")
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

// pdf makes a PDF, or finds one that was made just before: whoever asks for the address of one downloads it next.
func (s *Files) pdf(ctx context.Context, space string, job pdfJob) ([]byte, error) {
	name := cache.KeyOf(s.Store.Content(space), []string{revision.HashOf(job.Revision)}, job.String())
	if data, ok := s.PDFs.Get(name); ok {
		return data, nil
	}
	turn, err := s.Slow.Begin(ctx, budgets.PrintStart)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	document, resources, err := s.pdfDocument(ctx, space, job, turn)
	if err != nil {
		return nil, err
	}
	if data, ok := s.PDFs.Get(name); ok { // while this one waited
		return data, nil
	}
	var out bytes.Buffer
	err = pdf.PDF(ctx, &out, document, resources, s.Fonts)
	if large, ok := errors.AsType[pdf.TooLargeError](err); ok {
		return nil, tooLargeForPDF(large.Error())
	}
	if err := errors.Join(err, resources.err); err != nil {
		return nil, fmt.Errorf("PDF of %s: %w", space, err)
	}
	data := bytes.Clone(out.Bytes()) // without the room that the buffer has left
	s.PDFs.Put(name, data)
	return data, nil
}

func tooLargeForPDF(why string) error {
	return api.Errorf(http.StatusUnprocessableEntity, api.ReasonTooLarge, "This is too large for a PDF: %s.", why).
		WithHint("Ask for a part of it with ?page=, or for one page with ?page=&only=true.")
}

// pdfDocument reads what is to be printed.
func (s *Files) pdfDocument(ctx context.Context, space string, job pdfJob, turn *budgets.Work) (pdf.Document, *pdfResources, error) {
	c := s.Store.Content(space)
	d := pdf.Document{Title: job.Title, Subtitle: job.Subtitle}
	v, err := s.Reading.AtRevision(ctx, c, job.Revision)
	if err != nil {
		return d, nil, err
	}
	d.Modified = v.Revision.At
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
	texts, err := pdfTexts(ctx, c, v, ids, turn)
	if err != nil {
		return d, nil, err
	}
	base := t.Depth(job.Page)
	if job.Page == "" {
		base = 1
	}
	places := map[string]content.Places{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return d, nil, err
		}
		p := t.Page(id)
		text := texts[id]
		if to := view.Href(t, p.Target); p.Type == api.PageLink && to != "" {
			text.Markdown = []byte("<" + to + ">")
		}
		places[id] = content.PlacesOf(text)
		d.Pages = append(d.Pages, pdf.Page{ID: id, Title: p.Name(), Level: t.Depth(id) - base, Markdown: text.Markdown, Places: places[id]})
	}
	read := func(f revision.File) ([]byte, error) { return s.Revisions.ReadFile(ctx, space, f.Manifest) }
	resources := &pdfResources{
		tree: t, files: files, read: read, printed: texts, places: places,
		address: func(id string) string { return s.View.AppURL("pages", space+"~"+id) }, beyond: s.View.RefURL,
		placesOf: func(id string) (content.Places, error) {
			text, err := v.Read(ctx, t.Page(id))
			return content.PlacesOf(text.Text), err
		},
		linksOf: func(id string) (revision.PageLinks, error) { return v.Links(ctx, id) },
	}
	resources.resolver = resolver.WithTexts(resources.links)
	return d, resources, nil
}

// pdfTexts reads the texts of pages, by their ids, as their readers see them. What is printed of them takes its memory.
func pdfTexts(ctx context.Context, c *objects.Content, v *reader.View, ids []string, turn *budgets.Work) (texts map[string]content.Text, err error) {
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
			if texts[id], err = pdfText(ctx, v, v.Tree.Page(id), found); err != nil {
				return nil, err
			}
			if size += len(texts[id].Markdown); size > maxPDFText {
				return nil, tooLargeForPDF(fmt.Sprintf("it has more than %d bytes of text", maxPDFText))
			}
		}
		if err := turn.Grow(ctx, (size-before)*budgets.PrintedFactor); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func pdfText(ctx context.Context, v *reader.View, p *revision.Page, found map[string][]byte) (content.Text, error) {
	if v.IsMade(p.ID) {
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

// pages lists what is to be printed, every page before those below it. Hidden pages, with what is below them, are left
// out unless it is they that are asked for.
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
	ids = append(ids, shownBelow(t, j.Page)...)
	if len(ids) > maxPDFPages {
		return nil, tooLargeForPDF(fmt.Sprintf("it has %d pages; a PDF has at most %d", len(ids), maxPDFPages))
	}
	return ids, nil
}

// shownBelow lists the pages below one in the order in which they are read.
func shownBelow(t *revision.Tree, id string) (ids []string) {
	for _, child := range t.Children(id) {
		if !t.Page(child).Hidden {
			ids = append(append(ids, child), shownBelow(t, child)...)
		}
	}
	return ids
}

// pdfResources resolves the destinations in the texts of a PDF.
type pdfResources struct {
	tree     *revision.Tree
	files    map[string]revision.File
	resolver *revision.Resolver
	read     func(f revision.File) ([]byte, error)
	printed  map[string]content.Text   // the pages in the PDF
	places   map[string]content.Places // of them, and of others that links lead to
	address  func(page string) string  // of pages that are not in the PDF
	beyond   func(api.ContentRef) string
	placesOf func(page string) (content.Places, error)
	linksOf  func(page string) (revision.PageLinks, error)
	err      error // the first of reading a file or another page
}

// Link implements export.Resources. Pages that are not in the PDF are reached at their own addresses.
func (r *pdfResources) Link(page pdf.Page, destination string) pdf.Target {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(strings.ToLower(destination), scheme) {
			return pdf.Target{URL: destination}
		}
	}
	from := r.tree.Page(page.ID)
	if from == nil || revision.LeadsAway(destination) {
		return pdf.Target{}
	}
	found, ok := r.resolver.Resolve(from, destination, false)
	if ref, elsewhere := revision.Beyond(destination); !ok && elsewhere {
		return pdf.Target{URL: r.beyond(ref)}
	}
	if !ok || found.Page == "" {
		return pdf.Target{}
	}
	return r.target(found.Page, found.Fragment)
}

// target is a page or a place of it. A link to a place that the page does not have leads nowhere.
func (r *pdfResources) target(page, fragment string) pdf.Target {
	target := pdf.Target{Page: page, URL: r.address(page)}
	if fragment == "" {
		return target
	}
	target.URL += "#" + url.PathEscape(fragment)
	place, ok := r.placesIn(page).Find(fragment)
	if !ok {
		return pdf.Target{}
	}
	if _, isPrinted := r.printed[page]; isPrinted {
		target.Place = place
	}
	return target
}

// links is what the text of a page has, for the resolver.
func (r *pdfResources) links(page string) revision.PageLinks {
	links, err := r.linksOf(page)
	if err != nil && r.err == nil {
		r.err = err
	}
	return links
}

// placesIn are the places of a page, in the PDF or not.
func (r *pdfResources) placesIn(page string) content.Places {
	places, known := r.places[page]
	if known {
		return places
	}
	places, err := r.placesOf(page)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.places[page] = places
	return places
}

// Image implements export.Resources.
func (r *pdfResources) Image(page pdf.Page, destination string) []byte {
	from := r.tree.Page(page.ID)
	if from == nil || revision.LeadsAway(destination) {
		return nil
	}
	found, _ := r.resolver.Resolve(from, destination, true)
	f, known := r.files[found.File]
	if !known || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, f.ContentType) {
		return nil
	}
	data, err := r.read(f)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("image %s: %w", f.ID, err)
	}
	return data
}

// pdfFile is a PDF as it is downloaded.
func (s *Files) pdfFile(ctx context.Context, space string, job pdfJob) (revision.Manifest, []byte, error) {
	data, err := s.pdf(ctx, space, job)
	name := cmp.Or(content.Slug(job.Title), "document")
	return revision.Manifest{Name: name + ".pdf", ContentType: "application/pdf"}, data, err
}
