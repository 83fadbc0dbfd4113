package importer

import (
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// taskTag replaces the check box of a task, which the converter would drop as a control.
const taskTag = "wsd-task"

// normalize converts the generators' markup of code, definitions, notes and tasks to plain elements that have a
// Markdown form. It keeps every word of the text.
func normalize(main *goquery.Selection) {
	flattenNesting(main.Get(0), 0)
	main.Find("noscript").Each(func(_ int, s *goquery.Selection) {
		if hasWords(s.Text()) {
			s.Get(0).Data, s.Get(0).DataAtom = "div", atom.Div
		}
	})
	main.Find("pre").Each(func(_ int, s *goquery.Selection) { simplifyCodeBlock(s) })
	main.Find("table").FilterFunction(func(_ int, t *goquery.Selection) bool { return isCodeTable(t) }).
		Each(func(_ int, t *goquery.Selection) { t.ReplaceWithSelection(t.Find("pre").Last()) })
	main.Find(`input[type="checkbox"]`).Each(func(_ int, s *goquery.Selection) { replaceTask(s) })
	main.Find("iframe[src], video[src], audio[src], embed[src]").Each(func(_ int, s *goquery.Selection) { replaceEmbed(s) })
	main.FindMatcher(admonitions).Each(func(_ int, s *goquery.Selection) { convertAdmonition(s) })
	main.Find("aside.footnote > span.label").Each(func(_ int, label *goquery.Selection) { moveFootnoteLabel(label) })
	main.Find("dl").Each(func(_ int, s *goquery.Selection) { convertDefinitions(s.Get(0)) })
	main.FindMatcher(inlineCode).Each(func(_ int, s *goquery.Selection) { simplifyCodeSpan(s) })
	main.FindMatcher(emphasis).Each(func(_ int, s *goquery.Selection) { simplifyEmphasizedCode(s) })
}

// maxNesting is the maximum nesting of lists and quotations. Each level indents its whole content, so deep nesting
// would turn a small page into a huge text.
const maxNesting = 32

// flattenNesting replaces the lists and quotations below maxNesting with plain divisions.
func flattenNesting(n *html.Node, depth int) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode {
			continue
		}
		below := depth
		switch child.Data {
		case "ul", "ol", "dl", "blockquote", "details", "table":
			if below++; below > maxNesting {
				rename(child, "div")
			}
		}
		flattenNesting(child, below)
	}
}

var (
	inlineCode = selector(`code, tt, samp, kbd, var`)
	emphasis   = selector(`em, i, strong, b`)
)

// simplifyCodeSpan reduces inline code to its text, since a code span contains no markup. Links within it are kept, each
// around a code span of its own.
func simplifyCodeSpan(code *goquery.Selection) {
	node := code.Get(0)
	gone := node.Parent == nil // removed with the code around it
	if gone || code.ParentsMatcher(inlineCode).Length() > 0 || code.Closest("pre").Length() > 0 {
		return
	}
	for _, part := range appendCodeParts(node, nil, nil) {
		if strings.TrimSpace(part.text) == "" {
			node.Parent.InsertBefore(textNode(part.text), node)
			continue
		}
		span := element(node.Data)
		span.AppendChild(textNode(part.text))
		outer := span
		if part.link != nil {
			outer = element("a")
			outer.Attr = part.link.Attr
			outer.AppendChild(span)
		}
		node.Parent.InsertBefore(outer, node)
		moveSpaceOutside(outer, part.text)
	}
	detach(node)
}

// codePart is a part of inline code, within one link or none.
type codePart struct {
	text string
	link *html.Node
}

// appendCodeParts cuts the text of inline code at the boundaries of links.
func appendCodeParts(n, link *html.Node, parts []codePart) []codePart {
	if n.Type == html.ElementNode && n.Data == "a" && attr(n, "href") != "" {
		link = n
	}
	if last := len(parts) - 1; n.Type == html.TextNode {
		if last >= 0 && parts[last].link == link {
			parts[last].text += n.Data
			return parts
		}
		return append(parts, codePart{n.Data, link})
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		parts = appendCodeParts(child, link, parts)
	}
	return parts
}

// moveSpaceOutside moves the space at the edges of a code span outside, where it is preserved.
func moveSpaceOutside(code *html.Node, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if strings.TrimLeftFunc(text, unicode.IsSpace) != text {
		code.Parent.InsertBefore(textNode(" "), code)
	}
	if strings.TrimRightFunc(text, unicode.IsSpace) != text {
		code.Parent.InsertBefore(textNode(" "), code.NextSibling)
	}
}

// simplifyEmphasizedCode removes either emphasis or code if their content is the same: DocBook's replaceable text is
// emphasis, all else is code.
func simplifyEmphasizedCode(s *goquery.Selection) {
	code := s.ChildrenMatcher(inlineCode).First()
	if code.Length() == 0 || s.Closest("pre, "+taskTag).Length() > 0 || code.Text() != s.Text() || s.Get(0).Parent == nil {
		return
	}
	if s.HasClass("replaceable") {
		s.SetText(code.Text())
		return
	}
	s.ReplaceWithSelection(code)
}

// simplifyCodeBlock reduces a code block to its exact text and its language.
func simplifyCodeBlock(pre *goquery.Selection) {
	node := pre.Get(0)
	code := element("code")
	if language := codeLanguage(pre); language != "" {
		code.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
	var text strings.Builder
	writeCodeText(node, &text)
	code.AppendChild(textNode(text.String()))
	removeChildren(node)
	node.Attr = nil
	node.AppendChild(code)
}

// writeCodeText appends the text of code to text; some highlighters use an element as line ending.
func writeCodeText(n *html.Node, text *strings.Builder) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			text.WriteString(child.Data)
		case child.Type != html.ElementNode:
		case child.Data == "br":
			text.WriteByte('\n')
		default:
			writeCodeText(child, text)
			if child.Data == "div" && !strings.HasSuffix(text.String(), "\n") {
				text.WriteByte('\n')
			}
		}
	}
}

// languageNames maps language names of highlighters; an empty name means no language.
var languageNames = map[string]string{
	"default": "", "none": "", "text": "", "plaintext": "", "plain": "", "txt": "",
	"python3": "python", "py3": "python", "ipython3": "ipython",
}

// codeLanguage returns the language declared on the block, in it, or around it.
func codeLanguage(pre *goquery.Selection) string {
	candidates := []*goquery.Selection{
		pre, pre.Find("code").First(), pre.Closest(`div[class*="highlight-"], div[class*="language-"]`),
	}
	for _, s := range candidates {
		name := s.AttrOr("data-lang", s.AttrOr("data-language", ""))
		for class := range strings.FieldsSeq(s.AttrOr("class", "")) {
			for _, prefix := range []string{"language-", "lang-", "highlight-"} {
				if rest, ok := strings.CutPrefix(class, prefix); ok && name == "" {
					name = rest
				}
			}
		}
		if renamed, ok := languageNames[name]; ok {
			name = renamed
		}
		if name != "" && !strings.ContainsAny(name, "`\n") {
			return name
		}
	}
	return ""
}

// isCodeTable reports whether a table only adds line numbers to code.
func isCodeTable(table *goquery.Selection) bool {
	if table.Find("pre").Length() == 0 {
		return false
	}
	return table.Is(".highlighttable, .lntable, .rouge-table") || table.Closest("div.highlight, figure.highlight").Length() > 0
}

func replaceTask(input *goquery.Selection) {
	node := element(taskTag)
	if _, checked := input.Attr("checked"); checked {
		node.Attr = []html.Attribute{{Key: "checked", Val: "true"}}
	}
	input.ReplaceWithNodes(node)
}

// replaceEmbed replaces an embedded resource that a text cannot contain with a link.
func replaceEmbed(s *goquery.Selection) {
	link := element("a")
	src := s.AttrOr("src", "")
	if strings.HasPrefix(src, "javascript:") {
		s.Remove()
		return
	}
	link.Attr = []html.Attribute{{Key: "href", Val: src}}
	link.AppendChild(textNode(s.AttrOr("title", src)))
	s.ReplaceWithNodes(link)
}

// admonitions selects notes, tips and warnings by generator.
var admonitions = selector(`div.admonition, div.theme-admonition, div.admonitionblock, aside.starlight-aside,
	div.note:has(h3.title), div.tip:has(h3.title), div.warning:has(h3.title),
	div.caution:has(h3.title), div.important:has(h3.title)`)

// convertAdmonition converts an admonition to a quotation that begins with its title.
func convertAdmonition(s *goquery.Selection) {
	node := s.Get(0)
	icon, cell := s.Find("td.icon").First(), s.Find("td.content").First()
	// AsciiDoc lays out the icon and the content as a table.
	if icon.Length() > 0 && cell.Length() > 0 && sameWords(s.Text(), icon.Text()+cell.Text()) {
		content := cell.Get(0)
		title := element("p")
		title.AppendChild(textNode(strings.TrimSpace(icon.Text() + icon.Find("img").AttrOr("alt", ""))))
		detach(content)
		rename(content, "div")
		removeChildren(node)
		node.AppendChild(title)
		node.AppendChild(content)
		makeBold(title)
	}
	s.ChildrenFiltered(`.admonition-title, h3.title, [class*="admonitionHeading"]`).First().Each(func(_ int, title *goquery.Selection) {
		rename(title.Get(0), "p")
		makeBold(title.Get(0))
	})
	rename(node, "blockquote")
}

// sameWords reports whether two texts are equal apart from white space.
func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

// moveFootnoteLabel moves a footnote's label into its first paragraph.
func moveFootnoteLabel(label *goquery.Selection) {
	text := label.NextFiltered("p")
	if text.Length() == 0 {
		return
	}
	node := text.Get(0)
	detach(label.Get(0))
	node.InsertBefore(textNode(" "), node.FirstChild)
	node.InsertBefore(label.Get(0), node.FirstChild)
}

// convertDefinitions converts a definition list to a list of terms, in bold or, for signatures, as code, with the definition
// below.
func convertDefinitions(dl *html.Node) {
	// A table of contents has no definitions: each of its terms is an entry.
	contents := goquery.NewDocumentFromNode(dl).Closest(".toc").Length() > 0
	rename(dl, "ul")
	flattenGroups(dl)
	var item *html.Node
	inTerms := false
	for child := dl.FirstChild; child != nil; {
		next := child.NextSibling
		term := child.Type == html.ElementNode && child.Data == "dt"
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" {
			dl.RemoveChild(child)
			child = next
			continue
		}
		if item == nil || (term && (!inTerms || contents)) {
			item = element("li")
			dl.InsertBefore(item, child)
		}
		inTerms = term
		dl.RemoveChild(child)
		item.AppendChild(child)
		switch {
		case term && contents:
			rename(child, "p")
		case term:
			formatTerm(child)
		case child.Type == html.ElementNode && child.Data == "dd":
			rename(child, "div")
		}
		child = next
	}
}

// flattenGroups removes the <div> elements around terms and their definitions.
func flattenGroups(dl *html.Node) {
	for child := dl.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode && child.Data == "div" {
			for inner := child.FirstChild; inner != nil; inner = child.FirstChild {
				child.RemoveChild(inner)
				dl.InsertBefore(inner, child)
			}
			dl.RemoveChild(child)
		}
		child = next
	}
}

// formatTerm converts the term of a definition to a paragraph: the signature of a function as code, followed by its links to
// the source code, and any other term in bold.
func formatTerm(term *html.Node) {
	rename(term, "p")
	s := goquery.NewDocumentFromNode(term)
	if !hasClass(term, "sig") && s.Find(".descname").Length() == 0 {
		makeBold(term)
		return
	}
	code := element("code")
	var links []*html.Node
	for child := term.FirstChild; child != nil; child = term.FirstChild {
		term.RemoveChild(child)
		if child.Type == html.ElementNode && child.Data == "a" && strings.HasPrefix(nodeText(child), "[") {
			links = append(links, child)
			continue
		}
		code.AppendChild(child)
	}
	term.AppendChild(code)
	for _, link := range links { // to the source code, not part of the signature
		term.AppendChild(textNode(" "))
		term.AppendChild(link)
	}
}

// makeBold makes the content of an element bold unless it contains blocks.
func makeBold(n *html.Node) {
	s := goquery.NewDocumentFromNode(n)
	if s.Find("p, div, ul, ol, dl, pre, table, blockquote").Length() > 0 || !hasWords(s.Text()) {
		return
	}
	bold := element("strong")
	for child := n.FirstChild; child != nil; child = n.FirstChild {
		n.RemoveChild(child)
		bold.AppendChild(child)
	}
	n.AppendChild(bold)
}

func textNode(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

func element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

func rename(n *html.Node, name string) { n.Data, n.DataAtom = name, atom.Lookup([]byte(name)) }

func detach(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

func removeChildren(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}
