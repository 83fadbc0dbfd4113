package importer

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"docspace.dev/wsd/server/core/fetch"
)

// miss notes that a resource is there although it did not come in, unless the site itself says that it is not. Links to
// it lead to an id, as if it had come.
func (c *crawl) miss(key string, u *url.URL, err error) {
	if failure, ok := errors.AsType[*fetch.Error](err); ok && (failure.Status == http.StatusNotFound || failure.Status == http.StatusGone) {
		return
	}
	missed := Unread{Path: sitePath(u), ID: c.req.NewID("p_"), Address: inBrackets.Replace(fetchURL(u))}
	c.targets[key] = "/pages/" + missed.ID
	c.unread = append(c.unread, missed)
	if kindOf(u) == kindPage && c.scope.page(u) {
		c.absent = append(c.absent, c.placeOf(key, u, &Page{ID: missed.ID, Source: fetchURL(u), Path: missed.Path, Group: true}))
	}
}

// inBrackets writes an address so that it can stand between the brackets of a link.
var inBrackets = strings.NewReplacer("(", "%28", ")", "%29")

// placeOf is a page by where it lies in the site.
func (c *crawl) placeOf(key string, at *url.URL, node *Page) *webPage {
	base := c.scope.String()
	if key != base {
		if name, err := url.PathUnescape(path.Base(key)); err == nil {
			node.Slug = strings.TrimSuffix(name, pageExt(name))
		}
	}
	return &webPage{key: key, base: base, depth: strings.Count(strings.TrimPrefix(key, base), "/"), at: at, node: node}
}

// leaveOut makes a group of a page whose text cannot be taken. Links to it are those to a page that did not come in.
func (c *crawl) leaveOut(page *webPage) {
	c.note("%s: %s", page.at, page.fault)
	c.unread = append(c.unread, Unread{Path: sitePath(page.at), ID: page.node.ID, Address: inBrackets.Replace(fetchURL(page.at))})
	page.node.Group, page.node.Markdown, page.node.Aliases = true, nil, nil
}
