package folder

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// Severity is the severity of a finding.
type Severity string

// Severities.
const (
	SeverityError Severity = "error" // a push would refuse or lose something
	SeverityNote  Severity = "note"  // a push sends it, but it is not shown as its author may expect
)

// Rule names what a finding or a refusal is about.
type Rule string

// Rules.
const (
	RuleConflict    Rule = "conflict"     // a conflict that is not decided
	RuleFrontMatter Rule = "front-matter" // front matter that cannot be read
	RuleLink        Rule = "link"         // destination of a link or picture
	RuleOrder       Rule = "order"        // place of a page in the tree
	RulePath        Rule = "path"         // path of a file
	RuleSize        Rule = "size"         // limits of size
	RuleSyntax      Rule = "syntax"       // markup that stays text
	RuleText        Rule = "text"         // what cannot be the text of a page
)

// Finding is a place in a folder that a push would refuse or lose, or that is not shown as its author may expect.
type Finding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"` // 1 if it is about the whole file
	Severity Severity `json:"severity"`
	Rule     Rule     `json:"rule"`
	Message  string   `json:"message"`
}

// Report is the result of a check.
type Report struct {
	Files    []string  // paths of the files that belong to the space, sorted
	Findings []Finding // by path and line
}

// Check checks all files of the folder, also those that have not changed since the last push. The state of the folder only tells
// what is undecided.
func (f *Folder) Check(now time.Time) (Report, error) {
	scan, err := f.Scan(now)
	if err != nil {
		return Report{}, err
	}
	c := checker{
		folder: f, scan: scan, texts: map[string][]byte{}, outlines: map[string]content.Outline{}, findings: map[Finding]bool{},
	}
	c.checkPaths()
	if err := c.checkChanges(); err != nil {
		return Report{}, err
	}
	if err := c.checkFiles(); err != nil {
		return Report{}, err
	}
	r := Report{Files: slices.Sorted(maps.Keys(scan.Files)), Findings: slices.Collect(maps.Keys(c.findings))}
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(string(a.Rule), string(b.Rule)),
			strings.Compare(a.Message, b.Message))
	})
	return r, nil
}

// checker checks a folder.
type checker struct {
	folder   *Folder
	scan     Scan
	plan     *pusher           // of a push of the whole folder to an empty space
	summary  string            // path of SUMMARY.md, "" without one
	texts    map[string][]byte // by path, of those that can be read
	outlines map[string]content.Outline
	findings map[Finding]bool
}

func (c *checker) add(severity Severity, rule Rule, at string, line int, format string, args ...any) {
	c.findings[Finding{
		Path: at, Line: max(line, 1), Severity: severity, Rule: rule, Message: fmt.Sprintf(format, args...),
	}] = true
}

func (c *checker) addRefusals(refusals []Refusal) {
	for _, r := range refusals {
		c.add(SeverityError, r.Rule, r.Path, r.Line, "%s", r.Reason)
	}
}

// checkPaths finds paths that are not sent, and those that some file systems take for one.
func (c *checker) checkPaths() {
	for _, s := range c.scan.Skipped {
		severity := SeverityError
		if s.IsIrregular {
			severity = SeverityNote
		}
		c.add(severity, RulePath, s.Path, 0, "is not sent: it %s", s.Reason)
	}
	folded := map[string]string{}
	for _, at := range slices.Sorted(maps.Keys(c.scan.Files)) {
		if other, taken := folded[dialects.FoldPath(at)]; taken {
			c.add(SeverityError, RulePath, at, 0, "differs from %s in case only; some file systems take them for one file", other)
		} else {
			folded[dialects.FoldPath(at)] = at
		}
		if path.Ext(at) == ".mdx" {
			c.add(SeverityNote, RuleSyntax, at, 0, "becomes a file, not a page: pages are .md and .markdown")
		}
	}
}

// checkChanges finds what a push of the changes since the last one refuses.
func (c *checker) checkChanges() error {
	if c.folder.State == nil {
		return nil
	}
	differences, _, err := c.folder.Compare(c.scan)
	if err != nil {
		return err
	}
	p := newPusher(c.folder, PushOptions{})
	for _, d := range differences {
		if err := p.read(d); err != nil {
			return err
		}
	}
	if len(p.refused) == 0 {
		before, after := p.trees(differences)
		p.addTree(before, after, differences)
	}
	c.addRefusals(p.refused)
	return nil
}

// checkFiles finds what a first push of all files refuses or loses.
func (c *checker) checkFiles() error {
	empty := *c.folder
	empty.State = &State{}
	c.plan = newPusher(&empty, PushOptions{})
	var differences []Difference
	for _, at := range slices.Sorted(maps.Keys(c.scan.Files)) {
		d := Difference{Kind: Added, File: c.scan.Files[at]}
		differences = append(differences, d)
		if err := c.plan.read(d); err != nil {
			return err
		}
		if !c.plan.changed[at] {
			continue
		}
		text, err := c.folder.Read(at)
		if err != nil {
			return err
		}
		c.texts[at] = text
	}
	c.summary = c.plan.summaryPath(differences)
	unread := map[string]bool{}
	for _, r := range c.plan.refused {
		unread[r.Path] = unread[r.Path] || r.Rule == RuleText
	}
	before, after := c.plan.trees(differences)
	c.plan.addTree(before, after, differences)
	c.addRefusals(c.plan.refused)
	for at, v := range c.plan.divided {
		c.add(SeverityNote, RuleSize, at, 0, "is too large for one page and becomes %d", len(v.parts))
	}
	c.checkOrder()
	c.checkSettings(differences)
	for _, o := range c.folder.unreadOrder(c.scan, c.summary) {
		c.add(SeverityNote, RuleOrder, o.path, o.line, "%s", o.message())
	}
	for at, text := range c.texts {
		if !unread[at] && at != c.summary {
			c.checkText(at, text)
		}
	}
	c.checkLinks()
	return nil
}

// checkText finds what is lost of one text, and reads its outline if it is a page.
func (c *checker) checkText(at string, text []byte) {
	for _, p := range append(frontMatterProblems(text), unreadSyntax(text)...) {
		c.add(p.severity, p.rule, at, lineAt(text, p.offset), "%s", p.message)
	}
	if isReusablePath(at) {
		return
	}
	masked := content.MaskExpressions(text)
	outline := content.ParseOutline(masked)
	outline.Links = append(outline.Links, content.TagLinks(masked)...)
	c.outlines[at] = outline
}

// checkSettings finds what of wsctl.pages.yaml cannot be read, or is that of no page.
func (c *checker) checkSettings(differences []Difference) {
	at := path.Join(c.folder.fromRoot(), settingsName)
	settings, err := c.folder.readSettings(differences)
	if err != nil {
		c.add(SeverityError, RuleText, at, 0, "%s", err)
	}
	for _, name := range settings.unknown {
		c.add(SeverityNote, RulePath, at, 0, "names %s, which is no page", name)
	}
}

// unlistedPlace says where a page without an entry in SUMMARY.md stands.
const unlistedPlace = "it stands below the page of its directory, else at the end"

// checkOrder finds entries of SUMMARY.md that are left out, and pages without an entry.
func (c *checker) checkOrder() {
	named := map[string]bool{} // paths that SUMMARY.md names, also outside of its lists
	for _, link := range content.Links(c.texts[c.summary]) {
		to, _ := content.SplitDestination(link.Destination)
		if at, inside := content.JoinPath(path.Dir("/"+c.summary), to); inside {
			named[at] = true
		}
	}
	for _, note := range c.plan.order {
		switch note.Kind {
		case dialects.Missing:
			c.add(SeverityError, RuleOrder, c.summary, note.Line, "%s", c.missingEntry(note))
		case dialects.Repeated:
			c.add(SeverityError, RuleOrder, c.summary, note.Line, "%s is listed again, and a page has one place: this entry is left out",
				note.Destination)
		case dialects.Unlisted:
			for _, at := range note.Documents {
				if named[at] {
					c.add(SeverityNote, RuleOrder, at, 0, "is in %s outside of a list, so "+unlistedPlace, c.summary)
				} else {
					c.add(SeverityNote, RuleOrder, at, 0, "is not in %s, so "+unlistedPlace, c.summary)
				}
			}
		}
	}
}

// missingEntry returns why an entry of SUMMARY.md is left out.
func (c *checker) missingEntry(note dialects.Note) string {
	if _, isFile := c.scan.Files[note.Path]; isFile {
		return note.Destination + " is no page, so this entry is left out"
	}
	return c.missing(c.summary, note.Destination, note.Path, isText)
}
