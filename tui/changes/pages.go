package changes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// PageChange is what became of a page.
type PageChange struct {
	Page    api.ChangedPage
	Deleted bool

	created    bool
	moved      *api.ParentChange
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
func (c PageChange) Tone() text.Tone {
	return map[string]text.Tone{"+": text.Added, "-": text.Removed, "~": text.Accent}[c.Sign()]
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
	settings := false
	for name := range c.attributes {
		settings = settings || name != "document" && name != "title" && name != "slug"
	}
	if _, ok := c.attributes["document"]; ok {
		parts = append(parts, "edited")
	}
	if was, ok := c.before("title"); ok {
		parts = append(parts, "was “"+was+"”")
	}
	if was, ok := c.before("slug"); ok {
		parts = append(parts, "was at "+was)
	}
	if c.moved != nil {
		parts = append(parts, "moved"+from(*c.moved))
	}
	if settings {
		parts = append(parts, "settings")
	}
	return strings.Join(parts, ", ")
}

// before is what an attribute was.
func (c PageChange) before(name string) (was string, ok bool) {
	a, ok := c.attributes[name]
	return was, ok && json.Unmarshal(a.Before, &was) == nil
}

// from says where a page came from, if that is another parent.
func from(parent api.ParentChange) string {
	switch {
	case parent.Before == nil && parent.After == nil:
		return ""
	case parent.Before == nil:
		return " from the top"
	case parent.After != nil && parent.After.ID == parent.Before.ID:
		return ""
	}
	return " from “" + parent.Before.Title + "”"
}

// Proposed is what a change request changes: its pages, each once, and the rest in words.
type Proposed struct {
	Pages []PageChange
	Rest  []string // what happened to files, reusable contents and variables, a line each
	More  int      // changes that the server did not list
}

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
			last.moved = change.Parent
		default:
			last.attributes = change.Attributes
		}
	}
	return p
}

// inWords says what happened to something that is no page.
func inWords(c api.SemanticChange) []string {
	signs := map[api.SemanticChangeType]string{
		api.FileCreated: "+ file ", api.FileEdited: "~ file ", api.FileDeleted: "- file ",
		api.ReusableContentCreated: "+ reusable ", api.ReusableContentEdited: "~ reusable ", api.ReusableContentDeleted: "- reusable ",
	}
	switch {
	case c.File != nil:
		return []string{signs[c.Type] + c.File.Name}
	case c.ReusableContent != nil:
		return []string{signs[c.Type] + text.Titled(c.ReusableContent.Title)}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		v := c.Variables[name]
		switch {
		case v.Before == nil:
			lines = append(lines, fmt.Sprintf("+ variable %s: %s", name, *v.After))
		case v.After == nil:
			lines = append(lines, fmt.Sprintf("- variable %s: %s", name, *v.Before))
		default:
			lines = append(lines, fmt.Sprintf("~ variable %s: %s, was %s", name, *v.After, *v.Before))
		}
	}
	return lines
}
