package screens

// pageSigns are the signs of changed pages.
var pageSigns = [][2]string{
	{"◌ ✓", "before a page: not read yet, or changed since you read it; read"},
	{"~ + - >", "before a page: edited, new, deleted, moved"},
	{"● ✓", "before a thread: open; resolved"},
	{"✎", "a draft on this machine, not sent yet"},
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *requestPage) Signs() [][2]string {
	return append([][2]string{
		{"✓ ! ✗", "before a check: it passes; it only warns; it blocks the merge, or somebody requests changes"},
		{"r3", "the third revision of this change request; each edit and each update from the space makes one"},
		{"●", "before what happened: new since your last visit"},
		{"+41 −4", "words added and removed"},
	}, pageSigns...)
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *changePage) Signs() [][2]string {
	return append([][2]string{
		{"~ + -", "before a line: edited, new, removed"},
		{"> ¶ ≈", "before a line: moved; split or joined; readers see no difference"},
		{"old→new", "words that were replaced; without colours [-old-]{+new+}"},
		{"┃ ┆", "a thread; a draft of yours"},
		{"! #27", "below a block: another open change request changes it, too"},
	}, pageSigns...)
}
