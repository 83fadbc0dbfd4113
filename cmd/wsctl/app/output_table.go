package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	columnGap      = 2 // cells between columns
	minColumnWidth = 8 // minimum width of a column
	boldSGR        = "\x1b[1m"
	resetSGR       = "\x1b[0m"
)

// tableList buffers its rows until Close, in order to align the columns.
type tableList struct {
	p    *Printer
	rows [][]string
}

func (l *tableList) Add(item []byte) error {
	cells, err := l.p.cells(item, formatLine)
	if err != nil {
		return err
	}
	for i := range cells {
		cells[i] = l.p.humanizeTime(cells[i])
	}
	l.rows = append(l.rows, cells)
	return nil
}

func (l *tableList) Close() error {
	if len(l.rows) == 0 {
		return nil
	}
	headings := make([]string, len(l.p.Columns))
	for i, c := range l.p.Columns {
		headings[i] = c.Heading
	}
	all := l.rows
	if !l.p.NoHeaders {
		all = append([][]string{headings}, l.rows...)
	}
	widths := fitWidths(naturalWidths(all), l.p.Width)
	var b strings.Builder
	for i, row := range all {
		line := alignRow(row, widths)
		if i == 0 && !l.p.NoHeaders && l.p.Color {
			line = boldSGR + line + resetSGR
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(l.p.Out, b.String())
	return err
}

// naturalWidths returns the width of the longest cell of each column.
func naturalWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

// fitWidths shrinks the widest columns until the table fits the terminal. The first column is not shrunk, because a
// truncated id is useless.
func fitWidths(widths []int, terminal int) []int {
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; terminal > 0 && total > terminal; total-- {
		widest := 0
		for i := 1; i < len(widths); i++ {
			if widest == 0 || widths[i] > widths[widest] {
				widest = i
			}
		}
		if widest == 0 || widths[widest] <= minColumnWidth {
			break
		}
		widths[widest]--
	}
	return widths
}

func alignRow(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		cell = ansi.Truncate(cell, widths[i], "…")
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+columnGap))
	}
	return strings.TrimRight(b.String(), " ")
}

// writeRecord writes an object with a line per member, in the order of the response.
func (p *Printer) writeRecord(data []byte) error {
	members, err := flatten(data, "", p.IsAligned() && len(p.Columns) == 0)
	if err != nil {
		return err
	}
	if len(p.Columns) > 0 {
		members = selectMembers(members, p.Columns)
	}
	separator, width := "\t", 0
	if p.IsAligned() {
		separator = strings.Repeat(" ", columnGap)
		for _, m := range members {
			width = max(width, ansi.StringWidth(m.label))
		}
	}
	var b strings.Builder
	for _, m := range members {
		value := SanitizeLine(m.value)
		if width > 0 {
			value = p.humanizeTime(value)
		}
		fmt.Fprintf(&b, "%-*s%s%s\n", width, m.label, separator, value)
	}
	_, err = io.WriteString(p.Out, b.String())
	return err
}

// entry is a line of a record.
type entry struct{ path, label, value string }

// flatten returns the members of an object in order. Members of nested objects get dotted paths; lists stay on one
// line. If brief is set, members for programs are left out, and empty or named objects take one line.
func flatten(data []byte, prefix string, brief bool) ([]entry, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return []entry{{prefix, prefix, string(data)}}, err
	}
	var entries []entry
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		path := strings.TrimPrefix(prefix+"."+key, ".")
		if brief && isHiddenMember(key) {
			continue
		}
		if name := describeReference(raw); brief && name != "" {
			entries = append(entries, entry{path, SanitizeLine(path), name})
			continue
		}
		if bytes.HasPrefix(raw, []byte("{")) {
			below, err := flatten(raw, path, brief)
			if err != nil {
				return nil, err
			}
			entries = append(entries, below...)
			continue
		}
		value, err := decode(raw)
		if err != nil {
			return nil, err
		}
		if brief && formatValue(value) == "" {
			continue
		}
		entries = append(entries, entry{path, SanitizeLine(path), formatValue(value)})
	}
	return entries, nil
}

// isHiddenMember reports whether a member is left out of records for people. It is still shown by -o json and --columns.
func isHiddenMember(key string) bool {
	switch key {
	case "object", "permissions", "layout", "location", "kind", "blocks", "documentId":
		return true
	default:
		return false
	}
}

// describeReference returns the name and, in parentheses, the id of an object that has both. It returns "" for any other value.
func describeReference(data []byte) string {
	var thing struct {
		ID          string `json:"id"`
		DisplayName string `json:"displayName"`
		Title       string `json:"title"`
	}
	if !bytes.HasPrefix(data, []byte("{")) || json.Unmarshal(data, &thing) != nil || thing.ID == "" {
		return ""
	}
	if name := thing.DisplayName + thing.Title; name != "" {
		return name + " (" + thing.ID + ")"
	}
	return ""
}

// selectMembers returns the members that columns select, in the order of columns. A path to an object selects all its members.
func selectMembers(members []entry, columns []Column) []entry {
	var picked []entry
	for _, c := range columns {
		for _, m := range members {
			if m.path == c.Path || strings.HasPrefix(m.path, c.Path+".") {
				picked = append(picked, m)
			}
		}
	}
	return picked
}
