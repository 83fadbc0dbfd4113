package revision

// SuggestedKey returns the key of a block in Revision.Suggested.
func SuggestedKey(page, block string) string { return page + "/" + block }

// BlockAuthor returns the author of the text that the revision gave a block, and the user who applied it, if different.
func (r Revision) BlockAuthor(page, block string) (author, appliedBy string) {
	if suggester := r.Suggested[SuggestedKey(page, block)]; suggester != "" {
		return suggester, r.Author
	}
	return r.Author, ""
}
