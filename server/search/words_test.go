package search

import (
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

func TestPostingsPack(t *testing.T) {
	t.Parallel()
	for _, p := range []Posting{{1, 0}, {maxWeight, 1<<MaxSections - 1}, {1234, 1 << 39}} {
		if got := Unpack(p.Score()); got != p {
			t.Errorf("%+v came back as %+v", p, got)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	weigh := func(title string, sections ...Section) int {
		return NewDocument(title, "", sections).Postings["instal"].Weight
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

// The little words of a sentence are not asked for, in no language.
func TestLittleWords(t *testing.T) {
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
