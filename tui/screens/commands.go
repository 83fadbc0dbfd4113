package screens

import "docspace.dev/wsd/tui/remote"

// Command returns the wsctl command for the content of the page; the app shows it below the page.
func (p *treePage) Command() string {
	return p.target.Command("content", "change-request-content", "list-pages")
}

// Command returns the wsctl command for the content of the page.
func (p *readerPage) Command() string {
	return p.target.Command("content", "change-request-content", "get-page", p.page.ID)
}

// Command returns the wsctl command for the content of the page.
func (p *requestsPage) Command() string {
	return remote.Command("change-requests", "list", "--space", p.spaceID, "--status", string(p.status))
}

// Command returns the wsctl command for the content of the page.
func (p *requestPage) Command() string { return p.target.RequestCommand("get") }

// Command returns the wsctl command for the content of the page.
func (p *changePage) Command() string {
	if p.since != "" {
		return p.target.RequestCommand("diff", "--page", p.id(), "--since", p.since)
	}
	return p.target.RequestCommand("diff", "--page", p.id())
}

// Command returns the wsctl command for the content of the page.
func (p *commentsPage) Command() string {
	return p.target.Command("comments", "change-request-comments", "list")
}

// Link returns the URL of the page under the cursor.
func (p *treePage) Link() string {
	if r, ok := p.Selected(); ok && r.About.At < len(p.flatTree) && r.About.Page != "" {
		return p.flatTree[r.About.At].Page.URLs.App
	}
	return ""
}

// Link returns the URL of the page.
func (p *readerPage) Link() string { return p.remote.Latest.URLs.App }

// Link returns the URL of the change request under the cursor.
func (p *requestsPage) Link() string {
	if r, ok := p.Selected(); ok && r.About.At >= 0 && r.About.At < len(p.loadedRequests()) {
		return p.loadedRequests()[r.About.At].URLs.App
	}
	return ""
}

// Link returns the URL of the change request.
func (p *requestPage) Link() string { return p.remote.Latest.URLs.App }

// Link returns the URL of the change request.
func (p *changePage) Link() string { return p.request.URLs.App }

// Quote returns the text of the comment or reply under the cursor.
func (p *readerPage) Quote() string { return p.threads.selectedText() }

// Quote returns the text of the comment or reply under the cursor.
func (p *requestPage) Quote() string { return p.threads.selectedText() }

// Quote returns the text of the comment or reply under the cursor.
func (p *changePage) Quote() string { return p.threads.selectedText() }

// Quote returns the text of the comment or reply under the cursor.
func (p *commentsPage) Quote() string { return p.threads.selectedText() }
