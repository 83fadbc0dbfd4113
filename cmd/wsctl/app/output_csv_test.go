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
		false: "\"'=HYPERLINK(\"\"http://x\"\")\",'+1+1,'-2,'@SUM(A1),\"'\tx\",a=b,-2,-1.5e3,\"'=x, y\",,,'=x\n",
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

// TestCSVEscapesFormulasInsideCells checks that an apostrophe stands before each formula that a spreadsheet finds after a
// separator of its own, after an invisible character and in full width, and that cells with such separators are quoted.
func TestCSVEscapesFormulasInsideCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8,;=1+1":       `"8,;'=1+1"`,
		";=1+1":         `"';'=1+1"`,
		"a|@x":          `"a|'@x"`,
		"a;;\ufeff+1;b": "\"a;;\ufeff'+1;b\"",
		"a\n- b\r\n=c":  "\"a\n'- b\n'=c\"",
		"a\t-1":         "\"a\t'-1\"",
		"\ufeff=1":      "\ufeff'=1",
		"＝1+1":          "'＝1+1",
		"＋1":            "'＋1",
		"－1":            "'－1",
		"＠a":            "'＠a",
		"a; =1":         `"a; =1"`,
		"1=1 - 2":       "1=1 - 2",
		" x":            `" x"`,
	} {
		item, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		p := &Printer{Out: &b, Format: FormatCSV, Columns: ParseColumns("a"), NoHeaders: true}
		if err := p.Value(item); err != nil || b.String() != want+"\n" {
			t.Errorf("%q: %q, want %q (%v)", text, b.String(), want, err)
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
		first := rapid.SampledFrom([]string{"", "=", "+", "-", "@", "\t", "\r", "\n", " ", "x", "\u200b", "＝", "a;=", "|+"})
		given := first.Draw(t, "first") + rapid.String().Draw(t, "rest")
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
		for _, cell := range strings.FieldsFunc(cells[0], func(r rune) bool { return strings.ContainsRune(";|\t\r\n", r) }) {
			if strings.IndexAny(cell, "=+-@＝＋－＠") == 0 {
				t.Fatalf("%q is a formula in %q", cell, cells[0])
			}
		}
		unquoted := func(text string) string { return strings.ReplaceAll(text, "'", "") }
		if shown := strings.ReplaceAll(Sanitize(given), "\r\n", "\n"); unquoted(cells[0]) != unquoted(shown) {
			t.Fatalf("%q became %q", given, cells[0])
		}
	})
}
