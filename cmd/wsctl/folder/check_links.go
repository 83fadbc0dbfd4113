package folder

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/cases"

	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/server/text/names"
)

// stablePattern matches destinations that name something by its id, which only the server knows.
var stablePattern = regexp.MustCompile(`^/(?:pages|files|spaces|collections|users|openapi|reusable-contents)/[A-Za-z0-9_~/-]+$`)

// checkLinks finds links and pictures that lead nowhere in the space.
func (c *checker) checkLinks() {
	targets := c.newTargets()
	for _, at := range slices.Sorted(maps.Keys(c.outlines)) {
		for _, link := range c.outlines[at].Links {
			c.checkLink(targets, at, link)
		}
	}
}

func (c *checker) checkLink(targets *linkTargets, from string, link content.Link) {
	written := content.UnmaskExpressions(link.Destination)
	if content.IsExternal(written) || strings.Contains(written, "{{") || isFootnote(c.texts[from], link.Start) {
		return
	}
	to, fragment := content.SplitDestination(written)
	line := lineAt(c.texts[from], link.Start)
	found, match := linkTarget{path: from, isPage: true}, matchPath
	if to != "" {
		found, match = targets.find(from, to, link.Image)
	}
	shown, _, _ := strings.Cut(written, "#")
	switch {
	case match == matchNone && stablePattern.MatchString(to):
		return
	case match == matchNone:
		c.add(SeverityError, RuleLink, from, line, "%s", c.brokenReason(from, shown, to, link.Image))
		return
	case match == matchName:
		c.add(SeverityNote, RuleLink, from, line, "%s is not there; the space takes it for %s, the only one with this name", shown,
			dialects.RelativeLink(from, found.path))
	case match == matchCase:
		c.add(SeverityNote, RuleLink, from, line, "%s differs in case from %s", shown, dialects.RelativeLink(from, found.path))
	}
	if found.isPage && fragment != "" {
		c.checkFragment(from, line, found, fragment)
	}
}

// isFootnote reports whether the destination at an offset is the first word of a footnote, which has the form of a definition.
func isFootnote(text []byte, offset int) bool {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("[^"))
}

// checkFragment checks that a page has a fragment. Those of variables and reusable contents are known to the server only.
func (c *checker) checkFragment(from string, line int, to linkTarget, fragment string) {
	outline, isRead := c.outlines[to.path]
	if !isRead && !to.isGroup {
		return
	}
	for _, anchor := range []string{fragment, strings.ToLower(fragment)} {
		if _, has := slices.BinarySearch(outline.Anchors, anchor); has {
			return
		}
	}
	if len(content.Expressions(c.texts[to.path])) > 0 {
		return
	}
	page := to.path
	if to.path == from {
		page = "this page"
	}
	message := page + " has no heading #" + fragment
	if near := nearest(strings.ToLower(fragment), outline.Anchors); near != "" {
		message += "; did you mean #" + near + "?"
	}
	c.add(SeverityError, RuleLink, from, line, "%s", message)
}

// brokenReason returns why a destination leads nowhere. shown is the destination as written, and to is its path.
func (c *checker) brokenReason(from, shown, to string, isImage bool) string {
	at, inside := content.JoinPath(path.Dir("/"+from), to)
	if at = strings.TrimSuffix(at, "/"); !inside {
		return shown + " is not below the root of the content"
	}
	return c.missing(from, shown, at, func(name string) bool { return !isImage || !isText(name) })
}

// missing returns why there is no page or file at a path, with the most similar path that is wanted.
func (c *checker) missing(from, shown, at string, isWanted func(at string) bool) string {
	for _, s := range c.scan.Skipped {
		if s.Path == at {
			return shown + " is not sent: it " + s.Reason
		}
	}
	info, err := c.folder.root.Stat(at)
	switch _, isSent := c.scan.Files[at]; {
	case isSent && isReusablePath(at):
		return shown + " is a reusable content, and no page"
	case isSent:
		return shown + " is neither a page nor a picture of the space"
	case err == nil && info.IsDir():
		return shown + " is a directory without a page of its own: add a README.md to it"
	case err == nil:
		return shown + " is not sent: it is hidden or ignored"
	}
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(c.scan.Files)) {
		if name != c.summary && isWanted(name) {
			paths = append(paths, name)
		}
	}
	message := shown + " is not there"
	if near := nearestPath(at, paths); near != "" {
		message += "; did you mean " + dialects.RelativeLink(from, near) + "?"
	}
	return message
}

// nearestPath returns the path that is most similar to another one, of those whose file names are similar. It returns "" if there
// is none.
func nearestPath(at string, paths []string) string {
	name := dialects.FileName(at)
	var similar []string
	for _, p := range paths {
		other := dialects.FileName(p)
		if nearest(name, []string{other}) == "" {
			continue
		}
		if nearest(at, []string{p}) != "" || !dialects.IsIndex(p) && len(name) > 1 {
			similar = append(similar, p)
		}
	}
	best, least := "", -1
	for _, p := range similar {
		if d, _ := resolve.Distance(names.Fold(at), names.Fold(p)); least < 0 || d < least {
			best, least = p, d
		}
	}
	return best
}

// nearest returns the text that differs least from another one, "" if more than two fifths of the characters of each differ.
func nearest(text string, texts []string) (found string) {
	folded, best := names.Fold(text), -1
	for _, t := range texts {
		longer, shorter := max(len(text), len(t)), min(len(text), len(t))
		if 5*(longer-shorter) > 2*longer { // too different, whatever the characters are
			continue
		}
		d, _ := resolve.Distance(folded, names.Fold(t))
		if folded != "" && 5*d <= 2*longer && (best < 0 || d < best) {
			found, best = t, d
		}
	}
	return found
}

// linkMatch is the way in which a destination leads to its target.
type linkMatch int

const (
	matchNone linkMatch = iota
	matchPath
	matchCase // by path or name without regard to case
	matchName // by a name that only one page or file has
)

// linkTarget is a page or file that a destination leads to.
type linkTarget struct {
	path            string // in the folder; the title of a group
	isPage, isGroup bool
}

// linkTargets finds the targets of destinations in the order in which the server does: by path in the folder, by path in the space,
// by name, and then all of these without regard to case.
type linkTargets struct {
	pages, files, slugs, pageNames, fileNames targetIndex

	own  map[string]string // paths in the space, by path in the folder
	home linkTarget        // the first page
}

// targetIndex maps texts to targets. The target of a text that several have is zero.
type targetIndex struct{ exact, folded map[string]linkTarget }

func newTargetIndex() targetIndex {
	return targetIndex{map[string]linkTarget{}, map[string]linkTarget{}}
}

func (x targetIndex) add(text string, to linkTarget) {
	for _, m := range []struct {
		of   map[string]linkTarget
		text string
	}{{x.exact, text}, {x.folded, foldCase(text)}} {
		if other, known := m.of[m.text]; known && other != to {
			m.of[m.text] = linkTarget{}
		} else {
			m.of[m.text] = to
		}
	}
}

func (x targetIndex) get(text string, folded bool) (to linkTarget, ok bool) {
	if folded {
		to = x.folded[foldCase(text)]
	} else {
		to = x.exact[text]
	}
	return to, to != linkTarget{}
}

func foldCase(text string) string { return cases.Fold().String(text) }

// newTargets returns the targets of links in the folder, as they are after a push to an empty space.
func (c *checker) newTargets() *linkTargets {
	t := &linkTargets{
		pages: newTargetIndex(), files: newTargetIndex(), slugs: newTargetIndex(), pageNames: newTargetIndex(), fileNames: newTargetIndex(),
		own: map[string]string{},
	}
	for at := range c.scan.Files {
		switch {
		case c.isPage(at):
			to := linkTarget{path: at, isPage: true}
			t.pages.add(at, to)
			if !content.IsDirectoryPage(path.Base(at)) {
				t.pageNames.add(path.Base(at), to)
			}
		case !isText(at):
			t.files.add(at, linkTarget{path: at})
			t.fileNames.add(path.Base(at), linkTarget{path: at})
		}
	}
	pages, paths := c.pageIDs()
	for _, p := range pages {
		to := linkTarget{path: p.Path, isPage: true}
		if p.Path == "" {
			to = linkTarget{path: p.Title, isPage: true, isGroup: true}
		}
		t.home = cmp.Or(t.home, to)
		t.slugs.add(paths[p.ID], to)
		t.own[p.Path] = paths[p.ID]
	}
	return t
}

// find returns the target of a path in the text of the page at from.
func (t *linkTargets) find(from, to string, isImage bool) (linkTarget, linkMatch) {
	at, inside := content.JoinPath(path.Dir("/"+from), to)
	if !inside {
		return linkTarget{}, matchNone
	}
	for _, folded := range []bool{false, true} {
		match, byName := matchPath, matchName
		if folded {
			match, byName = matchCase, matchCase
		}
		if found, ok := t.findPath(cmp.Or(at, "/"), isImage, folded); ok {
			return found, match
		}
		if found, ok := t.findSlugs(from, to, folded); ok && !isImage {
			return found, match
		}
		if stablePattern.MatchString(to) {
			continue
		}
		if found, ok := t.findName(path.Base(to), isImage, folded); ok {
			return found, byName
		}
	}
	return linkTarget{}, matchNone
}

// findPath finds a page or file by its path in the folder.
func (t *linkTargets) findPath(at string, isImage, folded bool) (linkTarget, bool) {
	for _, candidate := range content.SourcePaths(at) {
		if found, ok := t.pages.get(candidate, folded); ok && !isImage {
			return found, true
		}
		if found, ok := t.files.get(candidate, folded); ok {
			return found, true
		}
	}
	return linkTarget{}, false
}

// findSlugs finds a page by its path in the space: relative to the parent of the page from, to that page, and to the root.
func (t *linkTargets) findSlugs(from, to string, folded bool) (linkTarget, bool) {
	own := "/" + t.own[from]
	bases := []string{path.Dir(own), own, "/"}
	if strings.HasPrefix(to, "/") {
		bases = bases[2:]
	}
	for _, base := range bases {
		at, inside := content.JoinPath(base, to)
		if !inside {
			continue
		}
		at = strings.TrimSuffix(at, "/")
		stem, _ := content.CutPageSuffix(at)
		if content.IsDirectoryPage(path.Base(stem)) {
			stem = strings.Trim(path.Dir("/"+stem), "/")
		}
		if at == "" || stem == "" {
			return t.home, true
		}
		for _, candidate := range []string{at, stem} {
			if found, ok := t.slugs.get(candidate, folded); ok {
				return found, true
			}
		}
	}
	return linkTarget{}, false
}

// findName finds a page or file by a base name that no other one has.
func (t *linkTargets) findName(name string, isImage, folded bool) (linkTarget, bool) {
	candidates := append([]string{name}, content.PageFileNames(name)...)
	if stem, cut := content.CutPageSuffix(name); cut {
		candidates = append(candidates, stem)
	}
	for _, candidate := range candidates {
		if found, ok := t.pageNames.get(candidate, folded); ok && !isImage {
			return found, true
		}
	}
	return t.fileNames.get(name, folded)
}
