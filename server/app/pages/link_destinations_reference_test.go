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

// spaceModel is a model of the pages and files of a space, in reading order.
type spaceModel struct {
	pages []*modelItem
	files []*modelItem
}

// modelItem is a page or a file. It has a path only if it comes from a source.
type modelItem struct {
	id, parent, order string
	name              string // slug of a page, name of a file
	title             string
	source, path      string
	contentType       string
	stored            string
	text              string         // as readers see it, with variables not replaced
	aliases           map[string]int // offsets of the blocks by id
}

func (v *modelItem) isPage() bool { return v.contentType == "" }

// resolution is the destination as resolved by the model: a file, or a page and an offset in its text.
type resolution struct {
	target   *modelItem
	fragment string // "" if the page does not have it
	offset   int    // of the fragment in the text
	isAnchor bool   // the destination has a fragment
	match    api.LinkMatch
}

// isBroken reports whether the destination has no target.
func (l resolution) isBroken() bool { return l.target == nil || l.isAnchor && l.fragment == "" }

// resolve resolves a destination in the order given by the design.
func (l *spaceModel) resolve(from *modelItem, destination string, isImage bool) resolution {
	to, fragment, _ := strings.Cut(destination, "#")
	to, _, _ = strings.Cut(to, "?")
	to, fragment = normalize(to), normalize(fragment)
	found := resolution{target: from}
	if to != "" {
		found = l.find(from, to, isImage)
	}
	if found.target == nil || !found.target.isPage() || fragment == "" || fragment == "top" {
		return found
	}
	found.isAnchor = true
	found.fragment, found.offset = found.target.anchor(fragment)
	return found
}

func normalize(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		text = decoded
	}
	return norm.NFC.String(text)
}

// comparisons are the ways to compare two paths: exactly, where the first match counts, and ignoring case, where the
// match has to be unique.
var comparisons = []struct {
	same                 func(a, b string) bool
	isExact              bool
	pathMatch, nameMatch api.LinkMatch
}{
	{func(a, b string) bool { return a == b }, true, "", api.MatchName},
	{strings.EqualFold, false, api.MatchCase, api.MatchCase},
}

func (l *spaceModel) find(from *modelItem, to string, isImage bool) resolution {
	for _, v := range slices.Concat(l.pages, l.files) {
		if to == map[bool]string{true: "/pages/", false: "/files/"}[v.isPage()]+v.id {
			return resolution{target: v}
		}
	}
	for _, ask := range comparisons {
		look := func(fits func(v *modelItem) bool, isFirst, isFileOnly bool) *modelItem {
			var pages, files []*modelItem
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
			for _, found := range [][]*modelItem{pages, files} {
				if (len(found) == 1 || isFirst && len(found) > 0) && (!found[0].isPage() || !isFileOnly) {
					return found[0]
				}
			}
			return nil
		}
		if from.source != "" {
			at, isInside := joinPath(path.Dir("/"+from.path), to)
			if !isInside {
				return resolution{}
			}
			for _, form := range pathVariants(at, strings.HasSuffix(to, "/")) {
				if v := look(func(v *modelItem) bool {
					return v.source == from.source && ask.same(v.path, form)
				}, ask.isExact, isImage); v != nil {
					return resolution{target: v, match: ask.pathMatch}
				}
			}
		}
		if v := l.findByPagePath(from, to, ask.same, ask.isExact); v != nil && !isImage {
			return resolution{target: v, match: ask.pathMatch}
		}
		for _, of := range []func(
			v *modelItem,
		) bool{func(v *modelItem) bool { return v.source == from.source }, func(*modelItem) bool { return from.source == "" }} {
			for _, form := range append(nameVariants(path.Base(to)), stem(path.Base(to))) {
				v := look(func(v *modelItem) bool {
					return v.isPage() && of(v) && !isDirectory(v.baseName()) && ask.same(v.baseName(), form)
				}, false, isImage)
				if v != nil {
					return resolution{target: v, match: ask.nameMatch}
				}
			}
			if v := look(func(v *modelItem) bool {
				return !v.isPage() && of(v) && ask.same(v.baseName(), path.Base(to))
			}, false, isImage); v != nil {
				return resolution{target: v, match: ask.nameMatch}
			}
		}
	}
	return resolution{}
}

// baseName returns the last element of the item's path, or its name.
func (v *modelItem) baseName() string {
	if v.source != "" {
		return path.Base(v.path)
	}
	return v.name
}

// joinPath resolves a relative path from a directory. It reports false for a path above the root.
func joinPath(dir, to string) (at string, isInside bool) {
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

var pageExtensions = []string{".md", ".mdx", ".markdown", ".html", ".htm"}

func stem(name string) string {
	for _, ending := range pageExtensions {
		if rest, ok := strings.CutSuffix(name, ending); ok {
			return rest
		}
	}
	return name
}

func isDirectory(name string) bool {
	return strings.EqualFold(stem(name), "readme") || strings.EqualFold(stem(name), "index")
}

// nameVariants returns the file names that a name may refer to: itself, with a missing suffix, and the source of an HTML page.
func nameVariants(name string) []string {
	found := []string{name}
	for _, ending := range pageExtensions {
		found = append(found, name+ending)
	}
	if rest := stem(name); rest != name && strings.Contains(name[len(rest):], ".htm") {
		found = append(found, nameVariants(rest)[1:]...)
	}
	return found
}

// pathVariants returns the paths that a path may refer to: a file, the index page of a directory, or the page with that name.
func pathVariants(at string, isDirectoryOnly bool) (found []string) {
	if !isDirectoryOnly && at != "" {
		found = append(found, at)
	}
	for _, page := range []string{"README", "index"} {
		for _, ending := range pageExtensions {
			found = append(found, strings.TrimPrefix(at+"/"+page+ending, "/"))
		}
	}
	return append(found, nameVariants(at)[1:]...)
}

// findByPagePath searches among the siblings of a page, then its children, then from the root.
func (l *spaceModel) findByPagePath(from *modelItem, to string, same func(a, b string) bool, isExact bool) *modelItem {
	own := "/" + l.path(from)
	bases := []string{path.Dir(own), own, "/"}
	if strings.HasPrefix(to, "/") {
		bases = bases[2:]
	}
	for _, base := range bases {
		at, isInside := joinPath(base, to)
		if !isInside {
			continue
		}
		if v := l.findPage(at, same, isExact); v != nil {
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
		if v := l.findPage(at, same, isExact); v != nil {
			return v
		}
	}
	return nil
}

func (l *spaceModel) findPage(at string, same func(a, b string) bool, isExact bool) *modelItem {
	var found []*modelItem
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

// path returns the path of a page in the page tree.
func (l *spaceModel) path(v *modelItem) string {
	for _, above := range l.pages {
		if above.id == v.parent {
			return l.path(above) + "/" + v.name
		}
	}
	return v.name
}

var (
	namePattern      = regexp.MustCompile(`(?:id|name)="([^"]*)"`)
	headingPattern   = regexp.MustCompile(`^(?:#+ ([^\n]*)|([^\n]+)\n(?:=+|-+))$`)
	headingIDPattern = regexp.MustCompile(` *\{#([^}]*)\}$`)
	nonSlugPattern   = regexp.MustCompile(`[^a-z0-9_ -]`)
)

// anchor returns the anchor that a fragment names and its offset: the first name in the source or the text, else the
// first heading.
func (v *modelItem) anchor(fragment string) (found string, offset int) {
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
		for _, m := range namePattern.FindAllStringSubmatch(block, -1) {
			note(places, m[1], at)
		}
		if m := headingPattern.FindStringSubmatch(strings.TrimRight(block, "\n")); m != nil {
			title := m[1] + m[2]
			if own := headingIDPattern.FindStringSubmatch(title); own != nil {
				note(places, own[1], at)
				title = title[:len(title)-len(own[0])]
			}
			slug := strings.ReplaceAll(nonSlugPattern.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
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
