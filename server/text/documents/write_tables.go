package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
)

// grid is a table under construction.
type grid struct {
	view, records, definition map[string]any
	visibleColumns            []any // ids of the visible columns
	columnIDs                 []string
	fragments                 []api.DocumentNode
	rows                      int
}

func newGrid() *grid {
	return &grid{
		view: map[string]any{
			"type": "grid", "hideHeader": false,
		}, records: map[string]any{}, definition: map[string]any{}, visibleColumns: []any{},
		fragments: []api.DocumentNode{},
	}
}

// addColumn adds a column with a definition and returns its id.
func (g *grid) addColumn(definition map[string]any, hidden bool) string {
	id := "c" + strconv.Itoa(len(g.columnIDs))
	definition["id"] = id
	g.definition[id] = definition
	g.columnIDs = append(g.columnIDs, id)
	if !hidden {
		g.visibleColumns = append(g.visibleColumns, id)
	}
	return id
}

func textColumn(title, align string) map[string]any {
	return map[string]any{"title": title, "type": "text", "textAlignment": align}
}

// addRow adds an empty row. It returns its id and its values by column, to which the caller adds the cells.
func (g *grid) addRow() (id string, values map[string]any) {
	id, values = "r"+strconv.Itoa(g.rows), map[string]any{}
	g.records[id] = map[string]any{"orderIndex": fmt.Sprintf("%06d", g.rows), "values": values}
	g.rows++
	return id, values
}

// addCell adds a text cell to a row.
func (g *grid) addCell(row string, values map[string]any, column string, inside []api.DocumentNode) {
	name := row + column
	values[column] = name
	g.fragments = append(g.fragments, api.DocumentNode{
		Object: "fragment", Fragment: name, Type: "table-cell", Nodes: []api.DocumentNode{paragraph(inside...)},
	})
}

func (g *grid) write(block *api.DocumentNode) {
	g.view["columns"] = g.visibleColumns
	block.Object, block.Type, block.IsVoid, block.Fragments = "block", "table", new(true), g.fragments
	if block.Data == nil {
		block.Data = map[string]any{}
	}
	block.Data["view"], block.Data["records"], block.Data["definition"] = g.view, g.records, g.definition
}

// table writes a Markdown table; its first row has the titles of the columns.
func (b *blockWriter) table(block *api.DocumentNode, n *extast.Table) {
	g := newGrid()
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.Kind() == extast.KindTableHeader {
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				align := "left"
				if at := len(g.columnIDs); at < len(n.Alignments) && n.Alignments[at] != extast.AlignNone {
					align = n.Alignments[at].String()
				}
				g.addColumn(textColumn(visibleText(b.inlines(cell)), align), false)
			}
			continue
		}
		id, values := g.addRow()
		column := 0
		for cell := row.FirstChild(); cell != nil && column < len(g.columnIDs); cell = cell.NextSibling() {
			g.addCell(id, values, g.columnIDs[column], b.inlines(cell))
			column++
		}
	}
	g.write(block)
}

// rowsOf returns the content of each row of a table, the titles first, with bars between the cells. It returns nil if the data
// of the table is invalid.
func rowsOf(n api.DocumentNode) (rows [][]api.DocumentNode) {
	t, ok := ParseTable(n)
	if !ok {
		return nil
	}
	var titles []string
	for _, c := range t.Columns {
		titles = append(titles, c.Title)
	}
	if head := strings.Join(titles, " | "); !t.HideHeader && strings.Trim(head, " |") != "" {
		rows = append(rows, []api.DocumentNode{text(head)})
	}
	for _, r := range t.Rows {
		var row []api.DocumentNode
		for i, c := range r {
			if i > 0 {
				row = append(row, text(" | "))
			}
			row = append(row, c.VisibleNodes()...)
		}
		rows = append(rows, row)
	}
	return rows
}

// tableCell is a parsed HTML table cell.
type tableCell struct {
	attrs  map[string]string
	line   string
	header bool
}

// table reads an HTML table up to its end. Text outside the cells precedes it.
func (e *elementWriter) table(tokens *html.Tokenizer, attrs map[string]string) (nodes []api.DocumentNode) {
	rows, rest := readCells(tokens)
	if inside := e.w.line(rest, e.depth); len(inside) > 0 {
		nodes = append(nodes, paragraph(inside...))
	}
	if len(rows) == 0 {
		return nodes
	}
	g := newGrid()
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row))
	}
	headed := e.addColumns(g, rows[0], widest)
	for i, row := range rows {
		if i > 0 || !headed {
			e.addRow(g, row)
		}
	}
	block := api.DocumentNode{}
	setTableView(g, &block, attrs, headed)
	g.write(&block)
	return append(nodes, block)
}

// addColumns creates the columns. It reports whether the first row is a header row, which gives their titles.
func (e *elementWriter) addColumns(g *grid, first []tableCell, widest int) (headed bool) {
	headed = true
	for _, c := range first {
		headed = headed && c.header
	}
	for i := range widest {
		var c tableCell
		if headed && i < len(first) {
			c = first[i]
		}
		_, hidden := c.attrs["data-hidden"]
		id := g.addColumn(definitionOf(c.attrs, visibleText(e.w.line(c.line, e.depth))), hidden)
		if width, ok := parseNumber(c.attrs["width"]); ok {
			widths, _ := g.view["columnWidths"].(map[string]any)
			if widths == nil {
				widths = map[string]any{}
			}
			widths[id] = width
			g.view["columnWidths"] = widths
		}
		for _, role := range []string{"target", "cover"} {
			if _, is := c.attrs["data-card-"+role]; is {
				g.view[role+"Definition"] = id
			}
		}
	}
	return headed
}

// addRow adds a row of cells.
func (e *elementWriter) addRow(g *grid, row []tableCell) {
	id, values := g.addRow()
	for i, c := range row {
		column := g.columnIDs[i]
		definition := g.definition[column].(map[string]any)
		if definition["type"] == "text" {
			g.addCell(id, values, column, e.w.line(c.line, e.depth))
			continue
		}
		value, given := c.attrs["data-value"]
		if !given {
			continue
		}
		if decoded := decodeJSON(value); fitsColumn(definition["type"], decoded) {
			values[column] = decoded
		}
	}
}

// parseNumber returns the value of a finite number in the form in which it is written. JSON has no others.
func parseNumber(text string) (number float64, ok bool) {
	number, err := strconv.ParseFloat(text, 64)
	isFinite := !math.IsNaN(number) && !math.IsInf(number, 0)
	return number, err == nil && isFinite && strconv.FormatFloat(number, 'f', -1, 64) == text
}

// definitionOf returns the definition of a column from the attributes of its header cell.
func definitionOf(attrs map[string]string, title string) map[string]any {
	align := attrs["align"]
	if align != "center" && align != "right" {
		align = "left"
	}
	d := textColumn(title, align)
	if v := attrs["valign"]; v == "top" || v == "middle" || v == "bottom" {
		d["verticalAlignment"] = v
	}
	kind := attrs["data-type"]
	if !columnTypes[kind] {
		return d
	}
	d = map[string]any{"title": title, "type": kind}
	switch _, multiple := attrs["data-multiple"]; kind {
	case "users":
		d["multiple"] = multiple
	case "rating":
		most, ok := parseNumber(attrs["data-max"])
		if !ok {
			most = 5
		}
		d["max"] = most
	case "select":
		d["multiple"], d["options"] = multiple, optionsOf(attrs["data-options"])
	}
	return d
}

var columnTypes = map[string]bool{
	"number": true, "checkbox": true, "files": true, "users": true, "rating": true, "select": true, "content-ref": true,
}

// optionsOf returns the options of a select column.
func optionsOf(value string) []any {
	var options []struct {
		Value string `json:"value"`
		Label string `json:"label"`
		Color string `json:"color"`
	}
	_ = json.Unmarshal([]byte(value), &options) // an attribute that is not JSON has no options
	found := []any{}
	for _, o := range options {
		found = append(found, map[string]any{"value": o.Value, "label": o.Label, "color": o.Color})
	}
	return found
}

// fitsColumn reports whether a column type allows a value.
func fitsColumn(kind, value any) bool {
	switch v := value.(type) {
	case float64:
		return kind == "number" || kind == "rating"
	case bool:
		return kind == "checkbox"
	case string:
		return kind == "select" || kind == "users" || kind == "files"
	case map[string]any:
		_, isString := v["kind"].(string)
		return kind == "content-ref" && isString
	case []any:
		for _, one := range v {
			if _, isString := one.(string); !isString {
				return false
			}
		}
		return kind == "files" || kind == "users" || kind == "select"
	}
	return false
}

// setTableView sets the view of a table, such as a hidden header, from the attributes of its HTML element.
func setTableView(g *grid, block *api.DocumentNode, attrs map[string]string, headed bool) {
	_, hide := attrs["data-hide-header"]
	g.view["hideHeader"] = hide || !headed
	if attrs["data-full-width"] == "true" {
		block.Data = map[string]any{"fullWidth": true}
	}
	if attrs["data-sizing"] == "new" {
		g.view["useNewSizing"] = true
	}
	if attrs["data-view"] != "cards" {
		delete(g.view, "targetDefinition")
		delete(g.view, "coverDefinition")
		return
	}
	g.view["type"], g.view["cardSize"] = "cards", "medium"
	if attrs["data-card-size"] == "large" {
		g.view["cardSize"] = "large"
	}
	delete(g.view, "hideHeader")
	if hide {
		g.view["hideColumnTitle"] = true
	}
}

// readCells reads the rows of an HTML table, and the text outside its cells.
func readCells(tokens *html.Tokenizer) (rows [][]tableCell, rest string) {
	var line, outside strings.Builder
	var row []tableCell
	depth, inside := 1, false
	endCell := func() {
		if inside {
			row[len(row)-1].line = line.String()
			line.Reset()
			inside = false
		}
	}
	for depth > 0 {
		kind := tokens.Next()
		raw := string(bytes.Clone(tokens.Raw()))
		token := tokens.Token()
		starts, ends := kind == html.StartTagToken || kind == html.SelfClosingTagToken, kind == html.EndTagToken
		cell := token.Data == "td" || token.Data == "th"
		switch {
		case kind == html.ErrorToken:
			depth = 0
		case token.Data == "table" && starts:
			depth++
		case token.Data == "table" && ends:
			depth--
		case depth > 1 && (starts || ends) && strings.Contains(blockElements, " "+token.Data+" "):
			line.WriteByte(' ')
		case starts && cell:
			endCell()
			row, inside = append(row, tableCell{attrs: tokenAttributes(token), header: token.Data == "th"}), true
		case ends && cell:
			endCell()
		case (starts || ends) && token.Data == "tr":
			endCell()
			if len(row) > 0 {
				rows, row = append(rows, row), nil
			}
		case kind == html.CommentToken || (starts || ends) && strings.Contains(blockElements, " "+token.Data+" "):
			line.WriteByte(' ')
		case inside:
			line.WriteString(raw)
		default:
			outside.WriteString(raw)
		}
	}
	endCell()
	if len(row) > 0 {
		rows = append(rows, row)
	}
	return rows, outside.String()
}
