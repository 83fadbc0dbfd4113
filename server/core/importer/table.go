package importer

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// Limits of spans. Larger values are mistakes or attacks.
const (
	maxColspan = 50
	maxRowspan = 500
	maxCells   = 200_000
)

// tableParts holds the parts of a table. Nested tables remain in their cells.
type tableParts struct {
	caption   *html.Node
	rows      [][]*html.Node
	hasHeader bool // the first row is a header
}

// renderTable writes a pipe table. A layout table, or one that contains another table, is written as the sequence of
// its cells, since a pipe table cannot contain blocks.
func renderTable(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	parts := parseTable(n)
	_, _ = w.WriteString("\n\n") // a strings.Builder returns no error
	if parts.caption != nil {
		makeBold(parts.caption)
		ctx.RenderChildNodes(ctx, w, parts.caption)
		_, _ = w.WriteString("\n\n") // a strings.Builder returns no error
	}
	if isLayout(n) {
		for _, row := range parts.rows {
			for _, cell := range row {
				ctx.RenderChildNodes(ctx, w, cell)
				_, _ = w.WriteString("\n\n") // a strings.Builder returns no error
			}
		}
		return converter.RenderSuccess
	}
	writePipes(w, renderCells(ctx, parts.rows), parts.hasHeader)
	return converter.RenderSuccess
}

func parseTable(table *html.Node) tableParts {
	var parts tableParts
	var walk func(n *html.Node, head bool)
	walk = func(n *html.Node, head bool) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type != html.ElementNode:
			case child.Data == "caption":
				parts.caption = child
			case child.Data == "tr":
				cells, allHeads := rowCells(child)
				if len(cells) == 0 {
					continue
				}
				if len(parts.rows) == 0 {
					parts.hasHeader = head || allHeads
				}
				parts.rows = append(parts.rows, cells)
			case child.Data == "thead" || child.Data == "tbody" || child.Data == "tfoot":
				walk(child, child.Data == "thead")
			}
		}
	}
	walk(table, false)
	return parts
}

func rowCells(row *html.Node) (cells []*html.Node, allHeads bool) {
	allHeads = true
	for child := row.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && (child.Data == "td" || child.Data == "th") {
			cells = append(cells, child)
			allHeads = allHeads && child.Data == "th"
		}
	}
	return cells, allHeads
}

// isLayout reports whether a table contains another table, or has no header and arranges blocks rather than data.
func isLayout(table *html.Node) bool {
	s := goquery.NewDocumentFromNode(table)
	switch {
	case s.Find("td table, th table").Length() > 0:
		return true
	case s.Find("th").Length() > 0:
		return false
	default:
		return s.Find("td ul, td ol, td pre, td blockquote, td h1, td h2, td h3, td p + p").Length() > 0
	}
}

// renderCells renders each cell to one line and repeats cells that span others.
func renderCells(ctx converter.Context, rows [][]*html.Node) [][]string {
	grid := make([][]string, len(rows))
	taken := map[[2]int]bool{}
	spread := maxCells
	for y, row := range rows {
		x := 0
		for _, cell := range row {
			for taken[[2]int{y, x}] {
				grid[y] = append(grid[y], "")
				x++
			}
			across, down := span(cell, "colspan", maxColspan), span(cell, "rowspan", maxRowspan)
			if spread -= across*down - 1; spread < 0 {
				across, down = 1, 1
			}
			grid[y] = append(grid[y], cellLine(ctx, cell))
			grid[y] = append(grid[y], make([]string, across-1)...)
			for dy := 1; dy < down && y+dy < len(rows); dy++ {
				for dx := range across {
					taken[[2]int{y + dy, x + dx}] = true
				}
			}
			x += across
		}
	}
	return grid
}

func span(cell *html.Node, name string, limit int) int {
	n, err := strconv.Atoi(attr(cell, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, limit)
}

// cellLine renders a cell's blocks to one line, separated by <br>.
func cellLine(ctx converter.Context, cell *html.Node) string {
	flattenCell(cell)
	var text bytes.Buffer
	ctx.RenderChildNodes(ctx, &text, cell)
	var lines []string
	for line := range strings.Lines(string(ctx.UnEscapeContent(bytes.TrimSpace(text.Bytes())))) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "<br>"), "|", `\|`)
}

// flattenCell replaces blocks that need several lines: a code block by one code span for each line, a heading by bold
// text.
func flattenCell(cell *html.Node) {
	s := goquery.NewDocumentFromNode(cell)
	s.Find("pre").Each(func(_ int, pre *goquery.Selection) {
		div := element("div")
		for line := range strings.Lines(pre.Text()) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			code := element("code")
			code.AppendChild(textNode(strings.TrimRight(line, "\n")))
			div.AppendChild(code)
			div.AppendChild(element("br"))
		}
		pre.ReplaceWithNodes(div)
	})
	s.Find("h1, h2, h3, h4, h5, h6").Each(func(_ int, heading *goquery.Selection) {
		rename(heading.Get(0), "p")
		makeBold(heading.Get(0))
	})
}

// writePipes writes all rows with the width of the widest. A table without a header gets an empty one, since pipe
// tables require it.
func writePipes(w converter.Writer, grid [][]string, headed bool) {
	width := 0
	for _, row := range grid {
		width = max(width, len(row))
	}
	if width == 0 {
		return
	}
	if !headed {
		grid = append([][]string{nil}, grid...)
	}
	if width*len(grid) > maxCells {
		width = 0 // a few long rows must not widen all others
	}
	for y, row := range grid {
		if y > 0 && strings.Join(row, "") == "" {
			continue
		}
		for x := range max(width, len(row)) {
			_, _ = w.WriteString("| ") // a strings.Builder returns no error
			if x < len(row) && row[x] != "" {
				_, _ = w.WriteString(row[x] + " ") // a strings.Builder returns no error
			}
		}
		_, _ = w.WriteString("|\n") // a strings.Builder returns no error
		if y == 0 {
			_, _ = w.WriteString(strings.Repeat("| --- ", max(width, len(row), 1)) + "|\n") // a strings.Builder returns no error
		}
	}
	_, _ = w.WriteString("\n") // a strings.Builder returns no error
}
