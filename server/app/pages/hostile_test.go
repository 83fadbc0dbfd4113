package pages_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"docspace.dev/wsd/client/api/markdown/hostile"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/storetest"
)

// parseMarkdown returns the text with its blocks, or without blocks if it cannot be parsed, such as a text with too many
// blocks.
func parseMarkdown(markdown []byte, previous content.Text) content.Text {
	text, err := content.Parse("p", markdown, previous)
	if err != nil {
		return content.Text{Markdown: markdown}
	}
	return text
}

// insertText returns the text with additions at its start and in its middle, up to the maximum size of a page's text.
func insertText(markdown []byte, before, within string) []byte {
	markdown = markdown[:min(len(markdown), content.MaxTextBytes-len(before)-len(within))]
	half := len(markdown) / 2
	return append([]byte(before+string(markdown[:half])+within), markdown[half:]...)
}

type noResources struct{}

func (noResources) Link(pdf.Page, string) pdf.Target { return pdf.Target{} }
func (noResources) Image(pdf.Page, string) []byte    { return nil }

func printText(ctx context.Context, text []byte) error {
	d := pdf.Document{Title: "a", Pages: []pdf.Page{{ID: "p", Title: "b", Markdown: text}}}
	return pdf.PDF(ctx, io.Discard, d, noResources{}, pdf.Fonts{})
}

// readers maps names to the functions of a node that read Markdown, with their allocation limits.
var readers = map[string]struct {
	hostile.Allowance
	read func(ctx context.Context, text []byte)
}{
	"blocks": {hostile.Allowance{Factor: 1500, Growth: 2.3}, func(_ context.Context, text []byte) { parseMarkdown(text, content.Text{}) }},
	"title": {
		hostile.Allowance{Factor: 1000, Growth: 2.3}, func(_ context.Context, text []byte) {
			content.Title(text)
			content.Description(text)
		},
	},
	"links":       {hostile.Allowance{Factor: 1000, Growth: 2.3}, func(_ context.Context, text []byte) { content.Links(text) }},
	"link table":  {hostile.Allowance{Factor: 3000, Growth: 2.3}, readTableLinks},
	"index":       {hostile.Allowance{Factor: 1500, Growth: 2.3}, indexText},
	"expressions": {hostile.Allowance{Factor: 2000, Growth: 2.3}, readExpressions},
	"document": {hostile.Allowance{Factor: 4000, Growth: 2.3}, func(_ context.Context, text []byte) {
		documents.Write(documents.Source{Text: parseMarkdown(text, content.Text{})})
	}},
	"comparison": {hostile.Allowance{Factor: 4000}, compareTexts},
	"merge":      {hostile.Allowance{Factor: 5000}, mergeTexts},
	"PDF":        {hostile.Allowance{Factor: 40_000, Growth: 2.3}, func(ctx context.Context, text []byte) { _ = printText(ctx, text) }},
}

func readTableLinks(_ context.Context, text []byte) {
	if t := parseMarkdown(text, content.Text{}); t.Blocks != nil {
		revision.ExtractLinks(t)
	}
}

func indexText(_ context.Context, text []byte) {
	var sections []terms.Section
	for _, section := range content.Sections(text) {
		sections = append(sections, terms.Section{Title: section.Title, Text: section.Text})
	}
	reader := terms.Reader{}
	reader.Read(terms.Page{Title: "a", Description: "b", Sections: sections})
}

func readExpressions(_ context.Context, text []byte) {
	content.Expressions(text)
	content.Includes(text)
	content.Evaluate(text, content.Scope{Space: map[string]string{"a": "b"}, Reusable: map[string][]byte{
		"a": []byte("{{ space.vars.a }}\n{% include \"reusable:b\" %}\n"), "b": []byte("b\n"),
	}})
}

func compareTexts(ctx context.Context, text []byte) {
	old := parseMarkdown(text, content.Text{})
	diff.CountWords(diff.Text(ctx, old, parseMarkdown(insertText(text, "new\n\n", " new "), old)))
	diff.Unified(ctx, "a", "b", old.Markdown, insertText(text, "new\n\n", " new "))
}

// onePage is a page tree that contains only the page p. Its value is the name of the page's text.
type onePage string

func (o onePage) Page(id string) (merge.Page, bool) { return merge.Page{Text: string(o)}, id == "p" }
func (onePage) Slug(string) string                  { return "" }
func (onePage) Children(string) []string            { return []string{"p"} }

func mergeTexts(ctx context.Context, text []byte) {
	base := parseMarkdown(text, content.Text{})
	texts := map[string]content.Text{"base": base}
	for name, markdown := range map[string][]byte{
		"ours": insertText(text, "ours\n\n", ""), "theirs": insertText(text, "", " theirs "),
	} {
		if ctx.Err() != nil { // a merge reads the versions one after the other
			return
		}
		texts[name] = parseMarkdown(markdown, base)
	}
	_, _ = merge.Pages(ctx, []string{"p"}, merge.Input{
		Base: onePage("base"), Ours: onePage("ours"), Theirs: onePage("theirs"),
		Load: func(_, hash string) (content.Text, error) { return texts[hash], nil },
	})
}

// TestHostileTextsStayInBudgetCampaign runs all readers on texts that are expensive to process, in the campaign at the maximum
// size. It is not parallel because it counts allocations.
//
//wsd:serial
func TestHostileTextsStayInBudgetCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.LongCampaign(t, "hostile", 16<<10, 1<<20)
	for name, reader := range readers { //nolint:paralleltest // counts
		t.Run(name, func(t *testing.T) {
			size := size
			if name == "PDF" {
				size /= 4 // a smaller text, because every sheet of the PDF is processed
			}
			hostile.CheckGrowth(t, size, reader.Allowance, func(text []byte) { reader.read(t.Context(), text) })
		})
	}
}

// TestCanceledRequestStopsWork checks that comparisons and PDFs stop when the client disconnects.
func TestCanceledRequestStopsWork(t *testing.T) { //nolint:paralleltest // counts
	gone, leave := context.WithCancel(t.Context())
	leave()
	text := prose(256 << 10)
	if err := printText(gone, text); !errors.Is(err, context.Canceled) {
		t.Errorf("PDF for nobody: %v", err)
	}
	whole := hostile.AllocatedBytes(func() { _ = printText(t.Context(), text) })
	if left := hostile.AllocatedBytes(func() { _ = printText(gone, text) }); left > whole/4 {
		t.Errorf("PDF: %d bytes are allocated for nobody, %d for somebody", left, whole)
	}
	old := parseMarkdown(text, content.Text{})
	now := parseMarkdown(insertText(text, "new\n\n", " new "), old)
	for name, ctx := range map[string]context.Context{"somebody": t.Context(), "nobody": gone} {
		compared := 0
		for _, block := range diff.Text(ctx, old, now) {
			compared += len(block.Runs)
		}
		if (compared > 0) != (ctx.Err() == nil) {
			t.Errorf("%d runs are compared for %s", compared, name)
		}
	}
}

// TestCancellationStopsReadersCampaign limits the allocations between two checks of the context, and after its cancellation.
//
//wsd:serial
func TestCancellationStopsReadersCampaign(t *testing.T) { //nolint:paralleltest // counts
	storetest.LongCampaign(t, "hostile", 1, 1)
	text := prose(256 << 10)
	old := parseMarkdown(text, content.Text{})
	now := parseMarkdown(insertText(text, "new\n\n", " new "), old)
	line := bytes.ReplaceAll(text, []byte("\n\n"), []byte(" "))
	oldLine := parseMarkdown(line, content.Text{})
	newLine := parseMarkdown(insertText(line, "new ", " new "), oldLine)
	for name, work := range map[string]func(ctx context.Context){ //nolint:paralleltest // counts
		"comparison":              func(ctx context.Context) { diff.Text(ctx, old, now) },
		"comparison of one block": func(ctx context.Context) { diff.Text(ctx, oldLine, newLine) },
		"merge":                   func(ctx context.Context) { mergeTexts(ctx, text) },
		"PDF":                     func(ctx context.Context) { _ = printText(ctx, text[:16<<10]) },
	} {
		t.Run(name, func(t *testing.T) { hostile.CheckCancellation(t, 32<<20, work) })
	}
}

// prose returns text with some markup.
func prose(size int) (text []byte) {
	for len(text) < size {
		text = append(text, "Some *words* of [prose](/a), and `code`.\n\n"...)
	}
	return text
}
