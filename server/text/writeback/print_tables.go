package writeback

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/documents"
)

// images writes pictures in Markdown, or as figures if Markdown cannot represent them.
func (p *printer) images(n api.DocumentNode, path string) string {
	plain := stringData(n, "align") == "" && n.Data["fullWidth"] != true && len(n.Nodes) > 0
	for i, image := range n.Nodes {
		if image.Type != "image" || image.Object != "block" {
			return p.refuse(fmt.Sprintf("%s.nodes[%d].type", path, i), "must be image here")
		}
		plain = plain && image.Data["width"] == nil && image.Data["height"] == nil && image.Data["refDark"] == nil &&
			len(image.Fragments) == 0
	}
	if len(n.Nodes) == 0 {
		return p.refuse(path+".nodes", "must not be empty")
	}
	var parts []string
	for i, image := range n.Nodes {
		at := fmt.Sprintf("%s.nodes[%d]", path, i)
		if plain {
			w := lineWriter{p: p}
			parts = append(parts, w.image(api.DocumentNode{
				Data: map[string]any{"ref": image.Data["ref"], "caption": image.Data["alt"]},
			}, at))
		} else {
			parts = append(parts, p.figure(image, at))
		}
	}
	if plain {
		return strings.Join(parts, "\n")
	}
	attributes := p.dataAttribute("align", n.Data["align"]) + p.dataAttribute("data-full-width", n.Data["fullWidth"])
	return "<div" + attributes + ">" + strings.Join(parts, "") + "</div>"
}

func (p *printer) figure(image api.DocumentNode, path string) string {
	w := lineWriter{p: p}
	attributes := attribute("src", w.address(image, path)) + attribute("alt", stringData(image, "alt"))
	attributes += p.length(image, "width", path) + p.length(image, "height", path)
	caption := ""
	for i, f := range image.Fragments {
		at := fmt.Sprintf("%s.fragments[%d]", path, i)
		if i > 0 || len(f.Nodes) > 1 {
			return p.refuse(at, "is more than the one paragraph that a caption is")
		}
		for j, n := range f.Nodes {
			caption = "<figcaption>" + p.inlines(n.Nodes, fmt.Sprintf("%s.nodes[%d].nodes", at, j), lineContext{html: true}) +
				"</figcaption>"
		}
	}
	return "<figure>" + withDarkImage(image, "<img"+attributes+">") + caption + "</figure>"
}

// withDarkImage returns the HTML of an image. If the node has an image for dark screens, both are in a picture element.
func withDarkImage(n api.DocumentNode, image string) string {
	dark, ok := n.Data["refDark"].(map[string]any)
	if !ok {
		return image
	}
	source := attribute("srcset", documents.Destination(dark)) + attribute("media", "(prefers-color-scheme: dark)")
	return "<picture><source" + source + ">" + image + "</picture>"
}

// table writes a table in Markdown, or in HTML if Markdown cannot represent it.
func (p *printer) table(n api.DocumentNode, path string) string {
	t, ok := documents.ParseTable(n)
	if !ok {
		return p.refuse(path+".data", "must have a view, a definition of each column of it, and records with values")
	}
	if len(t.Columns) == 0 {
		return p.refuse(path+".data.view.columns", "must not be empty")
	}
	if isPlain(t, n) {
		return p.plainTable(t, path)
	}
	return p.richTable(n, t, path)
}

// isPlain reports whether Markdown can represent a table.
func isPlain(t documents.Table, n api.DocumentNode) bool {
	view, _ := n.Data["view"].(map[string]any)
	widths, _ := view["columnWidths"].(map[string]any)
	if t.Cards || t.HideHeader || len(widths) > 0 || view["useNewSizing"] == true || n.Data["fullWidth"] == true {
		return false
	}
	for _, c := range t.Columns {
		if c.Hidden || c.Definition["type"] != "text" || c.Definition["verticalAlignment"] != nil {
			return false
		}
	}
	return true
}

// cell writes the paragraph of a text cell. A cell with any other content is refused.
func (p *printer) cell(v documents.TableValue, path string, at lineContext) string {
	if len(v.Nodes) > 1 || len(v.Nodes) == 1 && v.Nodes[0].Type != "paragraph" {
		return p.refuse(path, "has a cell of more than one paragraph, or of another block")
	}
	if len(v.Nodes) == 0 {
		return ""
	}
	if stringData(v.Nodes[0], "align") != "" {
		return p.refuse(path, "has a cell with an aligned paragraph: columns are aligned")
	}
	return p.inlines(v.Nodes[0].Nodes, path, at)
}

func (p *printer) plainTable(t documents.Table, path string) string {
	var head, rule []string
	for _, c := range t.Columns {
		title := (&lineWriter{p: p, context: lineContext{cell: true}})
		title.pending = c.Title
		head = append(head, title.end())
		rule = append(rule, map[string]string{"center": ":---:", "right": "---:"}[fmt.Sprint(c.Definition["textAlignment"])])
		if rule[len(rule)-1] == "" {
			rule[len(rule)-1] = "---"
		}
	}
	lines := []string{tableRow(head), tableRow(rule)}
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = p.cell(c, path+".fragments", lineContext{cell: true})
		}
		lines = append(lines, tableRow(cells))
	}
	return strings.Join(lines, "\n")
}

func tableRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// richTable writes a table in HTML, in one line.
func (p *printer) richTable(n api.DocumentNode, t documents.Table, path string) string {
	view, _ := n.Data["view"].(map[string]any)
	var out strings.Builder
	out.WriteString("<table")
	if t.Cards {
		out.WriteString(attribute("data-view", "cards") + p.dataAttribute("data-card-size", view["cardSize"]))
	}
	if t.HideHeader || view["hideColumnTitle"] == true {
		out.WriteString(" data-hide-header")
	}
	if view["useNewSizing"] == true {
		out.WriteString(attribute("data-sizing", "new"))
	}
	out.WriteString(p.dataAttribute("data-full-width", n.Data["fullWidth"]) + "><thead><tr>")
	for _, c := range t.Columns {
		title := lineWriter{p: p, context: lineContext{html: true}, pending: c.Title}
		out.WriteString("<th" + p.columnAttributes(view, c) + ">" + title.end() + "</th>")
	}
	out.WriteString("</tr></thead><tbody>")
	for _, r := range t.Rows {
		out.WriteString("<tr>")
		for _, c := range r {
			out.WriteString(p.richCell(c, path))
		}
		out.WriteString("</tr>")
	}
	return out.String() + "</tbody></table>"
}

func (p *printer) richCell(c documents.TableValue, path string) string {
	if c.IsText {
		return "<td>" + p.cell(c, path+".fragments", lineContext{html: true}) + "</td>"
	}
	if c.Value == nil {
		return "<td></td>"
	}
	data, err := json.Marshal(c.Value)
	if err != nil {
		return p.refuse(path+".data.records", "has a value that is not JSON")
	}
	shown := lineWriter{p: p, context: lineContext{html: true}}
	shown.pending = documents.PlainText(c.VisibleNodes())
	return "<td" + attribute("data-value", string(data)) + ">" + shown.end() + "</td>"
}

// columnAttributes returns the attributes of a column from its definition and the table's view.
func (p *printer) columnAttributes(view map[string]any, c documents.TableColumn) string {
	out := ""
	if widths, ok := view["columnWidths"].(map[string]any); ok {
		out += p.dataAttribute("width", widths[c.ID])
	}
	d := c.Definition
	if kind := fmt.Sprint(d["type"]); kind != "text" {
		out += attribute("data-type", kind)
	} else {
		out += p.dataAttribute("align", d["textAlignment"]) + p.dataAttribute("valign", d["verticalAlignment"])
	}
	if d["multiple"] == true {
		out += " data-multiple"
	}
	out += p.dataAttribute("data-max", d["max"])
	if d["options"] != nil {
		data, _ := json.Marshal(d["options"])
		out += attribute("data-options", string(data))
	}
	if c.Hidden {
		out += " data-hidden"
	}
	if view["targetDefinition"] == c.ID {
		out += " data-card-target"
	}
	if view["coverDefinition"] == c.ID {
		out += " data-card-cover"
	}
	return out
}
