package operations

import (
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Removal writes what a delete would take with it: the answer of its dry run.
func (w *Writer) Removal(body []byte) error {
	var removal api.Removal
	if err := json.Unmarshal(body, &removal); err != nil {
		return err
	}
	if !w.printer.Rows() {
		return w.printer.Value(body)
	}
	return w.printer.Text(RemovalText(removal))
}

// maxNamed is how many things of a kind are named before somebody is asked.
const maxNamed = 20

// RemovalText says what goes with something, and whether it can be had back.
func RemovalText(r api.Removal) string {
	var text strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&text, "%s %q\n", r.ID, app.Line(r.Title))
	}
	if len(r.With) == 0 {
		text.WriteString("nothing goes with it\n")
	}
	for _, t := range r.With {
		fmt.Fprintf(&text, "with it: %s%s\n", Things(t.Kind, t.Count), named(t))
	}
	if r.RestoreUntil.IsZero() {
		text.WriteString("it cannot be restored\n")
	} else {
		fmt.Fprintf(&text, "it can be restored until %s\n", r.RestoreUntil)
	}
	return text.String()
}

// named lists the names of things, and counts the others.
func named(t api.Taken) string {
	var names []string
	for i, thing := range t.Named {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("%d more", len(t.Named)-i))
			break
		}
		name := thing.Title
		if name == "" {
			name = thing.ID
		}
		names = append(names, app.Line(name))
	}
	if len(names) > 0 && t.Others > 0 {
		names = append(names, fmt.Sprintf("%d that you may not see", t.Others))
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// Things counts things of a kind, which is named in the plural: 1 open comment.
func Things(kind string, count int) string {
	words := strings.ReplaceAll(kind, "-", " ")
	if count == 1 {
		words = strings.TrimSuffix(words, "s")
	}
	return fmt.Sprintf("%d %s", count, words)
}

// WentWith reads what the header of a delete counts: "2 collections, 8 spaces", "" for nothing.
func WentWith(header string) string {
	var counts []string
	for part := range strings.SplitSeq(header, ", ") {
		kind, number, counted := strings.Cut(part, "=")
		count := 0
		if _, err := fmt.Sscan(number, &count); counted && err == nil {
			counts = append(counts, Things(kind, count))
		}
	}
	return strings.Join(counts, ", ")
}
