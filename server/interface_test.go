package server_test

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

// interfaceGaps are the differences that are still to be closed, one a line. What is closed has to leave it.
//
//go:embed testdata/interface.gaps
var interfaceGaps string

// The emitted document says of every field what the interface says: that it is there, whether it is required, takes
// null, its type, limits, pattern, default and known values. The interface was copied by hand: see the file.
func TestDocumentSaysWhatTheInterfaceSays(t *testing.T) {
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

// differences walks over the table.
func differences(d servertest.Document) (found []string) {
	var row api.Row
	var place string
	for line := range strings.Lines(interfaceText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == ">":
			if row, place = rowNamed(words[1], words[2]), words[3]; row.Name == "" {
				found = append(found, "no operation "+words[1]+" "+words[2])
			}
			if place == "status" && row.Name != "" && strconv.Itoa(row.Status) != words[4] {
				found = append(found, fmt.Sprintf("%s answers %d, not %s", row.Name, row.Status, words[4]))
			}
		case row.Name != "":
			for _, fault := range faults(d, row, place, words) {
				found = append(found, strings.Join([]string{row.Name, place, words[0], fault}, " "))
			}
		}
	}
	return found
}

// rowNamed finds the row of a path whose parameters are written {}.
func rowNamed(method, path string) api.Row {
	names := regexp.MustCompile(`\{[^}]*\}`)
	for _, row := range api.Rows() {
		if row.Method == method && names.ReplaceAllString(row.Path, "{}") == path {
			return row
		}
	}
	return api.Row{}
}

// faults are what the document says otherwise of one field: its name, mark, type and limits.
func faults(d servertest.Document, row api.Row, place string, words []string) (faults []string) {
	schema, required, ok := lookUp(d, row.Name, place, words[0])
	if !ok {
		return []string{"is not in the document"}
	}
	// An answer may promise more than the interface: what is always there is also there now and then.
	if mark := words[1]; mark == "req" && !required || mark == "opt" && required && place != "answer" {
		faults = append(faults, fmt.Sprintf("required is %t", required))
	}
	if place == "body" && nullable(d, schema) != slices.Contains(words, "null") && words[2] != "any" {
		faults = append(faults, fmt.Sprintf("null is %t", nullable(d, schema)))
	}
	if place == "answer" && slices.Contains(words, "null") && !nullable(d, schema) {
		faults = append(faults, "does not take null")
	}
	plain := resolved(d, schema)
	if kind := servertest.KindOf(plain); kind != words[2] && words[2] != "any" && (kind != "map" || words[2] != "object") {
		faults = append(faults, "is a "+kind)
	}
	for _, want := range words[3:] {
		if fault := servertest.LimitFault(plain, schema, want); fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults
}
