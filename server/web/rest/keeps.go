package rest

import (
	"slices"
)

// keeps reports whether what a request changes has a text already: whoever sends a title back as it is stored is not
// refused for it. The texts are read when somebody asks, which is when a text has characters that new ones must not
// have.
func (p *Pipeline) keeps(c *Call) func(text string) bool {
	var texts []string
	read := false
	return func(text string) bool {
		if !read {
			read = true
			var err error
			if texts, err = p.kept(c); err != nil {
				p.log.Warn("stored texts not read", "request", c.requestID, "error", err)
			}
		}
		return slices.Contains(texts, text)
	}
}
