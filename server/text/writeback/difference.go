package writeback

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/documents"
)

// difference returns the path of the first difference of two documents, or "" if they are equivalent. Keys, generated ids,
// the order of marks, the division of text into leaves, and members with their default value are ignored.
func difference(a, b api.JSONDocument) string { return nodesDifference(a.Nodes, b.Nodes, "nodes") }

func nodesDifference(a, b []api.DocumentNode, path string) string {
	a, b = normalizeTexts(a), normalizeTexts(b)
	for i := range a {
		at := fmt.Sprintf("%s[%d]", path, i)
		if i >= len(b) {
			return at
		}
		if where := nodeDifference(a[i], b[i], at); where != "" {
			return where
		}
	}
	if len(b) > len(a) {
		return fmt.Sprintf("%s[%d]", path, len(a))
	}
	return ""
}

// normalizeTexts removes empty texts and joins adjacent ones.
func normalizeTexts(nodes []api.DocumentNode) []api.DocumentNode {
	var all []api.DocumentNode
	for _, n := range nodes {
		if n.Object != "text" {
			all = append(all, n)
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].Object == "text" {
			all[last].Leaves = mergeLeaves(slices.Concat(all[last].Leaves, n.Leaves))
			continue
		}
		if n.Leaves = mergeLeaves(n.Leaves); len(n.Leaves) > 0 {
			all = append(all, n)
		}
	}
	return all
}

func nodeDifference(a, b api.DocumentNode, path string) string {
	if a.Object != b.Object || a.Type != b.Type {
		return path
	}
	if a.Object == "text" {
		return leavesDifference(a.Leaves, b.Leaves, path)
	}
	if a.Type == "table" {
		return tablesDifference(a, b, path)
	}
	if where := dataDifference(withoutDefaults(a), withoutDefaults(b)); where != "" {
		return path + ".data." + where
	}
	if where := nodesDifference(a.Nodes, b.Nodes, path+".nodes"); where != "" {
		return where
	}
	return fragmentsDifference(a.Fragments, b.Fragments, path+".fragments")
}

func leavesDifference(a, b []api.DocumentLeaf, path string) string {
	if len(a) != len(b) {
		return path + ".leaves"
	}
	for i := range a {
		if a[i].Text != b[i].Text || !sameMarks(a[i].Marks, b[i].Marks) {
			return fmt.Sprintf("%s.leaves[%d]", path, i)
		}
	}
	return ""
}

// fragmentsDifference compares fragments by their role in the block; fragments without nodes are ignored.
func fragmentsDifference(a, b []api.DocumentNode, path string) string {
	named := func(all []api.DocumentNode) map[string][]api.DocumentNode {
		found := map[string][]api.DocumentNode{}
		for _, f := range all {
			name := f.Type
			if name == "" {
				name = f.Fragment
			}
			if len(f.Nodes) > 0 {
				found[name] = append(found[name], f.Nodes...)
			}
		}
		return found
	}
	x, y := named(a), named(b)
	if !slices.Equal(slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y))) {
		return path
	}
	for i, f := range a {
		name := f.Type
		if name == "" {
			name = f.Fragment
		}
		if where := nodesDifference(x[name], y[name], fmt.Sprintf("%s[%d].nodes", path, i)); where != "" {
			return where
		}
	}
	return ""
}

// defaults maps data members that may be omitted to their default values.
var defaults = map[string]any{"start": 1.0, "size": "original", "checked": false}

// withoutDefaults returns the data of a node without default values, with lengths in one form.
func withoutDefaults(n api.DocumentNode) map[string]any {
	data, _ := plainData(n.Data).(map[string]any)
	documents.NormalizeLengths(n.Type, data)
	maps.DeleteFunc(data, func(name string, v any) bool {
		return v == nil || v == false || v == "" && name != "title" && name != "formula" || defaults[name] == v &&
			(name != "size" || v == "original")
	})
	return data
}

// plainData returns a value in the form in which it is decoded from JSON.
func plainData(value any) any {
	switch v := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, one := range v {
			all[name] = plainData(one)
		}
		return all
	case nil, string, bool, float64:
		return v
	case int:
		return float64(v)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var plain any
	_ = json.Unmarshal(data, &plain) // encoded above
	return plain
}

// dataDifference returns the first member that differs.
func dataDifference(a, b map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !reflect.DeepEqual(a[name], b[name]) {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, have := a[name]; !have {
			return name
		}
	}
	return ""
}

// tablesDifference compares tables by the order of their columns and rows.
func tablesDifference(a, b api.DocumentNode, path string) string {
	x, okA := documents.ParseTable(a)
	y, okB := documents.ParseTable(b)
	if !okA || !okB || len(x.Columns) != len(y.Columns) {
		return path + ".data.definition"
	}
	if where := dataDifference(tableData(a, x), tableData(b, y)); where != "" {
		return path + ".data." + where
	}
	if len(x.Rows) != len(y.Rows) {
		return path + ".data.records"
	}
	for i := range x.Rows {
		for j, cell := range x.Rows[i] {
			other := y.Rows[i][j]
			if !cell.IsText && !reflect.DeepEqual(plainData(cell.Value), plainData(other.Value)) {
				return path + ".data.records"
			}
			if cell.IsText && nodesDifference(cell.VisibleNodes(), other.VisibleNodes(), "") != "" {
				return path + ".fragments"
			}
		}
	}
	return ""
}

// tableData returns the members of a table without generated ids; columns are identified by their index.
func tableData(n api.DocumentNode, t documents.Table) map[string]any {
	names := map[any]any{}
	data := map[string]any{}
	view, _ := plainData(n.Data["view"]).(map[string]any)
	widths, _ := view["columnWidths"].(map[string]any)
	for i, c := range t.Columns {
		name := fmt.Sprintf("column %d", i)
		names[c.ID] = name
		definition, _ := plainData(c.Definition).(map[string]any)
		delete(definition, "id")
		maps.DeleteFunc(definition, func(_ string, v any) bool { return v == nil || v == false })
		data["definition "+name] = definition
		if widths[c.ID] != nil {
			data["width "+name] = widths[c.ID]
		}
		data["hidden "+name] = c.Hidden
	}
	for name, value := range view {
		switch {
		case name == "columns" || name == "columnWidths" || value == false || value == nil:
		case strings.HasSuffix(name, "Definition"):
			data["view."+name] = names[value]
		default:
			data["view."+name] = value
		}
	}
	for name, value := range n.Data {
		if name != "view" && name != "records" && name != "definition" && value != false && value != nil {
			data[name] = plainData(value)
		}
	}
	return data
}
