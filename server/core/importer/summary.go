package importer

import (
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"docspace.dev/wsd/client/api/markdown"
)

// maxSummaryDepth bounds the nesting that is followed.
const maxSummaryDepth = 30

// summaryItem is one entry of SUMMARY.md: a link, or a heading of a group where dest
// is empty.
type summaryItem struct {
	title, dest string
	children    []summaryItem
}

// parseSummary reads nested lists of links; a heading of level 2 or deeper opens a
// group that holds the lists behind it, the first heading is the document's own.
func parseSummary(source []byte) []summaryItem {
	document := markdown.Parse(source, nil)
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
			listed := listItems(node, source, 0)
			if group < 0 {
				items = append(items, listed...)
			} else {
				items[group].children = append(items[group].children, listed...)
			}
		}
	}
	return items
}

// listItems reads one list; an item is its first link, or its text where it has none.
func listItems(list *ast.List, source []byte, depth int) []summaryItem {
	var items []summaryItem
	for node := list.FirstChild(); node != nil; node = node.NextSibling() {
		var item summaryItem
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			switch child := child.(type) {
			case *ast.List:
				if depth < maxSummaryDepth {
					item.children = append(item.children, listItems(child, source, depth+1)...)
				}
			case *ast.TextBlock, *ast.Paragraph:
				if item.title == "" {
					item.title, item.dest = linkOf(child, source)
				}
			}
		}
		if item.title != "" || item.dest != "" || len(item.children) > 0 {
			items = append(items, item)
		}
	}
	return items
}

// linkOf returns the first link's text and destination, or the whole text alone.
func linkOf(node ast.Node, source []byte) (title, dest string) {
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if link, ok := child.(*ast.Link); ok {
			return plainText(link, source), string(link.Destination)
		}
	}
	return plainText(node, source), ""
}

// plainText is the text of inline content without its markup.
func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
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

// literal is the text that a piece of inline content stands for: escapes and entities
// count everywhere but in code.
func literal(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// isExternal tells a link that leads out of the archive.
func isExternal(dest string) bool {
	u, err := url.Parse(dest)
	return err == nil && (u.Scheme != "" || u.Host != "")
}

// summaryTarget is the path in the archive that a destination of SUMMARY.md names: beside that file, or from the root of
// what is imported.
func (b *bundle) summaryTarget(dest string) string {
	if u, err := url.Parse(dest); err == nil {
		dest = u.Path
	}
	base := path.Dir(b.listed)
	if strings.HasPrefix(dest, "/") {
		base = b.root
	}
	return strings.TrimPrefix(path.Join("/", base, dest), "/")
}

// summaryOf is the SUMMARY.md that orders an archive: the one that lies nearest to its root. Those below it are pages.
func summaryOf(names []string) (found string) {
	for _, name := range names {
		if !strings.EqualFold(path.Base(name), summaryName) {
			continue
		}
		if depth := strings.Count(name, "/"); found == "" || depth < strings.Count(found, "/") || depth == strings.Count(found, "/") && name < found {
			found = name
		}
	}
	return found
}
