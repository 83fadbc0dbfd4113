package content

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/yuin/goldmark/util"
)

// Definition is a link reference definition.
type Definition struct {
	Label string // normalized for comparison
	Text  []byte // source text
}

// definitionLine matches lines that may be a definition, without parsing the text.
var definitionLine = regexp.MustCompile(`(?m)^ {0,3}\[(?:[^\[\]\\]|\\.)+\]:`)

// Definitions returns the effective top-level link reference definitions of a text in order.
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
		d := Definition{normalizeLabel(bytes.TrimSuffix(label, []byte(":"))), TrimEnd(text[LeadingBlank(text):])}
		if !known[d.Label] {
			found = append(found, d)
		}
		known[d.Label] = true
	}
	return found
}

// labelPattern matches a possible reference label.
var labelPattern = regexp.MustCompile(`\\.|\[(?:[^\[\]\\]|\\.)+\][(:]?`)

// UndefinedLabels returns the sorted, normalized labels in a text that may be references and that the text does not define.
// They may include false positives, such as brackets in code.
func UndefinedLabels(markdown []byte) []string {
	if !bytes.ContainsRune(markdown, '[') {
		return nil
	}
	defined := map[string]bool{"": true, "x": true} // [ ] and [x] are check boxes of task lists
	for _, d := range Definitions(markdown) {
		defined[d.Label] = true
	}
	var labels []string
	for _, at := range labelPattern.FindAllIndex(markdown, -1) {
		text := markdown[at[0]:at[1]]
		if text[0] == '\\' || bytes.HasSuffix(text, []byte("(")) {
			continue
		}
		if of := normalizeLabel(bytes.TrimSuffix(text, []byte(":"))); !defined[of] {
			labels = append(labels, of)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// normalizeLabel returns a label without its brackets, normalized so that labels that refer to the same definition are equal.
func normalizeLabel(text []byte) string {
	return util.ToLinkReference(bytes.Trim(bytes.TrimLeft(text, " "), "[]"))
}

// WithDefinitions inserts definitions before the content of a text, since at its end they could become part of an unclosed
// construct.
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
