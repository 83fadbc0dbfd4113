package pdf

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"docspace.dev/wsd/server/text/content"
)

// Document is what becomes one PDF.
type Document struct {
	Title    string
	Subtitle string // which state of it this is
	Modified time.Time
	Pages    []Page
}

// Page is one page of a document; those below it follow it, one level deeper.
type Page struct {
	ID       string
	Title    string
	Level    int
	Markdown []byte
	Places   content.Places // where links may lead within it
}

// Target is where a link leads: to a page of the document, perhaps to one of its places, else to an address; or nowhere.
type Target struct{ Page, Place, URL string }

// Resources are what the destinations in a page's Markdown stand for.
type Resources interface {
	// Link resolves the destination of a link.
	Link(page Page, destination string) Target
	// Image returns the bytes of an image file of the document's own, nil for everything else.
	Image(page Page, destination string) []byte
}

// The sheets are A4, in points.
const (
	sheetWidth   = 595.28
	sheetHeight  = 841.89
	marginSide   = 62
	marginTop    = 60
	marginBottom = 66
	footerAt     = sheetHeight - 36
	bodySize     = 10
	codeSize     = 8.6
	smallSize    = 8
)

// MaxSheets bounds a PDF.
const MaxSheets = 3_000

// TooLargeError says which limit a document exceeds.
type TooLargeError struct{ why string }

// Error says it in words.
func (e TooLargeError) Error() string { return e.why }

// PDF writes a document.
func PDF(ctx context.Context, w io.Writer, d Document, resources Resources, fonts Fonts) error {
	album := &album{pictures: map[string]*picture{}}
	draft := newWriter(ctx, d, resources, fonts, album, nil)
	if err := draft.write(); err != nil {
		return err
	}
	final := newWriter(ctx, d, resources, fonts, album, draft)
	if err := final.write(); err != nil {
		return err
	}
	if err := final.pdf.Output(w); err != nil {
		return fmt.Errorf("write the PDF: %w", err)
	}
	return nil
}

// writer lays a document out on sheets. It is done twice: only the first time tells on which sheet each page begins.
type writer struct {
	typesetter
	pdf       *fpdf.Fpdf
	document  Document
	resources Resources
	page      Page           // that is being written
	starts    map[string]int // page -> its sheet
	sheets    int            // in all, 0 in the draft
	draft     *writer
	places    map[string]content.Places // of all pages
	links     map[anchor]int
	piece     int      // where the piece of text begins that is being written
	coming    []string // places of the page that are linked to, in order
	due       []string // those of them that what is printed next stands for
	loaded    map[*typeface]bool
	album     *album
	y         float64
	left      float64 // of the text; grows inside lists and quotes
	bars      []bar
	outline   int // level of the last entry
}

func newWriter(ctx context.Context, d Document, resources Resources, fonts Fonts, album *album, draft *writer) *writer {
	w := &writer{
		typesetter: typesetter{fonts, ctx}, pdf: fpdf.New("P", "pt", "A4", ""), document: d, resources: resources, album: album,
		starts: map[string]int{}, places: map[string]content.Places{}, links: map[anchor]int{}, loaded: map[*typeface]bool{}, left: marginSide, outline: -1, draft: draft,
	}
	if draft != nil {
		w.sheets = draft.pdf.PageNo()
	}
	w.pdf.SetAutoPageBreak(false, 0)
	w.pdf.SetCatalogSort(true)
	w.pdf.SetCreationDate(d.Modified)
	w.pdf.SetModificationDate(d.Modified)
	w.pdf.SetTitle(d.Title, true)
	w.pdf.SetProducer("wsd", true)
	for _, p := range d.Pages {
		w.places[p.ID] = p.Places
	}
	return w
}

func (w *writer) write() error {
	if len(w.document.Pages) != 1 {
		w.cover()
	}
	for _, p := range w.document.Pages {
		w.page = p
		w.sheet()
		w.pdf.SetLink(w.link(anchor{page: p.ID}), 0, -1)
		w.starts[p.ID] = w.pdf.PageNo()
		w.bookmark(p.Title, p.Level)
		w.body(p)
		if err := w.check(); err != nil {
			return err
		}
	}
	if err := w.pdf.Error(); err != nil {
		return fmt.Errorf("lay out the PDF: %w", err)
	}
	return nil
}

// check holds what was written so far against the limits.
func (w *writer) check() error {
	switch {
	case w.pdf.PageNo() > MaxSheets:
		return TooLargeError{fmt.Sprintf("it has more than %d sheets", MaxSheets)}
	case w.album.size > maxPictures:
		return TooLargeError{fmt.Sprintf("its images have more than %d bytes", maxPictures)}
	}
	return w.ctx.Err()
}

// over reports whether what is written will not be read: nobody waits, or it is too large.
func (w *writer) over() bool { return w.gone() || w.pdf.PageNo() > MaxSheets }

// cover writes the title and the table of contents.
func (w *writer) cover() {
	w.sheet()
	w.y += 40
	w.paragraph([]span{{text: w.document.Title, look: look{style: bold, size: 24}}})
	w.y += 6
	w.paragraph([]span{{text: w.document.Subtitle, look: look{size: bodySize, grey: true}}})
	w.y += 30
	for _, p := range w.document.Pages {
		w.contentsEntry(p)
	}
}

const numberColumn = 34 // of the sheet numbers in the table of contents

func (w *writer) contentsEntry(p Page) {
	l := look{size: bodySize, link: Target{Page: p.ID}}
	if p.Level == 0 {
		l.style = bold
	}
	left := w.left
	w.left += min(float64(p.Level), 12) * 14
	number := "–"
	if w.draft != nil {
		number = strconv.Itoa(w.draft.starts[p.ID])
	}
	lines := w.lines([]span{{text: p.Title, look: l}}, w.width()-numberColumn)
	for i, entry := range lines {
		w.need(entry.height)
		if i == len(lines)-1 {
			l.style = 0
			last := w.lines([]span{{text: number, look: l}}, numberColumn)[0]
			w.printAt(last, sheetWidth-marginSide-last.width, w.y)
		}
		w.print(entry)
	}
	w.y += 3
	w.left = left
}

// bookmark adds an entry to the outline. A level below the last one may be one deeper at most.
func (w *writer) bookmark(title string, level int) {
	w.outline = min(level, w.outline+1)
	w.pdf.Bookmark(printable(title), w.outline, w.y)
}

// printable replaces what the outline cannot hold: characters beyond the basic plane.
func printable(title string) string {
	var out []rune
	for _, r := range title {
		if r >= basicPlane {
			out = append(out, []rune(fmt.Sprintf("[U+%04X]", r))...)
			continue
		}
		out = append(out, r)
	}
	return string(out)
}
