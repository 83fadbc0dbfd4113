package names

import "testing"

// TestFold checks the folded forms of usual and odd titles.
func TestFold(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Skylark Handbook":   "skylark-handbook",
		"SKYLARK_HANDBOOK":   "skylark-handbook",
		" skylark  handbook": "skylark-handbook",
		"C++":                "c",
		"C#":                 "c",
		"🚀":                  "",
		"":                   "",
		"a/b":                "a-b",
		"@me":                "me",
		"-o":                 "o",
		"Stra\u00dfe":        "strasse",
		"E\u0301tude":        "\u00e9tude", // decomposed
		"\u00c9tude":         "\u00e9tude",
		"हिन्दी":             "हिन्दी",
		"日本 語":               "日本-語",
		"v2.4 (beta)":        "v2-4-beta",
		"\u0345":             "\u03b9", // a mark whose folded form is a letter
	} {
		if got := Fold(name); got != want {
			t.Errorf("Fold(%q) is %q, want %q", name, got, want)
		}
	}
}

// FuzzFold checks that folding a folded name changes nothing.
func FuzzFold(f *testing.F) {
	for _, name := range []string{"Skylark Handbook", "Stra\u00dfe", "\u1e9e\u0345", "\u0130", "a\u0300\u0345\u0327"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		once := Fold(name)
		if twice := Fold(once); twice != once {
			t.Errorf("Fold(%q) is %q, folded again %q", name, once, twice)
		}
	})
}
