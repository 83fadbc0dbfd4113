package content

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Link is a reference to another resource in a text.
type Link struct {
	Start, End  int    // byte span of the destination in the source, without quotes and angle brackets
	Destination string // with escapes and character references resolved
	Image       bool   // an image or the src of an HTML element
	syntax      linkSyntax
}

// linkSyntax is the syntax around a destination, which determines the escaping of a new one.
type linkSyntax int

const (
	syntaxMarkdown  linkSyntax = iota // [text](here), ![alt](here), [label]: here
	syntaxAutolink                    // <here>, or a bare URL
	syntaxAttribute                   // <a href="here">
)

// Links returns the links of a text in order: inline links and images, link reference definitions, autolinks (not
// e-mail addresses), and the href and src attributes of raw HTML. Code and front matter have none.
func Links(markdown []byte) []Link {
	finder := linkFinder{source: slices.Clip(markdown[bodyStart(markdown):])}
	root := parseSyntax(finder.source)
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no error
		if entering {
			finder.visit(node)
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(finder.links, func(a, b Link) int { return a.Start - b.Start })
	return finder.finish(len(markdown) - len(finder.source))
}

// RewriteLinks replaces the destinations for which rewrite returns true and leaves all other bytes unchanged.
// Characters that would end a destination are percent-encoded. An autolink is only replaced by an absolute URL
// because anything else would not be a link.
func RewriteLinks(markdown []byte, rewrite func(Link) (string, bool)) []byte {
	return rewriteLinks(markdown, Links(markdown), rewrite)
}

// rewriteLinks is RewriteLinks for the given links, in order.
func rewriteLinks(markdown []byte, links []Link, rewrite func(Link) (string, bool)) []byte {
	var out []byte
	from := 0
	for _, link := range links {
		destination, ok := rewrite(link)
		if !ok || link.syntax == syntaxAutolink && !isAbsolute(destination) {
			continue
		}
		out = append(out, markdown[from:link.Start]...)
		out = append(out, encodeDestination(destination)...)
		from = link.End
	}
	if from == 0 {
		return bytes.Clone(markdown)
	}
	return append(out, markdown[from:]...)
}

func isAbsolute(destination string) bool {
	return strings.HasPrefix(destination, "https://") || strings.HasPrefix(destination, "http://")
}

// encodeDestination percent-encodes the characters that would end a destination in any of the link syntaxes or change
// its meaning.
func encodeDestination(destination string) []byte {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(destination))
	for i := range len(destination) {
		c := destination[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte("()<>\"'\\`", c) >= 0 {
			out = append(out, '%', hex[c>>4], hex[c&15])
			continue
		}
		out = append(out, c)
	}
	return out
}

// linkFinder collects the links of one parsed text.
type linkFinder struct {
	source []byte
	links  []Link
}

func (f *linkFinder) visit(node ast.Node) {
	switch n := node.(type) {
	case *ast.Link:
		if n.Reference == nil {
			f.add(n.Destination, false, syntaxMarkdown)
		}
	case *ast.Image:
		if n.Reference == nil {
			f.add(n.Destination, true, syntaxMarkdown)
		}
	case *ast.LinkReferenceDefinition:
		f.add(n.Destination, false, syntaxMarkdown)
	case *ast.AutoLink:
		if n.AutoLinkType == ast.AutoLinkURL {
			f.add(n.Label(f.source), false, syntaxAutolink)
		}
	case *ast.RawHTML:
		f.addHTML(n.Segments)
	case *ast.HTMLBlock:
		f.addHTML(n.Lines())
		if n.HasClosure() {
			f.addAttributes(n.ClosureLine.Start, n.ClosureLine.Stop)
		}
	}
}

// add records a destination. The parser returns slices of the source, which has no capacity for more, so their capacity gives the
// offset; copied slices are skipped.
func (f *linkFinder) add(destination []byte, image bool, syntax linkSyntax) {
	start := cap(f.source) - cap(destination)
	if len(destination) == 0 || start < 0 || start+len(destination) > len(f.source) || &f.source[start] != &destination[0] {
		return
	}
	link := Link{Start: start, End: start + len(destination), Image: image, syntax: syntax}
	link.Destination = string(destination)
	if syntax == syntaxMarkdown {
		link.Destination = string(unescape(destination))
	}
	f.links = append(f.links, link)
}

func (f *linkFinder) addHTML(segments *text.Segments) {
	if segments == nil || segments.Len() == 0 {
		return
	}
	f.addAttributes(segments.At(0).Start, segments.At(segments.Len()-1).Stop)
}

// addAttributes records the attributes of the HTML in source[start:end].
func (f *linkFinder) addAttributes(start, end int) {
	if start < 0 || end > len(f.source) {
		return
	}
	for _, a := range attributes(f.source[start:end]) {
		value := f.source[start+a.start : start+a.end]
		if a.name == "id" || a.name == "name" {
			continue
		}
		f.links = append(f.links, Link{
			Start: start + a.start, End: start + a.end,
			Destination: string(unescapeHTML(value)), Image: a.name == "src", syntax: syntaxAttribute,
		})
	}
}

// finish shifts the links by the length of the unparsed beginning of the text and removes duplicates and overlaps.
func (f *linkFinder) finish(shift int) []Link {
	links := f.links[:0]
	end := 0
	for _, link := range f.links {
		if link.Start < end {
			continue
		}
		end = link.End
		link.Start, link.End = link.Start+shift, link.End+shift
		links = append(links, link)
	}
	return links
}
