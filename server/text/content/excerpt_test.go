package content

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("filler words here ", 20)
	for _, c := range []struct{ section, word, want string }{
		{"## Title\n\nThe *walrus* has tusks.\n", "walrus", "The walrus has tusks."},
		{"| alpha | beta |\n|---|---|\n| gamma | delta |\n", "delta", "alpha beta gamma delta"},
		{"- one\n- two\n  - three\n", "three", "one two three"},
		{"{% tabs %}\n{% tab title=\"Linux\" %}\nRun **it**.\n{% endtab %}\n{% endtabs %}\n", "run", "Linux Run it."},
		{
			"{% hint style=\"info\" %}\nMind the gap, " + filler + "walrus ends.\n{% endhint %}\n", "walrus",
			"… here filler words here filler words here filler words here walrus ends.",
		},
		{"```go\nfunc walrus() {}\n```\n", "walrus", "func walrus() {}"},
		{
			"```\n" + filler + "\nwalrus()\n```\n\nSee [there](x).\n", "walrus", "… filler words here filler words here filler words " +
				"here walrus() See there.",
		},
	} {
		if got := Excerpt([]byte(c.section), []string{c.word}, 240); got != c.want {
			t.Errorf("%q: %q, want %q", c.section, got, c.want)
		}
	}
}

// TestOutlineOmitsTags checks that only the title of a tag is part of the text.
func TestOutlineOmitsTags(t *testing.T) {
	t.Parallel()
	o := ParseOutline([]byte("{% hint style=\"info\" %}\nMind the `{% raw %}` gap.\n{% endhint %}\n\n{% tab title=\"Linux\" %}\n\n```\n" +
		"{% hint %}\n```\n"))
	if got := strings.Join(strings.Fields(o.Sections[0].Text), " "); got != "Mind the gap. Linux {% hint %}" {
		t.Errorf("read %q", got)
	}
}
