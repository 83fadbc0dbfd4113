package importer

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is the maximum number of elements of an HTML document, with those that the parser adds.
const maxElements = 200_000

// maxEqualElements is how many equal formatting elements the parser opens again, see the HTML standard.
const maxEqualElements = 3

// formattingElements are the elements that the parser opens again if an element around them ends before they do. 400 of
// them in a paragraph become 400 in each later paragraph.
var formattingElements = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// enclosingElements are elements in which the end tag of a formatting element around them has no effect.
var enclosingElements = map[atom.Atom]bool{
	atom.Applet: true, atom.Caption: true, atom.Marquee: true, atom.Object: true, atom.Select: true, atom.Svg: true, atom.Math: true,
	atom.Table: true, atom.Td: true, atom.Template: true, atom.Th: true,
}

// foreignEnclosing are further ones in svg and math. The tokenizer returns their names in lower case.
var foreignEnclosing = map[string]bool{
	"annotation-xml": true, "desc": true, "foreignobject": true, "mi": true, "mn": true, "mo": true, "ms": true, "mtext": true,
	"title": true,
}

// inlineElements are elements whose start ends no other element.
var inlineElements = map[atom.Atom]bool{
	atom.Abbr: true, atom.Br: true, atom.Cite: true, atom.Img: true, atom.Input: true, atom.Kbd: true, atom.Label: true, atom.Mark: true,
	atom.Q: true, atom.Samp: true, atom.Span: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Var: true, atom.Wbr: true,
}

// voidElements are elements without an end tag.
var voidElements = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true, atom.Input: true,
	atom.Link: true, atom.Meta: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// maxEndedBlocks is the number of elements in a formatting element from which on the parser may keep it open at its end
// tag, see the adoption agency algorithm of the HTML standard.
const maxEndedBlocks = 7

// checkElements returns an error if a document has more than maxElements elements. It counts before the document is
// parsed. Open formatting elements count again at each tag that may end an element around them: the parser adds at most
// twice as many. It adds fewer in documents with wrong nesting.
func checkElements(text []byte) error {
	c := elementCounter{tokens: html.NewTokenizer(bytes.NewReader(text))}
	c.scopes = []elementScope{{}}
	for c.elements <= maxElements {
		switch c.tokens.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			c.start()
		case html.EndTagToken:
			c.end()
		case html.TextToken, html.CommentToken, html.DoctypeToken:
		}
	}
	return &elementsError{}
}

// elementsError is the error of a document with more than maxElements elements.
type elementsError struct{}

// Error implements error.
func (*elementsError) Error() string {
	return fmt.Sprintf("it has more than %d HTML elements, with formatting that is not closed counted in each", maxElements)
}

// elementCounter counts the elements of a document.
type elementCounter struct {
	tokens   *html.Tokenizer
	elements int
	open     int            // formatting elements in all scopes
	scopes   []elementScope // the document, then the open enclosing elements
	parents  []parent
}

// parent is an element without an end tag so far, and the number of open formatting elements at its start tag.
type parent struct {
	name string
	open int
}

// elementScope is an enclosing element with the formatting elements that were opened in it.
type elementScope struct {
	name string
	open []formattingElement
}

// formattingElement is a formatting element: its name, its whole tag, and the number of its parents.
type formattingElement struct {
	name, tag string
	depth     int
}

func (c *elementCounter) top() *elementScope { return &c.scopes[len(c.scopes)-1] }

// start counts a start tag.
func (c *elementCounter) start() {
	tag := string(c.tokens.Raw()) // Raw is valid until the name is read
	raw, _ := c.tokens.TagName()
	name, known := string(raw), atom.Lookup(raw)
	c.elements++
	if formattingElements[known] {
		c.openFormatting(formattingElement{name, tag, len(c.parents)})
		return
	}
	if !inlineElements[known] {
		c.elements += c.open
	}
	if !voidElements[known] {
		c.parents = append(c.parents, parent{name, c.open})
	}
	if top := c.top().name; (known == atom.Td || known == atom.Th) && isCell(top) {
		c.leave()
	}
	foreign := c.isForeign()
	if enclosingElements[known] || foreign && foreignEnclosing[name] {
		c.scopes = append(c.scopes, elementScope{name: name})
	}
	if foreign || c.isForeign() {
		c.tokens.NextIsNotRawText()
	}
}

// isCell reports whether an element ends where the next cell of its table begins.
func isCell(name string) bool { return name == "td" || name == "th" || name == "caption" }

// isForeign reports whether the current position is in svg or math.
func (c *elementCounter) isForeign() bool {
	return slices.ContainsFunc(c.scopes, func(s elementScope) bool { return s.name == "svg" || s.name == "math" })
}

// openFormatting records an open formatting element. The parser ends an open a, and keeps three of equal ones.
func (c *elementCounter) openFormatting(f formattingElement) {
	most, equal := maxEqualElements, func(o formattingElement) bool { return o.tag == f.tag }
	if f.name == "a" || f.name == "nobr" {
		most, equal = 1, func(o formattingElement) bool { return o.name == f.name }
	}
	scope := c.top()
	n := 0
	for _, o := range scope.open {
		if equal(o) {
			n++
		}
	}
	if n < most {
		scope.open = append(scope.open, f)
		c.open++
	}
}

// end counts what the parser may add after an end tag.
func (c *elementCounter) end() {
	raw, _ := c.tokens.TagName()
	name, known := string(raw), atom.Lookup(raw)
	if formattingElements[known] {
		c.endFormatting(name)
		return
	}
	if last := len(c.parents) - 1; last >= 0 && c.parents[last].name == name {
		c.elements += max(c.open-c.parents[last].open, 0)
		c.parents = c.parents[:last]
	} else {
		c.elements += c.open
	}
	for known == atom.Table && isCell(c.top().name) {
		c.leave()
	}
	if c.top().name == name && name != "" {
		c.leave()
	}
}

// endFormatting ends the last formatting element with a name. Those that were opened in it are opened again.
func (c *elementCounter) endFormatting(name string) {
	scope := c.top()
	for i, f := range slices.Backward(scope.open) {
		if f.name != name {
			continue
		}
		if c.elements += len(scope.open) - 1 - i; len(c.parents)-f.depth <= maxEndedBlocks {
			scope.open = slices.Delete(scope.open, i, i+1)
			c.open--
		}
		return
	}
	c.elements += c.open
}

// leave ends the innermost enclosing element. Formatting elements that are open in it may stay open after it.
func (c *elementCounter) leave() {
	left := c.top().open
	c.open -= len(left)
	c.scopes = c.scopes[:len(c.scopes)-1]
	for _, f := range left {
		c.openFormatting(f)
	}
}
