package content

import (
	"regexp"
	"slices"
)

// tagDestination matches a tag with a destination.
var tagDestination = regexp.MustCompile(`\{%[ \t]*(content-ref|file|drawing|swagger|openapi)[ \t][^%\n]*?\b(?:url|src)="([^"\n]*)"`)

// TagLinks returns the destinations of the tags of a text in order: files, drawings, specifications and references to content.
func TagLinks(markdown []byte) (links []Link) {
	for _, at := range matches(markdown, tagDestination) {
		name := string(markdown[at[2]:at[3]])
		links = append(links, Link{
			Start: at[4], End: at[5], Destination: string(unescapeHTML(markdown[at[4]:at[5]])), Image: name == "file" ||
				name == "drawing", syntax: syntaxAttribute,
		})
	}
	return links
}

// WithLinks returns the text with the destinations for which rewrite returns true replaced as by RewriteLinks,
// including those of tags. Its blocks keep their ids.
func (t Text) WithLinks(rewrite func(Link) (string, bool)) Text {
	links := append(Links(t.Markdown), TagLinks(t.Markdown)...)
	slices.SortFunc(links, func(a, b Link) int { return a.Start - b.Start })
	links = slices.CompactFunc(links, func(a, b Link) bool { return a.Start < b.End && b.Start < a.End })
	var moves []offsetShift
	shift := 0
	markdown := rewriteLinks(t.Markdown, links, func(link Link) (string, bool) {
		to, ok := rewrite(link)
		if ok && (link.syntax != syntaxAutolink || isAbsolute(to)) {
			shift += len(encodeDestination(to)) - (link.End - link.Start)
			moves = append(moves, offsetShift{link.End, shift})
		}
		return to, ok
	})
	if len(moves) == 0 {
		return t
	}
	blocks := make(Table, len(t.Blocks))
	next, by := 0, 0
	for i, block := range t.Blocks {
		block.Start += by
		for next < len(moves) && moves[next].start <= block.End {
			by = moves[next].delta
			next++
		}
		block.End += by
		block.Hash = hashBlock(markdown[block.Start:block.End])
		blocks[i] = block
	}
	return Text{Markdown: markdown, Blocks: blocks}
}

// offsetShift adds delta to all offsets from start on.
type offsetShift struct{ start, delta int }
