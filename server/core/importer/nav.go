package importer

import (
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// navItem is an entry of a site's navigation: a page, or a heading if key is empty.
type navItem struct {
	key, label string
	children   []navItem
}

// sidebarSelectors select the element that lists the whole site, by generator.
var sidebarSelectors = selector(`nav.md-nav--primary, nav.menu, .wy-menu-vertical, .sidebar-tree, nav.bd-links,
	#sidebar ol.chapter, .td-sidebar-nav, .book-menu nav, aside[data-testid="table-of-contents"]`)

// sphinxEntries selects the entries of a classic Sphinx sidebar, which also contains other lists.
var sphinxEntries = selector(`.sphinxsidebar li.toctree-l1:first-child`)

// tocSelectors select the lists of subpages in a page's text.
var tocSelectors = selector(`div.toctree-wrapper, div.toc`)

// navigation is the tree information of one page: the site's own list and the page's subpages.
type navigation struct {
	site, subpages []navItem
}

// maxNavItems limits the navigation items of one page.
const maxNavItems = 20_000

func sameNav(a, b []navItem) bool {
	return slices.EqualFunc(a, b, func(x, y navItem) bool {
		return x.key == y.key && x.label == y.label && sameNav(x.children, y.children)
	})
}

// navigation reads the sidebar and the lists in the text.
func (d *document) navigation() navigation {
	var n navigation
	if side := d.root.FindMatcher(sidebarSelectors).First(); side.Length() > 0 {
		n.site = d.navBlock(side)
	}
	d.root.FindMatcher(sphinxEntries).Each(func(_ int, entry *goquery.Selection) {
		list := entry.Parent()
		listed := d.navList(list.Get(0))
		if caption := list.Prev(); caption.HasClass("caption") {
			listed = []navItem{{label: nodeText(caption.Get(0)), children: listed}}
		}
		n.site = append(n.site, listed...)
	})
	d.root.FindMatcher(tocSelectors).Each(func(_ int, s *goquery.Selection) {
		if s.Closest(".navheader, .navfooter, .sidebar, aside, nav").Length() == 0 {
			n.subpages = append(n.subpages, d.navBlock(s)...)
		}
	})
	return n
}

// navBlock reads the lists of a block in order; a list with a caption becomes a group.
func (d *document) navBlock(block *goquery.Selection) []navItem {
	var items []navItem
	group := -1
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type != html.ElementNode:
			case child.Data == "ul" || child.Data == "ol" || child.Data == "dl":
				listed := d.navList(child)
				if group < 0 {
					items = append(items, listed...)
				} else {
					items[group].children = append(items[group].children, listed...)
				}
			case hasClass(child, "caption"):
				items = append(items, navItem{label: nodeText(child)})
				group = len(items) - 1
			default:
				walk(child)
			}
		}
	}
	walk(block.Get(0))
	return items
}

// navList reads one list with its nested lists.
func (d *document) navList(list *html.Node) []navItem {
	var items []navItem
	for child := list.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || d.navItems >= maxNavItems {
			continue
		}
		d.navItems++
		if child.Data == "dd" {
			if below := d.navBelow(child); len(items) > 0 {
				items[len(items)-1].children = append(items[len(items)-1].children, below...)
			} else {
				items = append(items, below...)
			}
			continue
		}
		item := navItem{children: d.navBelow(child)}
		item.key, item.label = d.navLabel(child)
		switch {
		case item.key == "" && item.label == "":
			items = append(items, item.children...)
		case item.key != "" || len(item.children) > 0:
			items = append(items, item)
		}
	}
	return items
}

// navBelow reads the lists nested in an entry.
func (d *document) navBelow(entry *html.Node) []navItem {
	var items []navItem
	for child := entry.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type != html.ElementNode:
		case isList(child):
			items = append(items, d.navList(child)...)
		default:
			items = append(items, d.navBelow(child)...)
		}
	}
	return items
}

// navLabel returns an entry's own text, and the key of the linked page. The key of a link to a section is empty,
// since sections are not part of the tree.
func (d *document) navLabel(entry *html.Node) (key, label string) {
	var text strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Type != html.ElementNode || isList(n) || n.Data == "nav" || n.Data == "button":
			return
		case n.Data == "a" && key == "":
			key = d.navKey(attr(n, "href"))
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	for child := entry.FirstChild; child != nil; child = child.NextSibling {
		walk(child)
	}
	return key, strings.Join(strings.Fields(text.String()), " ")
}

// navKey returns the key of the page that a navigation link refers to.
func (d *document) navKey(href string) string {
	if href == "" || href == "#" {
		return ""
	}
	u := d.resolve(href)
	if u == nil || (u.Fragment != "" && strings.HasPrefix(href, "#")) {
		return ""
	}
	return pageKey(u)
}

func isList(n *html.Node) bool { return n.Data == "ul" || n.Data == "ol" || n.Data == "dl" }

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}

func nodeText(n *html.Node) string {
	return strings.Join(strings.Fields(goquery.NewDocumentFromNode(n).Text()), " ")
}
