package pages_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// sourceGenerator generates random sources, texts and destinations. Every paragraph begins with a unique word, and
// every link has a unique label.
type sourceGenerator struct {
	*rand.Rand

	n         int
	sources   map[string]map[string]string // by name, then path; the value is the text
	reusables []string                     // ids; the second includes the first
}

// An expression in destinations and its value.
const (
	variable     = "{{ space.vars.where }}"
	variableText = "x"
)

const siteURL = "https://example.com/site/"

func newSourceGenerator(seed uint64, run int) *sourceGenerator {
	g := &sourceGenerator{
		Rand:    rand.New(rand.NewPCG(seed, uint64(run))),
		sources: map[string]map[string]string{"one": {}, "two": {}, "site": {}},
	}
	for _, name := range []string{"one", "two", "site"} {
		for range 2 + g.IntN(5) {
			g.addFile(name)
		}
	}
	return g
}

func (g *sourceGenerator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *sourceGenerator) newWord(of string) string { g.n++; return fmt.Sprintf("%s%dx", of, g.n) }

// addFile adds a file to a source.
func (g *sourceGenerator) addFile(source string) {
	at := g.pick("", "a/", "b/", "a/b/", "A/", "pages/")
	if source == "site" {
		at += g.pick("x.html", "y.html", "index.html")
		g.sources[source][at] = g.htmlPage(at)
		return
	}
	at += g.pick("x.md", "y.md", "X.md", "README.md", "index.md", "é.md", "pic.png", "Pic.png", "x.png")
	g.sources[source][at] = string(pixel())
	if path.Ext(at) == ".md" {
		g.sources[source][at] = g.text(source, at)
	}
}

func pixel() []byte {
	data, _ := base64.StdEncoding.DecodeString(servertest.OnePixel)
	return data
}

// text returns a random page text; from is its path in the source.
func (g *sourceGenerator) text(source, from string) string {
	var blocks []string
	switch g.IntN(5) {
	case 0:
		blocks = append(blocks, "Page "+g.newWord("w")+"\n===")
	case 1:
		blocks = append(blocks, "# Page "+g.newWord("w")+" {#own}")
	case 2:
		blocks = append(blocks, "# Page "+g.newWord("w"))
	}
	for range 1 + g.IntN(4) {
		blocks = append(blocks, g.blocks(source, from)...)
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

func (g *sourceGenerator) blocks(source, from string) []string {
	said := g.newWord("w") + " says"
	link := func() string { return "[" + g.newWord("L") + "](" + g.destination(source, from) + ")" }
	if len(g.reusables) == 2 && g.IntN(8) == 0 {
		return []string{includeExpression(g.reusables[g.IntN(2)])}
	}
	switch g.IntN(10) {
	case 0:
		return []string{"## Part", said + " " + link() + "."}
	case 1:
		return []string{"Part {#" + g.pick("own", "mark", "Other") + "}\n---", said + "."}
	case 2:
		return []string{`<a name="` + g.pick("mark", "Mark", "part") + `"></a>`, said + " " + link() + "."}
	case 3:
		return []string{said + ` <span id="` + g.pick("own", "OPT", "part-1") + `">that</span> ` + link() + "."}
	case 4:
		return []string{"* " + said + " " + link()}
	case 5, 6:
		return []string{said + " ![" + g.newWord("I") + "](" + g.destination(source, from) + ")."}
	default:
		return []string{said + " " + link() + " and " + link() + "."}
	}
}

// includeExpression returns the expression that includes a reusable content.
func includeExpression(id string) string { return `{% include "reusable:` + id + `" %}` }

// reusableText returns the text of a reusable content. Its links are resolved from the pages that include it.
func (g *sourceGenerator) reusableText() string {
	reusables := g.reusables
	g.reusables = nil // no includes except that of the second content
	blocks := []string{g.newWord("w") + " is for all."}
	for range 1 + g.IntN(3) {
		blocks = append(blocks, g.blocks(g.pick("one", "two"), g.pick("", "a/", "b/")+"x.md")...)
	}
	if len(reusables) == 1 {
		blocks = append(blocks, includeExpression(reusables[0]))
	}
	g.reusables = reusables
	return strings.Join(blocks, "\n\n") + "\n"
}

// plainReusableText returns a text of a reusable content without includes.
func (g *sourceGenerator) plainReusableText() string {
	reusables := g.reusables
	g.reusables = nil
	defer func() { g.reusables = reusables }()
	return g.reusableText()
}

// destination returns a random destination, valid or broken.
func (g *sourceGenerator) destination(source, from string) string {
	fragment := g.pick("", "", "", "", "#part", "#part-1", "#own", "#Own", "#mark", "#OPT", "#opt", "#top", "#", "#nothing")
	if g.IntN(8) == 0 {
		return g.pick("#part", "#own", "/pages/gone", "?q=1#mark", "/", "../", "https://elsewhere.example/x#y")
	}
	known := slices.Sorted(maps.Keys(g.sources[g.pick("one", "two")]))
	if of := g.sources[source]; len(of) > 0 && g.IntN(3) > 0 {
		known = slices.Sorted(maps.Keys(of))
	}
	to := g.pick("x", "a/x", "page", "b", "y.md", "pages/x.md", "README.md")
	if len(known) > 0 && g.IntN(6) > 0 {
		to = g.relativePath(from, known[g.IntN(len(known))])
	}
	if stem, ext := strings.TrimSuffix(path.Base(to), path.Ext(to)), path.Ext(to); stem == variableText && g.IntN(2) == 0 {
		return strings.TrimSuffix(to, variableText+ext) + variable + ext + fragment
	}
	switch g.IntN(8) {
	case 0:
		to = strings.TrimSuffix(to, path.Ext(to))
	case 1:
		to = strings.ToUpper(to)
	case 2:
		to = path.Dir(to) + "/"
	case 3:
		to = path.Base(to)
	case 4:
		to = strings.TrimSuffix(to, ".md") + g.pick(".html", "/", ".md")
	}
	to = strings.ReplaceAll(to, "é", g.pick("é", "%C3%A9", "e\u0301"))
	return to + g.pick("", "", "", "?v=2", "?t=1:30") + fragment
}

// relativePath returns the relative path between two files of a source.
func (g *sourceGenerator) relativePath(from, to string) string {
	if g.IntN(5) == 0 {
		return "/" + to
	}
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// htmlPage returns an HTML page. The ids of its elements are not part of the converted text.
func (g *sourceGenerator) htmlPage(from string) string {
	pages := append(slices.Sorted(maps.Keys(g.sources["site"])), "none.html")
	var out strings.Builder
	fmt.Fprintf(&out, "<html><head><title>Site</title></head><body><main><h1>Site %s</h1>", g.newWord("w"))
	for range 1 + g.IntN(4) {
		to := strings.Repeat("../", strings.Count(from, "/")) + pages[g.IntN(len(pages))] + g.pick("", "#opt", "#OPT", "#part", "#nothing")
		fmt.Fprintf(&out, `<p id="%s">%s says <a href="%s">%s</a>.</p>`, g.pick("opt", "OPT", "part", "way"), g.newWord("w"), to, g.newWord("L"))
		if g.IntN(3) == 0 {
			fmt.Fprintf(&out, "<h2>Part</h2><p>%s says it.</p>", g.newWord("w"))
		}
	}
	return out.String() + "</main></body></html>"
}

// changeSource changes a source at random.
func (g *sourceGenerator) changeSource(source string) {
	files := g.sources[source]
	paths := slices.Sorted(maps.Keys(files))
	at := paths[g.IntN(len(paths))]
	switch g.IntN(5) {
	case 0:
		g.addFile(source)
	case 1:
		if len(files) > 2 {
			delete(files, at)
		}
	case 2:
		text := files[at]
		delete(files, at)
		files[path.Join(g.pick("", "a", "b/new"), g.pick("x", "z")+path.Ext(at))] = text
	default:
		if path.Ext(at) == ".md" {
			files[at] += "\n" + strings.Join(g.blocks(source, at), "\n\n") + "\n"
		}
	}
}

// publish makes a source available for import.
func (g *sourceGenerator) publish(w *servertest.World, source string) api.Import {
	if source == "site" {
		maps.DeleteFunc(w.Web, func(address, _ string) bool { return strings.HasPrefix(address, siteURL) })
		w.Web["https://example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
		index := "<html><head><title>Start</title></head><body><main><h1>Start</h1>"
		for _, at := range slices.Sorted(maps.Keys(g.sources[source])) {
			w.Web[siteURL+at] = g.sources[source][at]
			index += `<p><a href="` + at + `">` + g.newWord("L") + `</a></p>`
		}
		w.Web[siteURL] = index + "</main></body></html>"
		return api.Import{URL: siteURL, Source: api.ImportWebsite, Name: source, Force: true, Delete: g.IntN(2) == 0}
	}
	address := "https://example.com/" + source + ".zip"
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, at := range slices.Sorted(maps.Keys(g.sources[source])) {
		if f, err := z.Create(at); err == nil {
			_, _ = f.Write([]byte(g.sources[source][at]))
		}
	}
	_ = z.Close()
	w.Web[address] = out.String()
	return api.Import{URL: address, Source: api.ImportZip, Name: source, Force: true, Delete: g.IntN(2) == 0}
}

// randomChange returns a random content operation.
func (g *sourceGenerator) randomChange(l *spaceModel) api.ContentChange {
	if len(l.pages) == 0 {
		return servertest.NewPage("Page", g.text("one", ""))
	}
	some := func(of []*modelItem) *modelItem { return of[g.IntN(len(of))] }
	p := some(l.pages)
	into := func() string {
		if g.IntN(3) == 0 {
			return ""
		}
		return some(l.pages).id
	}
	switch g.IntN(12) {
	case 0, 1:
		title := g.pick("X", "Y", "Page", "A", "README", "Part") + g.pick("", " "+g.newWord("w"))
		if parent := into(); parent != "" {
			return servertest.WithParent(servertest.NewPage(title, g.text("one", "")), parent)
		}
		return servertest.NewPage(title, g.text("one", ""))
	case 2, 3, 4:
		return servertest.MovePage(p.id, l.validParent(p, into()), g.IntN(4))
	case 5, 6:
		return api.ContentChange{
			Operation: api.UpdatePage, Page: p.id, Slug: api.Some(g.pick("x", "y", "a", "b", "pages", "new") +
				g.pick("", "-"+strings.ToLower(g.newWord("s")))),
		}
	case 7:
		return servertest.DeletePage(p.id)
	case 8:
		return api.ContentChange{
			Operation: api.InsertFiles, Files: []api.FileInsert{
				{Name: g.pick("pic.png", "mine.png", "x.png"), ContentType: "image/png", Base64: servertest.OnePixel},
			},
		}
	case 9:
		if g.IntN(2) == 0 {
			return api.ContentChange{
				Operation: api.UpdateReusableContent, ReusableContent: g.reusables[0], Document: &api.Document{
					Markdown: api.Some(g.plainReusableText()),
				},
			}
		}
		if len(l.files) > 0 {
			return api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{some(l.files).id}}
		}
	}
	return servertest.Write(p.id, g.editedText(p))
}

// editedText returns the text of a page with a block added or removed.
func (g *sourceGenerator) editedText(p *modelItem) string {
	blocks := strings.Split(strings.TrimRight(p.stored, "\n"), "\n\n")
	if p.stored == "" {
		blocks = nil
	}
	at := g.IntN(len(blocks) + 1)
	if at < len(blocks) && len(blocks) > 1 && g.IntN(3) == 0 {
		return strings.Join(slices.Delete(blocks, at, at+1), "\n\n") + "\n"
	}
	return strings.Join(slices.Insert(blocks, at, g.blocks(p.source, p.path)...), "\n\n") + "\n"
}

// validParent returns parent, or "" if parent is the page itself or one of its descendants.
func (l *spaceModel) validParent(p *modelItem, parent string) string {
	for at := parent; at != ""; {
		if at == p.id {
			return ""
		}
		i := slices.IndexFunc(l.pages, func(v *modelItem) bool { return v.id == at })
		at = l.pages[i].parent
	}
	return parent
}
