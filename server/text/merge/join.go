package merge

import (
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// render returns the text of elements, without trailing white space.
func (m *textMerge) render(list []element) string {
	var out strings.Builder
	j := m.joiner()
	for i, e := range list {
		if i > 0 {
			out.WriteString(j.separator(list[i-1], e))
		}
		out.WriteString(e.text)
	}
	return out.String()
}

// join returns the result as a text whose block table has the spans and ids of the elements.
func (m *textMerge) join(list []element) content.Text {
	var joined content.Text
	j := m.joiner()
	if len(list) > 0 {
		joined.Markdown = append(joined.Markdown, m.leadingBlank()...)
	}
	end := element{pos: [3]int{len(m.versions[inBase].bodies), len(m.versions[inOurs].bodies), len(m.versions[inTheirs].bodies)}}
	for i, e := range list {
		next := end
		if i+1 < len(list) {
			next = list[i+1]
		}
		start := len(joined.Markdown)
		if i == 0 {
			start = 0
		}
		joined.Markdown = append(joined.Markdown, e.text...)
		joined.Markdown = append(joined.Markdown, j.separator(e, next)...)
		joined.Blocks = append(joined.Blocks, content.Block{ID: e.id, Start: start, End: len(joined.Markdown)})
	}
	return m.label(joined)
}

// leadingBlank returns the merged blank lines before the first block.
func (m *textMerge) leadingBlank() string {
	base, ours, theirs := m.versions[inBase].leading, m.versions[inOurs].leading, m.versions[inTheirs].leading
	if s, ok := threeWay(base, ours, theirs); ok {
		return s
	}
	return longer(ours, theirs)
}

func (m *textMerge) joiner() joiner {
	j := joiner{fallback: m.newSeparator}
	for v := range m.versions {
		j.separators[v] = m.versions[v].separators
	}
	return j
}

// newSeparator returns the separator of blocks that are adjacent in no version.
func (m *textMerge) newSeparator(x, y element) string {
	if m.isEnd(y) {
		return m.ending()
	}
	best := ""
	j := m.joiner()
	for _, s := range j.candidates(x) {
		best = longer(best, s)
	}
	if strings.Count(best, "\n") < 2 {
		best = m.lineEnd() + m.lineEnd()
	}
	return best
}

func (m *textMerge) isEnd(e element) bool {
	return e.pos[inOurs] == len(m.versions[inOurs].bodies) && e.pos[inTheirs] == len(m.versions[inTheirs].bodies)
}

// ending returns the end of the merged text if its last block is the last one on neither side.
func (m *textMerge) ending() string {
	var last [3]string
	for v := range m.versions {
		if n := len(m.versions[v].separators); n > 0 {
			last[v] = m.versions[v].separators[n-1]
		}
	}
	if s, ok := threeWay(last[inBase], last[inOurs], last[inTheirs]); ok {
		return s
	}
	return longer(last[inOurs], last[inTheirs])
}

// lineEnd returns the line ending of the page: CRLF if any of the versions contains one.
func (m *textMerge) lineEnd() string {
	for v := range m.versions {
		if strings.Contains(string(m.versions[v].text.Markdown), "\r\n") {
			return "\r\n"
		}
	}
	return "\n"
}

// label sets the kinds and hashes of the joined blocks, which Parse compares, from a fresh parse of the text: equal
// spans are equal blocks.
func (m *textMerge) label(joined content.Text) content.Text {
	fresh, err := content.Parse(m.page, joined.Markdown, content.Text{})
	if err != nil {
		return joined
	}
	at := map[int]content.Block{}
	for _, block := range fresh.Blocks {
		at[block.Start] = block
	}
	for i, block := range joined.Blocks {
		if same, ok := at[block.Start]; ok {
			joined.Blocks[i].Kind, joined.Blocks[i].Hash = same.Kind, same.Hash
		}
	}
	return joined
}
