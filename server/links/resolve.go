package links

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/reading"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store/objects"
)

// linkResolver finds out what the destinations of a graph's pages lead to.
type linkResolver struct {
	*Graph

	view      *reading.View
	made      map[string]revision.PageLinks // of pages that are not stored
	publicURL string
}

// Page returns the links of a page, of its text and beside it, sorted by key.
func (r linkResolver) page(p *revision.Page) []Link {
	var links []Link
	text := r.textOf(p.ID)
	for _, use := range text.Uses {
		links = append(links, r.link(p, use))
	}
	for _, use := range r.Text(p.ID).Names { // a text that is made has none that anybody puts in their place
		if problem := r.unknown(p, use); problem != "" {
			links = append(links, Link{
				Page: p.ID, Key: linkKey(p.ID, use.Text), Href: use.Text, Blocks: use.Blocks, Status: api.LinkBroken, Problem: problem,
			})
		}
	}
	for _, ref := range refsOf(p) {
		links = append(links, r.link(p, revision.LinkUse{To: r.destination(ref)}))
	}
	slices.SortStableFunc(links, func(a, b Link) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(links, func(a, b Link) bool { return a.Key == b.Key })
}

// unknown says what is wrong with a name that stays as it is written; one that is put in its place is no link.
func (r linkResolver) unknown(p *revision.Page, use revision.NameUse) api.LinkProblem {
	variables := r.variables
	switch use.Scope {
	case content.ScopeReusable:
		if !r.reusables[use.Name].there {
			return api.NoSuchReusable
		}
	case content.ScopePage:
		variables = p.Variables
		fallthrough
	default:
		if _, known := variables[use.Name]; !known {
			return api.NoSuchVariable
		}
	}
	if slices.Contains(r.left[p.ID], use.Text) {
		return api.NoRoom
	}
	return ""
}

// imageMark tells an image from a link to the same destination: they may lead to different things.
const imageMark = "\x00"

// linkKey sorts links by page and destination. Long destinations do not fit in a cursor.
func linkKey(page, destination string) string {
	const longest = 200
	if len(destination) > longest {
		destination = destination[:longest] + " " + objects.Hash([]byte(destination))
	}
	return page + " " + destination
}

// refsOf are the references of a page beside its text.
func refsOf(p *revision.Page) []api.ContentRef {
	var refs []api.ContentRef
	if p.Target != nil {
		refs = append(refs, *p.Target)
	}
	if p.Cover != nil {
		refs = append(refs, p.Cover.Ref)
		if p.Cover.RefDark != nil {
			refs = append(refs, *p.Cover.RefDark)
		}
	}
	return refs
}

// destination writes a reference as a text would.
func (r linkResolver) destination(ref api.ContentRef) string {
	switch ref.Kind {
	case api.RefURL:
		return ref.URL
	case api.RefFile:
		return "/files/" + ref.File
	case api.RefSpace:
		return r.publicURL + "/app/spaces/" + ref.Space
	case api.RefCollection:
		return r.publicURL + "/app/collections/" + ref.Collection
	case api.RefPage, api.RefAnchor:
	}
	to := "/pages/" + ref.Page
	if ref.Page == "" {
		to = ""
	} else if ref.Space != "" && ref.Space != r.state.space {
		to = r.publicURL + "/app/pages/" + ref.Space + "~" + ref.Page
	}
	if ref.Anchor != "" {
		to += "#" + ref.Anchor
	}
	return to
}

func (r linkResolver) link(from *revision.Page, use revision.LinkUse) Link {
	key := use.To
	if use.Image {
		key += imageMark
	}
	l := Link{Page: from.ID, Key: linkKey(from.ID, key), Href: use.To, Blocks: use.Blocks, Status: api.LinkOK}
	if strings.Contains(use.To, "{{") {
		to, _ := content.Evaluate([]byte(use.To), content.Scope{Space: r.variables, Page: from.Variables})
		use.To = string(to)
	}
	inApp, isInApp := strings.CutPrefix(use.To, r.publicURL)
	switch {
	case isInApp && (inApp == "" || inApp[0] == '/'):
		l.Status = api.LinkInApp
		r.intoApp(&l, inApp)
	case revision.LeadsAway(use.To):
		l.Target = api.ContentRef{Kind: api.RefURL, URL: use.To}
	default:
		r.inside(&l, from, use)
	}
	return l
}

// inside follows a destination within the revision.
func (r linkResolver) inside(l *Link, from *revision.Page, use revision.LinkUse) {
	found, ok := r.Resolver.Resolve(from, use.To, use.Image)
	to, fragment := revision.SplitDestination(use.To)
	switch {
	case found.File != "":
		l.Match = matchOf(found.Match)
		l.Target = api.ContentRef{Kind: api.RefFile, File: found.File}
	case ok:
		l.Match = matchOf(found.Match)
		r.toPage(l, found.Page, found.Fragment)
	case strings.HasPrefix(to, "/pages/"):
		r.toPage(l, strings.TrimPrefix(to, "/pages/"), fragment)
	case strings.HasPrefix(to, "/files/"):
		l.Target = api.ContentRef{Kind: api.RefFile, File: strings.TrimPrefix(to, "/files/")}
		l.fail(api.NoSuchFile)
	case use.Image || !revision.LooksLikePage(use.To):
		l.fail(api.NoSuchFile)
	default:
		l.fail(api.NoSuchPage)
	}
}

// matchOf is how something was found, as answers say it: nothing where it lies there.
func matchOf(m revision.Match) api.LinkMatch {
	switch m {
	case revision.ByName:
		return api.MatchName
	case revision.ByPathWithoutCase, revision.ByNameWithoutCase:
		return api.MatchCase
	case revision.ByPath:
	}
	return ""
}

// InSpace reports whether a destination names something of its space rather than an address elsewhere.
func InSpace(destination string) bool { return destination != "" && !revision.LeadsAway(destination) }

// RefOf writes what a destination leads to as a reference.
func RefOf(found revision.Found) api.ContentRef {
	switch {
	case found.File != "":
		return api.ContentRef{Kind: api.RefFile, File: found.File}
	case found.Fragment != "":
		return api.ContentRef{Kind: api.RefAnchor, Page: found.Page, Anchor: found.Fragment}
	}
	return api.ContentRef{Kind: api.RefPage, Page: found.Page}
}

// fail breaks the link.
func (l *Link) fail(problem api.LinkProblem) { l.Status, l.Problem = api.LinkBroken, problem }

func (r linkResolver) toPage(l *Link, id, fragment string) {
	id = r.Resolver.Part(id, fragment)
	l.Target = api.ContentRef{Kind: api.RefPage, Page: id}
	switch {
	case r.Tree.Page(id) == nil:
		l.fail(api.NoSuchPage)
	case fragment != "":
		l.Target.Kind, l.Target.Anchor = api.RefAnchor, fragment
		if anchor, ok := r.textOf(id).Anchor(fragment); ok {
			l.Target.Anchor = anchor
		} else {
			l.fail(api.NoSuchAnchor)
		}
	}
}

// textOf is what any page says about links.
func (r linkResolver) textOf(id string) revision.PageLinks {
	if !r.view.IsMade(id) {
		return r.Text(id)
	}
	if _, known := r.made[id]; !known {
		r.made[id] = r.view.MadeLinks(id)
	}
	return r.made[id]
}

// intoApp follows the address of a page, space or collection of this server; other addresses are taken as they are.
func (r linkResolver) intoApp(l *Link, address string) {
	to, fragment := revision.SplitDestination(address)
	kind, id, _ := strings.Cut(strings.TrimPrefix(to, "/app/"), "/")
	space, page, _ := strings.Cut(id, "~")
	switch {
	case !strings.HasPrefix(to, "/app/") || id == "":
		l.Target = api.ContentRef{Kind: api.RefURL, URL: l.Href}
	case kind == "collections":
		l.Target, l.Outside = api.ContentRef{Kind: api.RefCollection, Collection: id}, true
	case kind == "pages" && space == r.state.space:
		r.toPage(l, page, fragment)
	case kind == "pages":
		l.Target, l.Outside = api.ContentRef{Kind: api.RefPage, Space: space, Page: page, Anchor: fragment}, true
	case kind == "spaces":
		l.Target, l.Outside = api.ContentRef{Kind: api.RefSpace, Space: id}, true
	default:
		l.Target = api.ContentRef{Kind: api.RefURL, URL: l.Href}
	}
}
