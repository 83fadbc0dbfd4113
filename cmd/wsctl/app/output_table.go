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
	gap      = 2 // cells between columns
	narrow   = 8 // no column is made narrower than this
	bold     = "\x1b[1m"
	plainSGR = "\x1b[0m"
)

// tableList aligns its columns, so it is written at the end.
type tableList struct {
	p    *Printer
	rows [][]string
}

func (l *tableList) Add(item []byte) error {
	cells, err := l.p.cells(item, line)
	if err != nil {
		return err
	}
	for i := range cells {
		cells[i] = l.p.humanized(cells[i])
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
	widths := fit(natural(all), l.p.Width)
	var b strings.Builder
	for i, row := range all {
		line := align(row, widths)
		if i == 0 && !l.p.NoHeaders && l.p.Color {
			line = bold + line + plainSGR
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(l.p.Out, b.String())
	return err
}

// natural returns the width that each column would like.
func natural(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

// fit takes cells from the widest column until the table is as wide as the terminal. The first column is left
// alone: it holds the id, and half an id is none.
func fit(widths []int, terminal int) []int {
	total := gap * (len(widths) - 1)
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
		if widest == 0 || widths[widest] <= narrow {
			break
		}
		widths[widest]--
	}
	return widths
}

func align(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		cell = ansi.Truncate(cell, widths[i], "…")
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+gap))
	}
	return strings.TrimRight(b.String(), " ")
}

// record writes one object: a line per member, in the order of the answer.
func (p *Printer) record(data []byte) error {
	members, err := membersOf(data, "", p.Aligned() && len(p.Columns) == 0)
	if err != nil {
		return err
	}
	if len(p.Columns) > 0 {
		members = pick(members, p.Columns)
	}
	separator, width := "\t", 0
	if p.Aligned() {
		separator = strings.Repeat(" ", gap)
		for _, m := range members {
			width = max(width, ansi.StringWidth(m.label))
		}
	}
	var b strings.Builder
	for _, m := range members {
		value := Line(m.value)
		if width > 0 {
			value = p.humanized(value)
		}
		fmt.Fprintf(&b, "%-*s%s%s\n", width, m.label, separator, value)
	}
	_, err = io.WriteString(p.Out, b.String())
	return err
}

// entry is a line of a record.
type entry struct{ path, label, value string }

// membersOf flattens an object: members of objects get dotted paths; lists stay one line. In brief it leaves out
// what is for programs, and says what is empty or has a name of its own in one line.
func membersOf(data []byte, prefix string, brief bool) ([]entry, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return []entry{{prefix, prefix, string(data)}}, err
	}
	var all []entry
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
		if brief && forPrograms(key) {
			continue
		}
		if name := reference(raw); brief && name != "" {
			all = append(all, entry{path, Line(path), name})
			continue
		}
		if bytes.HasPrefix(raw, []byte("{")) {
			below, err := membersOf(raw, path, brief)
			if err != nil {
				return nil, err
			}
			all = append(all, below...)
			continue
		}
		value, err := decode(raw)
		if err != nil {
			return nil, err
		}
		if brief && text(value) == "" {
			continue
		}
		all = append(all, entry{path, Line(path), text(value)})
	}
	return all, nil
}

// forPrograms are the members that people need not see in a record; -o json and --columns show them.
func forPrograms(key string) bool {
	switch key {
	case "object", "permissions", "layout", "location", "kind", "blocks", "documentId":
		return true
	default:
		return false
	}
}

// reference says in a line who or what a nested thing with a name is.
func reference(data []byte) string {
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

// pick keeps the members that are asked for, in that order; a path that names an object takes all of it.
func pick(members []entry, columns []Column) []entry {
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
