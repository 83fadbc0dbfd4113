package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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
	cells, err := l.p.cells(item, formatCell)
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
	widths := fitWidths(naturalWidths(all), l.p.Columns, l.p.Width)
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

// streamTable writes a row for each item at once. A column is as wide as its longest cell so far. Times are those of the clock, because
// their ages would be wrong later.
type streamTable struct {
	p      *Printer
	widths []int // nil before the first row
}

func (l *streamTable) Add(item []byte) error {
	cells, err := l.p.cells(item, formatCell)
	if err != nil {
		return err
	}
	headings := make([]string, len(cells))
	for i, c := range l.p.Columns {
		cells[i], headings[i] = l.p.localTime(cells[i]), c.Heading
	}
	rows := [][]string{cells}
	if l.widths == nil && !l.p.NoHeaders {
		rows = [][]string{headings, cells}
	}
	for i, width := range naturalWidths([][]string{headings, cells}) {
		if l.widths == nil {
			l.widths = make([]int, len(cells))
		}
		l.widths[i] = max(l.widths[i], width)
	}
	widths := fitWidths(slices.Clone(l.widths), l.p.Columns, l.p.Width)
	for _, row := range rows {
		if _, err := fmt.Fprintln(l.p.Out, alignRow(row, widths)); err != nil {
			return err
		}
	}
	return nil
}

func (*streamTable) Close() error { return nil }

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

// fitWidths shrinks the widest columns until the table fits the terminal. The first column is not shrunk, because a truncated id is
// useless, and neither is that of a secret, which is not shown again: then the lines are longer than the terminal is wide.
func fitWidths(widths []int, columns []Column, terminal int) []int {
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; terminal > 0 && total > terminal; total-- {
		widest := 0
		for i := 1; i < len(widths); i++ {
			if columns[i].isSecret() {
				continue
			}
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
	tables := map[int]string{}
	if p.IsAligned() {
		separator = strings.Repeat(" ", columnGap)
		for i, m := range members {
			width = max(width, ansi.StringWidth(m.label))
			if tables[i], err = p.innerTable(m); err != nil {
				return err
			}
		}
	}
	var b strings.Builder
	for i, m := range members {
		if tables[i] != "" {
			b.WriteString(m.label + "\n" + tables[i])
			continue
		}
		if text := strings.TrimRight(m.value, "\n"); width > 0 && strings.Contains(text, "\n") {
			indent := strings.Repeat(" ", columnGap)
			b.WriteString(m.label + "\n" + indent + strings.ReplaceAll(Sanitize(text), "\n", "\n"+indent) + "\n")
			continue
		}
		value := SanitizeLine(m.value)
		if width > 0 {
			value = p.humanizeTime(value)
		}
		fmt.Fprintf(&b, "%-*s%s%s\n", width, m.label, separator, value)
	}
	_, err = io.WriteString(p.Out, b.String())
	return err
}

// maxInnerColumns is the number of columns of a list in a record.
const maxInnerColumns = 6

// innerTable returns the indented table of a member that is a list of objects, or "" for other members. Its columns are the first
// members that are no lists themselves.
func (p *Printer) innerTable(m entry) (string, error) {
	if len(m.items) == 0 {
		return "", nil
	}
	var columns []Column
	var rows [][]string
	known := map[string]int{}
	for _, item := range m.items {
		members, err := flatten(item, "", true)
		if err != nil {
			return "", err
		}
		row := make([]string, len(columns), maxInnerColumns)
		for _, member := range members {
			at, ok := known[member.path]
			if !ok && (len(columns) == maxInnerColumns || len(member.items) > 0) {
				continue
			}
			if !ok {
				at = len(columns)
				known[member.path] = at
				columns = append(columns, Column{member.path, strings.ToUpper(SplitWords(member.path))})
				row = append(row, "")
			}
			row[at] = p.humanizeTime(SanitizeLine(member.value))
		}
		rows = append(rows, row)
	}
	headings := make([]string, len(columns))
	for i, c := range columns {
		headings[i] = SanitizeLine(c.Heading)
	}
	if len(columns) == 0 {
		return "", nil
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]string, len(columns)-len(rows[i]))...)
	}
	all := append([][]string{headings}, rows...)
	widths := fitWidths(naturalWidths(all), columns, max(0, p.Width-columnGap))
	var b strings.Builder
	for _, row := range all {
		b.WriteString(strings.Repeat(" ", columnGap) + alignRow(row, widths) + "\n")
	}
	return b.String(), nil
}

// entry is a line of a record.
type entry struct {
	path, label, value string
	items              []json.RawMessage // of a list of objects in a brief record
}

// flatten returns the members of an object in order. Members of nested objects get dotted paths; lists stay on one
// line. If brief is set, members for programs are left out, and empty or named objects take one line.
func flatten(data []byte, prefix string, brief bool) ([]entry, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return []entry{{path: prefix, label: prefix, value: string(data)}}, err
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
			entries = append(entries, entry{path: path, label: SanitizeLine(path), value: name})
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
		next := entry{path: path, label: SanitizeLine(path), value: formatValue(value)}
		if list, ok := value.([]any); brief && ok && !allScalars(list) {
			next.value = countItems(list)
			if isObjectList(list) {
				_ = json.Unmarshal(raw, &next.items) // a list
			}
		}
		entries = append(entries, next)
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
