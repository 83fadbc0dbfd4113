package content

import (
	"bytes"
	"maps"
	"regexp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
)

const (
	documentVersion = 1
	// maxContainers bounds how deep containers are looked for in each other; what is deeper is text.
	maxContainers = 32
)

// Document is a text as a tree. All that people read of the Markdown is in its leaves, in its order; a block that the
// table has carries its id as key. Raw HTML, for which the tree has no form, is code.
func Document(t Text) api.JSONDocument {
	start := bodyStart(t.Markdown)
	w := documentWriter{markdown: t.Markdown, table: t.Blocks, claimed: map[string]bool{}}
	w.references = references(t.Markdown[start:])
	bom := len(t.Markdown) - len(bytes.TrimPrefix(t.Markdown, []byte(byteOrderMark)))
	entries, _, _ := cutFrontMatter(t.Markdown, bom)
	return api.JSONDocument{
		Object: "document",
		Data:   api.DocumentData{SchemaVersion: documentVersion, FrontMatter: string(entries)},
		Nodes:  append([]api.DocumentNode{}, w.blocks(start, len(t.Markdown), 0)...),
	}
}

// documentWriter writes the tree of one text.
type documentWriter struct {
	markdown   []byte
	table      Table
	claimed    map[string]bool // ids of blocks that are keys already
	references markdown.References
}

// references are the link reference definitions of a text: they count everywhere in it.
func references(source []byte) markdown.References {
	if !bytes.Contains(source, []byte("]:")) {
		return nil
	}
	return markdown.Definitions(source)
}

// key is the id of the block that has the byte at an offset, for the first that asks.
func (w *documentWriter) key(offset int) string {
	for low, high := 0, len(w.table); low < high; {
		middle := (low + high) / 2
		switch block := w.table[middle]; {
		case offset < block.Start:
			high = middle
		case offset >= block.End:
			low = middle + 1
		case w.claimed[block.ID]:
			return ""
		default:
			w.claimed[block.ID] = true
			return block.ID
		}
	}
	return ""
}

// blocks are the blocks of markdown[from:to]. Containers are found first; the Markdown parser cuts what lies between.
func (w *documentWriter) blocks(from, to, depth int) []api.DocumentNode {
	if depth > maxContainers {
		return w.plain(from, to)
	}
	var nodes []api.DocumentNode
	for _, c := range findContainers(w.markdown[:to], from) {
		nodes = append(nodes, w.plain(from, c.start)...)
		nodes = append(nodes, w.container(c, depth)...)
		from = c.end
	}
	return append(nodes, w.plain(from, to)...)
}

// containerTypes are the block types of containers by their tags. Others are text around what is in them.
var containerTypes = map[string]string{
	"hint": "hint", "tabs": "tabs", "tab": "tabs-item", "stepper": "stepper", "step": "stepper-step",
	"columns": "columns", "column": "column", "content-ref": "content-ref", "if": "if",
}

func (w *documentWriter) container(c container, depth int) []api.DocumentNode {
	line, open := nextLine(w.markdown, c.start)
	end := lineStart(w.markdown, c.start+len(TrimEnd(w.markdown[c.start:c.end])))
	name, _ := tagName(line)
	key := w.key(c.start)
	inside := w.blocks(open, end, depth+1)
	data := tagData(line)
	kind, known := containerTypes[name]
	switch {
	case known:
		return []api.DocumentNode{{Object: "block", Type: kind, Key: key, Data: data, Nodes: orText(inside)}}
	case name == "code" && len(inside) == 1 && inside[0].Type == "code":
		inside[0].Key = key
		maps.Copy(inside[0].Data, data)
		return inside
	}
	nodes := append([]api.DocumentNode{paragraph(key, string(TrimEnd(line)))}, inside...)
	return append(nodes, paragraph("", string(TrimEnd(w.markdown[end:c.end]))))
}

// voidTags are the block types of tags that stand alone.
var voidTags = map[string]string{"embed": "embed", "file": "file", "swagger": "swagger", "openapi": "swagger", "include": "reusable-content"}

// tag is the block of a paragraph that is one tag, such as an include.
func tag(line []byte) (api.DocumentNode, bool) {
	name, ok := tagName(line)
	kind, known := voidTags[name]
	if !ok || !known || bytes.ContainsAny(TrimEnd(line), "\n") {
		return api.DocumentNode{}, false
	}
	data := tagData(line)
	if name == "include" {
		m := includeExpression.FindSubmatch(TrimEnd(line))
		if m == nil {
			return api.DocumentNode{}, false
		}
		data["ref"] = map[string]string{"kind": "reusable-content", "reusableContent": string(m[2])}
	}
	return api.DocumentNode{Object: "block", Type: kind, IsVoid: true, Data: data, Nodes: orText(nil)}, true
}

var tagAttribute = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_-]*)="([^"]*)"`)

// tagData are the attributes of a tag; a URL becomes a reference.
func tagData(line []byte) map[string]any {
	data := map[string]any{}
	for _, m := range tagAttribute.FindAllSubmatch(line, -1) {
		name, value := string(m[1]), string(m[2])
		if name == "url" || name == "src" {
			data["ref"] = contentRef(value)
		}
		data[name] = value
	}
	return data
}

// paragraph is a paragraph of one text.
func paragraph(key, s string) api.DocumentNode {
	return api.DocumentNode{Object: "block", Type: "paragraph", Key: key, Data: map[string]any{}, Nodes: []api.DocumentNode{textNode(leaf(s))}}
}
