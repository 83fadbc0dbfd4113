package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Table is the data of a table block, with columns and rows in order.
type Table struct {
	Cards      bool
	HideHeader bool
	Columns    []TableColumn
	Rows       [][]TableValue
}

// TableColumn is a column of a table with its definition in the document.
type TableColumn struct {
	ID, Title  string
	Hidden     bool
	Definition map[string]any
}

// TableValue is the value of a cell: nodes in a text column, any JSON value in another.
type TableValue struct {
	IsText bool
	Nodes  []api.DocumentNode
	Value  any
}

// VisibleNodes returns the visible content of a cell.
func (v TableValue) VisibleNodes() []api.DocumentNode {
	if !v.IsText {
		if v.Value == nil {
			return nil
		}
		return []api.DocumentNode{text(fmt.Sprint(v.Value))}
	}
	var all []api.DocumentNode
	for _, n := range v.Nodes {
		all = append(all, n.Nodes...)
	}
	return all
}

// ParseTable parses the data of a table; ok is false if the data is invalid.
func ParseTable(n api.DocumentNode) (t Table, ok bool) {
	view, isView := n.Data["view"].(map[string]any)
	records, isRecords := n.Data["records"].(map[string]any)
	definition, isDefinition := n.Data["definition"].(map[string]any)
	columns, isColumns := view["columns"].([]any)
	if !isView || !isRecords || !isDefinition || !isColumns {
		return t, false
	}
	t.Cards = view["type"] == "cards"
	t.HideHeader, _ = view["hideHeader"].(bool)
	shown := map[string]bool{}
	for _, c := range columns {
		id, _ := c.(string)
		if shown[id] || !t.addColumn(definition, id, false) {
			return t, false
		}
		shown[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(definition)) {
		if !shown[id] && !t.addColumn(definition, id, true) {
			return t, false
		}
	}
	return t, t.read(n, records)
}

func (t *Table) addColumn(definition map[string]any, id string, hidden bool) bool {
	d, ok := definition[id].(map[string]any)
	title, isString := d["title"].(string)
	t.Columns = append(t.Columns, TableColumn{ID: id, Title: title, Hidden: hidden, Definition: d})
	return ok && isString
}

// read appends the rows of a table in the order of their orderIndex. It returns false if a record has no values.
func (t *Table) read(n api.DocumentNode, records map[string]any) bool {
	fragments := map[string][]api.DocumentNode{}
	for _, f := range n.Fragments {
		fragments[f.Fragment] = f.Nodes
	}
	order := slices.Sorted(maps.Keys(records))
	indexOf := func(id string) string {
		record, _ := records[id].(map[string]any)
		index, _ := record["orderIndex"].(string)
		return index
	}
	sort.SliceStable(order, func(i, j int) bool { return strings.Compare(indexOf(order[i]), indexOf(order[j])) < 0 })
	for _, id := range order {
		record, _ := records[id].(map[string]any)
		values, ok := record["values"].(map[string]any)
		if !ok {
			return false
		}
		row := make([]TableValue, len(t.Columns))
		for i, c := range t.Columns {
			row[i].Value = values[c.ID]
			if row[i].IsText = c.Definition["type"] == "text"; row[i].IsText {
				name, _ := values[c.ID].(string)
				row[i].Nodes = fragments[name]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return true
}

// decodeJSON returns a JSON value, or nil if it is invalid.
func decodeJSON(s string) (value any) {
	if json.Unmarshal([]byte(s), &value) != nil {
		return nil
	}
	return value
}
