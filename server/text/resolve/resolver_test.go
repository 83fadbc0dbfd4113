package resolve

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/store/storetest"
)

// newOrigin returns an Origin with a source id and a path in it, or nil if source is empty.
func newOrigin(source, at string) *Origin {
	if source == "" {
		return nil
	}
	return &Origin{Source: source, Path: at}
}

// testTree is a page tree in memory.
type testTree struct {
	pages    map[string]*Page
	parents  map[string]string
	children map[string][]string
}

func (t *testTree) Find(id string) (p Page, ok bool) {
	if found := t.pages[id]; found != nil {
		return *found, true
	}
	return p, false
}

func (t *testTree) Children(parent string) []string { return t.children[parent] }

func (t *testTree) Path(id string) string {
	if t.pages[id] == nil {
		return ""
	}
	return path.Join(t.Path(t.parents[id]), t.pages[id].Slug)
}

func (t *testTree) readingOrder(parent string) (ids []string) {
	for _, id := range t.children[parent] {
		ids = append(append(ids, id), t.readingOrder(id)...)
	}
	return ids
}

// fixture is a page tree with files, from which tests create a Resolver.
type fixture struct {
	tree  *testTree
	files []File
}

func newFixture() *fixture {
	return &fixture{tree: &testTree{map[string]*Page{}, map[string]string{}, map[string][]string{}}}
}

// addPage adds a page below a parent and returns its id.
func (f *fixture) addPage(parent, slug, source, at string) string {
	id := fmt.Sprintf("p_%03d", len(f.tree.pages))
	f.tree.pages[id], f.tree.parents[id] = &Page{ID: id, Slug: slug, Origin: newOrigin(source, at)}, parent
	f.tree.children[parent] = append(f.tree.children[parent], id)
	return id
}

func (f *fixture) addFile(name, source, at string) string {
	id := fmt.Sprintf("f_%03d", len(f.files))
	f.files = append(f.files, File{ID: id, Name: name, Origin: newOrigin(source, at)})
	return id
}

func TestResolver(t *testing.T) {
	t.Parallel()
	l := newFixture()
	home := l.addPage("", "home", "one", "README.md")
	red := l.addPage("", "red", "one", "red/README.md")
	redA := l.addPage(red, "a", "one", "red/a.md")
	blue := l.addPage("", "blue", "one", "blue/index.html")
	blueB := l.addPage(blue, "Straße", "one", "blue/Straße.html")
	redImage, blueImage := l.addFile("a.png", "one", "red/img/a.png"), l.addFile("a.png", "one", "blue/img/a.png")
	manual := l.addFile("manual.pdf", "one", "files/manual.pdf")
	here := l.addPage("", "here", "", "")
	below := l.addPage(here, "below", "", "")
	other := l.addPage("", "other", "two", "red/a.md")
	own := l.addFile("own.png", "", "")
	r := New("", l.tree, l.files)
	for _, test := range []struct {
		from, to string
		image    bool
		want     string // id and match
	}{
		{redA, "img/a.png", true, redImage},
		{blueB, "img/a.png", true, blueImage},
		{blueB, "./img/a.png?raw=1", true, blueImage},
		{redA, "README.md", false, red},
		{redA, ".", false, red},
		{redA, "../blue/", false, blue},
		{redA, "/blue", false, blue},
		{redA, "../blue/stra%C3%9Fe.html", false, blueB + " case"},
		{redA, "../blue/Stra%C3%9Fe", false, blueB},
		{redA, "/", false, home},
		{redA, "a.html#x", false, redA + "#x"},
		{redA, "#top", false, redA},
		{redA, "#", false, redA},
		{redA, "../../x.md", false, ""},
		{home, "/files/manual.pdf", false, manual},
		{home, "elsewhere/manual.pdf", false, manual + " name"},
		{home, "a.md", false, redA + " name"},
		{home, "elsewhere/README.md", false, ""},
		{home, "a.png", true, ""},
		{home, "own.png", true, ""},
		{other, "a.md", false, other},
		{here, "below", false, below},
		{below, "../here", false, here},
		{here, "own.png", true, own + " name"},
		{here, "manual.pdf", false, manual + " name"},
		{here, "a.png", true, ""},
		{here, "/pages/" + redA, false, redA},
		{here, "/pages/none", false, ""},
		{here, "/files/" + own, true, own},
		{here, "red/a", false, redA},
		{here, "below", true, ""},
	} {
		if got := formatResult(r.Resolve(*l.tree.pages[test.from], test.to, test.image)); got != test.want {
			t.Errorf("from %s, %q (image %t) leads to %q, want %q", test.from, test.to, test.image, got, test.want)
		}
	}
}

// formatResult formats the target and the kind of match that Resolve returned, or returns "" if ok is false.
func formatResult(found Target, ok bool) string {
	if !ok {
		return ""
	}
	text := found.Page + found.File
	if found.Fragment != "" {
		text += "#" + found.Fragment
	}
	return text + map[Match]string{ByPathWithoutCase: " case", ByName: " name", ByNameWithoutCase: " case"}[found.Match]
}

// TestResolverMatchesReferenceCampaign checks that random destinations in random trees are resolved as by referenceResolver.
func TestResolverMatchesReferenceCampaign(t *testing.T) {
	t.Parallel()
	trees, seed := storetest.Campaign(t, "resolver", 100, 2000)
	rng := rand.New(rand.NewPCG(seed, 12))
	found := 0
	for range trees {
		l := randomFixture(rng)
		r := New("", l.tree, l.files)
		for range 200 {
			from := *l.tree.pages[fmt.Sprintf("p_%03d", rng.IntN(len(l.tree.pages)))]
			to, isImage := randomDestination(rng), rng.IntN(3) == 0
			got, want := formatResult(r.Resolve(from, to, isImage)), referenceResolver{l, from, isImage}.resolve(to)
			if got != want {
				t.Fatalf("from %s %v, %q (image %t) leads to %q, by the reference to %q", from.ID, from.Origin, to, isImage, got, want)
			}
			if got != "" {
				found++
			}
		}
	}
	if found < trees*40 {
		t.Errorf("only %d of %d destinations lead somewhere", found, trees*200)
	}
}

func pick(rng *rand.Rand, words ...string) string { return words[rng.IntN(len(words))] }

func randomPath(rng *rand.Rand) string {
	at := pick(rng, "x.md", "X.md", "y.html", "y.md", "README.md", "index.html", "readme.md", "a", "pic.png", "Pic.png", "é.md")
	for range rng.IntN(3) {
		at = pick(rng, "a", "b", "A", "x") + "/" + at
	}
	return at
}

func randomDestination(rng *rand.Rand) string {
	if rng.IntN(12) == 0 {
		return pick(rng, "#", "#top", "#part", "?q=1#part", "/pages/p_001", "/files/f_000", "/pages/p_999")
	}
	to := pick(rng, "", "./", "../", "/", "../../", "a/../") + randomPath(rng)
	if rng.IntN(3) == 0 {
		to = strings.TrimSuffix(to, path.Ext(to))
	}
	if rng.IntN(4) == 0 {
		to = path.Dir(to) + "/"
	}
	return strings.ReplaceAll(to, "é", pick(rng, "é", "%C3%A9", "e\u0301")) + pick(rng, "", "#part", "?q=a/b")
}

func randomFixture(rng *rand.Rand) *fixture {
	l := newFixture()
	used := map[string]bool{}
	at := func() (source, at string) {
		source, at = pick(rng, "", "one", "two"), randomPath(rng)
		if used[source+at] {
			return "", ""
		}
		used[source+at] = true
		return source, at
	}
	for range 2 + rng.IntN(8) {
		parent := ""
		if len(l.tree.pages) > 0 && rng.IntN(2) == 0 {
			parent = fmt.Sprintf("p_%03d", rng.IntN(len(l.tree.pages)))
		}
		slug := pick(rng, "x", "y", "a", "b", "X", "readme", "é")
		if slices.ContainsFunc(l.tree.Children(parent), func(id string) bool { return l.tree.pages[id].Slug == slug }) {
			slug = fmt.Sprint(slug, len(l.tree.pages))
		}
		source, path := at()
		l.addPage(parent, slug, source, path)
	}
	for range rng.IntN(5) {
		source, path := at()
		l.addFile(pick(rng, "pic.png", "Pic.png", "y.html"), source, path)
	}
	return l
}

// referenceResolver resolves a destination by linear search, following the rules of the design.
type referenceResolver struct {
	*fixture

	from    Page
	isImage bool
}

func (rr referenceResolver) resolve(destination string) string {
	destination, fragment, _ := strings.Cut(destination, "#")
	destination, _, _ = strings.Cut(destination, "?")
	to := norm.NFC.String(strings.ReplaceAll(destination, "%C3%A9", "é"))
	if fragment == "top" {
		fragment = ""
	}
	id, how := rr.from.ID, ""
	if to != "" {
		id, how = rr.find(to)
	}
	if strings.HasPrefix(id, "p_") && fragment != "" {
		id += "#" + fragment
	}
	return id + how
}

func (rr referenceResolver) find(to string) (id, how string) {
	if id := strings.TrimPrefix(strings.TrimPrefix(to, "/pages/"), "/files/"); id != to &&
		(rr.tree.pages[id] != nil || slices.ContainsFunc(rr.files, func(f File) bool { return f.ID == id })) {
		return id, ""
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		exact := !same("a", "A")
		how := map[bool]string{true: "", false: " case"}[exact]
		if rr.from.Origin != nil {
			steps, ok := followPath(path.Dir("/"+rr.from.Origin.Path), to)
			if !ok {
				return "", ""
			}
			if id := rr.findBySourcePath(steps, strings.HasSuffix(to, "/"), same, exact); id != "" {
				return id, how
			}
		}
		own := "/" + rr.tree.Path(rr.from.ID)
		for _, base := range []string{path.Dir(own), own, "/"} {
			if strings.HasPrefix(to, "/") && base != "/" {
				continue
			}
			steps, ok := followPath(base, to)
			if id := rr.findByPagePath(steps, same, exact); ok && id != "" && !rr.isImage {
				return id, how
			}
		}
		isSibling := func(o *Origin) bool { return originSource(o) == originSource(rr.from.Origin) }
		if id := rr.findByName(path.Base(to), same, isSibling); id != "" {
			return id, map[bool]string{true: " name", false: " case"}[exact]
		}
		if id := rr.findByName(path.Base(to), same, func(*Origin) bool { return true }); id != "" && rr.from.Origin == nil {
			return id, map[bool]string{true: " name", false: " case"}[exact]
		}
	}
	return "", ""
}

func originSource(o *Origin) string {
	if o == nil {
		return ""
	}
	return o.Source
}

// followPath resolves to relative to dir and returns the steps from the root; inside is false if the path leads above the root.
func followPath(dir, to string) (steps []string, inside bool) {
	if strings.HasPrefix(to, "/") {
		dir = "/"
	}
	for step := range strings.SplitSeq(dir+"/"+to, "/") {
		switch {
		case step == "" || step == ".":
		case step != "..":
			steps = append(steps, step)
		case len(steps) == 0:
			return nil, false
		default:
			steps = steps[:len(steps)-1]
		}
	}
	return steps, true
}

var suffixes = []string{".md", ".mdx", ".markdown", ".html", ".htm"}

func (rr referenceResolver) findBySourcePath(steps []string, isDirectory bool, same func(a, b string) bool, exact bool) string {
	at := strings.Join(steps, "/")
	var wanted []string
	if !isDirectory && at != "" {
		wanted = append(wanted, at)
	}
	for _, stem := range []string{"README", "index"} {
		for _, suffix := range suffixes {
			wanted = append(wanted, strings.Join(append(slices.Clone(steps), stem+suffix), "/"))
		}
	}
	wanted = append(wanted, candidateNames(at)...)
	for _, want := range wanted {
		fits := func(o *Origin) bool { return o != nil && o.Source == rr.from.Origin.Source && same(o.Path, want) }
		if id := selectID(rr.filterPages(func(page *Page) bool { return fits(page.Origin) }), exact); id != "" && !rr.isImage {
			return id
		}
		if id := selectID(rr.filterFiles(func(f File) bool { return fits(f.Origin) }), exact); id != "" {
			return id
		}
	}
	return ""
}

// candidateNames returns the file names that name may refer to if its suffix is omitted or is that of a generated site.
func candidateNames(name string) (names []string) {
	for _, suffix := range suffixes {
		names = append(names, name+suffix)
	}
	if ext := path.Ext(name); ext == ".html" || ext == ".htm" {
		for _, suffix := range suffixes {
			names = append(names, strings.TrimSuffix(name, ext)+suffix)
		}
	}
	return names
}

func selectID(ids []string, exact bool) string {
	if len(ids) == 1 || exact && len(ids) > 0 {
		return ids[0]
	}
	return ""
}

func (rr referenceResolver) filterPages(fit func(*Page) bool) (ids []string) {
	for _, id := range rr.tree.readingOrder("") {
		if fit(rr.tree.pages[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (rr referenceResolver) filterFiles(fit func(File) bool) (ids []string) {
	for _, f := range rr.files {
		if fit(f) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func fileStem(name string) string {
	for _, suffix := range suffixes {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			return stem
		}
	}
	return name
}

func isIndexName(name string) bool {
	return strings.EqualFold(fileStem(name), "readme") || strings.EqualFold(fileStem(name), "index")
}

func (rr referenceResolver) findByPagePath(steps []string, same func(a, b string) bool, exact bool) string {
	at := func(steps []string) string {
		return selectID(rr.filterPages(func(page *Page) bool { return same(rr.tree.Path(page.ID), strings.Join(steps, "/")) }), exact)
	}
	if id := at(steps); id != "" {
		return id
	}
	if last := len(steps) - 1; last >= 0 {
		steps = slices.Clone(steps)
		if steps[last] = fileStem(steps[last]); isIndexName(steps[last]) {
			steps = steps[:last]
		}
	}
	if first := rr.tree.Children(""); len(steps) == 0 {
		return first[0]
	}
	return at(steps)
}

func (rr referenceResolver) findByName(name string, same func(a, b string) bool, belongs func(*Origin) bool) string {
	wanted := append([]string{name}, candidateNames(name)...)
	if fileStem(name) != name {
		wanted = append(wanted, fileStem(name))
	}
	for _, want := range wanted {
		ids := rr.filterPages(func(page *Page) bool {
			called := page.Slug
			if page.Origin != nil {
				called = path.Base(page.Origin.Path)
			}
			return belongs(page.Origin) && !isIndexName(called) && same(called, want)
		})
		if len(ids) == 1 && !rr.isImage {
			return ids[0]
		}
	}
	ids := rr.filterFiles(func(f File) bool {
		called := f.Name
		if f.Origin != nil {
			called = path.Base(f.Origin.Path)
		}
		return belongs(f.Origin) && same(called, name)
	})
	if len(ids) == 1 {
		return ids[0]
	}
	return ""
}
