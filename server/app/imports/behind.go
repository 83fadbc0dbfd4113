package imports

import (
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// behindUnread are the pages and files of a website that were not found, but to which a page leads that could not be
// read: by what came the last time, its text leads there, or they lay below it. What they lead to is behind it, too.
// Nobody knows whether they are gone.
func (u *update) behindUnread(ctx context.Context) (map[string]bool, error) {
	behind := map[string]bool{}
	if len(u.unread) == 0 || u.body.Source != api.ImportWebsite {
		return behind, nil
	}
	below := map[string][]string{}
	var next []*revision.Page
	for id, p := range u.before.pages {
		below[p.Parent] = append(below[p.Parent], id)
		if u.unread[p.Origin.Path] {
			next = append(next, p)
		}
	}
	for len(next) > 0 {
		p := next[len(next)-1]
		next = next[:len(next)-1]
		links, err := u.linksBefore(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, id := range append(links, below[p.ID]...) {
			if u.before.taken[id] || behind[id] {
				continue
			}
			behind[id] = true
			if to := u.before.pages[id]; to != nil {
				next = append(next, to)
			}
		}
	}
	return behind, nil
}

// linksBefore are the ids that the text of a page led to as it came.
func (u *update) linksBefore(ctx context.Context, p *revision.Page) (ids []string, err error) {
	if p.Text == "" {
		return nil, nil
	}
	t, err := u.baseText(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, l := range content.Outlined(t.Markdown).Links {
		for _, prefix := range linkPrefixes {
			if id, ok := strings.CutPrefix(l.Destination, string(prefix)); ok {
				id, _, _ = strings.Cut(id, "#")
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}
