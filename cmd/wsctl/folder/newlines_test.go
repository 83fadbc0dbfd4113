package folder

import (
	"bytes"
	"strings"
	"testing"
)

// TestLineEndsOfMachineAreNoChanges checks texts whose lines end with LF in the space and with CRLF in the folder, as git checks them
// out with core.autocrlf.
func TestLineEndsOfMachineAreNoChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const edited, mixed = "# Edited\n\nOne.\n\nTwo.\n", "# Mixed\r\n\nText.\n"
	base := map[string]string{"edited.md": edited, "same.md": "# Same\n\nText.\n", "crlf.md": "# CRLF\r\n\r\nText.\r\n", "mixed.md": mixed}
	pullInto(t, dir, exportOf(t, "r_1", base, nil))
	crlf := func(text string) string { return string(toCRLF([]byte(text))) }
	write(t, dir, map[string]string{
		"same.md": crlf(base["same.md"]), "edited.md": crlf(strings.Replace(edited, "One", "1", 1)), "new.md": "# New\r\n",
	})
	f := openFolder(t, dir)
	f.isAutoCRLF = true
	push := planPush(t, f)
	sent := map[string]string{}
	for _, o := range push.operations {
		change, err := f.withContent(o)
		if err != nil {
			t.Fatal(err)
		}
		sent[o.path], _ = change.Document.Markdown.Get()
	}
	want := map[string]string{"edited.md": strings.Replace(edited, "One", "1", 1), "new.md": "# New\n"}
	if len(sent) != len(want) || sent["edited.md"] != want["edited.md"] || sent["new.md"] != want["new.md"] {
		t.Errorf("sent: %q", sent)
	}
	f.Close()

	base["edited.md"] = strings.Replace(edited, "Two", "2", 1)
	base["same.md"] = "# Same\n\nOther text.\n"
	base["crlf.md"] = "# CRLF\r\n\r\nOther text.\r\n"
	pullInto(t, dir, exportOf(t, "r_2", base, nil))
	files := filesOf(t, dir)
	for at, text := range map[string]string{
		"edited.md": "# Edited\r\n\r\n1.\r\n\r\n2.\r\n", "same.md": crlf(base["same.md"]), "crlf.md": base["crlf.md"], "mixed.md": mixed,
	} {
		if files[at] != text {
			t.Errorf("%s is %q, want %q", at, files[at], text)
		}
	}
}

func TestHasCRLF(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "a": false, "a\n": false, "a\r\nb": true, "a\r\nb\n": false, "a\r\r\n": false, "\r\n": true,
	} {
		if got := hasCRLF([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	if got := toCRLF([]byte("a\r\nb\n")); !bytes.Equal(got, []byte("a\r\nb\r\n")) {
		t.Errorf("%q", got)
	}
}

// TestSwappedPagesGetSuggestedSlugs checks that two pages that swap their names swap their addresses, and that a new page gets the
// address of a deleted one.
func TestSwappedPagesGetSuggestedSlugs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := map[string]string{"a.md": "# A\n\nText of A.\n", "b.md": "# B\n\nText of B.\n"}
	pullInto(t, dir, exportOf(t, "r_1", base, nil))
	write(t, dir, map[string]string{"a.md": base["b.md"], "b.md": base["a.md"]})
	push := planPush(t, openFolder(t, dir))
	slugs := map[string]string{}
	for _, o := range push.operations {
		if slug, ok := o.change.Slug.Get(); ok {
			slugs[o.change.Page] = slug
		}
	}
	for _, d := range push.Changes {
		if want := strings.TrimSuffix(d.Path, ".md"); slugs[d.ID] != want {
			t.Errorf("%s has the slug %q", d.Path, slugs[d.ID])
		}
	}
}

// TestLargePushReleasesPaths checks that pages that each take the name of the next one are never at the same path between two edits.
func TestLargePushReleasesPaths(t *testing.T) {
	t.Parallel()
	p := &Push{}
	const pages = 60
	name := func(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	paths := map[string]string{} // by page
	for i := range pages {
		paths["p_"+name(i)] = name(i) + ".md"
		o := operation{path: name(i+1) + ".md", was: name(i) + ".md"}
		o.change.Page, o.change.Path = "p_"+name(i), name(i+1)+".md"
		p.operations = append(p.operations, o)
	}
	batches := p.batches()
	if len(batches) < 2 {
		t.Fatalf("%d batches", len(batches))
	}
	for n, batch := range batches {
		for _, o := range batch {
			paths[o.change.Page] = o.change.Path
		}
		pageAt := map[string]string{}
		for page, at := range paths {
			if other := pageAt[at]; other != "" {
				t.Fatalf("after edit %d, %s and %s are at %s", n, page, other, at)
			}
			pageAt[at] = page
		}
	}
}
