package browse

import (
	"slices"

	"docspace.dev/wsd/tui/page"
)

// previewSigns returns the signs of the preview of a change request.
func previewSigns() [][2]string {
	return append(page.ChangedPageSigns(), [][2]string{
		{"✓ ! ✗", "before a check: it passes; it only warns; it blocks the merge"},
		{"┄", "more than is shown here"},
	}...)
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *Inbox) Signs() [][2]string {
	return slices.Concat([][2]string{
		{"●", "before a change request: it waits for you, or has news since your review"},
		{"▸", "a folded group"},
		{"+41 −4", "words added and removed"},
		{"✓9/9", "checks: all of them pass"},
		{"✓9/10", "checks: 9 of 10 pass, and the other only warns; it is ready to be merged"},
		{"!8/10", "checks: 8 of 10 pass, and the others are only warnings"},
		{"✗7/11", "checks: 7 of 11 pass, and another one blocks a merge"},
		{"●3", "threads: 3 are open"},
		{"2/4", "read: 2 of 4 of its changes are read by you"},
		{"✓ ! ✗ you", "your verdict: you approved; approved, but it was edited since; you requested changes (objected)"},
		{"✎", "a draft on this machine, not sent yet"},
		{"…", "not computed yet"},
	}, previewSigns())
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *Activity) Signs() [][2]string {
	return slices.Concat([][2]string{{"●3", "threads: 3 are open"}, {"+41 −4", "words added and removed"}}, previewSigns())
}

// Signs returns the signs of the rows with their meanings, for the help.
func (p *spacesPage) Signs() [][2]string {
	return [][2]string{
		{"▾ ▸", "an open collection; a folded one"},
		{"●3", "threads: 3 are open"},
		{"✓ ✗", "links: they lead somewhere; they are broken"},
		{"┄", "more than is shown here"},
	}
}
