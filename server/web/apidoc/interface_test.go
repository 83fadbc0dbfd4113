package apidoc_test

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

//go:embed testdata/interface.txt
var interfaceText string

// interfaceGaps lists known differences, one per line. Those that no longer exist have to be removed.
//
//go:embed testdata/interface.gaps
var interfaceGaps string

// TestOpenAPIDocumentMatchesInterface checks that the fields of the served OpenAPI document match a hand-made copy of the
// interface, except for known differences: presence, required, nullable, type, limits, pattern, default and known values.
func TestOpenAPIDocumentMatchesInterface(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, difference := range differences(servertest.NewWorld(t, storetest.Memory()).Schema) {
		found[difference] = true
		if !strings.Contains(interfaceGaps, difference+"\n") {
			t.Errorf("%s, other than in testdata/interface.txt, which says what the interface says", difference)
		}
	}
	for gap := range strings.Lines(interfaceGaps) {
		if gap = strings.TrimSpace(gap); !found[gap] {
			t.Errorf("closed, and still among the gaps: %s", gap)
		}
	}
}

// differences returns all differences between the document and the table.
func differences(d servertest.Document) (found []string) {
	var row api.Row
	var place string
	for line := range strings.Lines(interfaceText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == ">":
			if row, place = rowOf(words[1], words[2]), words[3]; row.Name == "" {
				found = append(found, "no operation "+words[1]+" "+words[2])
			}
			if place == "status" && row.Name != "" && strconv.Itoa(row.Status) != words[4] {
				found = append(found, fmt.Sprintf("%s answers %d, not %s", row.Name, row.Status, words[4]))
			}
		case row.Name != "":
			for _, fault := range fieldDifferences(d, row, place, words) {
				found = append(found, strings.Join([]string{row.Name, place, words[0], fault}, " "))
			}
		}
	}
	return found
}

// rowOf returns the row of a path whose parameters are written as {}.
func rowOf(method, path string) api.Row {
	names := regexp.MustCompile(`\{[^}]*\}`)
	for _, row := range api.Rows() {
		if row.Method == method && names.ReplaceAllString(row.Path, "{}") == path {
			return row
		}
	}
	return api.Row{}
}

// fieldDifferences returns the differences of one field: its presence, required, type and limits.
func fieldDifferences(d servertest.Document, row api.Row, place string, words []string) (faults []string) {
	schema, required, ok := findField(d, row.Name, place, words[0])
	if !ok {
		return []string{"is not in the document"}
	}
	// Answers may be stricter than the interface: an optional member may always be present.
	if mark := words[1]; mark == "req" && !required || mark == "opt" && required && place != "answer" {
		faults = append(faults, fmt.Sprintf("required is %t", required))
	}
	if place == "body" && nullable(d, schema) != slices.Contains(words, "null") && words[2] != "any" {
		faults = append(faults, fmt.Sprintf("null is %t", nullable(d, schema)))
	}
	if place == "answer" && slices.Contains(words, "null") && !nullable(d, schema) {
		faults = append(faults, "does not take null")
	}
	plain := resolveReference(d, schema)
	if kind := servertest.SchemaType(plain); kind != words[2] && words[2] != "any" && (kind != "map" || words[2] != "object") {
		faults = append(faults, "is a "+kind)
	}
	for _, want := range words[3:] {
		if fault := servertest.LimitMismatch(plain, schema, want); fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults
}
