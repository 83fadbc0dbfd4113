package rest

import (
	"slices"
)

// isStoredText returns a function that reports whether a text is already stored in the object that the request changes:
// sending a title back as it is stored is never refused. The stored texts are read on the first call, which happens
// only for texts with characters that new texts must not contain.
func (p *Pipeline) isStoredText(c *Call) func(text string) bool {
	var texts []string
	read := false
	return func(text string) bool {
		if !read {
			read = true
			var err error
			if texts, err = p.storedTexts(c); err != nil {
				p.log.Warn("stored texts not read", c.logMembers("error", err)...)
			}
		}
		return slices.Contains(texts, text)
	}
}
