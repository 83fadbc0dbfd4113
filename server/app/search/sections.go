package search

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/terms"
)

// searchSection is the indexed part of a section: its title, anchor and position in the text.
type searchSection struct {
	Title      string
	Anchor     string
	Start, End int
}

// A section is stored as its distance to the previous one and two bits. They are set if the title or the anchor
// differ from those in the heading's line and are stored as well.
const (
	ownTitle  = 1
	ownAnchor = 2
	ownBits   = 2
)

// distinctSections returns the sections of a text that have a title or an anchor of their own.
func distinctSections(sections []content.Section) []searchSection {
	kept := make([]searchSection, 0, min(len(sections), terms.MaxSections))
	for _, s := range sections[:min(len(sections), terms.MaxSections)] {
		kept = append(kept, searchSection{Title: s.Title, Anchor: s.Anchor, Start: s.Start, End: s.End})
	}
	if len(kept) > 0 {
		kept[len(kept)-1].End = sections[len(sections)-1].End
	}
	return kept
}

// encodeSections returns the stored form of the sections of a text.
func encodeSections(markdown []byte, sections []searchSection) []byte {
	var data []byte
	before := 0
	for _, s := range sections {
		own := uint64(0)
		if headingAt(markdown, s.Start) != s.Title {
			own |= ownTitle
		}
		if content.Fragment(s.Title) != s.Anchor {
			own |= ownAnchor
		}
		data = binary.AppendUvarint(data, uint64(max(s.Start-before, 0))<<ownBits|own)
		if own&ownTitle != 0 {
			data = appendText(data, s.Title)
		}
		if own&ownAnchor != 0 {
			data = appendText(data, s.Anchor)
		}
		before = s.Start
	}
	return data
}

// decodeSections decodes the result of encodeSections. If markdown is not the encoded text, the sections are
// approximate.
func decodeSections(markdown, data []byte) []searchSection {
	var sections []searchSection
	at := 0
	for len(data) > 0 {
		head, size := binary.Uvarint(data)
		if size <= 0 || head>>ownBits > uint64(max(len(markdown)-at, 0)) {
			return sections
		}
		data, at = data[size:], at+int(min(head>>ownBits, math.MaxInt32))
		if len(sections) > 0 {
			sections[len(sections)-1].End = at
		}
		s := searchSection{Start: at, End: len(markdown), Title: headingAt(markdown, at)}
		if head&ownTitle != 0 {
			s.Title, data = cutText(data)
		}
		s.Anchor = content.Fragment(s.Title)
		if head&ownAnchor != 0 {
			s.Anchor, data = cutText(data)
		}
		sections = append(sections, s)
	}
	return sections
}

// headingAt returns the line at an offset without surrounding '#' and with single spaces. This is the title of a section
// if its heading has no markup.
func headingAt(markdown []byte, at int) string {
	line, _, _ := bytes.Cut(markdown[min(at, len(markdown)):], []byte("\n"))
	return strings.Join(strings.Fields(strings.Trim(string(line), "# \t\r")), " ")
}

func appendText(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

func cutText(data []byte) (text string, rest []byte) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(max(len(data)-size, 0)) {
		return "", nil
	}
	end := size + int(min(n, math.MaxInt32))
	return string(data[size:end]), data[end:]
}
