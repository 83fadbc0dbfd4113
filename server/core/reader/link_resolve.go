package reader

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store/objects"
)

// linkResolver resolves the destinations in a graph's pages.
type linkResolver struct {
	*Graph

	view      *View
	generated map[string]revision.PageLinks // of generated pages
	publicURL string
}

// pageLinks returns the links of a page, from its text and its fields, sorted by key.
func (r linkResolver) pageLinks(p *revision.Page) []Link {
	var links []Link
	text := r.textOf(p.ID)
	for _, use := range text.Uses {
		links = append(links, r.resolve(p, use))
	}
	for _, use := range r.Text(p.ID).Names { // the expressions of generated texts are not replaced
		if problem := r.nameProblem(p, use); problem != "" {
			links = append(links, Link{
				Page: p.ID, Key: linkKey(p.ID, use.Text), Href: use.Text, Blocks: use.Blocks, Status: api.LinkBroken, Problem: problem,
			})
		}
	}
	for _, ref := range refsOf(p) {
		links = append(links, r.resolve(p, revision.LinkUse{To: r.destination(ref)}))
	}
	slices.SortStableFunc(links, func(a, b Link) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(links, func(a, b Link) bool { return a.Key == b.Key })
}

// nameProblem returns the problem of an expression with an unknown name, or "" for one that is replaced.
func (r linkResolver) nameProblem(p *revision.Page, use revision.NameUse) api.LinkProblem {
	variables := r.variables
	switch use.Scope {
	case content.ScopeReusable:
		if !r.reusables[use.Name].exists {
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
	if slices.Contains(r.unreplaced[p.ID], use.Text) {
		return api.NoRoom
	}
	return ""
}

// imageMark distinguishes images from links with the same destination, which may have different targets.
const imageMark = "\x00"

// linkKey returns a sort key by page and destination. Long destinations are hashed to fit into a cursor.
func linkKey(page, destination string) string {
	const longest = 200
	if len(destination) > longest {
		destination = destination[:longest] + " " + objects.Hash([]byte(destination))
	}
	return page + " " + destination
}

// refsOf returns the references in the fields of a page.
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
	if p.MetaLinks != nil {
		refs = append(refs, p.MetaLinks.Refs()...)
	}
	return refs
}

// destination returns the listed form of a reference. External targets are written as addresses.
func (r linkResolver) destination(ref api.ContentRef) string {
	switch {
	case ref.Kind == api.RefSpace:
		return r.publicURL + "/app/spaces/" + ref.Space
	case ref.Kind == api.RefCollection:
		return r.publicURL + "/app/collections/" + ref.Collection
	case ref.Space == r.state.space:
		ref.Space = ""
	case ref.Space != "" && ref.Page != "":
		to := r.publicURL + "/app/pages/" + ref.Space + "~" + ref.Page
		return to + Destination(api.ContentRef{Kind: api.RefAnchor, Anchor: ref.Anchor})
	}
	return Destination(ref)
}

func (r linkResolver) resolve(from *revision.Page, use revision.LinkUse) Link {
	key := use.To
	if use.Image {
		key += imageMark
	}
	l := Link{Page: from.ID, Key: linkKey(from.ID, key), Href: use.To, Blocks: use.Blocks, Status: api.LinkOK}
	if strings.Contains(use.To, "{{") {
		to, _ := content.Evaluate([]byte(use.To), content.Scope{Space: r.variables, Page: from.Variables})
		use.To = string(to)
	}
	switch {
	case isInApp(r.publicURL, use.To):
		l.Status = api.LinkInApp
		r.resolveApp(&l, use.To)
	case content.IsExternal(use.To):
		l.Target = api.ContentRef{Kind: api.RefURL, URL: use.To}
	default:
		r.resolveInternal(&l, from, use)
	}
	return l
}

// resolveInternal resolves a destination within the revision.
func (r linkResolver) resolveInternal(l *Link, from *revision.Page, use revision.LinkUse) {
	found, ok := r.Resolver.Resolve(from.LinkSource(), use.To, use.Image)
	to, fragment := content.SplitDestination(use.To)
	switch {
	case found.File != "":
		l.Match = matchOf(found.Match)
		l.Target = api.ContentRef{Kind: api.RefFile, File: found.File}
	case ok:
		l.Match = matchOf(found.Match)
		r.setPage(l, found.Page, found.Fragment)
	case r.resolveExternal(l, use):
	case strings.HasPrefix(to, "/pages/"):
		r.setPage(l, strings.TrimPrefix(to, "/pages/"), fragment)
	case strings.HasPrefix(to, "/files/"):
		l.Target = api.ContentRef{Kind: api.RefFile, File: strings.TrimPrefix(to, "/files/")}
		l.fail(api.NoSuchFile)
	case use.Image || !content.LooksLikePage(use.To):
		l.fail(api.NoSuchFile)
	default:
		l.fail(api.NoSuchPage)
	}
}

// matchOf returns the API's name for a kind of match, or "" for an exact one.
func matchOf(m resolve.Match) api.LinkMatch {
	switch m {
	case resolve.ByName:
		return api.MatchName
	case resolve.ByPathWithoutCase, resolve.ByNameWithoutCase:
		return api.MatchCase
	case resolve.ByPath:
	}
	return ""
}

// fail marks the link as broken.
func (l *Link) fail(problem api.LinkProblem) { l.Status, l.Problem = api.LinkBroken, problem }

func (r linkResolver) setPage(l *Link, id, fragment string) {
	id = r.Resolver.FindPart(id, fragment)
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

// textOf returns the links and anchors of a stored or generated page.
func (r linkResolver) textOf(id string) revision.PageLinks {
	if !r.view.IsGenerated(id) {
		return r.Text(id)
	}
	if _, known := r.generated[id]; !known {
		r.generated[id] = r.view.GeneratedLinks(id)
	}
	return r.generated[id]
}

// resolveExternal resolves a destination outside of the revision. It reports false for any other.
func (r linkResolver) resolveExternal(l *Link, use revision.LinkUse) (ok bool) {
	ref, ok := resolve.ExternalRef(use.To)
	if ok = ok && !use.Image; ok {
		r.setReference(l, ref)
	}
	return ok
}

// setReference sets the target of a reference: a page of this space, or content outside of it.
func (r linkResolver) setReference(l *Link, ref api.ContentRef) {
	if ref.Space == r.state.space && ref.Page != "" {
		r.setPage(l, ref.Page, ref.Anchor)
		return
	}
	l.Target, l.Outside = ref, true
}

// resolveApp resolves an address of this server. Addresses that do not show content are treated as external.
func (r linkResolver) resolveApp(l *Link, address string) {
	if ref, ok := InApp(r.publicURL, address); ok {
		r.setReference(l, ref)
	} else {
		l.Target = api.ContentRef{Kind: api.RefURL, URL: l.Href}
	}
}
