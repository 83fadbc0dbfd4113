package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// PageChange is the change of a page in a change request.
type PageChange struct {
	Page    api.ChangedPage
	Deleted bool

	created    bool
	move       *api.SemanticChange
	attributes map[string]api.AttributeChange
}

// Sign returns the prefix of the page: +, - or ~.
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

// Tone returns the colour of the sign.
func (c PageChange) Tone() Tone {
	return map[string]Tone{"+": Added, "-": Removed, "~": Warning}[c.Sign()]
}

// RevisionPage returns the page in the form that lists of pages display.
func (c PageChange) RevisionPage() api.RevisionPage {
	return api.RevisionPage{ID: c.Page.ID, Type: c.Page.Type, Title: c.Page.Title, Path: c.Page.Path}
}

// Description describes the change in words.
func (c PageChange) Description() string {
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
	if c.move != nil {
		parts = append(parts, "moved")
	}
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		if name != "document" && name != "title" {
			parts = append(parts, settingName(name))
		}
	}
	return strings.Join(parts, ", ")
}

// Details returns the old and new values of everything except the text, one per line.
func (c PageChange) Details() []string {
	var lines []string
	if c.move != nil {
		parent, previous := parentOrRoot(c.move.Parent), c.move.Previous
		if previous == nil { // sent by an older server
			lines = append(lines, "moved from "+describeParent(parent.Before)+" to "+describeParent(parent.After))
		} else {
			lines = append(lines, "moved from "+describeParent(parent.Before)+describePosition(previous.Before)+" to "+
				describeParent(parent.After)+describePosition(previous.After))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.attributes)) {
		if name != "document" {
			lines = append(lines, settingName(name)+": "+describeAttribute(c.attributes[name]))
		}
	}
	return lines
}

// DetailLines draws the details for display below the row of a page.
func (c PageChange) DetailLines(width int) (lines []Line) {
	const indent, further = "    ", "      "
	for _, detail := range c.Details() {
		lines = append(lines, Wrap(Line{In(Dim, indent+detail)}, width, Line{Plain(further)})...)
	}
	return lines
}

// parentOrRoot returns the parent change, with the root for missing parents.
func parentOrRoot(c *api.ParentChange) api.ParentChange {
	if c == nil {
		return api.ParentChange{}
	}
	return *c
}

// describeParent names the parent of a page.
func describeParent(parent *api.ChangedPage) string {
	if parent == nil {
		return "the top level"
	}
	return "“" + DisplayTitle(parent.Title) + "”"
}

// describePosition names the sibling before a page.
func describePosition(previous *api.ChangedPage) string {
	if previous == nil {
		return ", first"
	}
	return ", after “" + DisplayTitle(previous.Title) + "”"
}

// ProposedChanges is the content of a change request: its pages, each once, and a description of all other changes.
type ProposedChanges struct {
	Pages []PageChange
	Rest  []OtherChange // changes of files, reusable contents and variables
	More  int           // number of changes omitted by the server
}

// OtherChange is a change of something other than a page: its id, as used in read marks, and a description.
type OtherChange struct{ ID, Text string }

// NewProposedChanges groups the changes by page, in the order of the server.
func NewProposedChanges(c api.SemanticChanges) ProposedChanges {
	p := ProposedChanges{More: c.More}
	for _, change := range c.Changes {
		if change.Page == nil {
			p.Rest = append(p.Rest, otherChanges(change)...)
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
			last.move = &change
		default:
			last.attributes = change.Attributes
		}
	}
	return p
}

// otherChanges describes a change of something other than a page.
func otherChanges(c api.SemanticChange) []OtherChange {
	signs := map[api.SemanticChangeType]string{
		api.FileCreated: "+ file ", api.FileEdited: "~ file ", api.FileDeleted: "- file ",
		api.ReusableContentCreated: "+ reusable ", api.ReusableContentEdited: "~ reusable ", api.ReusableContentDeleted: "- reusable ",
	}
	switch {
	case c.File != nil:
		return []OtherChange{{c.File.ID, signs[c.Type] + c.File.Name}}
	case c.ReusableContent != nil:
		return []OtherChange{{c.ReusableContent.ID, signs[c.Type] + DisplayTitle(c.ReusableContent.Title)}}
	}
	var lines []OtherChange
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
		lines = append(lines, OtherChange{api.VariablePrefix + name, what})
	}
	return lines
}
