package importer

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"docspace.dev/wsd/server/core/fetch"
)

// addUnread records a resource that exists but was not imported, unless the site reports that it does not exist. Links to
// it use a new id, like those to imported resources.
func (c *crawl) addUnread(key string, u *url.URL, err error) {
	if failure, ok := errors.AsType[*fetch.Error](err); ok && (failure.Status == http.StatusNotFound || failure.Status == http.StatusGone) {
		return
	}
	missed := Unread{Path: sitePath(u), ID: c.req.NewID("p_"), Address: parenEscaper.Replace(requestURL(u))}
	c.targets[key] = "/pages/" + missed.ID
	c.unread = append(c.unread, missed)
	if kindOf(u) == kindPage && c.scope.isPage(u) {
		c.absentPages = append(c.absentPages, c.newPage(key, u,
			&Page{ID: missed.ID, Source: requestURL(u), Path: missed.Path, Group: true}))
	}
}

// parenEscaper escapes the parentheses of a URL for use as a link destination.
var parenEscaper = strings.NewReplacer("(", "%28", ")", "%29")

// newPage returns a page of the crawl for a URL with its position in the site, and sets the slug of node from the URL.
func (c *crawl) newPage(key string, at *url.URL, node *Page) *webPage {
	base := c.scope.String()
	if key != base {
		if name, err := url.PathUnescape(path.Base(key)); err == nil {
			node.Slug = strings.TrimSuffix(name, pageExt(name))
		}
	}
	return &webPage{key: key, base: base, depth: strings.Count(strings.TrimPrefix(key, base), "/"), url: at, node: node}
}

// makeGroup turns a page whose text cannot be imported into a group, and lists it as unread for the links to it.
func (c *crawl) makeGroup(page *webPage) {
	c.note("%s: %s", page.url, page.fault)
	c.unread = append(c.unread, Unread{Path: sitePath(page.url), ID: page.node.ID, Address: parenEscaper.Replace(requestURL(page.url))})
	page.node.Group, page.node.Markdown, page.node.Aliases = true, nil, nil
}
