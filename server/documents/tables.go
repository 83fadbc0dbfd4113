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

// table is what a block of a table says, by the order of its columns and rows.
type table struct {
	cards      bool
	hideHeader bool
	columns    []tableColumn
	rows       [][]tableValue
}

type tableColumn struct {
	id, title  string
	hidden     bool
	definition map[string]any
}

// tableValue is what stands in a cell: nodes in one of text, any value in another.
type tableValue struct {
	isText bool
	nodes  []api.DocumentNode
	value  any
}

// shown is what people read of a cell.
func (v tableValue) shown() []api.DocumentNode {
	if !v.isText {
		if v.value == nil {
			return nil
		}
		return []api.DocumentNode{text(fmt.Sprint(v.value))}
	}
	var all []api.DocumentNode
	for _, n := range v.nodes {
		all = append(all, n.Nodes...)
	}
	return all
}

// tableOf reads the data of a table; ok is false where it is not that of one.
func tableOf(n api.DocumentNode) (t table, ok bool) {
	view, isView := n.Data["view"].(map[string]any)
	records, isRecords := n.Data["records"].(map[string]any)
	definition, isDefinition := n.Data["definition"].(map[string]any)
	columns, isColumns := view["columns"].([]any)
	if !isView || !isRecords || !isDefinition || !isColumns {
		return t, false
	}
	t.cards = view["type"] == "cards"
	t.hideHeader, _ = view["hideHeader"].(bool)
	shown := map[string]bool{}
	for _, c := range columns {
		id, _ := c.(string)
		if shown[id] || !t.column(definition, id, false) {
			return t, false
		}
		shown[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(definition)) {
		if !shown[id] && !t.column(definition, id, true) {
			return t, false
		}
	}
	return t, t.read(n, records)
}

func (t *table) column(definition map[string]any, id string, hidden bool) bool {
	d, ok := definition[id].(map[string]any)
	title, isString := d["title"].(string)
	t.columns = append(t.columns, tableColumn{id: id, title: title, hidden: hidden, definition: d})
	return ok && isString
}

// read reads the rows, in their order.
func (t *table) read(n api.DocumentNode, records map[string]any) bool {
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
		row := make([]tableValue, len(t.columns))
		for i, c := range t.columns {
			row[i].value = values[c.id]
			if row[i].isText = c.definition["type"] == "text"; row[i].isText {
				name, _ := values[c.id].(string)
				row[i].nodes = fragments[name]
			}
		}
		t.rows = append(t.rows, row)
	}
	return true
}

// decoded is a value that is written as JSON, nil where it is none.
func decoded(s string) (value any) {
	if json.Unmarshal([]byte(s), &value) != nil {
		return nil
	}
	return value
}
