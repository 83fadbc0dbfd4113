package documents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// formatNodes formats a tree in a few lines: a block as type{...}, an inline as type<...>, a leaf as its text with the
// marks after it.
func formatNodes(nodes []api.DocumentNode) string {
	var parts []string
	for _, n := range nodes {
		switch n.Object {
		case "block":
			parts = append(parts, n.Type+"{"+formatNodes(slices.Concat(n.Nodes, n.Fragments))+"}")
		case "fragment":
			parts = append(parts, "("+formatNodes(n.Nodes)+")")
		case "inline":
			parts = append(parts, n.Type+"<"+formatNodes(n.Nodes)+">")
		default:
			for _, l := range n.Leaves {
				marks := ""
				for _, m := range l.Marks {
					marks += "/" + m.Type
				}
				parts = append(parts, fmt.Sprintf("%q%s", l.Text, marks))
			}
		}
	}
	return strings.Join(parts, " ")
}

func sourceFrom(markdown string) Source {
	return Source{Text: content.Text{Markdown: []byte(markdown)}}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"":                      "",
		"Plain.\n":              `paragraph{"Plain."}`,
		"a\nb  \nc":             `paragraph{"a b\nc"}`,
		"# One\n\n##### Five\n": `heading-1{"One"} heading-3{"Five"}`,
		"{% embed url=\"https://x.org/v\" %}\nA *word*\n{% endembed %}\n": `embed{} paragraph{"A " "word"/italic}`,
		"{% file src=\"/files/f_1\" %}\nA word\n{% endfile %}\n":          `file{} paragraph{"A word"}`,
		"{% file src=\"gone.zip\" %}\nA word\n{% endfile %}\n":            `paragraph{"A word"}`,
		"{% embed url=\"https://x.org/v\" %}\n{% endembed %}\n":           `embed{}`,
	} {
		t.Run(markdown, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, formatNodes(Write(sourceFrom(markdown)).Nodes)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestWritePicturesForDarkScreens checks that a picture has an image for dark screens, in the syntax of the public dialect.
func TestWritePicturesForDarkScreens(t *testing.T) {
	t.Parallel()
	dark := map[string]any{"kind": "url", "url": "https://x.org/dark.png"}
	const source = `<source srcset=" https://x.org/dark.png " media="(prefers-color-scheme: dark)">`
	for markdown, want := range map[string]map[string]any{
		"<figure><picture>" + source +
			`<img src="https://x.org/a.png"></picture><figcaption>c</figcaption></figure>`: dark,
		"<figure>\n<picture>\n" + source +
			"\n<img src=\"https://x.org/a.png\">\n</picture>\n</figure>": dark,
		"Text <picture>" + source +
			`<img src="https://x.org/a.png"></picture> more`: dark,
		`Text <picture><source srcset="https://x.org/b.png" media="print"><img src="https://x.org/a.png"></picture>`: nil,
		"Text <picture>" + source +
			`<img src="https://x.org/b.png"></picture> and <img src="https://x.org/a.png" alt="the other one">`: nil,
		"<figure><img src=\"https://x.org/a.png\"><figcaption><picture>" + source +
			`<img src="https://x.org/b.png"></picture></figcaption></figure>`: dark, // of the image in the caption
	} {
		images := imagesIn(Write(sourceFrom(markdown)).Nodes)
		if len(images) == 0 {
			t.Errorf("%s: no image", markdown)
			continue
		}
		got, _ := images[len(images)-1].Data["refDark"].(map[string]any)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", markdown, diff)
		}
	}
}

// imagesIn returns the images of a tree in order.
func imagesIn(nodes []api.DocumentNode) (found []api.DocumentNode) {
	for _, n := range nodes {
		if n.Type == "image" || n.Type == "inline-image" {
			found = append(found, n)
		}
		found = append(found, imagesIn(n.Nodes)...)
		found = append(found, imagesIn(n.Fragments)...)
	}
	return found
}

// wordsIn returns the words of the leaves of a tree in order.
func wordsIn(nodes []api.DocumentNode) (found []string) {
	for _, n := range nodes {
		if t, ok := ParseTable(n); ok {
			for _, c := range t.Columns {
				found = append(found, alphanumericWords(c.Title)...)
			}
		}
		joined := ""
		for _, l := range n.Leaves {
			joined += l.Text
		}
		found = append(append(append(found, alphanumericWords(joined)...), wordsIn(n.Nodes)...), wordsIn(n.Fragments)...)
	}
	return found
}

func alphanumericWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// drawMarkdown generates Markdown of every construct with numbered, unique words.
func drawMarkdown(t *rapid.T) (markdown string, written []string) {
	word := func() string {
		written = append(written, fmt.Sprintf("word%d", len(written)))
		return written[len(written)-1]
	}
	inline := func() string {
		form := rapid.SampledFrom([]string{
			"%s", "*%s*", "**%s**", "~~%s~~", "`%s`", "[%s](/pages/p)", "![%s](x.png)", "<b>%s</b>", "***%s***", "%s\n%s", "\\*%s",
		}).Draw(t, "inline")
		args := make([]any, strings.Count(form, "%s"))
		for i := range args {
			args[i] = word()
		}
		return fmt.Sprintf(form, args...)
	}
	var block func(depth int) string
	block = func(depth int) string {
		forms := []string{"paragraph", "heading", "code", "table", "html"}
		if depth < 3 {
			forms = append(forms, "list", "tasks", "quote", "hint", "tabs", "odd")
		}
		indented := func(prefix, rest string) string {
			return prefix + strings.ReplaceAll(strings.TrimRight(block(depth+1), "\n"), "\n", "\n"+rest) + "\n"
		}
		switch rapid.SampledFrom(forms).Draw(t, "block") {
		case "heading":
			return strings.Repeat("#", rapid.IntRange(1, 6).Draw(t, "level")) + " " + word() + "\n\n"
		case "code":
			return "```\n" + word() + "\n\n" + word() + "\n```\n\n"
		case "table":
			return "| " + word() + " | " + word() + " |\n|---|---|\n| *" + word() + "* | `" + word() + "` |\n\n"
		case "html":
			return "<div>\n" + word() + "\n</div>\n\n"
		case "list":
			return indented("- ", "  ") + indented("- ", "  ") + "\n"
		case "tasks":
			return "- [ ] " + word() + "\n- [x] " + word() + "\n\n"
		case "quote":
			return indented("> ", "> ") + "\n"
		case "hint":
			return "{% hint style=\"info\" %}\n" + block(depth+1) + "{% endhint %}\n\n"
		case "tabs":
			return "{% tabs %}\n{% tab title=\"t\" %}\n" + block(depth+1) + "{% endtab %}\n{% endtabs %}\n\n"
		case "odd":
			return "{% odd %}\n" + block(depth+1) + "{% endodd %}\n\n"
		}
		return inline() + " " + inline() + "\n\n"
	}
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		markdown += block(0)
	}
	return markdown, written
}

// TestWriteKeepsAllText checks that all visible text of the Markdown is in the leaves of its tree, once and in order.
func TestWriteKeepsAllText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		markdown, written := drawMarkdown(t)
		found := slices.DeleteFunc(wordsIn(Write(sourceFrom(markdown)).Nodes), func(w string) bool { return !strings.HasPrefix(w, "word") })
		if diff := cmp.Diff(written, found); diff != "" {
			t.Errorf("%s\n-want +got\n%s", markdown, diff)
		}
	})
}
