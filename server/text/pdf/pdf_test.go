package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"docspace.dev/wsd/server/text/pdf"
)

// resources maps ids to the files of a test document. Destinations of links to pages begin with "page:".
type resources map[string][]byte

func (r resources) Image(_ pdf.Page, destination string) []byte { return r[destination] }

func (r resources) Link(_ pdf.Page, destination string) pdf.Target {
	if page, ok := strings.CutPrefix(destination, "page:"); ok {
		return pdf.Target{Page: page}
	}
	return pdf.Target{URL: destination}
}

// chart returns an image with half-transparent pixels.
func chart(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			img.Set(x, y, color.NRGBA{R: uint8(x % 256), G: uint8(y % 256), B: 180, A: uint8(128 + x%128)})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// makePDF returns the PDF of a document.
func makePDF(t *testing.T, d pdf.Document, r pdf.Resources) []byte {
	t.Helper()
	d.Modified = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	if err := pdf.PDF(t.Context(), &out, d, r, pdf.Fonts{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// extractText returns the text of a PDF, extracted by pdftotext.
func extractText(t *testing.T, data []byte, options ...string) string {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("pdftotext is not installed (poppler-utils)")
	}
	file := filepath.Join(t.TempDir(), "test.pdf")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("WSD_KEEP_PDF"); keep != "" {
		_ = os.WriteFile(filepath.Join(keep, t.Name()+".pdf"), data, 0o600)
	}
	out, err := exec.CommandContext(t.Context(), "pdftotext", append(options, "-enc", "UTF-8", file, "-")...).CombinedOutput()
	if err != nil {
		t.Fatalf("pdftotext: %v\n%s", err, out)
	}
	return string(out)
}

// words returns the words of a text without Markdown punctuation.
func words(text string) []string {
	text = strings.NewReplacer("*", "", "`", "", "~~", "").Replace(text)
	return strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("_#|[]()>-\\{}%!\"=", r)
	})
}

const everything = `# Everything

A paragraph with **bold**, *italic*, ***both***, ~~struck~~ and ` + "`inline code`" + ` text, a [link to the
second page](page:second), an address <https://example.com/path> and a hard break\
on the next line. An entity: &copy; and an escape: \*.

Ελληνικά: Η γρήγορη καφέ αλεπού πηδάει πάνω από το σκυλί. Русский: Съешь же ещё этих мягких французских булок.

## Lists

* First item
  with a second line
  * Nested item
    1. Deep one
    2. Deep two
* Second item

  With a paragraph of its own.

1. Number one
2. Number two

- [ ] Open task
- [x] Finished task

## Code and quotes

` + "```go" + `
func main() {
	fmt.Println("hello, world") // a comment that is so long that it does not fit into one line of the sheet at all
}
` + "```" + `

> A quotation of *some* length, which goes on and on, so that it needs more than one line of the sheet to be printed.
>
> > A quotation in it.

{% hint style="warning" %}
Mind the **gap**.
{% endhint %}

{% tabs %}
{% tab title="Linux" %}
Use the package.
{% endtab %}
{% endtabs %}

## A table

| Name | What it does | Default |
|------|:------------:|--------:|
| ` + "`WSD_ADDR`" + ` | The address on which the server listens, with a port, and a long description that needs lines | :8080 |
| ` + "`WSD_SECRET`" + ` | Signs **downloads** | none |

![A chart](chart.png)

![Not to be had](missing.png)

<details><summary>Summary</summary>Hidden <b>details</b></details>

Done.
`

// TestPDFContainsEveryWord checks that every word of a document is in its PDF, in any construct.
func TestPDFContainsEveryWord(t *testing.T) {
	t.Parallel()
	d := pdf.Document{Title: "Manual", Subtitle: "Change request 5", Pages: []pdf.Page{
		{ID: "first", Title: "Everything", Markdown: []byte(everything)},
		{ID: "second", Title: "Second page", Level: 1, Markdown: []byte("Its text has no heading. 中文 and 🎉 are not in the fonts.\n")},
		{ID: "third", Title: "Group", Markdown: nil},
	}}
	for i := range 60 {
		d.Pages = append(d.Pages, pdf.Page{
			ID: fmt.Sprint(i), Title: fmt.Sprintf("Chapter %d", i), Level: i % 3, Markdown: []byte("Text.\n"),
		})
	}
	data := makePDF(t, d, resources{"chart.png": chart(t, 900, 300)})
	got := map[string]bool{}
	for _, word := range words(extractText(t, data)) {
		got[word] = true
	}
	want := strings.NewReplacer("&copy;", "©", "](page:second)", "", "<https", "https", "(chart.png)", "", "![A chart]", "",
		"(missing.png)", "",
		"{% hint style=\"warning\" %}", "", "{% endhint %}", "", "{% tabs %}", "", "{% endtabs %}", "", "{% tab title=", "",
		"{% endtab %}", "",
		"```go", "", "<details><summary>", "", "</summary>", " ", "<b>", "", "</b></details>", "", ":------------:", "", "--------:", "",
		"[x]", "").Replace(everything)
	for _, word := range words(want) {
		if !got[word] {
			t.Errorf("%q is missing", word)
		}
	}
	for _, word := range []string{"U+4E2D", "U+6587", "U+1F389", "Chapter", "59", "Group", "Manual", "☑", "☐"} {
		if !got[word] {
			t.Errorf("%q is missing", word)
		}
	}
}

// TestLongBlocksContinueOnNextSheet checks that long tables, code and words continue on the next sheet without loss.
func TestLongBlocksContinueOnNextSheet(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("| Key | Value |\n|---|---|\n")
	for i := range 200 {
		fmt.Fprintf(&text, "| key%d | %s |\n", i, strings.Repeat(fmt.Sprintf("value%d ", i), i%30+1))
	}
	fmt.Fprintf(&text, "| all | %s |\n\n```\n", strings.Repeat("everything ", 900))
	for i := range 150 {
		fmt.Fprintf(&text, "line%d\n", i)
	}
	text.WriteString("```\n\n" + strings.Repeat("x", 5_000) + "\n")
	data := makePDF(t, pdf.Document{Title: "Long", Pages: []pdf.Page{{ID: "a", Title: "Long", Markdown: []byte(text.String())}}},
		resources{})
	got := extractText(t, data)
	for i := range 200 {
		if n := strings.Count(got, fmt.Sprintf("value%d", i)); n == 0 {
			t.Errorf("value%d is missing", i)
		}
	}
	for i := range 150 {
		if !strings.Contains(got, fmt.Sprintf("line%d\n", i)) {
			t.Errorf("line%d is missing", i)
		}
	}
	if n := strings.Count(got, "everything"); n != 900 {
		t.Errorf("%d of 900 words of the tall row", n)
	}
	if n := strings.Count(got, "x"); n != 5_000 {
		t.Errorf("%d of 5000 characters of the long word", n)
	}
	if n := strings.Count(got, "Key"); n < 5 {
		t.Errorf("the header is there %d times", n)
	}
}

// TestUnprintableImagesDoNotAffectDocument checks that damaged and oversized images do not affect the rest of the document.
func TestUnprintableImagesDoNotAffectDocument(t *testing.T) {
	t.Parallel()
	whole := chart(t, 40, 40)
	files := resources{"cut": whole[:len(whole)/2], "no image": []byte("<svg/>"), "empty": {}, "good": whole}
	var text strings.Builder
	for name := range files {
		fmt.Fprintf(&text, "![the %s one](<%s>)\n\n", name, name)
	}
	got := extractText(t, makePDF(t, pdf.Document{
		Title: "Images", Pages: []pdf.Page{{ID: "a", Title: "Images", Markdown: []byte(text.String())}},
	}, files))
	for name := range files {
		if printed := strings.Contains(got, "the "+name+" one"); printed == (name == "good") {
			t.Errorf("%s: its text is there: %v\n%s", name, printed, got)
		}
		if said := strings.Contains(got, "[picture not printed: "+name+"]"); said == (name == "good") {
			t.Errorf("%s: it is said: %v\n%s", name, said, got)
		}
	}
}
