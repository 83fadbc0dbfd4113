package writeback

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
)

// Refusal is the error of a document part that Markdown cannot represent.
type Refusal struct {
	Path   string // path of the node or member, such as nodes[2].data.formula
	Reason string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Path + " " + r.Reason }

// Markdown converts a document to Markdown. It returns a *Refusal if any content would be lost. It is used for every
// document that a client sends.
func Markdown(d api.JSONDocument) ([]byte, error) {
	source, err := printDocument(d)
	if err != nil {
		return nil, err
	}
	again := documents.Write(documents.Source{Text: content.Text{Markdown: source}, Resolve: resolveSent})
	if path := difference(d, again); path != "" {
		return nil, &Refusal{Path: path, Reason: "has no form in Markdown: it would be lost or read otherwise"}
	}
	return source, nil
}

// resolveSent is the Resolver of a document from a client: references resolve as given.
func resolveSent(destination string, image bool) (api.ContentRef, bool) {
	return documents.ResolveStable(destination, image)
}

// printDocument returns the Markdown of a document, without a check for lost content.
func printDocument(d api.JSONDocument) ([]byte, error) {
	if d.Object != "document" {
		return nil, &Refusal{Path: "object", Reason: "must be document"}
	}
	p := printer{}
	body := p.blocks(d.Nodes, "nodes", 0)
	if p.err != nil {
		return nil, p.err
	}
	if body == "" {
		return nil, nil
	}
	return []byte(body + "\n"), nil
}

// printer writes the nodes of a document as Markdown. err is the first failure.
type printer struct{ err error }

func (p *printer) refuse(path, format string, args ...any) string {
	if p.err == nil {
		p.err = &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	return ""
}

// separator separates adjacent blocks that would otherwise be read as one.
const separator = "<!-- -->"

// blocks writes blocks with their separators. Blocks nested too deeply are refused.
func (p *printer) blocks(nodes []api.DocumentNode, path string, depth int) string {
	if depth > documents.MaxDepth {
		return p.refuse(path, "is nested deeper than %d blocks", documents.MaxDepth)
	}
	var out strings.Builder
	for i, n := range nodes {
		if i > 0 {
			out.WriteString("\n\n")
			if wouldJoin(nodes[i-1].Type, n.Type) {
				out.WriteString(separator + "\n\n")
			}
		}
		out.WriteString(p.block(n, fmt.Sprintf("%s[%d]", path, i), depth))
	}
	return out.String()
}

// wouldJoin reports whether two adjacent blocks would be read as one.
func wouldJoin(a, b string) bool {
	isList := func(kind string) bool { return strings.HasPrefix(kind, "list-") }
	return isList(a) && isList(b) || a == "blockquote" && b == "blockquote"
}

// block writes one block without a trailing line ending.
func (p *printer) block(n api.DocumentNode, path string, depth int) string {
	if n.Object != "block" {
		return p.refuse(path+".object", "must be block here")
	}
	switch n.Type {
	case "paragraph":
		return p.paragraph(n, path)
	case "heading-1", "heading-2", "heading-3":
		return p.heading(n, path)
	case "list-ordered", "list-unordered", "list-tasks":
		return p.list(n, path, depth)
	case "blockquote":
		inside := p.blocks(n.Nodes, path+".nodes", depth+1)
		if inside == "" {
			inside = separator
		}
		return prefixLines(inside, "> ", "> ")
	case "divider":
		return "***"
	case "code":
		return p.code(n, path)
	case "images":
		return p.images(n, path)
	case "table":
		return p.table(n, path)
	case "expandable":
		return p.details(n, path, depth)
	case "math":
		return p.math(n)
	}
	return p.tag(n, path, depth)
}

// prefixLines prefixes the first line and the other lines, except for empty ones.
func prefixLines(text, first, others string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		prefix := others
		if i == 0 {
			prefix = first
		}
		if lines[i] = prefix + line; line == "" {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
	}
	return strings.Join(lines, "\n")
}

func stringData(n api.DocumentNode, name string) string { s, _ := n.Data[name].(string); return s }

func (p *printer) paragraph(n api.DocumentNode, path string) string {
	inside := p.inlines(n.Nodes, path+".nodes", lineContext{block: true})
	align := stringData(n, "align")
	if inside == "" || align != "" || isOwnBlock(inside) {
		attributes := ""
		if align != "" {
			attributes = attribute("align", align)
		}
		return "<p" + attributes + ">" + p.inlines(n.Nodes, path+".nodes", lineContext{html: true}) + "</p>"
	}
	return inside
}

// isOwnBlock reports whether a line would be read as a block of its own kind rather than as a paragraph: one tag, or
// only an image.
func isOwnBlock(line string) bool {
	return strings.HasPrefix(line, "<") && !strings.HasPrefix(line, "<http") || strings.HasPrefix(line, "![") ||
		strings.HasPrefix(line, "{%")
}

func (p *printer) heading(n api.DocumentNode, path string) string {
	level := int(n.Type[len(n.Type)-1]-'0') + 1
	id, align := stringData(n, "id"), stringData(n, "align")
	if align != "" {
		tag := fmt.Sprintf("h%d", level)
		attributes := attribute("align", align)
		if id != "" {
			attributes += attribute("id", id)
		}
		return "<" + tag + attributes + ">" + p.inlines(n.Nodes, path+".nodes", lineContext{html: true}) + "</" + tag + ">"
	}
	line := strings.Repeat("#", level)
	if inside := p.inlines(n.Nodes, path+".nodes", lineContext{heading: true}); inside != "" {
		line += " " + inside
	}
	if id != "" {
		line += " {#" + id + "}"
	}
	return line
}

// list writes a list, tight or loose depending on its blocks.
func (p *printer) list(n api.DocumentNode, path string, depth int) string {
	if depth >= documents.MaxDepth {
		return p.refuse(path, "is nested deeper than %d blocks", documents.MaxDepth)
	}
	start := 1
	if from, given := n.Data["start"]; given {
		start = intValue(from)
		if start < 0 || start > 1_000_000 {
			return p.refuse(path+".data.start", "must be a whole number from 0 to 1000000")
		}
	}
	if len(n.Nodes) == 0 {
		return p.refuse(path+".nodes", "must not be empty")
	}
	items := make([]string, len(n.Nodes))
	apart := "\n"
	for i, item := range n.Nodes {
		at := fmt.Sprintf("%s.nodes[%d]", path, i)
		if item.Type != "list-item" || item.Object != "block" {
			return p.refuse(at+".type", "must be list-item here")
		}
		marker := "-"
		if n.Type == "list-ordered" {
			marker = fmt.Sprintf("%d.", start+i)
		}
		if len(item.Nodes) > 1 {
			apart = "\n\n"
		}
		items[i] = p.item(n.Type, item, marker, at, depth)
	}
	return strings.Join(items, apart)
}

// intValue returns a non-negative integer, or -1 for any other value.
func intValue(value any) int {
	switch v := value.(type) {
	case int:
		return v
	case float64:
		if v == float64(int(v)) {
			return int(v)
		}
	}
	return -1
}

// dashLine matches a line that would become a thematic break with one more dash.
var dashLine = regexp.MustCompile(`^- -(\n|$)`)

func (p *printer) item(list string, item api.DocumentNode, marker, path string, depth int) string {
	inside := p.blocks(item.Nodes, path+".nodes", depth+2)
	indent := strings.Repeat(" ", len(marker)+1)
	boxed := list == "list-tasks"
	if boxed {
		box := " [ ]"
		if checked, _ := item.Data["checked"].(bool); checked {
			box = " [x]"
		}
		marker += box
	}
	switch {
	case inside == "":
		return marker + " " + separator
	case boxed && (item.Nodes[0].Type != "paragraph" || strings.HasPrefix(inside, "<p")):
		return marker + "\n\n" + prefixLines(inside, indent, indent)
	case strings.HasPrefix(inside, "{%") || strings.HasPrefix(inside, "$$\n") || strings.HasPrefix(inside, "<details") ||
		strings.HasPrefix(inside, "```") || strings.HasPrefix(inside, "    ") || dashLine.MatchString(inside):
		if boxed {
			return marker + "\n\n" + prefixLines(inside, indent, indent)
		}
		return marker + "\n" + prefixLines(inside, indent, indent)
	}
	return prefixLines(inside, marker+" ", indent)
}

func (p *printer) math(n api.DocumentNode) string {
	formula := stringData(n, "formula")
	if formula == "" || strings.Contains(formula, documents.MathRegion) || strings.ContainsAny(formula, "\r`~<{") ||
		strings.Contains(formula, "\n\n") || strings.TrimSpace(formula) != formula {
		return "{% math" + attribute("formula", formula) + " %}"
	}
	return documents.MathRegion + "\n" + formula + "\n" + documents.MathRegion
}

// code writes a fenced code block; data that Markdown cannot represent is written in a tag around it.
func (p *printer) code(n api.DocumentNode, path string) string {
	lines := make([]string, len(n.Nodes))
	var highlighted []string
	for i, line := range n.Nodes {
		at := fmt.Sprintf("%s.nodes[%d]", path, i)
		if line.Type != "code-line" {
			return p.refuse(at+".type", "must be code-line here")
		}
		for j, t := range line.Nodes {
			if t.Object != "text" {
				return p.refuse(fmt.Sprintf("%s.nodes[%d]", at, j), "must be a text: code in Markdown is literal")
			}
		}
		lines[i] = documents.PlainText(line.Nodes)
		if strings.ContainsAny(lines[i], "\n\r") {
			return p.refuse(at, "must be one line")
		}
		if on, _ := line.Data["highlighted"].(bool); on {
			highlighted = append(highlighted, fmt.Sprint(i+1))
		}
	}
	fence := strings.Repeat("`", max(3, longestRun(lines)+1))
	attributes, syntax := "", stringData(n, "syntax")
	if strings.ContainsAny(syntax, " \t\r\n`&\\\"{}<>*_$") {
		attributes, syntax = attribute("syntax", syntax), ""
	}
	for _, name := range []string{"title", "overflow", "lineNumbers", "fullWidth"} {
		attributes += p.dataAttribute(name, n.Data[name])
	}
	if len(highlighted) > 0 {
		attributes += attribute("highlight", strings.Join(highlighted, ","))
	}
	body := fence + syntax + "\n" + strings.Join(append(lines, fence), "\n")
	if attributes == "" {
		return body
	}
	return "{% code" + attributes + " %}\n" + body + "\n{% endcode %}"
}

// longestRun returns the length of the longest run of backticks in lines.
func longestRun(lines []string) int {
	longest, run := 0, 0
	for _, line := range lines {
		for _, c := range line + "\n" {
			if run++; c != '`' {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	return longest
}

// details writes an expandable block.
func (p *printer) details(n api.DocumentNode, path string, depth int) string {
	title, body := "", ""
	for i, f := range n.Fragments {
		at := fmt.Sprintf("%s.fragments[%d]", path, i)
		switch {
		case f.Type == "expandable-title" && len(f.Nodes) == 0:
		case f.Type == "expandable-title" && len(f.Nodes) == 1:
			title = "<summary>" + p.inlines(f.Nodes[0].Nodes, at+".nodes[0].nodes", lineContext{html: true}) + "</summary>\n\n"
		case f.Type == "expandable-body":
			body = p.blocks(f.Nodes, at+".nodes", depth+1)
		default:
			return p.refuse(at, "must be the title, which is one paragraph, or the body")
		}
	}
	open := ""
	if expanded, _ := n.Data["defaultExpanded"].(bool); expanded {
		open = " open"
	}
	if body != "" {
		body += "\n\n"
	}
	return "<details" + open + ">\n\n" + title + body + "</details>"
}

// knownTags maps block types to pairs of tags.
var knownTags = map[string]string{
	"hint": "hint", "tabs": "tabs", "tabs-item": "tab", "stepper": "stepper", "stepper-step": "step", "columns": "columns",
	"column": "column", "if": "if",
}

// singleTags maps block types to single tags.
var singleTags = map[string]string{
	"embed": "embed", "file": "file", "drawing": "drawing", "integration": "integration", "content-ref": "content-ref",
	"swagger":           "swagger",
	"openapi-operation": "openapi-operation", "openapi-schemas": "openapi-schemas", "openapi-webhook": "openapi-webhook",
}

// tag writes a block as a tag, or as a pair of tags around its content.
func (p *printer) tag(n api.DocumentNode, path string, depth int) string {
	if n.Type == "reusable-content" {
		ref, _ := n.Data["ref"].(map[string]any)
		id, _ := ref["reusableContent"].(string)
		if !api.Patterns["id"].MatchString(id) {
			return p.refuse(path+".data.ref.reusableContent", "must be the id of a reusable content")
		}
		return content.IncludeExpression(id)
	}
	if tag, single := singleTags[n.Type]; single {
		return "{% " + tag + p.attributes(n, path) + " %}"
	}
	tag, known := knownTags[n.Type]
	if !known {
		return p.refuse(path+".type", "is not a type of block that can stand here")
	}
	inside := p.blocks(n.Nodes, path+".nodes", depth+1)
	if inside != "" {
		inside = "\n" + inside
	}
	return "{% " + tag + p.attributes(n, path) + " %}" + inside + "\n{% end" + tag + " %}"
}

// length returns a member that is a length as an attribute, or "" if the node does not have it.
func (p *printer) length(n api.DocumentNode, name, path string) string {
	value := n.Data[name]
	if value == nil || value == "" {
		return ""
	}
	text, ok := documents.FormatLength(plainData(value))
	if !ok {
		return p.refuse(path+".data."+name, "must be a length: a number, or a value with a unit, such as %s",
			`{"value": 30, "unit": "%"} or "30%"`)
	}
	return attribute(name, text)
}

// attributes returns the data of a block as attributes of its tag.
func (p *printer) attributes(n api.DocumentNode, path string) string {
	var out strings.Builder
	members := documents.TagMembers[n.Type]
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch typ := members[name]; typ {
		case "r", "f", "p":
			ref, given := n.Data["ref"].(map[string]any)
			if !given {
				continue
			}
			to := documents.Destination(ref)
			if typ == "p" {
				to, _ = ref["spec"].(string)
			}
			if to == "" {
				return p.refuse(path+".data.ref", "does not say what it leads to in a form that Markdown has")
			}
			out.WriteString(attribute(name, to))
		case "n":
			out.WriteString(p.length(n, name, path))
		default:
			out.WriteString(p.dataAttribute(name, n.Data[name]))
		}
	}
	return out.String()
}
