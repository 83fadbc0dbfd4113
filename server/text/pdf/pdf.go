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

// Document is the content of a PDF.
type Document struct {
	Title    string
	Subtitle string // version of the content
	Modified time.Time
	Pages    []Page
}

// Page is one page of a document, followed by its descendants with a greater level.
type Page struct {
	ID        string
	Title     string
	Level     int
	Markdown  []byte
	Fragments content.FragmentOffsets // link targets within the page
}

// Target is the target of a link: a page of the document with an optional fragment, or a URL. The zero value means that there
// is no target.
type Target struct{ Page, Fragment, URL string }

// Resources resolves the destinations in a page's Markdown.
type Resources interface {
	// Link resolves the destination of a link.
	Link(page Page, destination string) Target
	// Image returns the bytes of an image file of the document, or nil for any other destination.
	Image(page Page, destination string) []byte
}

// Dimensions of an A4 sheet, in points.
const (
	sheetWidth   = 595.28
	sheetHeight  = 841.89
	marginSide   = 62
	marginTop    = 60
	marginBottom = 66
	footerY      = sheetHeight - 36
	bodySize     = 10
	codeSize     = 8.6
	smallSize    = 8
)

// MaxSheets is the maximum number of sheets of a PDF.
const MaxSheets = 3_000

// TooLargeError is the error of a document that exceeds a limit.
type TooLargeError struct{ reason string }

// Error returns the exceeded limit.
func (e TooLargeError) Error() string { return e.reason }

// PDF writes a document as a PDF. It returns a TooLargeError if the document exceeds a limit, and the context's error
// if it is cancelled.
func PDF(ctx context.Context, w io.Writer, d Document, resources Resources, fonts Fonts) error {
	album := &pictureCache{pictures: map[string]*picture{}}
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

// writer lays out a document on sheets. A document is laid out twice, because the sheet on which a page begins is
// only known after the first time, the draft.
type writer struct {
	typesetter
	pdf          *fpdf.Fpdf
	document     Document
	resources    Resources
	page         Page           // current page
	starts       map[string]int // first sheet by page
	sheets       int            // total number, 0 in the draft
	draft        *writer
	fragments    map[string]content.FragmentOffsets // by page
	links        map[anchor]int
	pieceStart   int      // offset of the current piece of text
	pending      []string // remaining link targets of the page, in order
	dueLinks     []string // link targets that refer to the next printed line
	loaded       map[*typeface]bool
	pictureCache *pictureCache
	y            float64
	left         float64 // left edge of the text; larger inside lists and quotes
	bars         []bar
	outlineLevel int // level of the last outline entry
}

func newWriter(ctx context.Context, d Document, resources Resources, fonts Fonts, album *pictureCache, draft *writer) *writer {
	w := &writer{
		typesetter: typesetter{fonts, ctx}, pdf: fpdf.New("P", "pt", "A4", ""), document: d, resources: resources, pictureCache: album,
		starts: map[string]int{}, fragments: map[string]content.FragmentOffsets{}, links: map[anchor]int{}, loaded: map[*typeface]bool{},
		left: marginSide, outlineLevel: -1, draft: draft,
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
		w.fragments[p.ID] = p.Fragments
	}
	return w
}

func (w *writer) write() error {
	if len(w.document.Pages) != 1 {
		w.cover()
	}
	for _, p := range w.document.Pages {
		w.page = p
		w.newSheet()
		w.pdf.SetLink(w.linkID(anchor{page: p.ID}), 0, -1)
		w.starts[p.ID] = w.pdf.PageNo()
		w.bookmark(p.Title, p.Level)
		w.writePage(p)
		if err := w.check(); err != nil {
			return err
		}
	}
	if err := w.pdf.Error(); err != nil {
		return fmt.Errorf("lay out the PDF: %w", err)
	}
	return nil
}

// check returns an error if the output so far exceeds a limit.
func (w *writer) check() error {
	switch {
	case w.pdf.PageNo() > MaxSheets:
		return TooLargeError{fmt.Sprintf("it has more than %d sheets", MaxSheets)}
	case w.pictureCache.size > maxPictureBytes:
		return TooLargeError{fmt.Sprintf("its images have more than %d bytes", maxPictureBytes)}
	}
	return w.ctx.Err()
}

// done reports whether writing can stop because the context is cancelled or the limit of sheets is exceeded.
func (w *writer) done() bool { return w.cancelled() || w.pdf.PageNo() > MaxSheets }

// cover writes the title and the table of contents.
func (w *writer) cover() {
	w.newSheet()
	w.y += 40
	w.paragraph([]span{{text: w.document.Title, appearance: appearance{style: bold, size: 24}}})
	w.y += 6
	w.paragraph([]span{{text: w.document.Subtitle, appearance: appearance{size: bodySize, grey: true}}})
	w.y += 30
	for _, p := range w.document.Pages {
		w.contentsEntry(p)
	}
}

const numberWidth = 34 // width of the sheet numbers in the table of contents

func (w *writer) contentsEntry(p Page) {
	l := appearance{size: bodySize, link: Target{Page: p.ID}}
	if p.Level == 0 {
		l.style = bold
	}
	left := w.left
	w.left += min(float64(p.Level), 12) * 14
	number := "–"
	if w.draft != nil {
		number = strconv.Itoa(w.draft.starts[p.ID])
	}
	lines := w.lines([]span{{text: p.Title, appearance: l}}, w.width()-numberWidth)
	for i, entry := range lines {
		w.ensureSpace(entry.height)
		if i == len(lines)-1 {
			l.style = 0
			last := w.lines([]span{{text: number, appearance: l}}, numberWidth)[0]
			w.printAt(last, sheetWidth-marginSide-last.width, w.y)
		}
		w.print(entry)
	}
	w.y += 3
	w.left = left
}

// bookmark adds an entry to the outline. Its level is at most one greater than that of the previous entry.
func (w *writer) bookmark(title string, level int) {
	w.outlineLevel = min(level, w.outlineLevel+1)
	w.pdf.Bookmark(printableTitle(title), w.outlineLevel, w.y)
}

// printableTitle replaces characters that the outline cannot contain: those outside the basic multilingual plane.
func printableTitle(title string) string {
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
