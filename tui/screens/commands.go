package screens

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// The wsctl command that shows what each page shows; the app writes it below the page.

// Command implements the page's command.
func (p *tree) Command() string {
	return p.at.Command("content", "change-request-content", "list-pages")
}

// Command is as that of tree.
func (p *reader) Command() string {
	return p.at.Command("content", "change-request-content", "get-page", p.page.ID)
}

// Command is as that of tree.
func (p *requests) Command() string {
	return remote.Command("change-requests", "list", "--space", p.spaceID, "--status", string(p.status))
}

// Command is as that of tree.
func (p *request) Command() string { return p.at.RequestCommand("get") }

// Command is as that of tree.
func (p *change) Command() string {
	if p.since != "" {
		return p.at.RequestCommand("diff", "--page", p.id(), "--since", p.since)
	}
	return p.at.RequestCommand("diff", "--page", p.id())
}

// Command is as that of tree.
func (p *comments) Command() string {
	return p.at.Command("comments", "change-request-comments", "list")
}

// Commands are one of each that the screen shows, for a test that wsctl has them.
func Commands() []string {
	space, at := remote.Target{Space: "s"}, remote.Target{Space: "s", ChangeRequest: "2"}
	all := []string{
		(&requests{spaceID: "s", status: api.StatusOpen}).Command(), (&request{at: at}).Command(),
		(&change{at: at, since: api.SinceMyLastReview}).Command(),
	}
	all = append(all, SubmitCommands()...)
	all = append(all, ThreadCommands()...)
	s := &page.Session{Connection: &remote.Connection{Organization: "o"}}
	for _, p := range []page.Page{
		newHistory(s, "s", ""), newHistory(s, "s", "p"), newBlame(s, remote.Target{Space: "s"}, "p", ""), newLinks(s, at, "p"), newLinks(s, space, "p"), newBroken(s, "s"), RequestsBy(s, api.User{UserFields: api.UserFields{ID: "u"}}),
		newPast(s, "s", "p", api.HistoryEntry{ID: "r"}),
	} {
		if c, ok := p.(interface{ Command() string }); ok {
			all = append(all, c.Command())
		}
	}
	for _, t := range []remote.Target{space, at} {
		all = append(all, (&tree{at: t}).Command(), (&reader{at: t, page: api.RevisionPage{ID: "p"}}).Command(), (&comments{at: t}).Command())
	}
	return all
}

// Link is the address of the page under the cursor.
func (p *tree) Link() string {
	if r, ok := p.Selected(); ok && r.About.At < len(p.flat) && r.About.Page != "" {
		return p.flat[r.About.At].Page.URLs.App
	}
	return ""
}

// Link is the address of the page.
func (p *reader) Link() string { return p.remote.Latest.URLs.App }

// Link is the address of the change request under the cursor.
func (p *requests) Link() string {
	if r, ok := p.Selected(); ok && r.About.At >= 0 && r.About.At < len(p.shown()) {
		return p.shown()[r.About.At].URLs.App
	}
	return ""
}

// Link is the address of the change request.
func (p *request) Link() string { return p.remote.Latest.URLs.App }

// Link is the address of the change request.
func (p *change) Link() string { return p.of.URLs.App }

// Quote is what the comment or reply under the cursor says.
func (p *reader) Quote() string { return p.threads.Said() }

// Quote is what the comment or reply under the cursor says.
func (p *request) Quote() string { return p.threads.Said() }

// Quote is what the comment or reply under the cursor says.
func (p *change) Quote() string { return p.threads.Said() }

// Quote is what the comment or reply under the cursor says.
func (p *comments) Quote() string { return p.threads.Said() }
