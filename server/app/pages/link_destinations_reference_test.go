package pages_test

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/client/api"
)

// library is what a space has, in reading order: what the reference knows of it.
type library struct {
	pages []*volume
	files []*volume
}

// volume is a page or a file. Without a source it has no path.
type volume struct {
	id, parent, order string
	name              string // slug of a page, name of a file
	title             string
	source, path      string
	contentType       string
	stored            string
	text              string         // as readers see it, but for variables
	aliases           map[string]int // offsets of the blocks
}

func (v *volume) isPage() bool { return v.contentType == "" }

// lead is where a destination leads by the reference: to a page, perhaps to an offset of its text, or to a file.
type lead struct {
	to       *volume
	fragment string // that the page has
	offset   int    // of what the fragment names
	isAnchor bool   // and there is no such fragment
	match    api.LinkMatch
}

// isBroken says that nobody gets anywhere.
func (l lead) isBroken() bool { return l.to == nil || l.isAnchor && l.fragment == "" }

// resolve follows a destination, in the order of the design.
func (l *library) resolve(from *volume, destination string, isImage bool) lead {
	to, fragment, _ := strings.Cut(destination, "#")
	to, _, _ = strings.Cut(to, "?")
	to, fragment = plain(to), plain(fragment)
	found := lead{to: from}
	if to != "" {
		found = l.find(from, to, isImage)
	}
	if found.to == nil || !found.to.isPage() || fragment == "" || fragment == "top" {
		return found
	}
	found.isAnchor = true
	found.fragment, found.offset = found.to.place(fragment)
	return found
}

func plain(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		text = decoded
	}
	return norm.NFC.String(text)
}

// asks are the ways to compare two paths: exactly, where the first counts, and without case, where only one may do.
var asks = []struct {
	same          func(a, b string) bool
	isExact       bool
	atPath, named api.LinkMatch
}{
	{func(a, b string) bool { return a == b }, true, "", api.MatchName},
	{strings.EqualFold, false, api.MatchCase, api.MatchCase},
}

func (l *library) find(from *volume, to string, isImage bool) lead {
	for _, v := range slices.Concat(l.pages, l.files) {
		if to == map[bool]string{true: "/pages/", false: "/files/"}[v.isPage()]+v.id {
			return lead{to: v}
		}
	}
	for _, ask := range asks {
		look := func(fits func(v *volume) bool, isFirst, isFileOnly bool) *volume {
			var pages, files []*volume
			for _, v := range l.pages {
				if fits(v) {
					pages = append(pages, v)
				}
			}
			for _, v := range l.files {
				if fits(v) {
					files = append(files, v)
				}
			}
			for _, found := range [][]*volume{pages, files} {
				if (len(found) == 1 || isFirst && len(found) > 0) && (!found[0].isPage() || !isFileOnly) {
					return found[0]
				}
			}
			return nil
		}
		if from.source != "" {
			at, isInside := followed(path.Dir("/"+from.path), to)
			if !isInside {
				return lead{}
			}
			for _, form := range forms(at, strings.HasSuffix(to, "/")) {
				if v := look(func(v *volume) bool { return v.source == from.source && ask.same(v.path, form) }, ask.isExact, isImage); v != nil {
					return lead{to: v, match: ask.atPath}
				}
			}
		}
		if v := l.byPagePath(from, to, ask.same, ask.isExact); v != nil && !isImage {
			return lead{to: v, match: ask.atPath}
		}
		for _, of := range []func(v *volume) bool{func(v *volume) bool { return v.source == from.source }, func(*volume) bool { return from.source == "" }} {
			for _, form := range append(names(path.Base(to)), stem(path.Base(to))) {
				v := look(func(v *volume) bool {
					return v.isPage() && of(v) && !isDirectory(v.called()) && ask.same(v.called(), form)
				}, false, isImage)
				if v != nil {
					return lead{to: v, match: ask.named}
				}
			}
			if v := look(func(v *volume) bool { return !v.isPage() && of(v) && ask.same(v.called(), path.Base(to)) }, false, isImage); v != nil {
				return lead{to: v, match: ask.named}
			}
		}
	}
	return lead{}
}

// called is the base name.
func (v *volume) called() string {
	if v.source != "" {
		return path.Base(v.path)
	}
	return v.name
}

// followed walks from a directory; false above the root.
func followed(dir, to string) (at string, isInside bool) {
	if strings.HasPrefix(to, "/") {
		dir = "/"
	}
	var steps []string
	for step := range strings.SplitSeq(dir+"/"+to, "/") {
		switch {
		case step == "" || step == ".":
		case step != "..":
			steps = append(steps, step)
		case len(steps) == 0:
			return "", false
		default:
			steps = steps[:len(steps)-1]
		}
	}
	return strings.Join(steps, "/"), true
}

var pageEndings = []string{".md", ".mdx", ".markdown", ".html", ".htm"}

func stem(name string) string {
	for _, ending := range pageEndings {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

func isDirectory(name string) bool {
	return strings.EqualFold(stem(name), "readme") || strings.EqualFold(stem(name), "index")
}

// names are what a name may mean: itself, with a missing suffix, and the source of an HTML page.
func names(name string) []string {
	found := []string{name}
	for _, ending := range pageEndings {
		found = append(found, name+ending)
	}
	if rest := stem(name); rest != name && strings.Contains(name[len(rest):], ".htm") {
		found = append(found, names(rest)[1:]...)
	}
	return found
}

// forms are the paths that one path may mean: a file, the page of a directory, the page of that name.
func forms(at string, isDirectoryOnly bool) (found []string) {
	if !isDirectoryOnly && at != "" {
		found = append(found, at)
	}
	for _, page := range []string{"README", "index"} {
		for _, ending := range pageEndings {
			found = append(found, strings.TrimPrefix(at+"/"+page+ending, "/"))
		}
	}
	return append(found, names(at)[1:]...)
}

// byPagePath looks beside the page, below it, from the root.
func (l *library) byPagePath(from *volume, to string, same func(a, b string) bool, isExact bool) *volume {
	own := "/" + l.path(from)
	bases := []string{path.Dir(own), own, "/"}
	if strings.HasPrefix(to, "/") {
		bases = bases[2:]
	}
	for _, base := range bases {
		at, isInside := followed(base, to)
		if !isInside {
			continue
		}
		if v := l.pageAt(at, same, isExact); v != nil {
			return v
		}
		last := stem(path.Base(at))
		switch dir := strings.Trim(path.Dir("/"+at), "/"); {
		case isDirectory(last):
			at = dir
		case at != "":
			at = strings.TrimPrefix(dir+"/"+last, "/")
		}
		if at == "" {
			return l.pages[0]
		}
		if v := l.pageAt(at, same, isExact); v != nil {
			return v
		}
	}
	return nil
}

func (l *library) pageAt(at string, same func(a, b string) bool, isExact bool) *volume {
	var found []*volume
	for _, v := range l.pages {
		if same(l.path(v), at) {
			found = append(found, v)
		}
	}
	if len(found) == 1 || isExact && len(found) > 0 {
		return found[0]
	}
	return nil
}

// path is that of a page among the pages.
func (l *library) path(v *volume) string {
	for _, above := range l.pages {
		if above.id == v.parent {
			return l.path(above) + "/" + v.name
		}
	}
	return v.name
}

var (
	saidNames = regexp.MustCompile(`(?:id|name)="([^"]*)"`)
	heading   = regexp.MustCompile(`^(?:#+ ([^\n]*)|([^\n]+)\n(?:=+|-+))$`)
	ownName   = regexp.MustCompile(` *\{#([^}]*)\}$`)
	noSlug    = regexp.MustCompile(`[^a-z0-9_ -]`)
)

// place finds what a fragment names: a name of the source or of the text, then a heading, the first of each.
func (v *volume) place(fragment string) (found string, offset int) {
	places, slugs := map[string]int{}, map[string]int{}
	note := func(in map[string]int, name string, at int) {
		if was, known := in[name]; !known || at < was {
			in[name] = at
		}
	}
	for name, at := range v.aliases {
		note(places, name, at)
	}
	at := 0
	for block := range strings.SplitSeq(v.text, "\n\n") {
		for _, m := range saidNames.FindAllStringSubmatch(block, -1) {
			note(places, m[1], at)
		}
		if m := heading.FindStringSubmatch(strings.TrimRight(block, "\n")); m != nil {
			title := m[1] + m[2]
			if own := ownName.FindStringSubmatch(title); own != nil {
				note(places, own[1], at)
				title = title[:len(title)-len(own[0])]
			}
			slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
			numbered := slug
			for n := 1; ; n++ {
				if _, taken := slugs[numbered]; !taken {
					break
				}
				numbered = slug + "-" + strconv.Itoa(n)
			}
			slugs[numbered] = at
		}
		at += len(block) + len("\n\n")
	}
	for _, name := range []string{fragment, strings.ToLower(fragment)} {
		for _, in := range []map[string]int{places, slugs} {
			if at, known := in[name]; known {
				return name, at
			}
		}
	}
	return "", 0
}
