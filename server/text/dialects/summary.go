package dialects

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"docspace.dev/wsd/client/api/markdown"
)

// maxSummaryDepth limits the nesting of SUMMARY.md.
const maxSummaryDepth = 30

// summaryItem is one entry of SUMMARY.md: a link, or the heading of a group if dest is empty.
type summaryItem struct {
	title, dest string
	line        int // number of its line
	children    []summaryItem
}

// parseSummary reads nested lists of links. A heading of level 2 or deeper begins a group of the lists after it; the
// first heading is the title of the document.
func parseSummary(source []byte) []summaryItem {
	document := markdown.Parse(source, nil)
	lines := lineCounter{source: source}
	var items []summaryItem
	group := -1
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		switch node := node.(type) {
		case *ast.Heading:
			if node.Level > 1 {
				items = append(items, summaryItem{title: plainText(node, source)})
				group = len(items) - 1
			}
		case *ast.List:
			listed := listItems(node, &lines, 0)
			if group < 0 {
				items = append(items, listed...)
			} else {
				items[group].children = append(items[group].children, listed...)
			}
		}
	}
	return items
}

// listItems reads one list. The entry of an item is its first link, or its text without one.
func listItems(list *ast.List, lines *lineCounter, depth int) []summaryItem {
	var items []summaryItem
	for node := list.FirstChild(); node != nil; node = node.NextSibling() {
		var item summaryItem
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			switch child := child.(type) {
			case *ast.List:
				if depth < maxSummaryDepth {
					item.children = append(item.children, listItems(child, lines, depth+1)...)
				}
			case *ast.TextBlock, *ast.Paragraph:
				if item.title == "" {
					item.title, item.dest = linkOf(child, lines.source)
					if child.Lines().Len() > 0 {
						item.line = lines.number(child.Lines().At(0).Start)
					}
				}
			}
		}
		if item.title != "" || item.dest != "" || len(item.children) > 0 {
			items = append(items, item)
		}
	}
	return items
}

// lineCounter returns the numbers of lines at increasing offsets of a text.
type lineCounter struct {
	source     []byte
	at, before int // an offset, and the number of lines that end before it
}

// number returns the number of the line at an offset that is not less than the previous one.
func (c *lineCounter) number(offset int) int {
	c.before += bytes.Count(c.source[c.at:offset], []byte("\n"))
	c.at = offset
	return c.before + 1
}

// linkOf returns the first link's text and destination, or only the text without one.
func linkOf(node ast.Node, source []byte) (title, dest string) {
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if link, ok := child.(*ast.Link); ok {
			return plainText(link, source), string(link.Destination)
		}
	}
	return plainText(node, source), ""
}

// plainText returns the text of inline content without its markup.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(literal(n, source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// literal returns the text of an inline node with escapes and entities resolved, except in code.
func literal(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// isExternal reports whether a link leads out of the archive.
func isExternal(dest string) bool {
	u, err := url.Parse(dest)
	return err == nil && (u.Scheme != "" || u.Host != "")
}

// summaryTarget returns the path of a destination in SUMMARY.md, relative to that file or to the root.
func (f Folder) summaryTarget(dest string) string {
	if u, err := url.Parse(dest); err == nil {
		dest = u.Path
	}
	base := path.Dir(f.SummaryPath)
	if strings.HasPrefix(dest, "/") {
		base = f.Root
	}
	return strings.TrimPrefix(path.Join("/", base, dest), "/")
}

// FindSummary returns the SUMMARY.md that is nearest to the root, or "" if there is none. Others are documents.
func FindSummary(names []string) (found string) {
	for _, name := range names {
		if !strings.EqualFold(path.Base(name), SummaryName) {
			continue
		}
		if depth := strings.Count(name, "/"); found == "" || depth < strings.Count(found, "/") || depth == strings.Count(found, "/") &&
			name < found {
			found = name
		}
	}
	return found
}
