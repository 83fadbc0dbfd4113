package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"docspace.dev/wsd/tui/term"
)

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		"plain ü 📘\n\ttext", "\x1b]0;title\x07", "\x1b[2Jx", "\u009b31m", "\x9b31m", "a\rb", "\x00\x7f", "\u202eevil\u2066",
		"\x1b\x1b[[", "\x1bP+q\x1b\\", "\xff\xfe", "\x1b]52;c;aGk=\x1b\\", "e\u0301\u200d",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := Sanitize(text)
		if strings.ContainsFunc(clean, term.IsUnsafe) || !utf8.ValidString(clean) {
			t.Fatalf("%q is left of %q", clean, text)
		}
		if again := Sanitize(clean); again != clean {
			t.Fatalf("not done at once: %q, then %q", clean, again)
		}
		if strings.ContainsAny(SanitizeLine(text), "\n\t\r") {
			t.Fatalf("%q is not one line", SanitizeLine(text))
		}
	})
}

func TestSanitizeKeepsPlainText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "zwei\n\tZeilen", "größe 📘 日本語 עברית", "tail \u200d"} {
		if got := Sanitize(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := Sanitize("a\x1b]0;x\x07b\u202ec"); got != "abc" {
		t.Errorf("got %q", got)
	}
}

// jsonValue generates JSON values with texts that are difficult for the output formats.
func jsonValue(depth int) *rapid.Generator[any] {
	plain := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.IntRange(-1000, 1000).AsAny(), rapid.String().AsAny(),
		rapid.SampledFrom([]string{
			"", "yes", "null", "1e3", "0x10", "2026-01-01", "- a", "a: b", "# c", "a\r\nb", "\n lead", "trail \n\n", "tab\tx", "\u2028",
			"\u202e", "\u0085",
			"'q'", "\"", "{", "|", "\x1b[2J", " space ", "é", "~", "!!str", "&a", "*a", "%", "@", "`", "\ufeffbom", "<<", "=", "a #b",
			"...", "---", "?", ": ",
		}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(plain...)
	}
	return rapid.OneOf(append(
		plain,
		rapid.SliceOfN(jsonValue(depth-1), 0, 3).AsAny(),
		rapid.MapOfN(rapid.StringMatching(`[a-z~#:\- 0-9]{0,5}`), jsonValue(depth-1), 0, 3).AsAny(),
	)...)
}

// TestYAMLRoundTrip checks that YAML output decodes to the same value as the JSON input.
func TestYAMLRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := jsonValue(3).Draw(t, "value")
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (&Printer{Out: &b, Format: FormatYAML}).Value(data); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(b.String(), term.IsUnsafe) {
			t.Fatalf("control characters in %q", b.String())
		}
		var read any
		if err := yaml.Unmarshal(b.Bytes(), &read); err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		again, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if json.Unmarshal(data, &want) != nil || json.Unmarshal(again, &got) != nil {
			t.Fatal("JSON of JSON")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s", diff, b.String())
		}
	})
}

// TestJSONRoundTrip checks that JSON output decodes to the same value as the input and is safe on a terminal.
func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(jsonValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (&Printer{Out: &b, Format: FormatJSON}).Value(data); err != nil {
			t.Fatal(err)
		}
		var want, got any
		if json.Unmarshal(data, &want) != nil || json.Unmarshal(b.Bytes(), &got) != nil {
			t.Fatalf("not JSON: %s", b.String())
		}
		if diff := cmp.Diff(want, got); diff != "" || strings.ContainsFunc(b.String(), term.IsUnsafe) {
			t.Fatalf("%q: %s", b.String(), diff)
		}
	})
}

// TestTableFitsTerminal checks that a table is never wider than the terminal, provided that its first column fits.
func TestTableFitsTerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(40, 200).Draw(t, "width")
		var b bytes.Buffer
		list := (&Printer{
			Out: &b, Terminal: true, Width: width, Columns: ParseColumns("id,a,b"),
			Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		}).NewList()
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			item := map[string]string{
				"id": rapid.StringMatching(`[a-z0-9]{1,16}`).Draw(t, "id"),
				"a":  rapid.String().Draw(t, "a"), "b": rapid.StringMatching(`[日本語 📘a-z]{0,80}`).Draw(t, "b"),
			}
			data, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			if err := list.Add(data); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if !strings.Contains(b.String(), item["id"]) {
					t.Fatalf("the id %s is cut in\n%s", item["id"], b.String())
				}
			}()
		}
		if err := list.Close(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if got := ansi.StringWidth(strings.TrimSuffix(line, "\n")); got > width {
				t.Fatalf("a line of %d cells on a terminal of %d: %q", got, width, line)
			}
		}
	})
}

// TestSecretsAreNotCut checks that a table shows secrets whole on a narrow terminal.
func TestSecretsAreNotCut(t *testing.T) {
	t.Parallel()
	secret := "wsi_" + strings.Repeat("x", 60)
	var b bytes.Buffer
	list := (&Printer{Out: &b, Terminal: true, Width: 80, Columns: ParseColumns("id,email,secret")}).NewList()
	if err := list.Add([]byte(`{"id":"i_1","email":"a-long-address@a-long-domain.example","secret":"` + secret + `"}`)); err != nil {
		t.Fatal(err)
	}
	if err := list.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), secret) {
		t.Errorf("the secret is cut:\n%s", b.String())
	}
}

func TestFormatValue(t *testing.T) {
	t.Parallel()
	p := &Printer{Columns: ParseColumns("a.b,list,objects,number,missing.deep,flag")}
	got, err := p.cells([]byte(`{"a":{"b":"x\ny"},"list":["p","q"],"objects":[{"k":"<&>"}],"number":1.50,"flag":false}`), formatLine)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x y", "p, q", `[{"k":"<&>"}]`, "1.50", "", "false"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSplitWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"updatedAt": "updated at", "createdBy.displayName": "created by display name", "change-requests": "change requests",
		"downloadURL": "download url",
	} {
		if got := SplitWords(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTableHumanizesTimes(t *testing.T) {
	t.Parallel()
	p := &Printer{Now: time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)}
	for cell, want := range map[string]string{
		"2026-02-01T11:58:00.000Z": "2 minutes ago", "2026-03-01T12:00:00.000Z": "4 weeks from now",
		"2026-02-08T11:59:50.000Z": "1 week from now", "2026-03-03T11:59:59.000Z": "1 month from now",
		"2026-02-07T12:00:00.000Z": "6 days from now",
		"0001-01-01T00:00:00.000Z": "a long while ago", "not a time at all, is it": "not a time at all, is it", "": "",
	} {
		if got := p.humanizeTime(cell); got != want {
			t.Errorf("%s: %q", cell, got)
		}
	}
}

func TestInvalidQueryFailsBeforeOutput(t *testing.T) {
	t.Parallel()
	for _, p := range []*Printer{{JQ: ".["}, {JQ: "nosuch()"}, {Template: "{{"}, {Template: "{{nosuch .}}"}} {
		if p.Check() == nil {
			t.Errorf("%+v passes", p)
		}
	}
	var b bytes.Buffer
	p := &Printer{
		Out: &b, Template: `{{range .}}{{upper .a}} {{join "+" .l}} {{json .l}} {{timeago .t}};{{end}}`, Now: time.Date(2026, 2, 1, 0, 0, 0,
			0, time.UTC),
	}
	if err := p.Value([]byte(`[{"a":"x","l":["1",2],"t":"2026-01-31T00:00:00.000Z"}]`)); err != nil {
		t.Fatal(err)
	}
	if b.String() != `X 1+2 ["1",2] 1 day ago;` {
		t.Errorf("got %q", b.String())
	}
}

// TestStreamsAreWrittenItemByItem checks what a stream has written after each of its items.
func TestStreamsAreWrittenItemByItem(t *testing.T) {
	t.Parallel()
	items := []string{
		`{"id":"1","at":"2026-05-04T10:00:00.000Z","title":"Docs"}`,
		`{"id":"2","at":"2026-05-04T11:30:00.000Z","title":"A longer \u001b[2J<title>"}`,
	}
	for name, c := range map[string]struct {
		printer Printer
		want    []string
	}{
		"terminal": {Printer{Terminal: true}, []string{
			"ID  WHEN                 TITLE\n1   2026-05-04 12:00:00  Docs\n", "2   2026-05-04 13:30:00  A longer <title>\n",
		}},
		"narrow terminal": {Printer{Terminal: true, Width: 34, NoHeaders: true}, []string{
			"1   2026-05-04 12:00:00  Docs\n", "2   2026-05-04 13…  A longer <tit…\n",
		}},
		"pipe":   {Printer{}, []string{"1\t2026-05-04T10:00:00.000Z\tDocs\n", "2\t2026-05-04T11:30:00.000Z\tA longer <title>\n"}},
		"ndjson": {Printer{Format: FormatNDJSON, Terminal: true}, []string{items[0] + "\n", items[1] + "\n"}},
		"jq":     {Printer{JQ: ".id"}, []string{"1\n", "2\n"}},
		"name":   {Printer{Format: FormatName}, []string{"1\n", "2\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			p := c.printer
			p.Out, p.Now = &out, time.Date(2026, 5, 4, 20, 0, 0, 0, time.FixedZone("", 2*60*60))
			p.Columns = ParseColumns("id,at=WHEN,title")
			list := p.NewStream()
			for i, item := range items {
				out.Reset()
				if err := list.Add([]byte(item)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want[i], out.String()); diff != "" {
					t.Errorf("item %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}
