package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Graph contains the links of a state of the content, each with its status in that state. It can be computed from the graph of
// another state of the space, from which it copies the unchanged parts. It is immutable.
type Graph struct {
	state graphState
	links string // root of the link map, which may have been computed for the graph
	Tree  *revision.Tree
	Texts map[string]revision.PageLinks
	Files map[string]revision.File

	Resolver       *resolve.Resolver
	evaluatedLinks map[string]revision.PageLinks // links of evaluated texts with expressions, by page
	unreplaced     map[string][]string           // expressions not replaced because of a size limit, by page
	variables      map[string]string             // of the space
	reusables      map[string]includedContent    // links in reusable contents by id

	Pages map[string][]Link // by page, sorted by key
	IDs   []string          // of the pages with links, sorted
	count int               // number of links
}

// graphState identifies a state of the content by the roots of its maps.
type graphState struct{ space, pages, files, links, variables, reusables, specs string }

// Link is a link, image or reference of a page to one target, with all blocks that contain it.
type Link struct {
	Page    string
	Key     string // sort key: page, then target
	Href    string // as in the text
	Blocks  []string
	Target  api.ContentRef // zero if unknown
	Status  api.LinkStatus
	Problem api.LinkProblem
	Match   api.LinkMatch
	Outside bool // the target is another space, a collection or a specification, so the status depends on the caller
}

// Graph returns the graph of a head.
func (l *Links) Graph(ctx context.Context, content *objects.Content, head store.Head) (*Graph, error) {
	r, err := l.Revisions.Revision(ctx, content, head.Revision)
	if err != nil {
		return nil, err
	}
	state, err := stateOf(content, head, r)
	if err != nil {
		return nil, err
	}
	key := state.key(content)
	if g, ok := l.Graphs.Get(key); ok {
		return g, nil
	}
	g := &Graph{state: state, variables: r.Variables}
	if g.links, err = l.Revisions.LinksRoot(ctx, content, head); err != nil {
		return nil, err
	}
	view, err := l.Reading.At(ctx, content, head)
	if err != nil {
		return nil, err
	}
	g.Tree = view.Tree
	if g.Files, err = view.Files(ctx); err != nil {
		return nil, err
	}
	if g.Resolver, err = view.Resolver(ctx); err != nil {
		return nil, err
	}
	g.Resolver = g.Resolver.WithAnchors(func(page string) resolve.Anchors { return g.Text(page).Targets() })
	from, _ := l.Graphs.Find(func(g *Graph) bool { return g.state.space == state.space })
	err = g.evaluate(ctx, l, view, content, from)
	if _, unreadable := objects.AsUnreadable(err); from != nil && unreadable { // the unreadable object may belong to the other state
		err = g.evaluate(ctx, l, view, content, nil)
	}
	if err == nil {
		l.Graphs.Put(key, g)
	}
	return g, err
}

// stateOf returns the state of the content of a head.
func stateOf(content *objects.Content, head store.Head, r revision.Revision) (graphState, error) {
	variables, err := json.Marshal(r.Variables)
	if err != nil {
		return graphState{}, fmt.Errorf("variables of %s: %w", head.Revision, err)
	}
	specs, err := json.Marshal(r.Specs)
	if err != nil {
		return graphState{}, fmt.Errorf("specifications of %s: %w", head.Revision, err)
	}
	return graphState{content.Space(), head.Pages, head.Files, head.Links, string(variables), r.Reusables, string(specs)}, nil
}

// key returns the cache key of the state's graph.
func (s graphState) key(content *objects.Content) objects.DerivedKey {
	return objects.KeyOf(content, []string{s.pages, s.files, s.links, s.reusables}, s.variables, s.specs)
}

// evaluate sets the status of every link. With the graph of another state, only links that differ, or whose targets
// differ, are resolved.
func (g *Graph) evaluate(ctx context.Context, s *Links, view *View, content *objects.Content, from *Graph) error {
	var differs map[string]objects.Change
	var err error
	if from == nil {
		if g.Texts, err = revision.ReadLinks(ctx, content, g.links); err != nil {
			return err
		}
		from = &Graph{Tree: revision.NewTree()}
	} else {
		if differs, err = content.Diff(ctx, from.state.pages, g.state.pages); err != nil {
			return fmt.Errorf("compare pages: %w", err)
		}
		if err = g.copyTexts(ctx, content, from, differs); err != nil {
			return err
		}
	}
	touched := g.difference(from, differs)
	if err := g.readEvaluatedLinks(ctx, view, from, touched); err != nil {
		return err
	}
	g.Pages = make(map[string][]Link, len(from.Pages))
	r := linkResolver{Graph: g, view: view, generated: map[string]revision.PageLinks{}, publicURL: s.PublicURL}
	for _, id := range g.Tree.Subtree("")[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		links := from.Pages[id]
		if touched.affectsLinks(g, id, links) || touched.names && len(g.Texts[id].Names) > 0 {
			links = r.pageLinks(g.Tree.Page(id))
		}
		if len(links) > 0 {
			g.Pages[id] = links
			g.count += len(links)
		}
	}
	g.IDs = slices.Sorted(maps.Keys(g.Pages))
	return nil
}

// copyTexts copies the links of texts from another graph, and reads those that differ.
func (g *Graph) copyTexts(ctx context.Context, content *objects.Content, from *Graph, differs map[string]objects.Change) error {
	g.Texts = maps.Clone(from.Texts)
	for id := range differs {
		delete(g.Texts, id)
	}
	if len(differs) == 0 {
		return nil
	}
	changed, err := revision.ReadLinks(ctx, content, g.links, slices.Sorted(maps.Keys(differs))...)
	maps.Copy(g.Texts, changed)
	return err
}

// pathsDiffer reports whether a path has another target than in another graph.
func (g *Graph) pathsDiffer(from *Graph, differs map[string]objects.Change) bool {
	for id := range differs {
		a, b := from.Tree.Page(id), g.Tree.Page(id)
		if a == nil || b == nil || a.Slug != b.Slug || a.Parent != b.Parent || a.Order != b.Order || a.Type != b.Type ||
			!a.Origin.SameItem(b.Origin) {
			return true
		}
	}
	return false
}

// difference returns the differences from another graph.
func (g *Graph) difference(from *Graph, pages map[string]objects.Change) linkDifference {
	d := linkDifference{
		pages: pages, all: from.Pages == nil || from.state.specs != g.state.specs,
		paths: from.Pages != nil && g.pathsDiffer(from, pages), files: from.state.files != g.state.files,
		names: from.state.variables != g.state.variables || from.state.reusables != g.state.reusables,
	}
	for id := range pages {
		if _, computed := revision.SpecName(g.Tree.Page(id)); computed || from.Tree.Page(id) != nil &&
			from.Tree.Page(id).Type == api.PageComputed {
			d.all = true // computed pages are added or removed
		}
	}
	return d
}

// linkDifference describes the differences between the states of two graphs.
type linkDifference struct {
	all   bool
	pages map[string]objects.Change
	paths bool // some path has another target
	files bool
	names bool // variables or reusable contents differ
}

func (d linkDifference) has(page string) bool { _, differs := d.pages[page]; return differs }

// affectsText reports whether a text with expressions may evaluate differently.
func (d linkDifference) affectsText(page string) bool { return d.all || d.names || d.has(page) }

// affectsLinks reports whether the status of the links of a page may differ.
func (d linkDifference) affectsLinks(g *Graph, page string, links []Link) bool {
	return d.all || d.has(page) || slices.ContainsFunc(links, func(l Link) bool {
		return d.has(l.Target.Page) || d.names && l.Target.Anchor != "" || slices.ContainsFunc(g.Resolver.Parts(l.Target.Page), d.has) ||
			(d.paths || d.files) && (!isStable(l.Href) || l.Status == api.LinkBroken) ||
			d.files && l.Target.File != ""
	})
}

// isStable reports whether a destination contains an id, so that it does not depend on paths.
func isStable(href string) bool {
	return strings.HasPrefix(href, "/pages/") || strings.HasPrefix(href, "/files/") || content.IsExternal(href)
}

// Link returns the link of a page with the given key.
func (g *Graph) Link(page, key string) (Link, bool) {
	links := g.Pages[page]
	at, found := slices.BinarySearchFunc(links, key, func(l Link, key string) int { return strings.Compare(l.Key, key) })
	if !found {
		return Link{}, false
	}
	return links[at], true
}

// NewCache returns a cache of graphs with a budget in bytes. Each graph is charged with its full size, although graphs of one
// space share most of it.
func NewCache(budget int64) *objects.DerivedCache[*Graph] {
	return objects.NewDerivedCache(budget, (*Graph).bytes)
}

// Estimated memory of a graph in addition to its texts: a map entry, a link, and a string in a list.
const (
	entryBytes = 160
	linkBytes  = 512
	textBytes  = 32
)

// bytes estimates the memory of the graph including its page tree.
func (g *Graph) bytes() int {
	size := g.Resolver.Bytes() + entryBytes*(len(g.Texts)+len(g.Files)+len(g.variables)+len(g.reusables)+len(g.Pages))
	for _, text := range g.Texts {
		size += bytesOf(text)
	}
	for _, text := range g.evaluatedLinks {
		size += entryBytes + bytesOf(text)
	}
	for _, text := range g.reusables {
		size += bytesOf(text.links)
	}
	for _, links := range g.Pages {
		for _, l := range links {
			size += linkBytes + len(l.Key) + len(l.Href) + textBytes*len(l.Blocks)
		}
	}
	for at := g.Tree; at != nil; at = at.Base {
		size += at.Bytes()
	}
	return size
}

// bytesOf estimates the memory of the links of a page.
func bytesOf(l revision.PageLinks) int {
	size := len(l.Text)
	for _, use := range l.Uses {
		size += entryBytes + len(use.To) + 2*textBytes*len(use.Blocks)
	}
	for _, use := range l.Names {
		size += entryBytes + 2*len(use.Text) + 2*textBytes*len(use.Blocks)
	}
	for _, anchor := range slices.Concat(l.Anchors, l.Aliases) {
		size += textBytes + len(anchor)
	}
	return size
}

// fileUse is a block of a page, or the page itself if Block is empty.
type fileUse struct{ Page, Block string }

// Uses returns the uses of a file by sort key, and the keys in order.
func (g *Graph) Uses(file string) (keys []string, places map[string]fileUse) {
	places = map[string]fileUse{}
	for _, page := range g.IDs {
		for _, l := range g.Pages[page] {
			if l.Target.File != file {
				continue
			}
			for _, block := range l.BlockIDs() {
				places[page+" "+block] = fileUse{page, block}
			}
		}
	}
	for key := range places {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, places
}

// BlockIDs returns the ids of the blocks with the link, or "" for the page itself.
func (l Link) BlockIDs() []string {
	if len(l.Blocks) == 0 {
		return []string{""}
	}
	return l.Blocks
}
