package page

// ChangedPageSigns returns the signs before the pages of a change request with their meanings, for the help.
func ChangedPageSigns() [][2]string {
	return [][2]string{
		{"◌ ✓", "before a page: not read yet, or changed since you read it; read"},
		{"~ + - >", "before a page: edited, new, deleted, moved"},
	}
}
