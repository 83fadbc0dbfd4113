package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// PageChange is what became of a page.
type PageChange struct {
	Page    api.ChangedPage
	Deleted bool

	created    bool
	moved      *api.SemanticChange
	attributes map[string]api.AttributeChange
}

// Sign stands before the page: +, - or ~.
func (c PageChange) Sign() string {
	switch {
	case c.created:
		return "+"
	case c.Deleted:
		return "-"
	default:
		return "~"
	}
}

// Tone is the colour of the sign.
func (c PageChange) Tone() Tone {
	return map[string]Tone{"+": Added, "-": Removed, "~": Warning}[c.Sign()]
}

// Shown is the page as pages of the screen name it.
func (c PageChange) Shown() api.RevisionPage {
	return api.RevisionPage{ID: c.Page.ID, Type: c.Page.Type, Title: c.Page.Title, Path: c.Page.Path}
}

// What says what happened to the page, for people.
func (c PageChange) What() string {
	switch {
	case c.created:
		return "new"
	case c.Deleted:
		return "deleted"
	}
	var parts []string
	if _, ok := c.attributes["document"]; ok {
		parts = append(parts, "edited")
	}
	if _, ok := c.attributes["title"]; ok {
		parts = append(parts, "renamed")
	}
	if c.moved != nil {
		parts = append(parts, "moved")
	}
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		if name != "document" && name != "title" {
			parts = append(parts, settingName(name))
		}
	}
	return strings.Join(parts, ", ")
}

// Details say of everything but the text what it was and is, a line each.
func (c PageChange) Details() []string {
	var lines []string
	if c.moved != nil {
		parent, previous := orRoot(c.moved.Parent), c.moved.Previous
		if previous == nil { // of an older server
			lines = append(lines, "moved from "+below(parent.Before)+" to "+below(parent.After))
		} else {
			lines = append(lines, "moved from "+below(parent.Before)+behind(previous.Before)+" to "+below(parent.After)+behind(previous.After))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		if name != "document" {
			lines = append(lines, settingName(name)+": "+bothSettings(c.attributes[name]))
		}
	}
	return lines
}

// DetailLines draws the details below the line of a page.
func (c PageChange) DetailLines(width int) (lines []Line) {
	const indent, further = "    ", "      "
	for _, detail := range c.Details() {
		lines = append(lines, Wrap(Line{In(Dim, indent+detail)}, width, Line{Plain(further)})...)
	}
	return lines
}

// orRoot is a change of parents that may be between places of the root.
func orRoot(c *api.ParentChange) api.ParentChange {
	if c == nil {
		return api.ParentChange{}
	}
	return *c
}

// below says below which page another stands.
func below(parent *api.ChangedPage) string {
	if parent == nil {
		return "the top level"
	}
	return "“" + Titled(parent.Title) + "”"
}

// behind says behind which sibling a page stands.
func behind(previous *api.ChangedPage) string {
	if previous == nil {
		return ", first"
	}
	return ", after “" + Titled(previous.Title) + "”"
}

// Proposed is what a change request changes: its pages, each once, and the rest in words.
type Proposed struct {
	Pages []PageChange
	Rest  []Beside // what happened to files, reusable contents and variables
	More  int      // changes that the server did not list
}

// Beside is something else than a page that was changed: its id, as marks of what was read have it, and what happened.
type Beside struct{ ID, What string }

// ProposedBy gathers what the server says of each page, in its order.
func ProposedBy(c api.SemanticChanges) Proposed {
	p := Proposed{More: c.More}
	for _, change := range c.Changes {
		if change.Page == nil {
			p.Rest = append(p.Rest, inWords(change)...)
			continue
		}
		if n := len(p.Pages); n == 0 || p.Pages[n-1].Page.ID != change.Page.ID {
			p.Pages = append(p.Pages, PageChange{Page: *change.Page})
		}
		last := &p.Pages[len(p.Pages)-1]
		switch change.Type {
		case api.PageCreated:
			last.created = true
		case api.PageDeleted:
			last.Deleted = true
		case api.PageMoved:
			last.moved = &change
		default:
			last.attributes = change.Attributes
		}
	}
	return p
}

// inWords says what happened to something that is no page.
func inWords(c api.SemanticChange) []Beside {
	signs := map[api.SemanticChangeType]string{
		api.FileCreated: "+ file ", api.FileEdited: "~ file ", api.FileDeleted: "- file ",
		api.ReusableContentCreated: "+ reusable ", api.ReusableContentEdited: "~ reusable ", api.ReusableContentDeleted: "- reusable ",
	}
	switch {
	case c.File != nil:
		return []Beside{{c.File.ID, signs[c.Type] + c.File.Name}}
	case c.ReusableContent != nil:
		return []Beside{{c.ReusableContent.ID, signs[c.Type] + Titled(c.ReusableContent.Title)}}
	}
	var lines []Beside
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		v := c.Variables[name]
		what := ""
		switch {
		case v.Before == nil:
			what = fmt.Sprintf("+ variable %s: %s", name, *v.After)
		case v.After == nil:
			what = fmt.Sprintf("- variable %s: %s", name, *v.Before)
		default:
			what = fmt.Sprintf("~ variable %s: %s, was %s", name, *v.After, *v.Before)
		}
		lines = append(lines, Beside{api.VariablePrefix + name, what})
	}
	return lines
}
