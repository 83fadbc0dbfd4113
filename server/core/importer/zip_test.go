package importer

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// zipEntry is one entry of a test archive.
type zipEntry struct{ name, text string }

func makeZip(t *testing.T, entries []zipEntry) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func importZip(t *testing.T, archive []byte, limits Limits) (Result, error) {
	t.Helper()
	site := serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) }))
	return newTestImporter(t, limits).Import(t.Context(), request(SourceZip, site+"/a.zip"))
}

const summary = `# Table of contents

* [Welcome \& hello](README.md)
* [Start ` + "`now`" + `](start/README.md)
  * [Install](start/install.md)
    * [On Linux](<start/install/on linux.md>)
  * [Again](start/install.md)

## Reference

- [Commands](ref/commands.md#top)
- [Blog](https://example.org/blog)
- [Gone](gone.md)
    - [Below gone](ref/below.md)
- Plain text
    - [Options](./ref/../ref/options.md)
`

func TestZipWithSummary(t *testing.T) {
	t.Parallel()
	texts := []zipEntry{
		{"README.md", "---\ntitle: Not this\ndescription: The first page.\n---\n\n# Hello\r\n\r\nno final newline"},
		{"start/README.md", "Start"},
		{"start/install.md", "# Install it ![i](../.gitbook/i.png)\n"},
		{"start/install/on linux.md", "\ufeffbom"},
		{"ref/commands.md", "[options](options.md)\n"},
		{"ref/below.md", "x"},
		{"ref/options.md", "trailing \n\n\n"},
		{"ref/forgotten.md", "# Forgotten\n"},
		{"start/extra.md", "e"},
		{"last.md", "# Last\n"},
		{".gitbook/i.png", "\x89PNG\r\n\x1a\n"},
	}
	archive := makeZip(t, append([]zipEntry{{"SUMMARY.md", summary}}, texts...))
	result, err := importZip(t, archive, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := `Welcome & hello [welcome-and-hello]
Start now [start]
  Install [install]
    On Linux [on-linux]
  extra [extra]
Reference* [reference]
  Commands [commands]
  Blog [blog]
  Below gone [below]
  Plain text* [plain-text]
    Options [options]
Last [last]
Forgotten [forgotten]
`
	if diff := cmp.Diff(want, outline(result.Pages)); diff != "" {
		t.Errorf("outline (-want +got)\n%s", diff)
	}
	got := map[string]string{}
	var walk func(pages []*Page)
	walk = func(pages []*Page) {
		for _, page := range pages {
			got[page.Source] = string(page.Markdown)
			walk(page.Children)
		}
	}
	walk(result.Pages)
	for _, text := range texts[:len(texts)-1] {
		if got[text.name] != text.text {
			t.Errorf("%s came out as %q, want %q", text.name, got[text.name], text.text)
		}
	}
	if result.Pages[0].Description != "The first page." {
		t.Errorf("description is %q", result.Pages[0].Description)
	}
	if len(result.Files) != 1 || result.Files[0].Name != ".gitbook/i.png" || result.Files[0].ContentType != "image/png" {
		t.Errorf("files are %+v", result.Files)
	}
	if result.Imported != 11 || result.Total != 11 {
		t.Errorf("imported %d of %d, want 11 of 11", result.Imported, result.Total)
	}
	notes := strings.Join(result.Notes, "\n")
	for _, want := range []string{
		"gone.md is not there", "start/install.md is listed more than once", "example.org/blog", "3 pages are not in SUMMARY.md",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes have no %q:\n%s", want, notes)
		}
	}
}

func TestZipWithoutSummary(t *testing.T) {
	t.Parallel()
	result, err := importZip(t, makeZip(t, []zipEntry{
		{"repo-main/z.md", "z"},
		{"repo-main/b/deep/x.md", "# X"},
		{"repo-main/a/index.md", "# The A"},
		{"repo-main/a/two.md", "two"},
		{"repo-main/README.md", "---\ntitle: Front\n---\n"},
		{"repo-main/.DS_Store", "junk"},
		{"__MACOSX/repo-main/._z.md", "junk"},
		{"repo-main/wsctl.yaml", "junk"},
		{"repo-main/wsctl.manifest.json", "junk"},
		{"repo-main/.wsctl/base/1.md", "junk"},
		{"repo-main/.git/config", "junk"},
		{"repo-main/img/i.svg", "<svg/>"},
		{"repo-main/bad.md", "a\x00b"},
		{"repo-main/latin.md", "# Gr\xfc\xdfe"},
	}), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := "Front [front]\nThe A [a]\n  two [two]\nb* [b]\n  deep* [deep]\n    X [x]\nGrüße [latin]\nz [z]\n"
	if diff := cmp.Diff(want, outline(result.Pages)); diff != "" {
		t.Errorf("outline (-want +got)\n%s", diff)
	}
	if result.Imported != 7 || result.Total != 8 {
		t.Errorf("imported %d of %d, want 7 of 8", result.Imported, result.Total)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "NUL") || !strings.Contains(notes, "windows-1252") {
		t.Errorf("notes are %q", notes)
	}
	if diff := cmp.Diff([]Unread{{Path: "bad.md"}}, result.Unread); diff != "" {
		t.Errorf("unread (-want +got)\n%s", diff)
	}
}

func TestZipRejectsInvalidArchive(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("\x00", 5<<20)
	tests := []struct {
		name    string
		entries []zipEntry
		limits  Limits
		message string
	}{
		{"climbs out", []zipEntry{{"../a.md", "x"}}, Limits{}, "plain and relative"},
		{"climbs out inside", []zipEntry{{"a/../../a.md", "x"}}, Limits{}, "plain and relative"},
		{"absolute", []zipEntry{{"/etc/a.md", "x"}}, Limits{}, "plain and relative"},
		{"backslash", []zipEntry{{`a\b.md`, "x"}}, Limits{}, "plain and relative"},
		{"twice", []zipEntry{{"a.md", "x"}, {"a.md", "y"}}, Limits{}, "twice"},
		{"file and directory", []zipEntry{{"a.md", "x"}, {"a.md/", ""}}, Limits{}, "twice"},
		{"too many entries", []zipEntry{{"a.md", "x"}, {"b.md", "y"}}, Limits{Files: 1}, "more than 1"},
		{"too many pages", []zipEntry{{"a.md", "x"}, {"b.md", "y"}}, Limits{Pages: 1}, "more than 1"},
		{"ratio", []zipEntry{{"a.bin", zeros}}, Limits{}, "unpacks to more"},
		{
			"too much in all", []zipEntry{
				{"a.bin", strings.Repeat("ab", 60)}, {"b.bin", strings.Repeat("cd", 60)},
			}, Limits{TotalBytes: 200}, "unpacks to more",
		},
		{"nothing in it", nil, Limits{}, "neither"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := importZip(t, makeZip(t, test.entries), test.limits)
			var failure *Error
			if !errors.As(err, &failure) || failure.Field != "url" || !strings.Contains(failure.Message, test.message) {
				t.Errorf("got %v, want url with %q", err, test.message)
			}
		})
	}
}

func TestZipOmitsOversizedEntry(t *testing.T) {
	t.Parallel()
	result, err := importZip(t, makeZip(t, []zipEntry{{"a.md", "x"}, {"video.bin", strings.Repeat("ab", 60)}}), Limits{ResourceSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	if result.Imported != 1 || result.Total != 2 || len(result.Files) != 0 {
		t.Errorf("got %+v", result)
	}
	if diff := cmp.Diff([]Unread{{Path: "video.bin"}}, result.Unread); diff != "" {
		t.Errorf("unread (-want +got)\n%s", diff)
	}
}

func TestZipSymlink(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	header := &zip.FileHeader{Name: "link.md"}
	header.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(f, "/etc/passwd")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := importZip(t, buf.Bytes(), Limits{}); err == nil || !strings.Contains(err.Error(), "neither a file nor a directory") {
		t.Errorf("got %v", err)
	}
}

// TestZipWrongDeclaredSize checks that an entry that is larger than declared is refused.
func TestZipWrongDeclaredSize(t *testing.T) {
	t.Parallel()
	var deflated bytes.Buffer
	fw, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fw.Write(make([]byte, 4<<20))
	_ = fw.Close()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	f, err := w.CreateRaw(&zip.FileHeader{
		Name: "a.md", Method: zip.Deflate, CompressedSize64: uint64(deflated.Len()), UncompressedSize64: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(deflated.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := importZip(t, buf.Bytes(), Limits{}); err == nil || !strings.Contains(err.Error(), "unpack") {
		t.Errorf("got %v", err)
	}
}

func FuzzZip(f *testing.F) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range []string{"SUMMARY.md", "a/README.md", "b.md"} {
		e, err := w.Create(name)
		if err != nil {
			f.Fatal(err)
		}
		_, _ = io.WriteString(e, summary)
	}
	_ = w.Close()
	f.Add(buf.Bytes())
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{TotalBytes: 1 << 20}.withDefaults()
		reader, size, err := openArchive(data, limits)
		if err != nil {
			return
		}
		content, err := unpack(t.Context(), reader, limits)
		if err != nil {
			return
		}
		for _, e := range content.entries {
			size -= int64(len(e.data))
		}
		if size < 0 {
			t.Errorf("it unpacks to %d bytes more than were announced", -size)
		}
		for _, e := range content.entries {
			if !fs.ValidPath(e.name) {
				t.Errorf("name %q leads out of the archive", e.name)
			}
		}
	})
}

// FuzzSummary checks that every text is placed exactly once, whatever SUMMARY.md contains.
func FuzzSummary(f *testing.F) {
	f.Add(summary)
	f.Add("* [a](a.md)\n  * [a](a.md)\n* [](b/)\n")
	f.Add("## \n\n1. [x](%zz)\n2. ![i](c/d.md)\n")
	f.Fuzz(func(t *testing.T, text string) {
		b := &bundle{req: request(SourceZip, ""), limits: Limits{}.withDefaults(), texts: map[string]*Page{}}
		content := archive{entries: []entry{{name: "SUMMARY.md", data: []byte(text)}}}
		for _, name := range []string{"a.md", "b/README.md", "c/d.md", "start/install.md"} {
			content.entries = append(content.entries, entry{name: name, data: []byte(name)})
		}
		listed, err := b.load(t.Context(), content)
		if err != nil {
			t.Fatal(err)
		}
		b.arrange(listed)
		seen := map[string]int{}
		var walk func(pages []*Page)
		walk = func(pages []*Page) {
			taken := map[string]bool{}
			for _, page := range pages {
				if page.Slug == "" || page.Title == "" || taken[page.Slug] {
					t.Errorf("page %+v has no title or no slug of its own", page)
				}
				taken[page.Slug] = true
				seen[string(page.Markdown)]++
				walk(page.Children)
			}
		}
		walk(b.result.Pages)
		for _, e := range content.entries[1:] {
			if seen[e.name] != 1 {
				t.Errorf("%s was placed %d times", e.name, seen[e.name])
			}
		}
	})
}
