package documents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// percent returns a length in percent.
func percent(value float64) map[string]any { return map[string]any{"value": value, "unit": "%"} }

// TestParseLength checks which texts are lengths, with their values and the texts that these are written as.
func TestParseLength(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		value   any
		written string // "" = text
	}{
		"200":                {200.0, ""},
		"157.33331298828125": {157.33331298828125, ""},
		"33.33333333333333%": {percent(33.33333333333333), ""},
		"0":                  {0.0, ""},
		"25%":                {percent(25), ""},
		"33.3%":              {percent(33.3), ""},
		"200px":              {map[string]any{"value": 200.0, "unit": "px"}, ""},
		"1.50em":             {map[string]any{"value": 1.5, "unit": "em"}, "1.5em"},
		"007":                {7.0, "7"},
		"999999999vmax":      {map[string]any{"value": 999999999.0, "unit": "vmax"}, ""},
		"1e3":                {nil, ""},
		"":                   {nil, ""},
		"auto":               {nil, ""},
		"%":                  {nil, ""},
		"-5":                 {nil, ""},
		"+5":                 {nil, ""},
		".5":                 {nil, ""},
		"5.":                 {nil, ""},
		" 5":                 {nil, ""},
		"5 px":               {nil, ""},
		"5PX":                {nil, ""},
		"5apples":            {nil, ""},
		"5%%":                {nil, ""},
		"NaN":                {nil, ""},
		"Infinity":           {nil, ""},
		"0x10":               {nil, ""},
		"calc(1px + 2px)":    {nil, ""},
		"1000000000":         {nil, ""},
	} {
		got, ok := ParseLength(text)
		if diff := cmp.Diff(c.value, got); diff != "" || ok != (c.value != nil) {
			t.Errorf("%q: %t, -want +got\n%s", text, ok, diff)
		}
		if !ok {
			continue
		}
		if c.written == "" {
			c.written = text
		}
		if written, ok := FormatLength(got); !ok || written != c.written {
			t.Errorf("%q is written as %q, %t", text, written, ok)
		}
	}
}

// TestFormatLengthRefusesOtherValues checks that values that are no lengths have no text.
func TestFormatLengthRefusesOtherValues(t *testing.T) {
	t.Parallel()
	for _, value := range []any{
		nil, true, -1.0, 1e12, "auto", "",
		[]any{1.0},
		map[string]any{},
		map[string]any{"value": 1.0},
		map[string]any{"unit": "px"},
		map[string]any{"value": 1.0, "unit": ""},
		map[string]any{"value": 1.0, "unit": "apples"},
		map[string]any{"value": "1", "unit": "px"},
		map[string]any{"value": 1.0, "unit": "px", "more": true},
	} {
		if text, ok := FormatLength(value); ok {
			t.Errorf("%v is written as %q", value, text)
		}
	}
}

// TestWriteLengths checks that widths and heights are lengths of the public interface, that those of columns of tables are numbers, and
// that a node has no member for what is neither.
func TestWriteLengths(t *testing.T) {
	t.Parallel()
	column := func(width string) string {
		return "{% columns %}\n{% column width=\"" + width + "\" %}\nA\n{% endcolumn %}\n{% endcolumns %}\n"
	}
	figure := func(attributes string) string {
		return "<figure><img src=\"https://x.org/a.png\" " + attributes + "></figure>\n"
	}
	table := func(width string) string {
		return "<table><thead><tr><th width=\"" + width + "\">A</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>\n"
	}
	px := map[string]any{"value": 200.0, "unit": "px"}
	for markdown, want := range map[string]map[string]any{
		column("25%"):   {"width": percent(25)},
		column("200px"): {"width": px},
		column("200"):   {"width": 200.0},
		column("auto"):  {},
		column(""):      {},
		figure(`width="50%" height="200px"`): {
			"ref": map[string]any{"kind": "url", "url": "https://x.org/a.png"}, "width": percent(50), "height": px,
		},
		figure(`width=375 height=auto`): {"ref": map[string]any{"kind": "url", "url": "https://x.org/a.png"}, "width": 375.0},
		table("120"):                    {"c": 120.0},
		table("25%"):                    {},
		table("auto"):                   {},
	} {
		block := Write(sourceFrom(markdown)).Nodes[0]
		var got map[string]any
		if block.Type == "table" {
			got = tableWidths(block)
		} else {
			got = block.Nodes[0].Data
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s-want +got\n%s", markdown, diff)
		}
	}
}

// tableWidths returns the width of the only column of a table as c.
func tableWidths(n api.DocumentNode) map[string]any {
	widths := map[string]any{}
	view, _ := n.Data["view"].(map[string]any)
	all, _ := view["columnWidths"].(map[string]any)
	for _, width := range all {
		widths["c"] = width
	}
	return widths
}
