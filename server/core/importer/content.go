package importer

import (
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
)

// mainSelectors select the main content in the markup of documentation generators, the more specific first.
var mainSelectors = selectors(
	`div.body[role="main"]`,             // Sphinx, built-in themes
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

// nonText selects elements of the main content that are not text. A table of contents within the main content is kept.
var nonText = selector(`script, style, template, button, svg, canvas, nav:not(.contents), link, meta,
	td.linenos, td.gutter, span.linenos, span.lineno, .lntable td:first-child:has(.lnt)`)

// permalinks selects the links of headings to themselves.
var permalinks = selector(`a.headerlink, a.hash-link, a.anchor, a.anchorjs-link, a.header-anchor,
	a.heading-anchor, a.permalink`)

// selector compiles a CSS selector, which must be valid.
func selector(css string) goquery.Matcher { return cascadia.MustCompile(css) }

func selectors(css ...string) []goquery.Matcher {
	matchers := make([]goquery.Matcher, len(css))
	for n := range css {
		matchers[n] = selector(css[n])
	}
	return matchers
}

// mainContent returns the element that contains the document's text. It may remove the surroundings from the
// document, so links and navigation must be read before.
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

// clean removes everything that is not text from the main content: scripts, controls, navigation, and permalinks.
func clean(main *goquery.Selection, repeated map[edge]bool) {
	if main.Is("body") {
		removeBoilerplate(main, repeated)
	}
	removeKeepingNames(main.FindMatcher(nonText))
	removePermalinks(main)
}

// removePermalinks removes the links of headings to themselves, except those with words, which are part of the text.
func removePermalinks(s *goquery.Selection) {
	s.FindMatcher(permalinks).
		FilterFunction(func(_ int, a *goquery.Selection) bool { return !hasWords(a.Text()) && a.Find("img").Length() == 0 }).
		Remove()
}

func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
