package importer

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"docspace.dev/wsd/server/text/content"
)

// convertAll converts the pages to Markdown in parallel.
func (c *crawl) convertAll(ctx context.Context, pages []*webPage) error {
	next := make(chan *webPage)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for page := range next {
				page.node.Markdown, page.node.Aliases, page.fault = c.convertPage(ctx, page)
			}
		})
	}
	for _, page := range pages {
		if ctx.Err() != nil {
			break
		}
		next <- page
	}
	close(next)
	workers.Wait()
	return ctx.Err()
}

// brokenHTML is the fault of a page whose conversion panics. Pages are converted outside a request's goroutine, where
// an unrecovered panic would end the server.
const brokenHTML = "its HTML cannot be converted"

// convertPage parses a page again, so that not all parsed pages are kept in memory, and converts it. fault is the reason if
// there is no text. Pages that are far too long are not converted.
func (c *crawl) convertPage(ctx context.Context, page *webPage) (text []byte, aliases []content.Alias, fault string) {
	defer func() {
		if recover() != nil {
			text, aliases, fault = nil, nil, brokenHTML
		}
	}()
	doc, err := parse(page.body, page.contentType, page.url)
	if err != nil {
		return nil, nil, "it cannot be parsed"
	}
	main := doc.mainContent()
	keepNames(main)
	clean(main, c.repeated)
	size := c.rewriteLinks(doc, main) + len(main.Text())
	if int64(size) > 2*c.limits.ResourceSize {
		return nil, nil, fmt.Sprintf("its text is larger than %d bytes", 2*c.limits.ResourceSize)
	}
	marks := markNames(main)
	text, aliases = marks.remove(toMarkdown(ctx, main))
	return text, aliases, textFault(text)
}

// rewriteLinks replaces links to imported resources with their stable form and makes all others absolute. Links within
// the page stay. It returns the number of bytes of all destinations.
func (c *crawl) rewriteLinks(doc *document, main *goquery.Selection) (size int) {
	main.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href := strings.TrimSpace(a.AttrOr("href", ""))
		switch {
		case strings.HasPrefix(strings.ToLower(href), "javascript:"):
			a.RemoveAttr("href")
		case !strings.HasPrefix(href, "#"):
			href = c.linkTo(doc, href)
			size += len(href)
			a.SetAttr("href", href)
		}
	})
	main.Find("a.reference").RemoveAttr("title") // Sphinx repeats the target's name
	main.Find("img[src]").Each(func(_ int, img *goquery.Selection) {
		src := c.linkTo(doc, img.AttrOr("src", ""))
		size += len(src)
		img.SetAttr("src", src)
	})
	return size
}

// linkTo returns the link destination in the result for a reference in a document.
func (c *crawl) linkTo(doc *document, ref string) string {
	if strings.HasPrefix(ref, "data:") {
		if target, ok := c.targets[dataKey(ref)]; ok {
			return target
		}
	}
	u := doc.resolve(ref)
	if u == nil {
		return ref // mailto: and the like
	}
	target, ok := c.targets[c.resolveKey(pageKey(u))]
	if !ok {
		return u.String()
	}
	if fragment := u.EscapedFragment(); fragment != "" {
		target += "#" + fragment
	}
	return target
}

// toMarkdown converts an element's content and modifies the element. If the context is cancelled, the result is
// incomplete.
func toMarkdown(ctx context.Context, main *goquery.Selection) []byte {
	normalize(main)
	var text bytes.Buffer
	for _, node := range main.Nodes {
		converted, err := newConverter(ctx).ConvertNode(node)
		if err != nil { // only for a converter without its plugins, which newConverter rules out
			return fmt.Appendf(nil, "%s\n", main.Text())
		}
		text.Write(converted)
		text.WriteByte('\n')
	}
	return text.Bytes()
}

// newConverter returns a converter with the renderers below. A converter takes a lock for every character, so each
// page has its own. After the context is cancelled, it produces no more output.
func newConverter(ctx context.Context) *converter.Converter {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithListEndComment(false),
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
		),
		strikethrough.NewStrikethroughPlugin(),
	))
	conv.Register.RendererFor(taskTag, converter.TagTypeInline, renderTask, converter.PriorityEarly)
	conv.Register.RendererFor("details", converter.TagTypeBlock, renderDetails, converter.PriorityEarly)
	conv.Register.RendererFor("blockquote", converter.TagTypeBlock, renderBlockquote, converter.PriorityEarly)
	conv.Register.RendererFor("table", converter.TagTypeBlock, renderTable, converter.PriorityEarly)
	conv.Register.RendererFor("sup", converter.TagTypeInline, renderAsHTML, converter.PriorityEarly)
	conv.Register.RendererFor("sub", converter.TagTypeInline, renderAsHTML, converter.PriorityEarly)
	conv.Register.PostRenderer(trimBlankLines, converter.PriorityStandard+30)
	conv.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly-1)
	conv.Register.UnEscaper(func(text []byte, at int) int {
		if ctx.Err() != nil {
			return len(text) - at
		}
		return escapeBracket(text, at)
	}, converter.PriorityEarly)
	return conv
}

// escapeBracket escapes a bracket without a closing bracket nearby in its line. Otherwise the converter would scan to
// the end of the line for every bracket.
func escapeBracket(text []byte, at int) int {
	const far = 1000
	if text[at] == '[' && at+far < len(text) && !bytes.ContainsAny(text[at:at+far], "]\n") {
		return 1
	}
	return -1
}

// trimBlankLines removes the spaces of blank lines, which the converter leaves in lists. The lines of code blocks are
// still marked at this stage and keep theirs.
func trimBlankLines(_ converter.Context, text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for n, line := range lines {
		if len(bytes.Trim(line, " ")) == 0 {
			lines[n] = nil
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// renderTask writes the check box of a task item.
func renderTask(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	box := "[ ] "
	if attr(n, "checked") != "" {
		box = "[x] "
	}
	_, _ = w.WriteString(box) // a strings.Builder returns no error
	return converter.RenderSuccess
}

// renderAsHTML writes an element without a Markdown form as HTML.
func renderAsHTML(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	_, _ = w.WriteString("<" + n.Data + ">") // a strings.Builder returns no error
	ctx.RenderChildNodes(ctx, w, n)
	_, _ = w.WriteString("</" + n.Data + ">") // a strings.Builder returns no error
	return converter.RenderSuccess
}

// renderDetails writes an expandable part as HTML around Markdown.
func renderDetails(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	summary, rest := "", []*html.Node(nil)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && child.Data == "summary" && summary == "" {
			summary = nodeText(child)
			continue
		}
		rest = append(rest, child)
	}
	_, _ = w.WriteString("\n\n<details>\n\n<summary>" + html.EscapeString(summary) + "</summary>\n\n") // a strings.Builder returns no error
	ctx.RenderNodes(ctx, w, rest...)
	_, _ = w.WriteString("\n\n</details>\n\n") // a strings.Builder returns no error
	return converter.RenderSuccess
}

// renderBlockquote prefixes every line, including those of code blocks, which the converter's own renderer omits.
func renderBlockquote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	var text bytes.Buffer
	ctx.RenderChildNodes(ctx, &text, n)
	content := bytes.ReplaceAll(text.Bytes(), marker.BytesMarkerCodeBlockNewline, []byte("\n\x00"))
	content = bytes.TrimSpace(content)
	if len(content) == 0 {
		return converter.RenderSuccess
	}
	_, _ = w.WriteString("\n\n") // a strings.Builder returns no error
	blank := false
	for line := range strings.Lines(string(content)) {
		code := strings.HasPrefix(line, "\x00")
		line = strings.TrimRight(strings.TrimPrefix(line, "\x00"), "\n")
		empty := !code && strings.TrimSpace(line) == ""
		if !empty || !blank {
			_, _ = w.WriteString(strings.TrimRight("> "+line, " ") + "\n") // a strings.Builder returns no error
		}
		blank = empty
	}
	_, _ = w.WriteString("\n\n") // a strings.Builder returns no error
	return converter.RenderSuccess
}
