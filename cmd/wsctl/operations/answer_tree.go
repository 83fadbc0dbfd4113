package operations

import (
	"encoding/json"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// writeValue prints a response. A table is printed as a list in formats with rows.
func (w *Writer) writeValue(body []byte) error {
	if !w.isTable() || !w.printer.WritesRows() {
		return w.printer.Value(body)
	}
	list := w.printer.NewList()
	rows, err := w.addRows(list, body)
	if err != nil {
		return err
	}
	if rows == 0 && !w.row.Writes() {
		sayEmpty(w.app, w.options.Empty)
	}
	return list.Close()
}

// addRows adds the rows of a table to a list, each with its descendants, and returns their number without these.
func (w *Writer) addRows(list app.ListWriter, body []byte) (rows int, err error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return 0, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(orNull(whole[w.row.Items()]), &items); err != nil {
		return 0, err
	}
	return len(items), addTree(list, items, "", w.printer.IsAligned())
}

// childMembers are the names of the members that contain the children of a page, a section group or a section.
var childMembers = []string{"pages", "sections", "siteSpaces"}

// addTree adds items, each followed by its descendants. If people is set, titles are indented by depth.
func addTree(list app.ListWriter, items []json.RawMessage, indent string, people bool) error {
	for _, item := range items {
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(item, &members); err != nil {
			return err
		}
		if err := addItem(list, members, indent, people); err != nil {
			return err
		}
		for _, branch := range childMembers {
			if err := addTree(list, children(members[branch]), indent+"  ", people); err != nil {
				return err
			}
		}
	}
	return nil
}

// children decodes the items of a branch. It returns nil if the member is of another type, such as a count.
func children(branch json.RawMessage) (items []json.RawMessage) {
	var objects []map[string]json.RawMessage
	if json.Unmarshal(orNull(branch), &objects) != nil || json.Unmarshal(orNull(branch), &items) != nil {
		return nil
	}
	return items
}

func addItem(list app.ListWriter, members map[string]json.RawMessage, indent string, people bool) error {
	var title string
	var err error
	if json.Unmarshal(members["title"], &title) == nil && people {
		if members["title"], err = json.Marshal(indent + title); err != nil {
			return err
		}
	}
	item, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return list.Add(item)
}

func orNull(data json.RawMessage) json.RawMessage {
	if data == nil {
		return json.RawMessage("null")
	}
	return data
}
