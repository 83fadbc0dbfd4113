package folder

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// checkFiles returns the findings in a folder with files, in the form path:line severity rule: message.
func checkFiles(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return checkDirectory(t, dir)
}

func checkDirectory(t *testing.T, dir string) (lines []string) {
	t.Helper()
	f, err := openToRead(dir, Config{Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Check(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s:%d %s %s: %s", x.Path, x.Line, x.Severity, x.Rule, x.Message))
	}
	return lines
}

func TestCheckFindsBrokenLinks(t *testing.T) {
	t.Parallel()
	around := map[string]string{
		"README.md": "# Home\n", "guide/README.md": "# Guide\n", "guide/power.md": "# Power\n\n## Two volts\n\n## Fuses {#fuse}\n",
		"bare/one.md": "# One\n", "bare/.hidden.md": "", "img/plan.png": "x", "values/v.md": "# {{ space.vars.name }}\n",
		".gitignore": "draft.md\n", "draft.md": "# Draft\n",
	}
	for text, want := range map[string]string{
		"[a](../guide/power.md) [b](../guide/) [c](../guide/power) [d](/guide/power.html) [e](power.md)": "" +
			"note link: power.md is not there; the space takes it for ../guide/power.md, the only one with this name",
		"[a](../guide/power.md#two-volts) [b](../guide/power.md#Two-Volts) [c](../guide/power.md#fuse) [d](#here)\n\n## Here\n": "",
		"[a](https://x.example/y.md) [b](mailto:a@b.example) [c](/pages/p_1) [d](/files/f_1#x) [e](//x.example/y)":              "",
		"[a](../guide/pover.md)":             "error link: ../guide/pover.md is not there; did you mean ../guide/power.md?",
		"[a](../guide/water.md)":             "error link: ../guide/water.md is not there",
		"[a](../../x.md)":                    "error link: ../../x.md is not below the root of the content",
		"[a](../bare/)":                      "",
		"[a](../img/)":                       "error link: ../img/ is a directory without a page of its own: add a README.md to it",
		"[a](../draft.md)":                   "error link: ../draft.md is not sent: it is hidden or ignored",
		"[a](../guide/POWER.md)":             "note link: ../guide/POWER.md differs in case from ../guide/power.md",
		"[a](../guide/power.md#two-vlts)":    "error link: guide/power.md has no heading #two-vlts; did you mean #two-volts?",
		"[a](#nothing)":                      "error link: this page has no heading #nothing",
		"[a](../values/v.md#any)":            "",
		"![a](../img/plan.png)":              "",
		"![a](../img/plans.png)":             "error link: ../img/plans.png is not there; did you mean ../img/plan.png?",
		"![a](../guide/power.md)":            "error link: ../guide/power.md is neither a page nor a picture of the space",
		"<img src='../img/plant.png'>":       "error link: ../img/plant.png is not there; did you mean ../img/plan.png?",
		"<a href=\"../none/x.md\">x</a>":     "error link: ../none/x.md is not there",
		"[a][b]\n\n[b]: ../none/x.md":        "error link: ../none/x.md is not there",
		"`[a](none.md)`\n\n    [a](none.md)": "",
		"a[^1]\n\n[^1]: Word.":               "note syntax: footnote [^1] stays text",
		"{% file src=\"../img/plan.pdf\" %}": "error link: ../img/plan.pdf is not there; did you mean ../img/plan.png?",
		"[a]({{ space.vars.url }}/x.md)":     "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"from/page.md": text}
			maps.Copy(files, around)
			got := ""
			for _, line := range checkFiles(t, files) {
				_, got, _ = strings.Cut(line, " ")
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestCheckFindsWhatIsRefusedOrLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing": {map[string]string{"README.md": "---\ntitle: A\n---\n# Home\n", "a/b.md": "B.\n", "x.png": "x"}, nil},
		"order": {
			map[string]string{
				"SUMMARY.md": "# Summary\n\n[Intro](intro.md)\n\n* [A](a.md)\n* [Gone](aa.md)\n* [Again](a.md#x)\n* [Plan](x.pdf)\n",
				"a.md":       "A.\n", "b.md": "B.\n", "intro.md": "I.\n", "x.pdf": "x",
			},
			[]string{
				"SUMMARY.md:6 error order: aa.md is not there",
				"SUMMARY.md:7 error order: a.md#x is listed again, and a page has one place: this entry is left out",
				"SUMMARY.md:8 error order: x.pdf is no page, so this entry is left out",
				"b.md:1 note order: is not in SUMMARY.md, so it stands below the page of its directory, else at the end",
				"intro.md:1 note order: is in SUMMARY.md outside of a list, so it stands below the page of its directory, else at the end",
			},
		},
		"groups": {
			map[string]string{"a/b/c.md": "C.\n"},
			[]string{`a/b:1 error order: is in "a", and both have no page of their own: add a README.md to one of them`},
		},
		"groups of SUMMARY.md": {
			map[string]string{"SUMMARY.md": "* A\n  * B\n    * [C](c.md)\n", "c.md": "C.\n"},
			[]string{`SUMMARY.md:1 error order: has "B" in "A", and both have no page of their own: give one of them a page`},
		},
		"order of other tools": {
			map[string]string{
				"mkdocs.yml": "site_name: A\nnav:\n  - a.md\n", "sidebars.js": "module.exports = {}\n", "part/_category_.json": "{}\n",
				"a.md": "A.\n",
			},
			[]string{
				"mkdocs.yml:2 note order: its order and its titles are not read; a SUMMARY.md beside the pages gives both",
				"part/_category_.json:1 note order: its order and its titles are not read; a SUMMARY.md beside the pages gives both",
				"sidebars.js:1 note order: its order and its titles are not read; a SUMMARY.md beside the pages gives both",
			},
		},
		"sizes": {
			map[string]string{
				"a.md": strings.Repeat("a", maxPageBytes+1), "b.bin": strings.Repeat("b", maxFileBytes+1),
				"c.md": strings.Repeat("c\n\n", 10_001),
			},
			[]string{
				"a.md:1 note size: is too large for one page and becomes 2",
				"b.bin:1 error size: is larger than 10 MiB",
				"c.md:1 note size: is too large for one page and becomes 2",
			},
		},
		"texts": {
			map[string]string{
				"a.md": "a\n\xff\n[x](y.md)\n", "b.md": "b\n\n\x00",
				"c.md": "x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
			},
			[]string{
				"a.md:2 error text: cannot be a page: text is not valid UTF-8 at byte 2",
				"b.md:3 error text: cannot be a page: text has a NUL character at byte 3",
				"c.md:2 error conflict: has a conflict that is not decided yet",
			},
		},
		"front matter": {
			map[string]string{
				"a.md": "---\ntitle: [a, b]\n---\nA.\n", "b.md": "---\ntitle: B\nx: {\n---\nB.\n", "c.md": "---\ntitle: C\n\nC.\n",
				"d.md": "+++\ntitle = 'D'\n+++\n", "e.md": "---\ntitle:\n---\nE.\n", "f.md": "---\n\nA rule.\n", "g.md": "---\n---\n",
				"h.md": "---\r\ntitle: >\r\n  Two\r\n  lines\r\n---\r\n",
			},
			[]string{
				"a.md:2 error front-matter: title of the front matter cannot be read: it must be one YAML text of at most 4 KiB",
				"b.md:3 note front-matter: front matter is not YAML: did not find expected node content",
				"c.md:1 error front-matter: front matter has no end: the line --- after it is missing",
				"d.md:1 error front-matter: front matter between +++ is not read; write it as YAML between ---",
			},
		},
		"paths": {
			map[string]string{"a.md": "A.\n", "A.md": "A.\n", "b:c.md": "B.\n", "d.mdx": "D.\n", "aux.md": "X.\n"},
			[]string{
				"a.md:1 error path: differs from A.md in case only; some file systems take them for one file",
				"aux.md:1 error path: is not sent: it has the name of a device",
				"b:c.md:1 error path: is not sent: it has a character that Windows does not allow",
				"d.mdx:1 note syntax: becomes a file, not a page: pages are .md and .markdown",
			},
		},
		"reusable contents": {
			map[string]string{".gitbook/includes/x.md": "X [y](../y.md).\n"},
			nil, // its links depend on the pages that include it
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, checkFiles(t, test.files)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckFindsSyntaxThatStaysText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"# A\n\n{% hint style=\"info\" %}\nB\n{% endhint %}\n\n{% embed url=\"https://x.example\" %}\n":                       nil,
		"* {% include \"reusable:x\" %}\n\n{{ space.vars.a }} {{ page.vars.b }} `{{ c }}`\n":                                  nil,
		"```liquid\n{% raw %}\n!!! note\n:::tip\n<Tabs>\n```\n\n`<Tabs>` <https://X.example> <BR> a [[b]](https://c.example)": nil,
		"import Tabs from '@theme/Tabs';\nexport const x = 1\n\n<Tabs>\n  <TabItem.X value=\"a\" />\n</Tabs>\n": {
			"1 import of MDX", "2 export of MDX", "4 <Tabs> is not read", "5 <TabItem.X> is not read",
		},
		"import the package from the shop\n\n{/* x */}\n":                      {"3 {/* */} of MDX"},
		"!!! note\n    Text\n\n!!! tip\n    Text\n":                            {"1 !!! note of MkDocs"},
		"??? \"Title\"\n    Text\n\n=== \"Tab\"\n    Text\n":                   {"1 ??? \"Title of MkDocs", "4 === \"Tab\" of MkDocs"},
		":::note\nText\n:::\n":                                                 {"1 :::note stays text"},
		"> [!NOTE]\n> Text\n":                                                  {"1 [!NOTE] of GitHub"},
		"A\n\n```rust\n{{#include a.rs:2:3}}\n```\n":                           {"4 {{#include a.rs:2:3}} of mdBook"},
		"{{< figure src=\"x\" >}}\n{{ .Site.Title }}\n":                        {"1 shortcode {{< figure", "2 {{ .Site.Title }}"},
		"{% raw %}\nx\n{% endraw %}\n{% raw %}\n":                              {"1 {% raw %} stays text: it is no tag of wsd"},
		"Text {% if x %}\n":                                                    {"1 {% if %} stays text: a tag is alone on its line"},
		"{% include \"a.md\" %}\n":                                             {"1 {% include %} of a file stays text"},
		"{% tabs %}\n{% tab title=\"a\" %}\nx\n{% endtabs %}\n":                {"2 {% tab %} stays text: there is no"},
		"x\n{% endhint %}\n":                                                   {"2 {% endhint %} stays text: there is no"},
		"[A](https://x.example){ .button } and {: .x }\n\n[TOC]\n\n[[Page]]\n": {"1 attributes { .button }", "3 [TOC]", "5 [[Page]]"},
	} {
		var got []string
		for _, p := range unreadSyntax([]byte(text)) {
			got = append(got, fmt.Sprintf("%d %s", lineAt([]byte(text), p.offset), p.message))
		}
		same := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			same = same && strings.HasPrefix(got[i], want[i])
		}
		if !same {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// TestCheckOfPulledFolder checks that a pulled folder has the findings of a fresh one and what is undecided, and that a check
// writes nothing.
func TestCheckOfPulledFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": "[b](b.md)\n", "x.png": "1"}, nil))
	write(t, dir, map[string]string{"x.png": "here"})
	pullInto(t, dir, exportOf(t, "r_2", map[string]string{"a.md": "[b](b.md)\n", "x.png": "there"}, nil))
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.md:1 error link: b.md is not there",
		"x.png:1 error conflict: was changed here and in the space; decide it: wsctl pull --take folder|space",
	}
	if diff := cmp.Diff(want, checkDirectory(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, lockName)); err == nil {
		t.Error("the check took the lock")
	}
}

func TestCheckFindsSymbolicLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "[b](b.md)\n", "c.txt": "c"})
	if err := os.Symlink("c.txt", filepath.Join(dir, "b.md")); err != nil {
		t.Skip(err)
	}
	want := []string{
		"a.md:1 error link: b.md is not sent: it is a symbolic link or no regular file",
		"b.md:1 note path: is not sent: it is a symbolic link or no regular file",
	}
	if diff := cmp.Diff(want, checkDirectory(t, dir)); diff != "" {
		t.Error(diff)
	}
}
