package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/openapi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pagesOf reads a document and generates its pages.
func pagesOf(tb testing.TB, text string) openapi.Pages {
	tb.Helper()
	d, err := openapi.Read(tb.Context(), "", []byte(text), web(nil))
	if err != nil {
		tb.Fatal(err)
	}
	pages, err := openapi.MakePages(d.Bundle)
	if err != nil {
		tb.Fatal(err)
	}
	return pages
}

func allPages(p openapi.Pages) []openapi.Page { return slices.Concat(p.Info, p.Operations, p.Models) }

// TestPagesMergeRequiredMembers checks that members required by one part of a schema are required in the others.
func TestPagesMergeRequiredMembers(t *testing.T) {
	t.Parallel()
	pages := pagesOf(t, `{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{},"components":{"schemas":{
		"Base":{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}}},
		"Pet":{"allOf":[{"$ref":"#/components/schemas/Base"},{"type":"object","required":["id","name"],"properties":{"name":{"type":"string"}}}]}}}}`)
	_, pet, _ := strings.Cut(string(pages.Models[0].Markdown), "`Pet`")
	for _, row := range []string{"| `id` | `string` | yes |", "| `note` | `string` |  |", "| `name` | `string` | yes |"} {
		if !strings.Contains(pet, row) {
			t.Errorf("%s is not in %s", row, pet)
		}
	}
}

// TestPages checks the pages generated from the same API in every version of OpenAPI.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.0", "3.0", "3.1"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", "pets-"+version+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, p := range allPages(pagesOf(t, string(text))) {
				checkPage(t, p)
				fmt.Fprintf(&b, "<!-- %s: %s -->\n%s\n", p.Slug, p.Title, p.Markdown)
			}
			golden := filepath.Join("testdata", "pets-"+version+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != b.String() {
				t.Errorf("%v, differs from %s:\n%s", err, golden, b.String())
			}
		})
	}
}

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkPage checks the limits that hold for every page.
func checkPage(tb testing.TB, p openapi.Page) {
	tb.Helper()
	if !slugPattern.MatchString(p.Slug) || len(p.Slug) > 100 || p.Title == "" {
		tb.Errorf("slug %q, title %q", p.Slug, p.Title)
	}
	if _, err := content.Parse("page", p.Markdown, content.Text{}); err != nil {
		tb.Errorf("%s: %v", p.Slug, err)
	}
	if !bytes.HasPrefix(p.Markdown, []byte("# ")) || !bytes.HasSuffix(p.Markdown, []byte("\n")) {
		tb.Errorf("%s: %q", p.Slug, p.Markdown)
	}
}

// TestPagesEscapeDocumentText checks that text of the document has no effect on headings, tables and following text.
func TestPagesEscapeDocumentText(t *testing.T) {
	t.Parallel()
	pages := pagesOf(t, `{"openapi":"3.1.0","info":{"title":"A | B\n# C <b>*x*","version":"a`+"`"+`b"},
		"tags":[{"name":"Info","description":"`+"```"+`\nopen"},{"name":"models"},{"name":"info"},{"name":"unused"}],
		"paths":{"/a|b":{"get":{"tags":["Info","models","info","Info"],"summary":"1. **x**","description":"<!-- open",
			"parameters":[{"name":"p|q","in":"query","description":"a | b\n\n| c","schema":{"type":"string","pattern":"a|b"}}],
			"responses":{"200":{"description":"fine"}}}}}}`)
	var slugs []string
	for _, p := range allPages(pages) {
		checkPage(t, p)
		slugs = append(slugs, p.Slug)
	}
	if got := strings.Join(slugs, " "); got != "info info-2 models-2 info-3" {
		t.Errorf("slugs %s", got)
	}
	if head, _, _ := strings.Cut(string(pages.Info[0].Markdown), "\n"); head != `# A &#124; B \# C \<b>\*x\*` {
		t.Errorf("heading %s", head)
	}
	tag := string(pages.Operations[0].Markdown)
	for _, want := range []string{
		"\n````\n```\nopen\n````\n", "\n## GET /a&#124;b\n", "\n**1. \\*\\*x\\*\\***\n", "\n```\n<!-- open\n```\n",
		"\n| p&#124;q | query | `string` |  | a &#124; b &#124; c Pattern a&#124;b. |\n", "\n#### `200`\n\nfine\n",
	} {
		if !strings.Contains(tag, want) {
			t.Errorf("%q is not in:\n%s", want, tag)
		}
	}
}

// TestPagesAreLimited checks that a page beyond the limit lists the omitted sections.
func TestPagesAreLimited(t *testing.T) {
	t.Parallel()
	paths := map[string]any{}
	for i := range 4000 {
		paths[fmt.Sprintf("/%04d", i)] = map[string]any{"get": map[string]any{
			"tags": []string{"many"}, "summary": "s", "responses": map[string]any{"200": map[string]any{"description": "d"}},
		}}
	}
	paths["/long"] = map[string]any{
		"get": map[string]any{
			"tags": []string{"long"}, "description": strings.Repeat("x", content.MaxTextBytes), "responses": map[string]any{},
		},
	}
	text, err := json.Marshal(map[string]any{"openapi": "3.0.0", "info": map[string]string{"title": "T", "version": "1"}, "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t, string(text))
	for _, p := range allPages(pages) {
		checkPage(t, p)
	}
	long, many := string(pages.Operations[0].Markdown), string(pages.Operations[1].Markdown)
	if !strings.HasPrefix(long, "# long\n\nLeft out, because a page has at most 10000 blocks and 1048576 bytes") ||
		!strings.HasSuffix(long, ": `GET /long`.\n") {
		t.Errorf("long page: %.200s", long)
	}
	// Five blocks per operation: heading, summary, responses, status, description.
	if shown := strings.Count(many, "\n## "); shown != 1999 {
		t.Errorf("%d operations are shown", shown)
	}
	if !strings.Contains(many, "`GET /1999`, `GET /2000`") || !strings.HasSuffix(many, "`GET /2008` and 1991 more.\n") {
		t.Errorf("the end: %s", many[len(many)-300:])
	}
}

// TestPagesOfRepetitiveDocument checks the limit for schemas that are referenced everywhere.
func TestPagesOfRepetitiveDocument(t *testing.T) {
	t.Parallel()
	paths := map[string]any{}
	for i := range 1500 {
		paths[fmt.Sprintf("/%04d", i)] = map[string]any{"get": map[string]any{
			"tags": []string{fmt.Sprintf("t%04d", i)}, "responses": map[string]any{
				"default": map[string]string{"$ref": "#/components/responses/Long"},
			},
		}}
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.0.0", "info": map[string]string{"title": "T", "version": "1"}, "paths": paths,
		"components": map[string]any{
			"responses": map[string]any{"Long": map[string]string{"description": strings.Repeat("long ", 20_000)}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t, string(text))
	size := 0
	for _, p := range allPages(pages) {
		size += len(p.Markdown)
	}
	if size > 17<<20 || size < 15<<20 || len(pages.Operations) != openapi.MaxPages {
		t.Errorf("%d bytes on %d pages", size, len(pages.Operations))
	}
	for _, p := range allPages(pages) {
		checkPage(t, p)
	}
	if last := string(pages.Operations[openapi.MaxPages-1].Markdown); !strings.HasSuffix(last, ": `GET /0999`.\n") {
		t.Errorf("the last page: %s", last)
	}
	if info := string(pages.Info[0].Markdown); !strings.HasSuffix(info, "`t1009` and 490 more.\n") {
		t.Errorf("the first page: %s", info)
	}
}

// TestPagesOfRecursiveSchemas checks schemas that contain themselves.
func TestPagesOfRecursiveSchemas(t *testing.T) {
	t.Parallel()
	pages := pagesOf(t, `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{},"components":{"schemas":{
		"A":{"allOf":[{"$ref":"#/components/schemas/B"},{"$ref":"#/components/schemas/B"}],
		"properties":{"self":{"$ref":"#/components/schemas/A"}}},
		"B":{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/components/schemas/A"}},"in":{"type":"array","items":{"type":"object","properties":{"deep":{"type":"string"}}}}}}}}}`)
	models := string(pages.Models[0].Markdown)
	for _, want := range []string{"| `a` | `array of A` |", "| `in[].deep` | `string` |", "| `self` | `A` |"} {
		if !strings.Contains(models, want) {
			t.Errorf("%q is not in:\n%s", want, models)
		}
	}
}

func FuzzMakePages(f *testing.F) {
	for _, version := range []string{"2.0", "3.0", "3.1"} {
		text, err := os.ReadFile(filepath.Join("testdata", "pets-"+version+".yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(petStore)
	f.Add(
		`{"openapi":"3.1.0","info":{"title":"\u0000"},"tags":[{"name":"-"},{"name":"é"},{"name":"É"}],"paths":{"/":{"get":{"tags":["-","é","É","info",""],"description":"---\na\n---"}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := openapi.Read(t.Context(), "", []byte(text), web(nil))
		if err != nil {
			return
		}
		pages, err := openapi.MakePages(d.Bundle)
		if err != nil {
			return
		}
		taken := map[string]bool{}
		for _, p := range allPages(pages) {
			checkPage(t, p)
			if taken[p.Slug] {
				t.Errorf("slug %s twice", p.Slug)
			}
			taken[p.Slug] = true
		}
		again, err := openapi.MakePages(d.Bundle)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(pages) {
			t.Errorf("the second time it differs: %v", err)
		}
	})
}
