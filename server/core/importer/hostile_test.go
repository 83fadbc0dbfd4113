package importer

import (
	"bytes"
	"context"
	"html"
	"net/url"
	"testing"

	"github.com/temoto/robotstxt"

	"docspace.dev/wsd/client/api/markdown/hostile"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/store/storetest"
)

// readers maps names to the functions that read imported texts, with their allocation limits.
var readers = map[string]struct {
	hostile.Allowance
	read func(text []byte)
}{
	"Markdown": {hostile.Allowance{Factor: 100, Growth: 2.3}, func(text []byte) {
		text, _ = decode(text, "", "a.md")
		content.Description(text)
		markdownTitle(text, "")
	}},
	"SUMMARY.md": {hostile.Allowance{Factor: 1500, Growth: 2.3}, func(text []byte) {
		dialects.Folder{SummaryPath: dialects.SummaryName, Summary: text}.Read()
	}},
	"HTML": {hostile.Allowance{Factor: 6000, Growth: 2.3}, func(text []byte) { convertHTML(text) }},
	"text in HTML": {
		hostile.Allowance{Factor: 6000, Growth: 2.3}, func(text []byte) { convertHTML([]byte(html.EscapeString(string(text)))) },
	},
}

// convertHTML converts a page as an import does, and discards the result.
func convertHTML(text []byte) { convertHTMLContext(context.Background(), text) }

func convertHTMLContext(ctx context.Context, text []byte) {
	at := &url.URL{Scheme: "https", Host: "example.com", Path: "/"}
	free, _ := robotstxt.FromString("")
	c := &crawl{limits: Limits{}.withDefaults(), scope: newScope(at), rules: free.FindGroup("wsd"), targets: map[string]string{}}
	page := bytes.Join([][]byte{[]byte("<html><body><main><p>a"), text, []byte("</main></body></html>")}, []byte("\n"))
	f := c.parseResponse(candidate{key: pageKey(at), url: at}, &fetch.Response{URL: at.String(), ContentType: "text/html", Body: page})
	if f.page != nil {
		c.convertPage(ctx, f.page)
	} else if f.err == nil {
		panic("the page is not read")
	}
}

// TestHostileTextsStayInBudgetCampaign imports texts designed to be expensive. It is not parallel because it counts allocations.
//
//wsd:serial
func TestHostileTextsStayInBudgetCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.Campaign(t, "hostile", 16<<10, 1<<20)
	for name, reader := range readers { //nolint:paralleltest // counts
		t.Run(name, func(t *testing.T) { hostile.CheckGrowth(t, size, reader.Allowance, reader.read) })
	}
}

// TestConversionStopsOnCancel checks that a conversion tests its context often and does little work after it is cancelled.
func TestConversionStopsOnCancel(t *testing.T) { //nolint:paralleltest // counts
	text := bytes.Repeat([]byte("<p>Some <b>words</b> of [prose] and *others*.</p>\n"), 2000)
	hostile.CheckCancellation(t, 32<<20, func(ctx context.Context) { convertHTMLContext(ctx, text) })
}
