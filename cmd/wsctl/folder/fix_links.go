package folder

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// A staleLink is a link or picture whose destination is where a file was before it was moved in the folder, or that was relative to the
// directory in which its own file was.
type staleLink struct {
	path string // of the file with the link
	line int
	from string // destination as written
	to   string // destination that leads to the same file now
}

// String returns the place of the link.
func (l staleLink) String() string { return fmt.Sprintf("%s:%d", l.path, l.line) }

// linkFixer finds links that moves in a folder have broken.
type linkFixer struct {
	scan  Scan
	moved map[string]string // paths now, by paths before
	were  map[string]string // paths before, by paths now
}

// newLinkFixer returns nil if no file was moved. pushed are the paths of files whose moves were pushed, by their paths before.
func newLinkFixer(scan Scan, differences []Difference, pushed map[string]string) *linkFixer {
	x := &linkFixer{scan: scan, moved: map[string]string{}, were: map[string]string{}}
	for before, now := range pushed {
		if _, isHere := scan.Files[now]; isHere {
			x.moved[before], x.were[now] = now, before
		}
	}
	for _, d := range differences {
		if d.Kind == Moved && !isSummary(d.Entry) {
			x.moved[d.Entry.Path], x.were[d.File.Path] = d.File.Path, d.Entry.Path
		}
	}
	if len(x.moved) == 0 {
		return nil
	}
	return x
}

// destination returns the destination that a link in the file at a path should have, false if it stays.
func (x *linkFixer) destination(at string, link content.Link) (string, bool) {
	written := link.Destination
	to, _ := content.SplitDestination(written)
	if to == "" || strings.HasPrefix(to, "/") || content.IsExternal(written) || strings.Contains(written, "{{") {
		return "", false
	}
	if now, inside := content.JoinPath(path.Dir("/"+at), to); inside && x.has(now) {
		return "", false
	}
	before, inside := content.JoinPath(path.Dir("/"+cmp.Or(x.were[at], at)), to)
	if !inside {
		return "", false
	}
	before = strings.TrimSuffix(before, "/")
	target := cmp.Or(x.moved[before], before)
	if _, isHere := x.scan.Files[target]; !isHere {
		return "", false
	}
	fixed := dialects.RelativeLink(at, target)
	if _, fragment, found := strings.Cut(written, "#"); found {
		fixed += "#" + fragment
	}
	return fixed, fixed != written
}

// has reports whether there is a file at a path, or a directory.
func (x *linkFixer) has(at string) bool {
	at = strings.TrimSuffix(at, "/")
	if _, isFile := x.scan.Files[at]; isFile {
		return true
	}
	for name := range x.scan.Files {
		if strings.HasPrefix(name, at+"/") {
			return true
		}
	}
	return false
}

// rewrite returns a text with fixed links, and these links.
func (x *linkFixer) rewrite(at string, text []byte) (fixed []byte, links []staleLink) {
	t := content.Text{Markdown: text}.WithLinks(func(link content.Link) (string, bool) {
		to, isStale := x.destination(at, link)
		if isStale {
			links = append(links, staleLink{at, lineAt(text, link.Start), link.Destination, to})
		}
		return to, isStale
	})
	return t.Markdown, links
}

// fixLinks finds the links of the folder that its moves have broken. If write is set, it changes them in the files.
func (f *Folder) fixLinks(scan Scan, differences []Difference, write bool) (links []staleLink, err error) {
	var pushed map[string]string
	if f.State != nil {
		pushed = f.State.Moved
	}
	x := newLinkFixer(scan, differences, pushed)
	if x == nil {
		return nil, nil
	}
	for _, at := range slices.Sorted(maps.Keys(scan.Files)) {
		if !isText(at) || scan.Files[at].Size > maxPageBytes {
			continue
		}
		text, err := f.readRaw(at)
		if err != nil {
			return nil, err
		}
		fixed, found := x.rewrite(at, text)
		links = append(links, found...)
		if !write || len(found) == 0 {
			continue
		}
		if err := f.write(f.root, at, fixed); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// maxShownLinks limits how many links are named in a message.
const maxShownLinks = 5

// noteMoves adds the moves of a push to those of earlier ones.
func (s *State) noteMoves(changes []Change) {
	pushed := map[string]string{}
	for _, c := range changes {
		if c.Kind == Moved {
			pushed[c.Was] = c.Path
		}
	}
	moved := map[string]string{}
	for before, now := range s.Moved {
		moved[before] = cmp.Or(pushed[now], now)
	}
	maps.Copy(moved, pushed)
	maps.DeleteFunc(moved, func(before, now string) bool { return before == now })
	if s.Moved = moved; len(moved) > maxMoves { // links to them have been broken for long
		s.Moved = nil
	}
}

// maxMoves limits how many moves a state has.
const maxMoves = 10_000

// reportLinks says which links moves have broken, and whether they were or would be changed.
func (s *session) reportLinks(links []staleLink, o pushOptions) {
	if len(links) == 0 {
		return
	}
	var places []string
	for _, l := range links[:min(len(links), maxShownLinks)] {
		places = append(places, l.String())
	}
	if more := len(links) - maxShownLinks; more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	shown := app.SanitizeLine(strings.Join(places, ", "))
	switch {
	case o.fixLinks && o.dryRun:
		s.app.Infof("%s to moved files would be changed: %s", app.Pluralize(len(links), "link"), shown)
		return
	case o.fixLinks:
		s.app.Infof("%s to moved files changed: %s", app.Pluralize(len(links), "link"), shown)
		return
	}
	s.app.Infof("%s to moved files not changed: %s; wsctl push --fix-links changes them", app.Pluralize(len(links), "link"), shown)
}
