package operations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Removal writes the response of a dry run of a delete: the resources that would be deleted.
func (w *Writer) Removal(body []byte) error {
	var removal api.Removal
	if err := json.Unmarshal(body, &removal); err != nil {
		return err
	}
	if !w.printer.WritesRows() {
		return w.printer.Value(body)
	}
	return w.printer.Text(RemovalText(removal))
}

// maxNames is the maximum number of resources of a kind that a confirmation lists by name.
const maxNames = 20

// RemovalText describes what a delete removes and whether it can be restored.
func RemovalText(r api.Removal) string {
	var text strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&text, "%s %q\n", r.ID, app.SanitizeLine(r.Title))
	}
	if len(r.With) == 0 {
		text.WriteString("nothing goes with it\n")
	}
	for _, t := range r.With {
		fmt.Fprintf(&text, "with it: %s%s\n", CountOf(t.Kind, t.Count), nameList(t))
	}
	for _, t := range r.Stays {
		fmt.Fprintf(&text, "it stays, made by %s: %s%s\n", app.SanitizeLine(cmp.Or(r.Title, r.ID)), CountOf(t.Kind, t.Count), nameList(t))
	}
	if r.RestoreUntil.IsZero() {
		text.WriteString("it cannot be restored\n")
	} else {
		fmt.Fprintf(&text, "it can be restored until %s\n", r.RestoreUntil)
	}
	return text.String()
}

// nameList lists the names of t and the number of unnamed ones.
func nameList(t api.Taken) string {
	var names []string
	for i, thing := range t.Named {
		if i == maxNames {
			names = append(names, fmt.Sprintf("%d more", len(t.Named)-i))
			break
		}
		name := thing.Title
		if name == "" {
			name = thing.ID
		}
		names = append(names, app.SanitizeLine(name))
	}
	if len(names) > 0 && t.Others > 0 {
		names = append(names, fmt.Sprintf("%d that you may not see", t.Others))
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// CountOf returns count and the noun kind, which is given in the plural: 1 open comment for open-comments.
func CountOf(kind string, count int) string {
	noun := strings.ReplaceAll(kind, "-", " ")
	if count == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	return fmt.Sprintf("%d %s", count, noun)
}

// FormatDeletedWith formats the header of a delete that counts the resources deleted with it, such as "2 collections, 8
// spaces". It returns "" for none.
func FormatDeletedWith(header string) string {
	var counts []string
	for part := range strings.SplitSeq(header, ", ") {
		kind, number, counted := strings.Cut(part, "=")
		count := 0
		if _, err := fmt.Sscan(number, &count); counted && err == nil {
			counts = append(counts, CountOf(kind, count))
		}
	}
	return strings.Join(counts, ", ")
}
