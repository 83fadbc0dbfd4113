package content

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/yuin/goldmark/util"
)

// Definition is a link reference definition.
type Definition struct {
	Label string // as labels are compared
	Text  []byte // as it is written
}

// definitionLine is what a definition looks like to somebody who does not parse.
var definitionLine = regexp.MustCompile(`(?m)^ {0,3}\[(?:[^\[\]\\]|\\.)+\]:`)

// Definitions are those of a text that count in it, in their order. Those inside of other blocks are left out.
func Definitions(markdown []byte) (found []Definition) {
	if !definitionLine.Match(markdown) {
		return nil
	}
	known := map[string]bool{}
	for _, block := range Blocks(markdown) {
		text := markdown[block.Start:block.End]
		label := definitionLine.Find(text)
		if block.Kind != KindDefinition || label == nil {
			continue
		}
		d := Definition{labelOf(bytes.TrimSuffix(label, []byte(":"))), TrimEnd(text[LeadingBlank(text):])}
		if !known[d.Label] {
			found = append(found, d)
		}
		known[d.Label] = true
	}
	return found
}

// label is what may be one of a reference.
var label = regexp.MustCompile(`\\.|\[(?:[^\[\]\\]|\\.)+\][(:]?`)

// Undefined are the labels in a text, perhaps of references, that it does not define itself: sorted, as labels are compared.
// Some are in code, or no labels at all.
func Undefined(markdown []byte) []string {
	if !bytes.ContainsRune(markdown, '[') {
		return nil
	}
	defined := map[string]bool{"": true, "x": true} // boxes of tasks
	for _, d := range Definitions(markdown) {
		defined[d.Label] = true
	}
	var labels []string
	for _, at := range label.FindAllIndex(markdown, -1) {
		text := markdown[at[0]:at[1]]
		if text[0] == '\\' || bytes.HasSuffix(text, []byte("(")) {
			continue
		}
		if of := labelOf(bytes.TrimSuffix(text, []byte(":"))); !defined[of] {
			labels = append(labels, of)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// labelOf is a label in brackets as labels are compared.
func labelOf(text []byte) string {
	return util.ToLinkReference(bytes.Trim(bytes.TrimLeft(text, " "), "[]"))
}

// WithDefinitions is a text with definitions before all that it says, where nothing that stands open at its end can take
// them for something else.
func WithDefinitions(markdown []byte, definitions []Definition) []byte {
	if len(definitions) == 0 {
		return markdown
	}
	start := bodyStart(markdown)
	var out bytes.Buffer
	out.Write(markdown[:start])
	if head := markdown[:start]; start > 0 && !isBOM(head) && !bytes.HasSuffix(head, []byte("\n")) {
		out.WriteByte('\n')
	}
	for _, d := range definitions {
		out.Write(d.Text)
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	out.Write(markdown[start:])
	return out.Bytes()
}
