package writeback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/server/text/texttest"
	"docspace.dev/wsd/store/storetest"
)

// generator draws documents with every kind of node.
type generator struct{ *rapid.T }

func (d generator) oneOf(values ...string) string { return rapid.SampledFrom(values).Draw(d.T, "of") }
func (d generator) boolean() bool                 { return rapid.Bool().Draw(d.T, "yes") }
func (d generator) intN(n int) int                { return rapid.IntRange(0, n).Draw(d.T, "n") }

// words are the words of drawn texts, including those that are markup in Markdown, HTML and tags.
var words = []string{
	"word", "two words", "a", " ", "  ", "x ", " y", "*", "_", "**b**", "_i_", "`", "``", "[", "]", "[a](b)", "![", "!", "<", "<b>", "</b>",
	"<!-- c -->", ">", "&", "&amp;", "&#65;", "\\", "\\*",
	"#", "# h", "-", "- a", "+", "1.", "1. a", "1)", "=", "---", "===", "***", "```", "~~~", "~~s~~", "|", "| a |", "|---|", "$", "$$",
	"$$x$$", "{{", "{{ space.vars.a }}", "}}", "{%", "{% hint %}", "%}", "{#id}",
	"https://x.org", "www.x.org", "a@b.org", "http:", ":smile:", ":", "\n", "\t", "é", "漢字", "\u00a0", "😀", "^1", "[^1]", "[x]", "[ ]",
	"\"", "'", "(", ")", "/", "<details>", "</details>", "    ", "snake_case_word", "2 * 3 * 4", "don't",
}

func (d generator) text() string {
	var out strings.Builder
	for range d.intN(4) {
		out.WriteString(d.oneOf(words...))
	}
	return out.String()
}

func (d generator) word() string {
	return d.oneOf("word", "Two words", "a-b", "x_y", "1", "é", "a & b", "<x>", "\"q\"")
}

func (d generator) node(object, kind string, data map[string]any, nodes []any) map[string]any {
	n := map[string]any{"object": object, "type": kind}
	if data != nil {
		n["data"] = data
	}
	if nodes != nil {
		n["nodes"] = nodes
	}
	return n
}

func (d generator) maybeSet(data map[string]any, name string, value any) {
	if d.boolean() {
		data[name] = value
	}
}

func (d generator) texts() map[string]any {
	leaves := []any{}
	for range d.intN(3) {
		marks, have := []any{}, map[string]bool{}
		for range d.intN(2) {
			kind := d.oneOf("bold", "italic", "code", "keyboard", "strikethrough", "color", "superscript", "subscript")
			if have[kind] {
				continue
			}
			have[kind] = true
			m := map[string]any{"object": "mark", "type": kind}
			if kind == "color" {
				m["data"] = map[string]any{"text": d.oneOf(colors...), "background": d.oneOf(colors...)}
			}
			marks = append(marks, m)
		}
		leaves = append(leaves, map[string]any{"object": "leaf", "text": d.text(), "marks": marks})
	}
	return map[string]any{"object": "text", "leaves": leaves}
}

func (d generator) ref() map[string]any {
	return rapid.SampledFrom([]map[string]any{
		{"kind": "url", "url": "https://x.org/a?b=c&d=(e)#f_g"},
		{"kind": "url", "url": "mailto:a@b.org"},
		{"kind": "page", "page": "p_1"},
		{"kind": "page", "page": "p_1", "space": "s_1"},
		{"kind": "anchor", "anchor": "here"},
		{"kind": "anchor", "anchor": "here", "page": "p_1"},
		{"kind": "anchor", "anchor": "h", "page": "p_1", "space": "s_1"},
		{"kind": "file", "file": "f_1"},
		{"kind": "space", "space": "s_1"},
		{"kind": "collection", "collection": "c_1"},
		{"kind": "user", "user": "u_1"},
		{"kind": "openapi", "spec": "pets"},
		{"kind": "reusable-content", "reusableContent": "rc_1"},
	}).Draw(d.T, "ref")
}

func (d generator) picture() map[string]any {
	return rapid.SampledFrom([]map[string]any{
		{"kind": "url", "url": "https://x.org/a.png"}, {"kind": "file", "file": "f_1"},
	}).Draw(d.T, "picture")
}

func (d generator) inline() map[string]any {
	data := map[string]any{}
	kind := d.oneOf("link", "emoji", "icon", "expression", "inline-math", "inline-image", "annotation", "mention", "button")
	switch kind {
	case "link":
		nodes := []any{d.texts()}
		if d.boolean() {
			nodes = append(nodes, d.node("inline", "inline-image", map[string]any{"ref": d.picture()}, nil))
		}
		return d.node("inline", kind, map[string]any{"ref": d.ref()}, nodes)
	case "emoji":
		data["code"] = d.oneOf("1f604", "1f468-200d-1f469", "2764")
	case "icon":
		data["icon"] = d.oneOf("github", "arrow-up")
	case "expression":
		data["expression"] = d.oneOf("space.vars.a_b", "page.vars.x", "visitor.claims.a == \"b\" && c < 1", "a}}b")
	case "inline-math":
		data["formula"] = d.oneOf("x^2", "a_b*c*", "\\frac{a}{b}", "a < b", "`x`", "[a](b)")
	case "inline-image":
		data["ref"] = d.picture()
		d.maybeSet(data, "refDark", d.picture())
		d.maybeSet(data, "caption", d.word())
		d.maybeSet(data, "size", d.oneOf("original", "line"))
	case "annotation":
		n := d.node("inline", kind, nil, []any{d.texts()})
		n["fragments"] = []any{
			map[string]any{"object": "fragment", "type": "annotation-body", "nodes": d.blocks(3, " paragraph list-unordered code ")},
		}
		return n
	case "mention":
		data["ref"] = d.ref()
	case "button":
		data["ref"], data["label"], data["kind"] = d.ref(), d.word(), d.oneOf("primary", "secondary")
		d.maybeSet(data, "icon", "rocket")
	}
	return d.node("inline", kind, data, nil)
}

func (d generator) line() []any {
	nodes := []any{}
	for range d.intN(3) {
		if d.intN(2) == 0 {
			nodes = append(nodes, d.inline())
		} else {
			nodes = append(nodes, d.texts())
		}
	}
	return nodes
}

var topBlocks = "paragraph heading-1 heading-2 heading-3 list-ordered list-unordered list-tasks divider blockquote hint images file " +
	"drawing embed code math expandable tabs table swagger openapi-operation openapi-schemas openapi-webhook content-ref integration " +
	"reusable-content stepper columns if "

// blocks draws blocks of the allowed kinds.
func (d generator) blocks(depth int, kinds string) []any {
	nodes := []any{}
	if depth > 3 {
		kinds = " paragraph "
	}
	for range d.intN(3) {
		nodes = append(nodes, d.block(depth, d.oneOf(strings.Fields(kinds)...)))
	}
	return nodes
}

func (d generator) items(depth int, kind, kinds string, data func(map[string]any)) []any {
	nodes := []any{}
	for range 1 + d.intN(2) {
		said := map[string]any{}
		data(said)
		nodes = append(nodes, d.node("block", kind, said, d.blocks(depth+1, kinds)))
	}
	return nodes
}

func (d generator) block(depth int, kind string) map[string]any {
	data := map[string]any{}
	switch kind {
	case "paragraph":
		d.maybeSet(data, "align", d.oneOf("start", "center", "end"))
		return d.node("block", kind, data, d.line())
	case "heading-1", "heading-2", "heading-3":
		d.maybeSet(data, "id", d.oneOf("some-id", "a.b_c+1"))
		d.maybeSet(data, "align", d.oneOf("center", "end"))
		return d.node("block", kind, data, d.line())
	case "list-ordered", "list-unordered", "list-tasks":
		if kind == "list-ordered" {
			d.maybeSet(data, "start", float64(d.intN(12)))
		}
		return d.node("block", kind, data, d.items(depth, "list-item", documents.AllowedChildren("list-item"), func(said map[string]any) {
			if kind == "list-tasks" {
				d.maybeSet(said, "checked", d.boolean())
			}
		}))
	case "blockquote":
		return d.node("block", kind, nil, d.blocks(depth+1, documents.AllowedChildren("blockquote")))
	case "hint":
		return d.node("block", kind, map[string]any{"style": d.oneOf(styles...)}, d.blocks(depth+1, documents.AllowedChildren("hint")))
	case "if":
		data["expression"] = d.oneOf("visitor.claims.a", "a == \"b\" && c < 1")
		return d.node("block", kind, data, d.blocks(depth+1, strings.ReplaceAll(topBlocks, " columns if ", " ")))
	case "tabs":
		d.maybeSet(data, "fullWidth", d.boolean())
		return d.node("block", kind, data, d.items(depth, "tabs-item", documents.AllowedChildren("tabs-item"), func(said map[string]any) {
			d.maybeSet(said, "title", d.word())
		}))
	case "stepper":
		return d.node("block", kind, nil, d.items(depth, "stepper-step", documents.AllowedChildren("stepper-step"), func(
			said map[string]any,
		) {
			d.maybeSet(said, "icon", "flag")
		}))
	case "columns":
		d.maybeSet(data, "fullWidth", d.boolean())
		return d.node("block", kind, data, d.items(depth, "column", documents.AllowedChildren("column"), func(said map[string]any) {
			d.maybeSet(said, "width", d.length())
		}))
	case "code":
		return d.code(data)
	case "images":
		return d.images(data)
	case "expandable":
		d.maybeSet(data, "defaultExpanded", d.boolean())
		n := d.node("block", kind, data, nil)
		title := []any{}
		if d.boolean() {
			title = append(title, d.node("block", "paragraph", nil, d.line()))
		}
		n["fragments"] = []any{
			map[string]any{"object": "fragment", "fragment": "expandable-title", "type": "expandable-title", "nodes": title},
			map[string]any{
				"object": "fragment", "fragment": "expandable-body", "type": "expandable-body", "nodes": d.blocks(depth+1,
					documents.AllowedChildren("expandable-body")),
			},
		}
		return n
	case "table":
		return d.table(data)
	}
	return d.node("block", kind, d.single(kind, data), nil)
}

func (d generator) single(kind string, data map[string]any) map[string]any {
	switch kind {
	case "file":
		data["ref"] = map[string]any{"kind": "file", "file": "f_1"}
	case "drawing":
		d.maybeSet(data, "ref", map[string]any{"kind": "file", "file": "f_1"})
	case "embed":
		data["url"] = "https://x.org/a?b=\"c\"&d"
		d.maybeSet(data, "fullWidth", d.boolean())
	case "math":
		data["formula"] = d.oneOf("x^2", "a\nb", "\\frac{a}{b}", "a $$ b", "", " a ", "a < b\n\nc", "```")
	case "swagger":
		data["ref"], data["path"], data["method"] = d.picture(), "/pets/{id}", "get"
		d.maybeSet(data, "expanded", d.boolean())
	case "openapi-operation":
		data["ref"], data["path"], data["method"] = map[string]any{"kind": "openapi", "spec": "pets"}, "/pets", "post"
	case "openapi-schemas":
		data["ref"], data["schemas"] = map[string]any{"kind": "openapi", "spec": "pets"}, []any{"A", "B"}
		d.maybeSet(data, "grouped", d.boolean())
	case "openapi-webhook":
		data["ref"], data["name"], data["method"] = map[string]any{"kind": "openapi", "spec": "pets"}, "newPet", "post"
	case "content-ref":
		data["ref"] = d.ref()
	case "integration":
		data["integration"], data["block"], data["props"] = "mermaid", "diagram", map[string]any{
			"content": d.text(), "n": 1.5, "deep": []any{true, nil},
		}
		d.maybeSet(data, "action", map[string]any{"action": "x"})
		d.maybeSet(data, "url", "https://x.org")
	case "reusable-content":
		data["ref"] = map[string]any{"kind": "reusable-content", "reusableContent": "rc_1"}
	}
	return data
}

func (d generator) code(data map[string]any) map[string]any {
	d.maybeSet(data, "syntax", d.oneOf("go", "c++", "a b"))
	d.maybeSet(data, "title", d.word())
	d.maybeSet(data, "overflow", d.oneOf("scroll", "wrap"))
	d.maybeSet(data, "lineNumbers", d.boolean())
	lines := []any{}
	for range d.intN(3) {
		said := map[string]any{}
		d.maybeSet(said, "highlighted", d.boolean())
		code := map[string]any{
			"object": "text", "leaves": []any{
				map[string]any{"object": "leaf", "text": strings.ReplaceAll(d.text(), "\n", ""), "marks": []any{}},
			},
		}
		lines = append(lines, d.node("block", "code-line", said, []any{code}))
	}
	return d.node("block", "code", data, lines)
}

// length draws a length in any form in which it may be sent.
func (d generator) length() any {
	return rapid.SampledFrom([]any{
		300.0, 0.5, "300", "50%", "1.5em", map[string]any{"value": 33.3, "unit": "%"}, map[string]any{"value": 200.0, "unit": "px"},
	}).Draw(d.T, "length")
}

func (d generator) images(data map[string]any) map[string]any {
	d.maybeSet(data, "align", d.oneOf("center", "left", "right"))
	d.maybeSet(data, "fullWidth", d.boolean())
	nodes := []any{}
	for range 1 + d.intN(1) {
		said := map[string]any{"ref": d.picture()}
		d.maybeSet(said, "alt", d.word())
		d.maybeSet(said, "width", d.length())
		d.maybeSet(said, "height", d.length())
		d.maybeSet(said, "refDark", d.picture())
		n := d.node("block", "image", said, nil)
		n["fragments"] = []any{}
		if d.boolean() {
			n["fragments"] = []any{
				map[string]any{
					"object": "fragment", "fragment": "caption", "type": "caption", "nodes": []any{
						d.node("block", "paragraph", nil, d.line()),
					},
				},
			}
		}
		nodes = append(nodes, n)
	}
	return d.node("block", "images", data, nodes)
}

func (d generator) table(data map[string]any) map[string]any {
	view := map[string]any{"type": "grid", "hideHeader": d.boolean()}
	if d.boolean() {
		view = map[string]any{"type": "cards", "cardSize": d.oneOf("medium", "large")}
		d.maybeSet(view, "hideColumnTitle", d.boolean())
	}
	definition, columns, widths := map[string]any{}, []any{}, map[string]any{}
	count := 1 + d.intN(3)
	for i := range count {
		id := fmt.Sprintf("col%d", i)
		c := map[string]any{
			"id": id, "title": d.word(), "type": d.oneOf("text", "text", "number", "checkbox", "files", "users", "rating", "select",
				"content-ref"),
		}
		switch c["type"] {
		case "text":
			c["textAlignment"] = d.oneOf("left", "center", "right")
			d.maybeSet(c, "verticalAlignment", d.oneOf("top", "middle", "bottom"))
		case "users":
			c["multiple"] = d.boolean()
		case "rating":
			c["max"] = 7.0
		case "select":
			c["multiple"], c["options"] = d.boolean(), []any{map[string]any{"value": "v", "label": "L <x>", "color": "red"}}
		}
		definition[id] = c
		if i == 0 || i < count-1 || d.boolean() {
			columns = append(columns, id)
		}
		d.maybeSet(widths, id, 120.0)
	}
	view["columns"] = columns
	if view["type"] == "grid" {
		d.maybeSet(view, "columnWidths", widths)
	} else {
		d.maybeSet(view, "targetDefinition", "col0")
	}
	records, fragments := map[string]any{}, []any{}
	for i := range d.intN(2) {
		values := map[string]any{}
		for id, c := range definition {
			switch kind := c.(map[string]any)["type"]; kind {
			case "text":
				name := fmt.Sprintf("%s-%d", id, i)
				values[id] = name
				fragments = append(fragments, map[string]any{
					"object": "fragment", "fragment": name, "nodes": []any{d.node("block", "paragraph", nil, d.line())},
				})
			default:
				d.maybeSet(values, id, map[string]any{
					"number": 1.5, "checkbox": true, "files": []any{"f_1"}, "users": []any{"u_1"}, "rating": 3.0, "select": []any{"v"},
					"content-ref": map[string]any{"kind": "page", "page": "p_1"},
				}[fmt.Sprint(kind)])
			}
		}
		records[fmt.Sprintf("row%d", i)] = map[string]any{"orderIndex": fmt.Sprintf("a%d", 9-i), "values": values}
	}
	data["view"], data["definition"], data["records"] = view, definition, records
	n := d.node("block", "table", data, nil)
	n["fragments"] = fragments
	return n
}

// drawDocument draws a document as a client may send it.
func drawDocument(t *rapid.T) api.JSONDocument {
	nodes := generator{t}.blocks(0, topBlocks)
	data, err := json.Marshal(map[string]any{"object": "document", "data": map[string]any{"schemaVersion": 1}, "nodes": nodes})
	if err != nil {
		t.Fatal(err)
	}
	return fromJSON(data)
}

// colors and styles are values of node data.
var (
	colors = []string{
		"default", "green", "blue", "red", "orange", "yellow", "purple", "$primary", "$info", "$success", "$warning", "$danger",
	}
	styles = []string{"info", "warning", "danger", "success"}
)

func sourceOf(markdown string) documents.Source {
	return documents.Source{Text: content.Text{Markdown: []byte(markdown)}}
}

// newParagraph returns a new paragraph.
func newParagraph(text string) api.DocumentNode {
	leaf := api.DocumentLeaf{Object: "leaf", Text: text, Marks: []api.DocumentMark{}}
	return api.DocumentNode{
		Object: "block", Type: "paragraph", Nodes: []api.DocumentNode{{Object: "text", Leaves: []api.DocumentLeaf{leaf}}},
	}
}

func fromJSON(data []byte) (d api.JSONDocument) {
	if err := json.Unmarshal(data, &d); err != nil {
		panic(err)
	}
	return d
}

func toJSON(t interface{ Fatal(args ...any) }, d api.JSONDocument) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	if err := encoder.Encode(d); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDocumentsRoundTripCampaign checks that a document written as Markdown and read again is the same. make campaign
// NAME=documents draws 5,000 and reports the number and reasons of refusals.
func TestDocumentsRoundTripCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "documents", 150, 5000)
	refused, lost := map[string]int{}, 0
	for i := range runs {
		d := rapid.Custom(drawDocument).Example(int(seed%1e9) + i)
		source, err := Markdown(d)
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			refused[refusal.Reason]++
			if strings.HasPrefix(refusal.Reason, "has no form") {
				lost++
				t.Logf("document %d: %s\n%s\n%s", i, refusal, first(printDocument(d)), toJSON(t, d))
			}
			continue
		}
		again := documents.Write(sourceOf(string(source)))
		if where := difference(d, again); where != "" {
			t.Errorf("document %d: differs at %s\n%s", i, where, source)
		}
		for _, misfit := range texttest.Violations(toJSON(t, again)) {
			t.Errorf("document %d: %s\n%s", i, misfit, source)
		}
	}
	if lost > runs/1000 {
		t.Errorf("%d of %d have no form, though all that they say has one", lost, runs)
	}
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%d of %d were refused: %s", refused[reason], runs, reason)
	}
}

func first[T any](value T, _ error) T { return value }
