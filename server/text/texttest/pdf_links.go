package texttest

import (
	"bytes"
	"encoding/xml"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Link is a link of a PDF.
type Link struct {
	Text string
	To   string // text of the sheet from the link's target on, "" for a URL
	URL  string
}

// sheet is one sheet of a PDF with its words in order.
type sheet struct {
	Words []word `xml:"word"`
}

type word struct {
	Left   float64 `xml:"xMin,attr"`
	Right  float64 `xml:"xMax,attr"`
	Top    float64 `xml:"yMin,attr"`
	Bottom float64 `xml:"yMax,attr"`
	Text   string  `xml:",chardata"`
}

const sheetHeight = 841.89

var (
	pageObject = regexp.MustCompile(`(?s)\n(\d+) 0 obj\n<</Type /Page\n(.*?)\nendobj`)
	annotation = regexp.MustCompile(
		`/Rect \[([\d.]+) ([\d.-]+) ([\d.]+) ([\d.-]+)\] /Border \[0 0 0\] (?:/Dest \[(\d+) 0 R /XYZ 0 ([\d.-]+) null\]|/A <</S /URI /URI \((.*?)\)>>)`)
)

// Links returns the links of a PDF in order.
func Links(t *testing.T, data []byte) (links []Link) {
	t.Helper()
	sheets := readPDF(t, data)
	for _, page := range pageObject.FindAllSubmatch(data, -1) {
		on := sheets[sheetOf(t, string(page[1]))]
		for _, a := range annotation.FindAllStringSubmatch(string(page[2]), -1) {
			link := Link{
				Text: on.textIn(number(t, a[1]), sheetHeight-number(t, a[2]), number(t, a[3]), sheetHeight-number(t, a[4])), URL: a[7],
			}
			if a[5] != "" {
				link.To = sheets[sheetOf(t, a[5])].textBelow(sheetHeight - number(t, a[6]))
			}
			links = append(links, link)
		}
	}
	return links
}

func readPDF(t *testing.T, data []byte) []sheet {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed (poppler-utils)")
	}
	command := exec.CommandContext(t.Context(), "pdftotext", "-bbox", "-enc", "UTF-8", "-", "-")
	command.Stdin = bytes.NewReader(data)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Sheets []sheet `xml:"body>doc>page"`
	}
	if err := xml.Unmarshal(out, &document); err != nil {
		t.Fatal(err)
	}
	return document.Sheets
}

// sheetOf returns the index of the sheet with the given PDF object number.
func sheetOf(t *testing.T, object string) int {
	t.Helper()
	return int(number(t, object)-1)/2 - 1
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// textIn returns the text in a rectangle.
func (s sheet) textIn(left, top, right, bottom float64) string {
	var words []string
	for _, w := range s.Words {
		x, y := (w.Left+w.Right)/2, (w.Top+w.Bottom)/2
		if left <= x && x <= right && top <= y && y <= bottom {
			words = append(words, w.Text)
		}
	}
	return strings.Join(words, " ")
}

// textBelow returns the text below a height.
func (s sheet) textBelow(top float64) string {
	var words []string
	for _, w := range s.Words {
		if (w.Top+w.Bottom)/2 > top {
			words = append(words, w.Text)
		}
	}
	return strings.Join(words, " ")
}
