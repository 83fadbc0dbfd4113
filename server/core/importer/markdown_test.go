package importer

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, contentType, body, text, title, description, note string }{
		{"bytes are kept", "text/markdown", "\ufeff# A  \r\n![i](i.png)", "\ufeff# A  \r\n![i](i.png)", "A", "", ""},
		{"front matter", "", "---\ntitle: T\ndescription: D\n---\n# A\n", "---\ntitle: T\ndescription: D\n---\n# A\n", "T", "D", ""},
		{"front matter that is none", "", "---\n: [\n---\n# A #\n", "---\n: [\n---\n# A #\n", "A", "", ""},
		{"no heading", "", "text\n```\n# code\n```\n", "text\n```\n# code\n```\n", "read-me", "", ""},
		{"charset", "text/plain; charset=iso-8859-1", "# \xfc", "# ü", "ü", "", "windows-1252"},
		{"empty", "", "", "", "read-me", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			site := serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				_, _ = io.WriteString(w, test.body)
			}))
			result := mustImport(t, newTestImporter(t, Limits{}), request(SourceMarkdown, site+"/read-me.md"))
			page := result.Pages[0]
			if string(page.Markdown) != test.text || page.Title != test.title || page.Description != test.description ||
				page.Slug != "read-me" {
				t.Errorf("got %q, %q, %q, %q", page.Markdown, page.Title, page.Description, page.Slug)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, test.note) || (test.note == "" && notes != "") {
				t.Errorf("notes are %q, want %q", notes, test.note)
			}
			if result.Imported != 1 || result.Total != 1 {
				t.Errorf("imported %d of %d", result.Imported, result.Total)
			}
		})
	}
}

func TestMarkdownRejectsInvalidText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{"a\x00b": "offset 1", strings.Repeat("a", 101): "larger than 100"} {
		site := serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		_, err := newTestImporter(t, Limits{ResourceSize: 100}).Import(t.Context(), request(SourceMarkdown, site))
		var failure *Error
		if !errors.As(err, &failure) || failure.Field != "url" || !strings.Contains(failure.Message, want) {
			t.Errorf("%.5q: got %v, want %q", body, err, want)
		}
	}
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 150)
	taken := slugSet{}
	for _, test := range []struct{ wish, title, want string }{
		{"Über uns", "", "uber-uns"},
		{"3.11", "", "3-11"},
		{"", "Title", "title"},
		{"???", "", "page"},
		{"", "", "page-2"},
		{"日本", "", "ri-ben"},
		{long, "", long[:100]},
		{long, "", long[:98] + "-2"},
	} {
		if got := taken.Take(firstSlug(test.wish, test.title)); got != test.want {
			t.Errorf("take(%q, %q) = %q, want %q", test.wish, test.title, got, test.want)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add("---\ntitle: a\n---\nb")
	f.Add("---\na: &a [*a, *a]\n---\n")
	f.Add("---\r\n...\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		markdownTitle([]byte(text), "")
		if !strings.HasSuffix(text, string(bodyOf([]byte(text)))) {
			t.Error("the body is not the end of the text")
		}
	})
}
