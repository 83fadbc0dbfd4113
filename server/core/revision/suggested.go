package revision

// SuggestedBlock names a block of a page among those whose words somebody else suggested than who made the revision.
func SuggestedBlock(page, block string) string { return page + "/" + block }

// WriterOf is who wrote the words that a revision gave a block, and who applied them if that was somebody else.
func (r Revision) WriterOf(page, block string) (author, appliedBy string) {
	if suggester := r.Suggested[SuggestedBlock(page, block)]; suggester != "" {
		return suggester, r.Author
	}
	return r.Author, ""
}
