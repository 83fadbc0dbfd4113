package comments_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/text/content"
)

// documentationDir is the directory of the Debian packages python3.11-doc, postgresql-doc-15 and git-doc.
const documentationDir = "/usr/share/doc"

// documentationPages lists pages of prose with lists, tables and code.
func documentationPages() []string {
	return []string{
		"python3.11/html/tutorial/appetite.html", "python3.11/html/tutorial/classes.html", "python3.11/html/tutorial/errors.html",
		"python3.11/html/tutorial/interpreter.html", "python3.11/html/tutorial/modules.html", "python3.11/html/tutorial/stdlib.html",
		"python3.11/html/howto/logging-cookbook.html", "python3.11/html/howto/sorting.html", "python3.11/html/howto/unicode.html",
		"python3.11/html/howto/sockets.html", "python3.11/html/howto/regex.html", "python3.11/html/library/shutil.html",
		"python3.11/html/library/tempfile.html", "python3.11/html/library/textwrap.html", "python3.11/html/library/heapq.html",
		"python3.11/html/library/json.html", "python3.11/html/faq/design.html", "python3.11/html/faq/general.html",
		"postgresql-doc-15/html/tutorial-agg.html", "postgresql-doc-15/html/tutorial-transactions.html",
		"postgresql-doc-15/html/routine-vacuuming.html", "postgresql-doc-15/html/mvcc-intro.html",
		"postgresql-doc-15/html/wal-configuration.html",
		"postgresql-doc-15/html/explicit-locking.html", "postgresql-doc-15/html/sql-createindex.html",
		"postgresql-doc-15/html/indexes-types.html",
		"postgresql-doc-15/html/ddl-partitioning.html", "postgresql-doc-15/html/backup-dump.html", "postgresql-doc-15/html/app-psql.html",
		"git/html/gitworkflows.html", "git/html/gittutorial.html", "git/html/gitcli.html", "git/html/git-rebase.html",
		"git/html/git-stash.html", "git/html/git-bisect.html", "git/html/gitfaq.html",
	}
}

// fileFetcher reads files of the documentation in place of a site.
type fileFetcher struct{}

func (fileFetcher) GetUpTo(_ context.Context, address string, _ int64) (*fetch.Response, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if at.Path == "/robots.txt" {
		return &fetch.Response{URL: address, Status: http.StatusOK, ContentType: "text/plain"}, nil
	}
	data, err := os.ReadFile(filepath.Join(documentationDir, at.Path))
	return &fetch.Response{Body: data, ContentType: "text/html; charset=utf-8", URL: address, Status: http.StatusOK}, err
}

// documentationTexts returns the pages as Markdown. Without the packages the test is skipped, or fails if
// WSD_REQUIRE_SITE=1.
func documentationTexts(t *testing.T) []content.Text {
	t.Helper()
	brought := importer.New(fileFetcher{}, importer.Limits{Files: 1})
	var texts []content.Text
	for i, file := range documentationPages() {
		if _, err := os.Stat(filepath.Join(documentationDir, file)); err != nil && os.Getenv("WSD_REQUIRE_SITE") != "1" {
			t.Skipf("no documentation to comment on: %v", err)
		}
		result, err := brought.Import(t.Context(), importer.Request{
			URL: "http://docs.example/" + file, Source: importer.SourceHTML, NewID: func(prefix string) string { return prefix + "x" },
		})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		text, err := content.Parse(pageName(i), result.Pages[0].Markdown, content.Text{})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// unit is a sentence, a table row or a block of another kind. It keeps its origin through all edits, as the reference
// for anchors.
type unit struct {
	text     string
	page     int // original page
	block    int
	number   int  // index in the block
	edited   bool // text was changed
	inserted bool // was not in the original
	start    int  // start of the byte range in the rendered text of the page
	end      int
}

// modelBlock is a block as a list of units and their separator.
type modelBlock struct {
	kind      string
	separator string
	units     []*unit
}

// modelPage is a page under edit.
type modelPage struct {
	blocks []*modelBlock
	text   content.Text
}

// model is a space of pages; new pages are appended.
type model struct{ pages []*modelPage }

func newModel(texts []content.Text) *model {
	m := &model{}
	for i, text := range texts {
		p := &modelPage{text: text}
		for k, block := range text.Blocks {
			p.blocks = append(p.blocks, newModelBlock(i, k, block.Kind, string(content.TrimEnd(text.Bytes(block)))))
		}
		m.pages = append(m.pages, p)
	}
	return m
}

func newModelBlock(page, number int, kind, text string) *modelBlock {
	b := &modelBlock{kind: kind}
	parts := []string{text}
	switch kind {
	case content.KindParagraph:
		parts, b.separator = sentences(text), " "
	case content.KindTable:
		parts, b.separator = strings.Split(text, "\n"), "\n"
	}
	for n, part := range parts {
		b.units = append(b.units, &unit{text: part, page: page, block: number, number: n})
	}
	return b
}

// sentences splits a paragraph after full stops, but not within markup.
func sentences(text string) (list []string) {
	from := 0
	for i := 0; i+2 < len(text); i++ {
		if text[i] != '.' || text[i+1] != ' ' || text[i+2] < 'A' || text[i+2] > 'Z' {
			continue
		}
		part := text[from : i+1]
		whole := strings.Count(part, "`")%2 == 0 && strings.Count(part, "*")%2 == 0 &&
			strings.Count(part, "[") == strings.Count(part, "]") && strings.Count(part, "(") == strings.Count(part, ")")
		if whole && len(strings.Fields(part)) > 3 {
			list = append(list, part)
			from = i + 2
		}
	}
	return append(list, text[from:])
}

// render writes the texts of the pages from their units and keeps the ids of blocks, as edits do.
func (m *model) render(t *testing.T) {
	t.Helper()
	for i, p := range m.pages {
		var b strings.Builder
		for k, block := range p.blocks {
			if k > 0 {
				b.WriteString(map[bool]string{true: "\n", false: "\n\n"}[block.kind == content.KindItem &&
					p.blocks[k-1].kind == content.KindItem])
			}
			for n, u := range block.units {
				if n > 0 {
					b.WriteString(block.separator)
				}
				u.start = b.Len()
				b.WriteString(u.text)
				u.end = b.Len()
			}
		}
		b.WriteString("\n")
		if b.String() == string(p.text.Markdown) {
			continue
		}
		text, err := content.Parse(pageName(i), []byte(b.String()), p.text)
		if err != nil {
			t.Fatal(err)
		}
		p.text = text
	}
}

// resetOrigins makes the current texts the original ones, to anchor comments in them.
func (m *model) resetOrigins(t *testing.T) {
	t.Helper()
	m.render(t)
	for i, p := range m.pages {
		for _, b := range p.blocks {
			for n, u := range b.units {
				u.page, u.block, u.number = i, p.blockAt(u.start), n
			}
		}
	}
}

// blockAt returns the index of the block at a byte offset.
func (p *modelPage) blockAt(at int) int {
	return slices.IndexFunc(p.text.Blocks, func(b content.Block) bool { return b.Start <= at && at < b.End })
}

// clone returns a deep copy of the model.
func (m *model) clone() *model {
	next := &model{}
	for _, p := range m.pages {
		q := &modelPage{text: p.text}
		for _, b := range p.blocks {
			c := &modelBlock{kind: b.kind, separator: b.separator}
			for _, u := range b.units {
				v := *u
				c.units = append(c.units, &v)
			}
			q.blocks = append(q.blocks, c)
		}
		next.pages = append(next.pages, q)
	}
	return next
}

// position is the current position of a unit.
type position struct {
	page, index int
	block       *modelBlock
}

// positions returns the positions of all units.
func (m *model) positions() map[*unit]position {
	at := map[*unit]position{}
	for i, p := range m.pages {
		for _, b := range p.blocks {
			for n, u := range b.units {
				at[u] = position{i, n, b}
			}
		}
	}
	return at
}

func pageName(i int) string { return "p_" + string(rune('A'+i/26)) + string(rune('a'+i%26)) }

// fillMissingKinds copies a list or table of another page into each page without one, so that every edit applies.
func (m *model) fillMissingKinds() {
	for part, kind := range []string{content.KindItem, content.KindTable} {
		var lent [][]*modelBlock
		for _, p := range m.pages {
			if run := p.firstRun(kind); len(run) > 0 {
				lent = append(lent, p.blocks[run[0]:run[len(run)-1]+1])
			}
		}
		for i, p := range m.pages {
			if len(p.firstRun(kind)) > 0 {
				continue
			}
			at := len(p.blocks) / (2 + part) // insert the runs at different positions, so that neither splits the other
			for n, b := range lent[i%len(lent)] {
				c := &modelBlock{kind: b.kind, separator: b.separator}
				for _, u := range b.units {
					c.units = append(c.units, &unit{text: u.text})
				}
				p.blocks = slices.Insert(p.blocks, at+n, c)
			}
		}
	}
}

// firstRun returns the first run of blocks of a kind that is long enough to be edited: three items or one table.
func (p *modelPage) firstRun(kind string) (run []int) {
	for i, b := range p.blocks {
		if b.kind == kind {
			run = append(run, i)
			continue
		}
		if len(run) >= runLength(kind) {
			return run
		}
		run = nil
	}
	if len(run) < runLength(kind) {
		return nil
	}
	return run
}

func runLength(kind string) int {
	return map[string]int{content.KindItem: 3, content.KindTable: 1}[kind]
}
