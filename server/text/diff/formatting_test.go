package diff

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// TestFormattingRendersTheSame checks that a change marked as formatting does not change the rendered page.
func TestFormattingRendersTheSame(t *testing.T) {
	t.Parallel()
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		drawn := string(drawText(t, "old", content.Text{}).Markdown)
		old := parse(t, strings.ReplaceAll(drawn, "\ufeff", "")+"end", content.Text{})
		now := reformat(t, old)
		diff := Text(context.Background(), old, now)
		for _, d := range diff {
			if d.Change != api.BlockSame && d.Change != api.BlockEdited || !onlyFormatting(d.Runs) {
				return
			}
		}
		seen++
		if before, after := render(t, old.Markdown), render(t, now.Markdown); before != after {
			t.Errorf("%q and %q do not look the same:\n%s\n%s\n%s", old.Markdown, now.Markdown, before, after, formatBlocks(diff))
		}
	})
	if seen < 10 {
		t.Errorf("only %d of the texts differed in formatting", seen)
	}
}

// reformat changes white space and numbers at random positions.
func reformat(t *rapid.T, old content.Text) content.Text {
	text := string(old.Markdown)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		places := formattingPattern.FindAllStringIndex(text, -1)
		if len(places) == 0 {
			break
		}
		at := places[rapid.IntRange(0, len(places)-1).Draw(t, "place")]
		with := rapid.SampledFrom([]string{" ", "\n", "  ", "\r\n", "\n   ", "\n> ", "\t", "7"}).Draw(t, "with")
		text = text[:at[0]] + with + text[at[1]:]
	}
	return parse(t, text, old)
}

var formattingPattern = regexp.MustCompile(`[ \t\r\n]+(?:> )?|[0-9]+`)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

var (
	paragraphTags = regexp.MustCompile(`</?p>`)
	spaces        = regexp.MustCompile(`\s+`)
)

// render returns the HTML without insignificant white space and without the difference of tight and loose lists.
func render(t *rapid.T, markdown []byte) string {
	var out bytes.Buffer
	if err := gfm.Convert(bytes.ReplaceAll(markdown, []byte("\r"), nil), &out); err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?s)<pre>.*?</pre>`).FindAllString(out.String(), -1)
	rest := regexp.MustCompile(`(?s)<pre>.*?</pre>`).ReplaceAllString(out.String(), "\x01")
	for i := range parts {
		parts[i] = strings.TrimRight(strings.TrimSuffix(parts[i], "</code></pre>"), " \t\r\n")
	}
	shown := spaces.ReplaceAllString(paragraphTags.ReplaceAllString(rest, " "), " ")
	return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(shown), " <", "<"), "<li> ", "<li>") + strings.Join(parts, "")
}
