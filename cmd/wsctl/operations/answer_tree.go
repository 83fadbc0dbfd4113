package operations

import (
	"encoding/json"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// value prints an answer; a table is printed as a list where the output has rows.
func (w *Writer) value(body []byte) error {
	if !w.isTable() || !w.printer.Rows() {
		return w.printer.Value(body)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(orNull(whole[w.row.Items()]), &items); err != nil {
		return err
	}
	list := w.printer.List()
	if err := addTree(list, items, "", w.printer.Aligned()); err != nil {
		return err
	}
	return list.Close()
}

// branches are the members that hold what is below an item: of a page, a section group, a section.
var branches = []string{"pages", "sections", "siteSpaces"}

// addTree adds items and, below each, those in its branches; for people their titles are indented.
func addTree(list app.List, items []json.RawMessage, indent string, people bool) error {
	for _, item := range items {
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(item, &members); err != nil {
			return err
		}
		if err := addItem(list, members, indent, people); err != nil {
			return err
		}
		for _, branch := range branches {
			if err := addTree(list, below(members[branch]), indent+"  ", people); err != nil {
				return err
			}
		}
	}
	return nil
}

// below are the items of a branch; there are none where a member has the name of one and holds something else, as a count.
func below(branch json.RawMessage) (items []json.RawMessage) {
	var objects []map[string]json.RawMessage
	if json.Unmarshal(orNull(branch), &objects) != nil || json.Unmarshal(orNull(branch), &items) != nil {
		return nil
	}
	return items
}

func addItem(list app.List, members map[string]json.RawMessage, indent string, people bool) error {
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
