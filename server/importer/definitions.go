package importer

import (
	"bytes"

	"docspace.dev/wsd/server/content"
)

// parted counts the definitions of references that other parts than their own use, where they are not found any more.
func parted(parts []Part) (count int) {
	lower := make([][]byte, len(parts))
	for n, p := range parts {
		lower[n] = bytes.ToLower(p.Markdown)
	}
	for n, p := range parts {
		for _, b := range content.Blocks(p.Markdown) {
			label := labelOf(p.Markdown[b.Start:b.End], b.Kind)
			for other := range parts {
				if label != nil && other != n && bytes.Contains(lower[other], label) {
					count++
					break
				}
			}
		}
	}
	return count
}

// labelOf is the label of a definition with its brackets, in lower case; nil for other blocks.
func labelOf(block []byte, kind string) []byte {
	end := bytes.Index(block, []byte("]:"))
	if kind != content.KindDefinition || end < 0 {
		return nil
	}
	return bytes.ToLower(bytes.TrimSpace(block[:end+1]))
}
