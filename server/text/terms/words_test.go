package terms

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Running runs, the RUN's run":       "run run the run run",
		"configuration of configured":       "configur of configur",
		"os.path_join don't O’Reilly’s":     "os path join don't o'reilli",
		"Größe Straße CAFÉ café":            "gross strass cafe cafe",
		"настройки настройка настройкой":    "настройк настройк настройк",
		"Ёлка елка":                         "елк елк",
		"и\u0306од За\u0301мок ΣΟΦΟΣ σοφος": "йод замок σοφοσ σοφοσ",
		"Daten\u00adsicherung":              "datensicherung",
		"設定方法":                              "設定 定方 方法",
		"カタカナ ｶﾀｶﾅ":                         "カタ タカ カナ カタ タカ カナ",
		"x = 42; 3.14":                      "x 42 3 14",
		"":                                  "",
		strings.Repeat("a", 65):             "",
	} {
		var got []string
		for _, w := range Words(text, false) {
			got = append(got, w.Term)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", text, s, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	words := Parse("how to install the packages")
	var got []string
	for _, w := range words {
		s := w.Term
		if w.Optional {
			s += "?"
		}
		if w.Prefix {
			s += "*"
		}
		got = append(got, s)
	}
	if s := strings.Join(got, " "); s != "how? to? instal the? packag*" {
		t.Errorf("parsed as %s", s)
	}
	if words := Parse("for"); len(words) != 1 || words[0].Optional {
		t.Errorf("a little word alone: %+v", words)
	}
	if words := Parse("!?"); len(words) != 0 {
		t.Errorf("no words: %+v", words)
	}
}

func TestPostingPackRoundTrip(t *testing.T) {
	t.Parallel()
	for _, p := range []Posting{
		{Text: 1}, {
			Text: 300, Sections: 1<<MaxSections - 1,
		}, {Title: 1}, {Text: 2, Headings: maxCounted, Title: 3, Sections: 1 << 39}, {Headings: 1},
	} {
		if got := UnpackPosting(p.Pack(), p.Sections); got != p {
			t.Errorf("%+v came back as %+v", p, got)
		}
	}
	for _, l := range []Lengths{{}, {Text: 1 << 20, Title: maxTitle}} {
		if got := UnpackLengths(l.Pack()); got != l {
			t.Errorf("%+v came back as %+v", l, got)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	reader := Reader{}
	weigh := func(title string, sections ...Section) int {
		d := reader.Read(Page{Title: title, Sections: sections})
		for _, p := range d.Postings {
			if p.Term == "instal" {
				return p.Weight(d.Lengths)
			}
		}
		return 0
	}
	filler := strings.Repeat("other words of text ", 50)
	order := []int{
		weigh("Install"), weigh("Install the server"), weigh("Guide", Section{"Install", filler}),
		weigh("Guide", Section{"x", "install install " + filler}), weigh("Guide", Section{"x", "install " + filler}),
	}
	for i := range len(order) - 1 {
		if order[i] <= order[i+1] {
			t.Errorf("weight %d is %d, not more than %d", i, order[i], order[i+1])
		}
	}
}

// TestCutMatchesUnicodeRules checks that cutting plain letters gives the same words as the rules of Unicode.
func TestCutMatchesUnicodeRules(t *testing.T) {
	t.Parallel()
	parts := []string{
		"a", "Bc", "7", "42", "'", "'s", ",", ";", ".", "_", ":", "-", " ", "  ", "\n", "\t", "é", "ß", "’", "‘", "“", "”", "„", "—", "…",
		"•", "→", "≠", "É", "ñ", "Ł", "ĳ", "ſ", "İ", "ŉ", "×", "²", "½", "ª", "·", "µ", "«", "©", "\u00a0", "设定", "カ", "и", "\u0301",
		"\u00ad", "(", "@", strings.Repeat("x", 63), strings.Repeat("é", 32), "\r\n",
	}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 2))
		var text strings.Builder
		for range r.IntN(14) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		var got []Word
		eachWord(text.String(), func(raw []byte) {
			if w := plainWord(string(raw)); w.Term != "" {
				got = append(got, w)
			}
		}, func(w Word) { got = append(got, w) })
		if want := Words(text.String(), true); !slices.Equal(got, want) {
			t.Fatalf("%q is cut into %q, want %q", text.String(), got, want)
		}
	}
}

// TestFindWordWithOneWrongLetter checks that words that differ in one added, missing, replaced or swapped letter are found by
// their halves, and that no other words match.
func TestFindWordWithOneWrongLetter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		one  bool
	}{
		{"welcome", "wellcome", true},
		{"welcome", "welcme", true},
		{"welcome", "wilcome", true},
		{"welcome", "weclome", true},
		{"elcome", "welcome", true},
		{"welcome", "welcom", true},
		{"welcoem", "welcome", true},
		{"ewlcome", "welcome", true},
		{"welcome", "welcome", false},
		{"welcome", "wellcomme", false},
		{"welcome", "wlceome", false},
		{"welcome", "walcame", false},
		{"welcome", "welcomers", false},
		{"größe", "grösse", false},
		{"größe", "gröbe", true},
		{"настройка", "настрйока", true},
		{"", "a", true},
	} {
		if got := DifferByOneLetter(c.a, c.b); got != c.one || got != DifferByOneLetter(c.b, c.a) {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
		beginning, ending, swapped := Halves(c.a)
		if c.one && c.a != "" && !strings.HasPrefix(c.b, beginning) && !strings.HasSuffix(c.b, ending) && c.b != swapped {
			t.Errorf("%s does not have %s, %s or %s", c.b, beginning, ending, swapped)
		}
	}
}

// TestStopWordsAreOptional checks that the stop words of a sentence are optional in every language.
func TestStopWordsAreOptional(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"wie richte ich die Datensicherung ein": "richt datensicherung",
		"как настроить резервную копию":         "настро резервн коп",
		"パスワードを忘れた":                             "パス スワ ワー ード 忘れ れた",
		"検索する方法は":                               "検索 方法",
		"検索の":                                   "検索",
		"から":                                    "から",
		"お知らせ":                                  "お知 知ら らせ",
		"man page":                              "man page",
	} {
		var got []string
		for _, w := range Parse(query) {
			if !w.Optional {
				got = append(got, w.Term)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s asks for %q, want %q", query, s, want)
		}
	}
}
