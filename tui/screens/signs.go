package screens

import (
	"slices"

	"docspace.dev/wsd/tui/page"
)

// The signs of threads and of lists that fold.
var (
	threadSigns = [][2]string{
		{"● ✓", "before a thread: open; resolved"},
		{"↳", "a reply"},
		{"┃ ┆", "a thread; a draft of yours"},
		{"✎", "a draft on this machine, not sent yet"},
	}
	foldSigns = [][2]string{{"▸ ▾", "folded; unfolded"}, {"┄", "something is left out"}}
)

// Signs returns the signs of the rows with their meanings, for the help.
func (p *requestPage) Signs() [][2]string {
	return slices.Concat([][2]string{
		{"✓ ! ✗", "before a check or a review: it passes; it only warns; it blocks the merge"},
		{"r3", "the third revision of this change request; each edit and each update from the space makes one"},
		{"●", "before what happened: new since your last visit; before a reviewer: asked"},
		{"●3", "threads: 3 are open"},
		{"+41 −4", "words added and removed"},
	}, page.ChangedPageSigns(), threadSigns, foldSigns)
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *changePage) Signs() [][2]string {
	return slices.Concat([][2]string{
		{"~ + -", "before a line: edited, new, removed"},
		{"> ¶ ≈", "before a line: moved; split or joined; readers see no difference"},
		{"old→new", "words that were replaced; without colours [-old-]{+new+}"},
		{"! #27", "below a block: another open change request changes it, too"},
	}, page.ChangedPageSigns(), threadSigns, foldSigns[1:])
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *commentsPage) Signs() [][2]string { return threadSigns }

// Signs returns the signs of the rows with their meanings, for the help.
func (p *readerPage) Signs() [][2]string { return threadSigns }

// Signs returns the signs of the rows with their meanings, for the help.
func (p *reviewPage) Signs() [][2]string {
	return [][2]string{
		{"(•) ( )", "the verdict that is sent; another one"},
		{"[x] [ ]", "sent with the review; held back"},
		{"✎", "what you wrote, not sent yet"},
		{"↳", "a reply of yours, with the thread"},
		{"◌", "not read yet, or changed since you read it"},
		{"✓ !", "what the review does; what to know before it is sent"},
		{"✗", "you request changes; before a draft: why it cannot be sent"},
	}
}
