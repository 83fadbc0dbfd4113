package documents

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// commonBlocks are the blocks that nearly every kind of block allows.
const commonBlocks = " paragraph heading-1 heading-2 heading-3 list-ordered list-unordered list-tasks divider "

// allowedIn maps kinds of blocks to the kinds that they may contain. Kinds that are not in it may contain all blocks
// except parts.
var allowedIn = map[string]string{
	"list-item":       commonBlocks + "code hint blockquote math table ",
	"hint":            commonBlocks,
	"blockquote":      commonBlocks + "blockquote ",
	"expandable-body": commonBlocks + "images code table hint blockquote reusable-content ",
	"tabs-item":       commonBlocks + "content-ref code embed file images drawing hint blockquote math integration ",
	"stepper-step":    commonBlocks + "content-ref code embed file images drawing hint blockquote math integration ",
	"column":          commonBlocks + "images code hint content-ref drawing embed file integration math blockquote ",
	"annotation-body": commonBlocks + "code ",
	"tabs":            " tabs-item ",
	"stepper":         " stepper-step ",
	"columns":         " column ",
	"code":            " code ",
}

// partBlocks are blocks that only one kind of block contains.
const partBlocks = " list-item code-line image tabs-item stepper-step column "

// AllowedChildren returns the kinds of blocks that a kind of block allows, each surrounded by spaces, and "" if it allows all
// except parts.
func AllowedChildren(parent string) string { return allowedIn[parent] }

func allowed(parent, kind string) bool {
	in := AllowedChildren(parent)
	if parent == "if" { // a condition allows all top-level blocks except conditions and columns
		return kind != "if" && kind != "columns" && allowed("top", kind)
	}
	if in == "" {
		return !strings.Contains(partBlocks, " "+kind+" ")
	}
	return strings.Contains(in, " "+kind+" ")
}

// lower replaces a block that its parent does not allow with allowed blocks that contain all of its text.
func lower(parent string, n api.DocumentNode) (lowered []api.DocumentNode) {
	if partOf := map[string]string{"tabs": "tabs-item", "stepper": "stepper-step", "columns": "column"}[parent]; partOf != "" {
		if n.Type == "paragraph" && len(PlainText(n.Nodes)) == 0 {
			return nil
		}
		into := api.DocumentNode{Object: "block", Type: partOf, Data: map[string]any{}}
		if partOf == "tabs-item" {
			into.Meta = &api.DocumentMeta{ID: "tab"}
		}
		into.Nodes = lowerAll(partOf, []api.DocumentNode{n})
		return []api.DocumentNode{into}
	}
	switch n.Type {
	case "images":
		return []api.DocumentNode{inlineImages(n)}
	case "code":
		return []api.DocumentNode{paragraph(text(strings.Join(linesOf(n), "\n"), Mark("code")))}
	case "math":
		formula, _ := n.Data["formula"].(string)
		return []api.DocumentNode{paragraph(inlineVoid("inline-math", map[string]any{"formula": formula}))}
	case "table":
		for _, row := range rowsOf(n) {
			lowered = append(lowered, paragraph(row...))
		}
		return lowered
	}
	if title, _ := n.Data["title"].(string); title != "" {
		lowered = append(lowered, paragraph(text(title)))
	}
	for _, f := range n.Fragments {
		lowered = append(lowered, lowerAll(parent, f.Nodes)...)
	}
	if lowered = append(lowered, lowerAll(parent, n.Nodes)...); len(lowered) > 0 || n.Nodes != nil {
		return lowered
	}
	return []api.DocumentNode{lowerVoid(n)}
}

// lowerVoid returns a paragraph with the visible text of a block without children.
func lowerVoid(n api.DocumentNode) api.DocumentNode {
	address, _ := n.Data["url"].(string)
	ref, ok := n.Data["ref"].(map[string]any)
	if !ok && address != "" {
		ref, ok = map[string]any{"kind": "url", "url": address}, true
	}
	label := address
	if label == "" && ok {
		label = Destination(ref)
	}
	if !ok {
		return paragraph(text(strings.TrimSpace(strings.ReplaceAll(n.Type, "-", " "))))
	}
	return paragraph(api.DocumentNode{
		Object: "inline", Type: "link", Data: map[string]any{"ref": ref}, Nodes: []api.DocumentNode{text(label)},
	})
}

func lowerAll(parent string, nodes []api.DocumentNode) []api.DocumentNode {
	var all []api.DocumentNode
	for _, n := range nodes {
		n.Key = ""
		if allowed(parent, n.Type) {
			all = append(all, n)
		} else {
			all = append(all, lower(parent, n)...)
		}
	}
	return all
}

// inlineImages returns a paragraph with the pictures of an images block.
func inlineImages(n api.DocumentNode) api.DocumentNode {
	p := paragraph()
	for _, image := range n.Nodes {
		data := map[string]any{"ref": image.Data["ref"]}
		if alt, _ := image.Data["alt"].(string); alt != "" {
			data["caption"] = alt
		}
		p.Nodes = append(p.Nodes, inlineVoid("inline-image", data))
		for _, f := range image.Fragments {
			for _, caption := range f.Nodes {
				p.Nodes = append(p.Nodes, caption.Nodes...)
			}
		}
	}
	return p
}

// Resolver resolves a destination in a text; ok is false if it refers to nothing.
type Resolver func(destination string, image bool) (ref api.ContentRef, ok bool)

// ResolveStable is the Resolver of a text outside a page: it resolves only destinations that identify their target by
// themselves.
func ResolveStable(destination string, _ bool) (ref api.ContentRef, ok bool) {
	path, anchor, _ := strings.Cut(destination, "#")
	parts := strings.Split(path, "/")
	for _, part := range parts[min(len(parts), 1):] {
		if !api.Patterns["id"].MatchString(part) {
			return ref, false
		}
	}
	if len(parts) == 5 && parts[0] == "" && parts[1] == "spaces" && parts[3] == "pages" {
		ref.Space, parts = parts[2], []string{"", "pages", parts[4]}
	}
	switch {
	case path == "" && anchor != "":
		return api.ContentRef{Kind: api.RefAnchor, Anchor: anchor}, true
	case len(parts) != 3 || parts[0] != "":
		return ref, false
	case parts[1] == "pages" && anchor != "":
		ref.Kind, ref.Page, ref.Anchor = api.RefAnchor, parts[2], anchor
		return ref, true
	case parts[1] == "pages":
		ref.Kind, ref.Page = api.RefPage, parts[2]
		return ref, true
	case parts[1] == "files":
		return api.ContentRef{Kind: api.RefFile, File: parts[2]}, anchor == ""
	}
	return ref, false
}

// ref returns the data of a node that refers to a destination; ok is false if the destination cannot be resolved.
func (w *writer) ref(destination string, image bool) (ref map[string]any, ok bool) {
	if scheme, _, found := strings.Cut(destination, ":"); found && !strings.ContainsAny(scheme, "/?#") {
		switch strings.ToLower(scheme) {
		case "http", "https":
			return map[string]any{"kind": "url", "url": destination}, true
		case "mailto", "tel":
			return map[string]any{"kind": "url", "url": destination}, !image
		}
		return nil, false
	}
	found, ok := w.resolve(destination, image)
	if !ok {
		if image {
			return nil, false
		}
		return namedRef(destination)
	}
	if image && found.Kind != api.RefFile && found.Kind != api.RefURL {
		return nil, false
	}
	return refData(found), true
}

// refData returns a reference as the data of a node, without its empty members.
func refData(ref api.ContentRef) map[string]any {
	data := map[string]any{"kind": string(ref.Kind)}
	for name, value := range map[string]string{
		"url": ref.URL, "page": ref.Page, "anchor": ref.Anchor, "file": ref.File, "space": ref.Space, "collection": ref.Collection,
		"spec": ref.Spec,
	} {
		if value != "" {
			data[name] = value
		}
	}
	return data
}

// externalRefs lists the references to resources outside the content by their path in Markdown.
var externalRefs = []struct{ path, kind, member string }{
	{"/spaces/", "space", "space"},
	{"/collections/", "collection", "collection"},
	{"/users/", "user", "user"},
	{"/openapi/", "openapi", "spec"},
	{"/reusable-contents/", "reusable-content", "reusableContent"},
}

func namedRef(destination string) (map[string]any, bool) {
	for _, n := range externalRefs {
		if id, ok := strings.CutPrefix(destination, n.path); ok && api.Patterns["id"].MatchString(id) {
			return map[string]any{"kind": n.kind, n.member: id}, true
		}
	}
	return nil, false
}

// Destination returns the Markdown form of a reference, or "" if it has none.
func Destination(ref map[string]any) string {
	member := func(name string) string { s, _ := ref[name].(string); return s }
	page := "/pages/" + member("page")
	if member("space") != "" {
		page = "/spaces/" + member("space") + page
	}
	switch kind := member("kind"); kind {
	case "url":
		return member("url")
	case "page":
		return page
	case "anchor":
		if member("page") == "" {
			page = ""
		}
		return page + "#" + member("anchor")
	case "file":
		return "/files/" + member("file")
	default:
		for _, n := range externalRefs {
			if n.kind == kind {
				return n.path + member(n.member)
			}
		}
	}
	return ""
}

// PlainText returns the text of nodes without marks.
func PlainText(nodes []api.DocumentNode) string {
	var out strings.Builder
	var walk func(nodes []api.DocumentNode)
	walk = func(nodes []api.DocumentNode) {
		for _, n := range nodes {
			for _, l := range n.Leaves {
				out.WriteString(l.Text)
			}
			walk(n.Nodes)
		}
	}
	walk(nodes)
	return out.String()
}
