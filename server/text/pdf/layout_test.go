package pdf_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/pdf"
)

// Edges of the text area of a sheet.
const (
	leftMargin  = 62
	rightMargin = 595.28 - 62
)

// placedWord is a word with its position on the sheet.
type placedWord struct {
	Left   float64 `xml:"xMin,attr"`
	Right  float64 `xml:"xMax,attr"`
	Top    float64 `xml:"yMin,attr"`
	Bottom float64 `xml:"yMax,attr"`
	Text   string  `xml:",chardata"`
}

// printWords returns the words of a printed page by sheet.
func printWords(t *testing.T, markdown string, r resources) [][]placedWord {
	t.Helper()
	data := makePDF(t, pdf.Document{Title: "Manual", Pages: []pdf.Page{{ID: "a", Title: "Page", Markdown: []byte(markdown)}}}, r)
	var document struct {
		Sheets []struct {
			Words []placedWord `xml:"word"`
		} `xml:"body>doc>page"`
	}
	if err := xml.Unmarshal([]byte(extractText(t, data, "-bbox")), &document); err != nil {
		t.Fatal(err)
	}
	var sheets [][]placedWord
	for _, s := range document.Sheets {
		sheets = append(sheets, s.Words)
	}
	return sheets
}

// repeatCells returns a table row of n cells.
func repeatCells(n int, cell func(i int) string) string {
	var row strings.Builder
	for i := range n {
		row.WriteString("| " + cell(i) + " ")
	}
	return row.String() + "|\n"
}

// TestContentStaysOnSheet checks that wide and deeply nested content is printed completely and within the sheet.
func TestContentStaysOnSheet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		markdown string
		words    int // words named "word" with a number
	}{
		"a table of many columns": {
			repeatCells(60, func(int) string {
				return "head"
			}) + repeatCells(60, func(int) string {
				return "---"
			}) + repeatCells(60, func(i int) string { return fmt.Sprintf("word%d", i) }), 60,
		},
		"a table of narrow columns": {
			repeatCells(35, func(int) string {
				return "h"
			}) + repeatCells(35, func(int) string {
				return "---"
			}) + repeatCells(35, func(i int) string { return fmt.Sprintf("word%d", i)[4:] }), 0,
		},
		"deep lists": {repeatLines(30, func(i int) string { return strings.Repeat("  ", i) + fmt.Sprintf("- word%d and more\n", i) }), 30},
		"deep quotations": {repeatLines(50, func(i int) string {
			return strings.Repeat("> ", i+1) + fmt.Sprintf("word%d and more\n", i) + strings.Repeat("> ", i+1) + "\n"
		}), 50},
		"a table in deep lists": {
			repeatLines(30, func(i int) string {
				return strings.Repeat("  ", i) + "- x\n"
			}) + "\n" + strings.Repeat("  ", 30) + "| word0 | word1 |\n" + strings.Repeat("  ", 30) + "|---|---|\n" +
				strings.Repeat("  ", 30) + "| word2 | word3 |\n", 4,
		},
		"two long words in a row": {
			"| word0 | word1 |\n|---|---|\n| " + strings.Repeat("x", 300) + " | " + strings.Repeat("y", 300) + " |\n", 2,
		},
		"a long and a short word": {"| word0 | word1 |\n|---|---|\n| " + strings.Repeat("x", 300) + " | word2 |\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := map[string]bool{}
			for i, sheet := range printWords(t, c.markdown, nil) {
				for _, word := range sheet {
					found[word.Text] = true
					if word.Left < leftMargin-1 || word.Right > rightMargin+1 {
						t.Errorf("%q stands from %.0f to %.0f on sheet %d", word.Text, word.Left, word.Right, i+1)
					}
				}
			}
			for i := range c.words {
				if !found[fmt.Sprintf("word%d", i)] {
					t.Errorf("word%d is missing or torn", i)
				}
			}
		})
	}
}

func repeatLines(n int, line func(i int) string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(line(i))
	}
	return text.String()
}

// TestTableColumns checks that columns have the alignment of the source, and that a long column does not squeeze a short one.
func TestTableColumns(t *testing.T) {
	t.Parallel()
	places := map[string]placedWord{}
	markdown := "| Left | Middle | Right | Long |\n|:--|:-:|--:|---|\n| a | b | 7 | x |\n| wide-cell | wider-cell | 123456789 | x |\n" +
		"| n | n | Row number 17 | " + strings.Repeat("many words ", 40) + " |\n"
	for _, word := range printWords(t, markdown, nil)[0] {
		places[word.Text] = word
	}
	about := func(what string, a, b float64) {
		t.Helper()
		if a-b > 1 || b-a > 1 {
			t.Errorf("%s: %.1f and %.1f", what, a, b)
		}
	}
	about("left edges", places["a"].Left, places["wide-cell"].Left)
	about("centers", places["b"].Left+places["b"].Right, places["wider-cell"].Left+places["wider-cell"].Right)
	about("right edges", places["7"].Right, places["123456789"].Right)
	about("one line", places["Row"].Top, places["17"].Top)
}

// TestHeadersStayWithTheirRows checks that the header of a table is not left alone at the end of a sheet.
func TestHeadersStayWithTheirRows(t *testing.T) {
	t.Parallel()
	for above := range 12 {
		markdown := strings.Repeat("Text.\n\n", 25+above) + "| Header |\n|---|\n| row |\n"
		for _, sheet := range printWords(t, markdown, nil) {
			count := map[string]int{}
			for _, word := range sheet {
				count[word.Text]++
			}
			if count["Header"] != count["row"] {
				t.Errorf("with %d paragraphs above, a sheet has %d headers and %d rows", 25+above, count["Header"], count["row"])
			}
		}
	}
}

// TestImagesInTables checks that an image is printed at its position, also in a table cell next to text.
func TestImagesInTables(t *testing.T) {
	t.Parallel()
	files := resources{"small.png": chart(t, 40, 40), "tall.png": chart(t, 100, 3000)}
	data := makePDF(t, pdf.Document{Title: "Images", Pages: []pdf.Page{{ID: "a", Title: "Images", Markdown: []byte(
		"| Name | Look |\n|---|---|\n| one | ![its text](small.png) |\n| two | before ![its text](tall.png) after |\n",
	)}}}, files)
	if n := bytes.Count(data, []byte("/Subtype /Image")); n != 2 {
		t.Errorf("there are %d images", n)
	}
	text := extractText(t, data)
	for _, word := range []string{"one", "two", "before", "after"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing", word)
		}
	}
	if strings.Contains(text, "its text") {
		t.Error("the alternative text is printed in addition to the image")
	}
}
