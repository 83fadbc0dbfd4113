package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder is a generated Markdown folder: every directory has a README, another page and an img directory, all with
// the same names. Equal seeds generate equal folders.
type folder struct {
	random *rand.Rand
	dirs   []string
	pages  map[string]*sitePage
	texts  map[string]string
}

// sections lists the headings of each page.
var sections = []string{"First steps", "What it does", "Größe & order"}

func newFolder(seed uint64) *folder {
	f := &folder{random: rand.New(rand.NewPCG(seed, 0)), pages: map[string]*sitePage{}, texts: map[string]string{}}
	f.addDirs(".", 3)
	for _, dir := range f.dirs {
		for _, name := range []string{"README.md", "usage.md"} {
			f.addPage(path.Join(dir, name))
		}
		picture := path.Join(dir, "img", "picture.svg")
		f.texts[picture] = fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg"><text>%s</text></svg>`, picture)
	}
	return f
}

func (f *folder) addDirs(dir string, levels int) {
	f.dirs = append(f.dirs, dir)
	for n := range levels {
		f.addDirs(path.Join(dir, []string{"guide", "api", "notes"}[n]), levels-1)
	}
}

// addPage adds a page with links to pages, directories and headings of the folder, and to its image.
func (f *folder) addPage(file string) {
	page := &sitePage{file: file, body: runningText{anchors: map[string]int{}}}
	var markdown, text strings.Builder
	write := func(words, as string) {
		markdown.WriteString(as + "\n\n")
		text.WriteString(words + " ")
	}
	dir, _ := filepath.Split(file)
	title := "About " + strings.ReplaceAll(file, "/", " ")
	write(title, "# "+title)
	write("", "![The picture](img/picture.svg)")
	page.links = append(page.links, siteLink{path.Join(dir, "img/picture.svg"), ""})
	for _, section := range sections {
		page.body.anchors[folderFragment(section)] = text.Len()
		write(section, "## "+section)
		prose := f.prose()
		write(prose, prose)
		l := siteLink{path.Join(f.dirs[f.random.IntN(len(f.dirs))], []string{"README.md", "usage.md"}[f.random.IntN(2)]), ""}
		to, _ := filepath.Rel(filepath.Join("/", dir), filepath.Join("/", l.file))
		switch f.random.IntN(3) {
		case 0:
			l.fragment = folderFragment(sections[f.random.IntN(len(sections))])
			to += "#" + l.fragment
		case 1:
			to = strings.TrimSuffix(to, "README.md")
			if to == "" {
				to = "./"
			}
		}
		page.links = append(page.links, l)
		write("See there", fmt.Sprintf("See [there](%s)", filepath.ToSlash(to)))
	}
	slices.SortFunc(page.links, func(a, b siteLink) int { return strings.Compare(a.String(), b.String()) })
	page.links = slices.Compact(page.links)
	page.body.text = text.String()
	page.words = words(page.body.text)
	f.pages[file], f.texts[file] = page, markdown.String()
}

// prose returns a sentence of 30 random words, so that no two sentences are equal.
func (f *folder) prose() string {
	sentence := make([]string, 30)
	for i := range sentence {
		sentence[i] = fmt.Sprintf("word%d", f.random.IntN(1<<20))
	}
	return strings.Join(sentence, " ") + "."
}

// folderFragment returns the fragment of a heading as Git hosting sites derive it.
func folderFragment(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading), " &", " "), " ", "-")
}

func (f *folder) zip(t *testing.T) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range f.texts {
		entry, err := w.Create("folder-1.0/" + name)
		if err == nil {
			_, err = entry.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// testFolder imports a folder from an archive and checks its links.
func testFolder(t *testing.T, c client, seed uint64, r *siteReport) {
	t.Helper()
	f := newFolder(seed)
	archive := f.zip(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) }))
	defer web.Close()
	space := r.site.importInto(t, c, web.URL)
	r.count(f.pages, importedTexts(t, c, space, pagesBySource(t, c, space)))
	r.check(t)
}
