package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// Limits of the pages of one document.
const (
	MaxPages    = 1000     // of operations
	maxMarkdown = 16 << 20 // bytes of Markdown
	maxTitle    = 250      // runes
	maxReason   = 500      // runes of the reason why there are no pages
)

// Page is a page generated from a document, within the limits of a page's text.
type Page struct {
	Slug     string // unique among the pages of a document
	Title    string
	Markdown []byte
}

// Pages are the pages of a document.
type Pages struct {
	Info       []Page // one page about the document itself
	Operations []Page // one per tag in the order of the document, then one for untagged operations
	Models     []Page // one page of all schemas, or none
}

// Select returns the pages that the properties of a computed page select.
func (p Pages) Select(props *api.ComputedProps) []Page {
	if props == nil {
		props = &api.ComputedProps{}
	}
	var asked []Page
	for _, part := range []struct {
		pages  []Page
		wanted bool
	}{
		{p.Info, props.Doc == "" || props.Doc == "info"},
		{p.Operations, props.Doc == "" || props.Doc == "operations"},
		{p.Models, props.Models || props.Doc == "models"},
	} {
		if part.wanted {
			asked = append(asked, part.pages...)
		}
	}
	return asked
}

// pageBytes estimates the memory of a page in addition to its texts.
const pageBytes = 128

// Size returns the approximate memory of the pages in bytes.
func (p Pages) Size() (size int) {
	for _, page := range slices.Concat(p.Info, p.Operations, p.Models) {
		size += pageBytes + len(page.Slug) + len(page.Title) + cap(page.Markdown)
	}
	return size
}

// MakePages generates the pages of a bundle. The result depends on the bundle only.
func MakePages(bundle []byte) (pages Pages, err error) {
	defer func() {
		if p := recover(); p != nil { // the library may panic on untrusted documents
			pages, err = Pages{}, invalidf("the document cannot be shown: %v", p)
		}
	}()
	if err := (&referenceCounter{}).add(bundle); err != nil { // a version of an earlier build may exceed the limits
		return Pages{}, err
	}
	document, err := openapi3.NewLoader().LoadFromData(bundle)
	if err != nil {
		return Pages{}, invalidf("the document cannot be read: %s", err)
	}
	g := &generator{document: document, budget: &budget{remaining: maxMarkdown}, taken: map[string]bool{}}
	groups := g.groups()
	pages.Info = []Page{g.infoPage(groups[min(len(groups), MaxPages):])}
	models := g.freeSlug("models")
	for _, group := range groups[:min(len(groups), MaxPages)] {
		pages.Operations = append(pages.Operations, g.operationsPage(group))
	}
	if document.Components != nil && len(document.Components.Schemas) > 0 {
		pages.Models = []Page{g.modelsPage(models)}
	}
	return pages, nil
}

// PageOfError returns a page with the reason why no other pages can be made of a document.
func PageOfError(reason *ParseError) Pages {
	text := "# Info\n\nThe pages of this specification cannot be made: " + escapeMarkdown(truncate(reason.Message, maxReason)) + "\n"
	return Pages{Info: []Page{{Slug: "info", Title: "Info", Markdown: []byte(text)}}}
}

// generator generates the pages of one document.
type generator struct {
	document *openapi3.T
	budget   *budget
	taken    map[string]bool // slugs
}

// freeSlug returns the slug of a title, with the first free number appended if it is taken.
func (g *generator) freeSlug(title string) string {
	const most = 100
	slug := content.Slug(title)
	free := slug
	for n := 2; g.taken[free]; n++ {
		suffix := "-" + strconv.Itoa(n)
		free = strings.TrimRight(slug[:min(len(slug), most-len(suffix))], "-") + suffix
	}
	g.taken[free] = true
	return free
}

// pageBuilder builds a page from a heading and sections. Sections that do not fit completely are omitted and listed in a
// sentence.
type pageBuilder struct {
	text
	omitted     []string // Markdown of the first omitted names
	moreOmitted int      // number of further omitted sections
}

func (g *generator) newPageBuilder(title string) *pageBuilder {
	return &pageBuilder{text: text{
		budget: g.budget, maxBytes: content.MaxTextBytes - sentenceBytes, maxBlocks: content.MaxBlocks - 1,
		markdown: []byte("# " + escapeMarkdown(truncate(title, maxTitle)) + "\n"), blocks: 1,
	}}
}

// section adds a section if it fits completely; otherwise it records the section as omitted.
func (s *pageBuilder) section(name string, write func(*text)) {
	t := text{budget: s.budget, maxBytes: s.maxBytes - len(s.markdown) - 1, maxBlocks: s.maxBlocks - s.blocks, full: s.remaining < 0}
	if !t.full {
		write(&t)
	}
	switch {
	case t.full && len(s.omitted) == maxLeftOut:
		s.moreOmitted++
	case t.full:
		s.omitted = append(s.omitted, code(truncate(name, maxName)))
	case len(t.markdown) > 0:
		s.markdown = append(append(s.markdown, '\n'), t.markdown...)
		s.blocks += t.blocks
	}
}

func (s *pageBuilder) page(slug, title string) Page {
	if len(s.omitted) > 0 {
		names := strings.Join(s.omitted, ", ")
		if s.moreOmitted > 0 {
			names += fmt.Sprintf(" and %d more", s.moreOmitted)
		}
		s.markdown = fmt.Appendf(s.markdown,
			"\nLeft out, because a page has at most %d blocks and %d bytes, and the pages of a specification have at most %d bytes "+
				"together: %s.\n",
			content.MaxBlocks, content.MaxTextBytes, maxMarkdown, names)
	}
	return Page{Slug: slug, Title: truncate(singleLine(title), maxTitle), Markdown: s.markdown}
}

// infoPage returns the page about the document itself; without lists the groups that have no page.
func (g *generator) infoPage(without []group) Page {
	title := "Info"
	info := g.document.Info
	if info != nil {
		title = cmp.Or(singleLine(info.Title), title)
	}
	s := g.newPageBuilder(title)
	if info != nil {
		s.section("version", func(t *text) { version(t, info) })
		s.section("description", func(t *text) { t.prose(info.Description) })
	}
	s.section("servers", func(t *text) { servers(t, g.document.Servers) })
	s.section("security", g.security)
	for _, group := range without {
		s.section(group.title, func(t *text) { t.full = true })
	}
	return s.page(g.freeSlug("info"), title)
}

func version(t *text, info *openapi3.Info) {
	if v := code(info.Version); v != "" {
		t.block("Version " + v)
	}
	if summary := escapeMarkdown(info.Summary); summary != "" {
		t.block("**" + summary + "**")
	}
	t.table("", []string{"About", "Details"}, func(row func(cells ...string) bool) {
		about := func(name string, parts ...string) {
			parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
			if len(parts) > 0 {
				row(name, strings.Join(parts, ", "))
			}
		}
		if c := info.Contact; c != nil {
			about("Contact", escapeMarkdown(c.Name), code(c.Email), code(c.URL))
		}
		if l := info.License; l != nil {
			about("License", escapeMarkdown(l.Name), code(l.Identifier), code(l.URL))
		}
		about("Terms of service", code(info.TermsOfService))
	})
}

func servers(t *text, servers openapi3.Servers) {
	if len(servers) == 0 {
		return
	}
	t.block("## Servers")
	t.table("", []string{"URL", "Description"}, func(row func(cells ...string) bool) {
		for _, server := range servers {
			if server != nil && !row(code(server.URL), joinSentences(escapeMarkdown(server.Description), describeVariables(server))) {
				return
			}
		}
	})
}

// describeVariables describes the variables in the address of a server.
func describeVariables(server *openapi3.Server) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(server.Variables)) {
		if v := server.Variables[name]; v != nil {
			values := []any{}
			for _, value := range v.Enum {
				values = append(values, value)
			}
			all = append(all, joinSentences(code("{"+name+"}")+":", escapeMarkdown(v.Description), describeChoices(values),
				"Default "+literal(v.Default)+"."))
		}
	}
	return strings.Join(all, " ")
}

func (g *generator) security(t *text) {
	if g.document.Components == nil || len(g.document.Components.SecuritySchemes) == 0 {
		return
	}
	schemes := g.document.Components.SecuritySchemes
	t.block("## Security")
	if len(g.document.Security) > 0 {
		t.block(describeRequirements(g.document.Security))
	}
	t.table("", []string{"Name", "Type", "Description"}, func(row func(cells ...string) bool) {
		for _, name := range slices.Sorted(maps.Keys(schemes)) {
			if scheme := schemes[name]; scheme != nil && scheme.Value != nil &&
				!row(code(name), describeScheme(scheme.Value), escapeMarkdown(scheme.Value.Description)) {
				return
			}
		}
	})
}

// describeScheme describes a security scheme.
func describeScheme(scheme *openapi3.SecurityScheme) string {
	switch scheme.Type {
	case "apiKey":
		return "API key: " + escapeMarkdown(scheme.In) + " " + code(scheme.Name)
	case "http":
		return joinSentences("HTTP "+escapeMarkdown(scheme.Scheme), code(scheme.BearerFormat))
	case "openIdConnect":
		return "OpenID Connect: " + code(scheme.OpenIdConnectUrl)
	}
	return escapeMarkdown(scheme.Type)
}

// describeRequirements describes the security schemes that a request needs.
func describeRequirements(all openapi3.SecurityRequirements) string {
	var ways []string
	for _, way := range all {
		var needs []string
		for _, name := range slices.Sorted(maps.Keys(way)) {
			need := code(name)
			if scopes := way[name]; len(scopes) > 0 {
				need += " (" + code(strings.Join(scopes, ", ")) + ")"
			}
			needs = append(needs, need)
		}
		ways = append(ways, cmp.Or(strings.Join(needs, " and "), "nothing"))
	}
	return "Authorization: " + cmp.Or(strings.Join(ways, ", or "), "nothing") + "."
}

// joinSentences joins the nonempty parts.
func joinSentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}
