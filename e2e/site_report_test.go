package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// siteReport counts the imported pages, links and words of a site.
type siteReport struct {
	site                    site
	pages, links, fragments int
	codeLinks               int // links in code, which Markdown does not support
	workingLinks            int // links that have a target
	textLinks               int // links to a page with the expected text
	textStartLinks          int // links to the start of the expected text
	words, lost             int
	examples                map[string][]string
}

// count compares the pages of a site with the imported ones and follows their links.
func (r *siteReport) count(want map[string]*sitePage, landed map[string]*importedText) {
	for file, page := range want {
		imported := landed[file]
		if imported == nil {
			imported = &importedText{} // not imported
		}
		r.pages++
		r.countWords(page, imported)
		for _, l := range page.links {
			if target := want[l.file]; target == nil || target.body.has(l.fragment) {
				r.countLink(file, l, imported.links[l], target, landed[l.file])
			}
		}
		r.codeLinks += page.codeLinks
	}
}

func (r *siteReport) countWords(page *sitePage, here *importedText) {
	r.words += len(page.words)
	lost, examples := countMissing(page.words, here.words)
	r.lost += lost
	if 100*lost > len(page.words) {
		r.addExample("words", "%s: %d of %d words are missing: %q", page.file, lost, len(page.words), examples)
	}
}

// countLink follows a link. The target page is nil if the link leads to another kind of file.
func (r *siteReport) countLink(from string, l siteLink, works bool, there *sitePage, landed *importedText) {
	r.links++
	if l.fragment != "" {
		r.fragments++
	}
	within, atStart, why := works, works, ""
	switch {
	case !works:
		r.addExample("links", "%s: %s", from, l)
	case there != nil && landed != nil:
		if within, atStart, why = landed.checkTarget(l.fragment, there.body.textAfter(l.fragment)); !within {
			r.addExample("words at targets", "%s: %s", l, why)
		} else if !atStart {
			r.addExample("words not at the start", "%s: %s", l, why)
		}
	}
	r.workingLinks += boolToInt(works)
	r.textLinks += boolToInt(within)
	r.textStartLinks += boolToInt(atStart)
}

func boolToInt(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

// addExample records up to a few examples of a kind of failure.
func (r *siteReport) addExample(kind, format string, args ...any) {
	if len(r.examples[kind]) < 12 {
		r.examples[kind] = append(r.examples[kind], fmt.Sprintf(format, args...))
	}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

const reportHead = "%-16s %-12s %6s %7s %9s %8s %8s %9s %9s %8s"

func (r *siteReport) String() string {
	return fmt.Sprintf("%-16s %-12s %6d %7d %9d %8d %8.2f %9.2f %9.2f %8.2f", r.site.name, r.site.generator, r.pages, r.links,
		r.fragments, r.codeLinks,
		percent(r.workingLinks, r.links), percent(r.textLinks, r.links), percent(r.textStartLinks, r.links),
		percent(r.words-r.lost, r.words))
}

// reportTable formats the reports as a table.
func reportTable(reports []*siteReport) string {
	lines := []string{
		fmt.Sprintf(reportHead, "documentation", "generator", "pages", "links", "fragments", "in code", "work %", "8 words %",
			"at start %", "words %"),
	}
	for _, r := range reports {
		if r.pages > 0 {
			lines = append(lines, r.String())
		}
	}
	return strings.Join(lines, "\n")
}

// Minimum percentages: of the links that work in the source, of the texts at their targets, and of the words.
const (
	minLinkPercent = 99.5
	minTextPercent = 99.0
)

// check fails the test if a share is below its minimum.
func (r *siteReport) check(t *testing.T) {
	t.Helper()
	for kind, examples := range r.examples {
		t.Logf("%s, %d examples:\n\t%s", kind, len(examples), strings.Join(examples, "\n\t"))
	}
	if share := percent(r.workingLinks, r.links); share < minLinkPercent {
		t.Errorf("of %d links %.2f %% work", r.links, share)
	}
	if share := percent(r.textLinks, r.links); share < minLinkPercent {
		t.Errorf("of %d links %.2f %% lead to the same words", r.links, share)
	}
	if share := percent(r.textStartLinks, r.links); share < minLinkPercent {
		t.Errorf("of %d links %.2f %% lead to the very words", r.links, share)
	}
	if share := percent(r.words-r.lost, r.words); share < minTextPercent {
		t.Errorf("of %d words %.2f %% came in", r.words, share)
	}
}
