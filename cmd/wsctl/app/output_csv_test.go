package app

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCSVEscapesFormulas checks that CSV escapes texts that start like a formula, unless CSVRaw is set, and never escapes
// numbers.
func TestCSVEscapesFormulas(t *testing.T) {
	t.Parallel()
	item := `{"a":"=HYPERLINK(\"http://x\")","b":"+1+1","c":"-2","d":"@SUM(A1)","e":"\tx","f":"a=b","g":-2,"h":-1.5e3,"i":["=x","y"],"j":"","k":null,"l":"\u0000=x"}`
	for raw, want := range map[bool]string{
		false: "\"'=HYPERLINK(\"\"http://x\"\")\",'+1+1,'-2,'@SUM(A1),'\tx,a=b,-2,-1.5e3,\"'=x, y\",,,'=x\n",
		true:  "\"=HYPERLINK(\"\"http://x\"\")\",+1+1,-2,@SUM(A1),\"\tx\",a=b,-2,-1.5e3,\"=x, y\",,,=x\n",
	} {
		var b strings.Builder
		p := &Printer{Out: &b, Format: FormatCSV, Columns: ParseColumns("a,b,c,d,e,f,g,h,i,j,k,l"), NoHeaders: true, CSVRaw: raw}
		if err := p.Value([]byte(item)); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("raw %t:\n%q, want\n%q", raw, b.String(), want)
		}
	}
}

// TestCSVRecordsAreWrittenImmediately checks that a record is written when its item is added and not when the list ends,
// because a later page may fail.
func TestCSVRecordsAreWrittenImmediately(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	list := newCSVList(&Printer{Out: &b, Format: FormatCSV, Columns: ParseColumns("a")})
	if err := list.Add([]byte(`{"a":"one"}`)); err != nil || b.String() != "a\none\n" {
		t.Errorf("written %q, %v", b.String(), err)
	}
}

// TestCSVRoundTripsAnyText checks that no text is written as a formula, and that escaping adds only the prefix.
func TestCSVRoundTripsAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SampledFrom([]string{"", "=", "+", "-", "@", "\t", "\r", "\n", " ", "x", "\u200b"}).Draw(t, "first") +
			rapid.String().Draw(t, "rest")
		item, err := json.Marshal(map[string]string{"a": given})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		p := &Printer{Out: &b, Format: FormatCSV, Columns: ParseColumns("a"), NoHeaders: true}
		if err := p.Value(item); err != nil {
			t.Fatal(err)
		}
		if b.String() == "\n" {
			return // CSV readers skip an empty line
		}
		cells, err := csv.NewReader(strings.NewReader(b.String())).Read()
		if err != nil || len(cells) != 1 {
			t.Fatalf("%q: %v %v", b.String(), cells, err)
		}
		if strings.IndexAny(cells[0], "=+-@\t\r\n") == 0 {
			t.Fatalf("%q is a formula", cells[0])
		}
	})
}
