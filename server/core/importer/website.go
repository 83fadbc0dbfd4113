package importer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/temoto/robotstxt"

	"docspace.dev/wsd/server/core/fetch"
)

// importWebsite imports the pages below the start URL's directory with their images and downloads.
func (i *Importer) importWebsite(ctx context.Context, req Request) (Result, error) {
	return i.importPages(ctx, req, func(l link, s scope) bool {
		switch {
		case kindOf(l.url) == kindAsset || !s.sameSite(l.url):
			return false
		case l.image:
			return true
		case kindOf(l.url) == kindFile:
			return l.main
		default:
			return s.isPage(l.url)
		}
	})
}

// importHTML imports one HTML document with the images of its own site.
func (i *Importer) importHTML(ctx context.Context, req Request) (Result, error) {
	if req.Content != nil {
		return i.importGivenHTML(ctx, req)
	}
	return i.importPages(ctx, req, func(l link, s scope) bool {
		return l.image && s.sameSite(l.url) && kindOf(l.url) != kindAsset
	})
}

// importGivenHTML imports one HTML document that was not fetched, and fetches nothing: the notes tell which of its references lead
// nowhere, and which of its images stay where they are.
func (i *Importer) importGivenHTML(ctx context.Context, req Request) (Result, error) {
	from, err := i.readStart(ctx, req, i.limits.ResourceSize)
	if err != nil {
		return Result{}, err
	}
	noRules := &robotstxt.Group{} // it is on no site
	c := newCrawl(i, req, from.url(), noRules, func(link, scope) bool { return false })
	response := &fetch.Response{URL: from.url().String(), ContentType: from.contentType, Body: from.body}
	first := c.parseResponse(candidate{key: pageKey(from.url()), url: from.url()}, response)
	c.add(first)
	if elements, ok := errors.AsType[*elementsError](first.err); ok {
		return Result{}, from.errorf("%s", elements.Error())
	}
	if len(c.pages) == 0 {
		return Result{}, from.errorf("it is not HTML that can be read")
	}
	if c.pages[0].node.Source = from.label(); from.at == "" {
		c.pages[0].node.Slug = "" // the title makes it
	}
	result, err := c.finish(ctx)
	if wrong, ok := errors.AsType[*Error](err); ok {
		return Result{}, from.errorf("%s", strings.TrimPrefix(wrong.Message, from.url().String()+": "))
	}
	return result, err
}

// importPages fetches the start URL, follows the links accepted by the function follow, and converts the fetched pages.
func (i *Importer) importPages(ctx context.Context, req Request, follow func(link, scope) bool) (Result, error) {
	resp, err := i.fetchStart(ctx, req.URL, i.limits.ResourceSize)
	if err != nil {
		return Result{}, err
	}
	at, err := url.Parse(resp.URL)
	if err != nil || !isHTML(resp.ContentType, resp.Body) {
		return Result{}, &Error{Field: "url", Message: fmt.Sprintf("%s: it is not an HTML page but %q", resp.URL, resp.ContentType)}
	}
	rules, err := i.fetchRobots(ctx, origin(at))
	if err != nil {
		return Result{}, err
	}
	if !isAllowed(rules, at) {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": robots.txt of the site forbids to import it"}
	}
	c := newCrawl(i, req, at, rules, follow)
	first := c.parseResponse(candidate{key: pageKey(at), url: at}, resp)
	c.add(first)
	if elements, ok := errors.AsType[*elementsError](first.err); ok {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": " + elements.Error()}
	}
	if len(c.pages) == 0 {
		return Result{}, &Error{Field: "url", Message: resp.URL + ": it is not HTML that can be read"}
	}
	if err := c.run(ctx); err != nil {
		return Result{}, err
	}
	return c.finish(ctx)
}

// finish builds the result of a crawl: the tree, the ids, then the texts, whose links need the ids.
func (c *crawl) finish(ctx context.Context) (Result, error) {
	tree := newTreeBuilder(c.pages[0].key)
	for _, page := range c.pages {
		tree.add(page.key, c.canonical(page.nav))
	}
	pages := tree.build(slices.Concat(c.absentPages, c.pages))
	c.assignIDs(pages)
	for _, page := range c.pages {
		c.targets[page.key] = "/pages/" + page.node.ID
	}
	c.repeated = repeatedEdges(c.pages)
	if err := c.convertAll(ctx, c.pages); err != nil {
		return Result{}, err
	}
	for _, page := range c.pages {
		if page.fault != "" {
			c.makeGroup(page)
		}
	}
	pages = dropEmptyGroups(pages)
	nameGroups(pages, "")
	setSlugs(pages)
	result := Result{
		Pages: pages, Files: c.files, Imported: len(c.files), Total: c.total, Notes: c.allNotes(),
		Unread: c.unread, Truncated: c.truncated,
	}
	for _, page := range c.pages {
		if !page.node.Group {
			result.Imported++
		}
	}
	if result.Imported == 0 {
		message := c.pages[0].url.String() + ": nothing of it can be imported"
		if len(result.Notes) > 0 {
			message = result.Notes[0]
		}
		return Result{}, &Error{Field: "url", Message: message}
	}
	return result, ctx.Err()
}

// canonical replaces the keys of redirects with their targets, and drops items without children that are not in the imported
// part of the site.
func (c *crawl) canonical(n navigation) navigation {
	var replace func(items []navItem) []navItem
	replace = func(items []navItem) []navItem {
		kept := items[:0]
		for _, item := range items {
			item.key = c.resolveKey(item.key)
			item.children = replace(item.children)
			if c.inScope(item.key) || len(item.children) > 0 {
				kept = append(kept, item)
			}
		}
		return kept
	}
	return navigation{site: replace(n.site), subpages: replace(n.subpages)}
}

// inScope reports whether a key is in the imported part of the site.
func (c *crawl) inScope(key string) bool {
	return strings.HasPrefix(key, c.scope.String())
}

// assignIDs assigns ids in the order of the tree. Unread pages already have one.
func (c *crawl) assignIDs(pages []*Page) {
	for _, page := range pages {
		if page.ID == "" {
			page.ID = c.req.NewID("p_")
		}
		c.assignIDs(page.Children)
	}
}

// fileName returns the last element of a URL's path.
func fileName(u *url.URL) string {
	name := path.Base(u.Path)
	if name == "/" || name == "." || name == "" {
		return "file"
	}
	return name
}

// reason returns the text of a note about a resource that could not be read.
func reason(err error) string {
	if failure, ok := errors.AsType[*fetch.Error](err); ok {
		return failure.Message
	}
	return err.Error()
}
