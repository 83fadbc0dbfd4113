package importer

import (
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
)

// mainSelectors name the main content as the generators of documentation mark it, the
// more exact before the more general.
var mainSelectors = selectors(
	`div.body[role="main"]`,             // Sphinx, its own themes
	`[itemprop="articleBody"]`,          // Sphinx, Read the Docs
	`article[role="main"]`,              // Sphinx, Furo
	`article.bd-article`,                // Sphinx, PyData
	`.theme-doc-markdown`,               // Docusaurus
	`article.md-content__inner`,         // MkDocs, Material
	`.vp-doc`,                           // VitePress
	`.sl-markdown-content`,              // Starlight
	`.td-content`,                       // Hugo, Docsy
	`article.markdown`,                  // Hugo, Book
	`.book-body .markdown-section`,      // GitBook, before 2018
	`main [data-testid="page-content"]`, // GitBook
	`#mw-content-text`,                  // MediaWiki
	`body > div.navheader ~ div:not(.navheader, .navfooter)`, // DocBook
	`body > #package-header ~ #content`,                      // Haddock
	`.odoc-content`,                                          // odoc
	`#column1 > #apicontent`,                                 // Node.js
	`[role="main"]`,
	`main`,
)

// noText is what a main content holds beside its text. A table of contents in it is
// text where the author put it there.
var noText = selector(`script, style, template, button, svg, canvas, nav:not(.contents), link, meta,
	td.linenos, td.gutter, span.linenos, span.lineno, .lntable td:first-child:has(.lnt)`)

// permalinks are the links of headings to themselves.
var permalinks = selector(`a.headerlink, a.hash-link, a.anchor, a.anchorjs-link, a.header-anchor,
	a.heading-anchor, a.permalink`)

// selector compiles a CSS selector of this package.
func selector(css string) goquery.Matcher { return cascadia.MustCompile(css) }

func selectors(css ...string) []goquery.Matcher {
	matchers := make([]goquery.Matcher, len(css))
	for n := range css {
		matchers[n] = selector(css[n])
	}
	return matchers
}

// mainContent finds the element that holds the document's text. It may take the
// surroundings out of the document, so links and navigation are read before.
func (d *document) mainContent() *goquery.Selection {
	for _, selector := range mainSelectors {
		if found := d.root.FindMatcher(selector).First(); found.Length() > 0 && hasWords(found.Text()) {
			return found
		}
	}
	if articles := d.root.Find("article"); articles.Length() == 1 && hasWords(articles.Text()) {
		return articles
	}
	return d.root.Find("body").First()
}

// clean removes from the main content what is not text: scripts, controls, the
// navigation around it and the signs behind headings that link to themselves.
func clean(main *goquery.Selection, repeated map[edge]bool) {
	if main.Is("body") {
		removeSurroundings(main, repeated)
	}
	removeKept(main.FindMatcher(noText))
	removePermalinks(main)
}

// removePermalinks takes out the links of headings to themselves. One that has words
// is part of the text.
func removePermalinks(s *goquery.Selection) {
	s.FindMatcher(permalinks).
		FilterFunction(func(_ int, a *goquery.Selection) bool { return !hasWords(a.Text()) && a.Find("img").Length() == 0 }).
		Remove()
}

func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
