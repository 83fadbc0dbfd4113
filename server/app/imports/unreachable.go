package imports

import (
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// findUnreachable returns the pages and files of a website that are missing only because a page that leads to them could not be
// read. It follows the links and child pages of the last import, starting at the unread pages. Whether the site still has them
// is unknown.
func (u *update) findUnreachable(ctx context.Context) (map[string]bool, error) {
	unreachable := map[string]bool{}
	if len(u.unread) == 0 || u.body.Source != api.ImportWebsite {
		return unreachable, nil
	}
	below := map[string][]string{}
	var next []*revision.Page
	for id, p := range u.last.pages {
		below[p.Parent] = append(below[p.Parent], id)
		if u.unread[p.Origin.Path] {
			next = append(next, p)
		}
	}
	for len(next) > 0 {
		p := next[len(next)-1]
		next = next[:len(next)-1]
		links, err := u.baseLinks(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, id := range append(links, below[p.ID]...) {
			if u.last.claimed[id] || unreachable[id] {
				continue
			}
			unreachable[id] = true
			if to := u.last.pages[id]; to != nil {
				next = append(next, to)
			}
		}
	}
	return unreachable, nil
}

// baseLinks returns the ids that the last imported text of a page links to.
func (u *update) baseLinks(ctx context.Context, p *revision.Page) (ids []string, err error) {
	if p.Text == "" {
		return nil, nil
	}
	t, err := u.baseText(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, l := range content.ParseOutline(t.Markdown).Links {
		for _, prefix := range linkPrefixes {
			if id, ok := strings.CutPrefix(l.Destination, string(prefix)); ok {
				id, _, _ = strings.Cut(id, "#")
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}
