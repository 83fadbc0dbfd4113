package folder

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/server/text/names"
	target "docspace.dev/wsd/server/text/resolve"
)

// isStable reports whether a destination names something by its id, which only the server knows.
func isStable(destination string) bool {
	_, _, isHere := target.ParseID(destination)
	_, isElsewhere := target.ExternalRef(destination)
	return isHere || isElsewhere
}

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
	to, _ := content.SplitDestination(written)
	line := lineAt(c.texts[from], link.Start)
	shown, _, _ := strings.Cut(written, "#")
	found, ok := targets.find(from, written, link.Image)
	name, isFile := targets.name(found)
	if isFile {
		name = dialects.RelativeLink(from, name)
	}
	switch {
	case !ok && isStable(written):
		return
	case !ok:
		c.add(SeverityError, RuleLink, from, line, "%s", c.brokenReason(from, shown, to, link.Image))
		return
	case found.Match == target.ByName:
		c.add(SeverityNote, RuleLink, from, line, "%s is not there; the space takes it for %s, the only one with this name", shown, name)
	case found.Match != target.ByPath:
		c.add(SeverityNote, RuleLink, from, line, "%s differs in case from %s", shown, name)
	}
	if found.Page != "" && found.Fragment != "" {
		c.checkFragment(targets, from, line, found)
	}
}

// isFootnote reports whether the destination at an offset is the first word of a footnote, which has the form of a definition.
func isFootnote(text []byte, offset int) bool {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("[^"))
}

// checkFragment checks that a page has a fragment. Those of variables and reusable contents are known to the server only.
func (c *checker) checkFragment(targets *linkTargets, from string, line int, to target.Target) {
	page, isFile := targets.name(to)
	outline, isRead := c.outlines[page]
	if isFile && !isRead {
		return
	}
	if !isFile {
		outline = content.Outline{}
	}
	if _, has := (target.Anchors{Own: outline.Anchors}).Find(to.Fragment); has || len(content.Expressions(c.texts[page])) > 0 {
		return
	}
	if page == from {
		page = "this page"
	}
	message := page + " has no heading #" + to.Fragment
	if near := nearest(strings.ToLower(to.Fragment), outline.Anchors); near != "" {
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
