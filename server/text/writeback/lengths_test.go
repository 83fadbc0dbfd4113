package writeback

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// columnWith returns the JSON of a document with one column of a width, which is JSON.
func columnWith(width string) string {
	return `{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"columns","isVoid":false,"data":{},"nodes":[
		{"object":"block","type":"column","data":{"width":` + width + `},"nodes":[
			{"object":"block","type":"paragraph","nodes":[{"object":"text","leaves":[{"object":"leaf","text":"A","marks":[]}]}]}]}]}]}`
}

// imageWith returns the JSON of a document with one image of a width, which is JSON.
func imageWith(width string) string {
	return `{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"images","isVoid":false,"data":{},"nodes":[
		{"object":"block","type":"image","isVoid":true,"fragments":[],"data":{"ref":{"kind":"url","url":"https://x.org/a.png"},"width":` +
		width + `}}]}]}`
}

// TestLengthsThatAreSent checks that a length is taken as a number, as value and unit and as a text, and that other values are refused
// with the member.
func TestLengthsThatAreSent(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`30`: "30", `"30"`: "30", `{"value":30,"unit":"%"}`: "30%", `"30%"`: "30%", `{"value":1.5,"unit":"em"}`: "1.5em", `"200px"`: "200px",
		`"auto"`: "", `-5`: "", `true`: "", `{"value":30}`: "", `{"value":30,"unit":"apples"}`: "", `{"value":30,"unit":"%","x":1}`: "",
		`{"value":"30","unit":"%"}`: "", `[30]`: "",
	} {
		for place, c := range map[string]struct{ document, before, after, path string }{
			"column": {
				columnWith(sent), "{% columns %}\n{% column width=\"", "\" %}\nA\n{% endcolumn %}\n{% endcolumns %}\n",
				"nodes[0].nodes[0].data.width",
			},
			"image": {
				imageWith(sent), "<div><figure><img src=\"https://x.org/a.png\" alt=\"\" width=\"", "\"></figure></div>\n",
				"nodes[0].nodes[0].data.width",
			},
		} {
			got, err := Markdown(fromJSON([]byte(c.document)))
			if want == "" {
				if refusal, ok := errors.AsType[*Refusal](err); !ok || refusal.Path != c.path || !strings.HasSuffix(refusal.Reason, `or "30%"`) {
					t.Errorf("%s of %s: %q, %v", place, sent, got, err)
				}
				continue
			}
			if diff := cmp.Diff(c.before+want+c.after, string(got)); err != nil || diff != "" {
				t.Errorf("%s of %s: %v, -want +got\n%s", place, sent, err, diff)
			}
		}
	}
}

// TestUpdateKeepsLengths checks that a length keeps its bytes if the document is sent back unchanged, or with another word, whether it
// is a member of a node or not.
func TestUpdateKeepsLengths(t *testing.T) {
	t.Parallel()
	for _, width := range []string{"25%", "200px", "200", "1.50em", "007", "auto", "", "-5", "25 %", "fit-content", "NaN", "+Inf", "-Inf"} {
		for name, markdown := range map[string]string{
			"column": "{% columns %}\n{% column  width=\"" + width + "\" %}\nOLD\n{% endcolumn %}\n{% endcolumns %}\n",
			"figure": "<figure><img src='https://x.org/a.png' alt=b width=\"" + width + "\" height='50%'>" +
				"<figcaption>OLD</figcaption></figure>\n",
			"table": "<table>\n<thead><tr><th width=\"" + width + "\">A</th></tr></thead>\n<tbody><tr><td>OLD</td></tr></tbody></table>\n" +
				"\nend\n",
		} {
			was := parseSource(t, markdown)
			d := unchangedDocument(t, was)
			if got, err := Update(was, d); err != nil || string(got) != markdown {
				t.Errorf("unchanged %s %q: %q, %v", name, width, got, err)
			}
			replaceWord(d.Nodes, "OLD", "NEW")
			want := strings.ReplaceAll(markdown, "OLD", "NEW")
			if got, err := Update(was, d); err != nil || string(got) != want {
				t.Errorf("changed %s %q: %v, -want +got\n%s", name, width, err, cmp.Diff(want, string(got)))
			}
		}
	}
}

// TestUpdateChangesLength checks that a changed length changes only its attribute, in whichever form it is sent, and that the same
// length in another form changes nothing.
func TestUpdateChangesLength(t *testing.T) {
	t.Parallel()
	const markdown = "Text __a__\n\n{% columns %}\n{% column width=\"25%\" %}\n* A\n{% endcolumn %}\n{% endcolumns %}\n"
	const figure = "<figure><img src='https://x.org/a.png' alt=b width=\"25%\"><figcaption>c <b>d</b></figcaption></figure>\n"
	for _, c := range []struct {
		sent any
		want string
	}{
		{map[string]any{"value": 30.0, "unit": "%"}, `width="30%"`},
		{"30%", `width="30%"`},
		{300.0, `width="300"`},
		{"25%", `width="25%"`},
		{map[string]any{"value": 25.0, "unit": "%"}, `width="25%"`},
	} {
		for _, source := range []string{markdown, figure} {
			was := parseSource(t, source)
			d := unchangedDocument(t, was)
			setWidth(d.Nodes, c.sent)
			want := strings.Replace(source, `width="25%"`, c.want, 1)
			if got, err := Update(was, d); err != nil || string(got) != want {
				t.Errorf("%v: %v, -want +got\n%s", c.sent, err, cmp.Diff(want, string(got)))
			}
		}
	}
}

// setWidth sets the width of the columns and images of a tree.
func setWidth(nodes []api.DocumentNode, width any) {
	for _, n := range nodes {
		if n.Type == "column" || n.Type == "image" {
			n.Data["width"] = width
		}
		setWidth(n.Nodes, width)
	}
}
