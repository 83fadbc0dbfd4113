package folder

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// searchPaths searches older revisions of the space, at growing distances from its head, for pages at paths of the folder that no
// searched revision has: a page that was moved in the space long ago is no new page of the folder.
func (t *textSearch) searchPaths() error {
	if len(t.newPaths()) == 0 {
		return nil
	}
	revisions, err := t.session.revisionsAfter(0)
	if err != nil {
		return err
	}
	for distance := maxBases; distance < len(revisions); distance += distance / 2 {
		paths := t.newPaths()
		if len(paths) == 0 {
			break
		}
		revision := revisions[len(revisions)-1-distance]
		tree, err := t.session.client.Revisions.ListPages(t.session.ctx(), api.RevisionInput{
			RevisionRef: api.RevisionRef{Space: t.session.space(), Revision: revision},
		})
		if err != nil {
			return err
		}
		if !hasPage(tree.Pages, paths) {
			continue
		}
		if err := t.findIn(revision); err != nil {
			return err
		}
	}
	return nil
}

// newPaths returns the paths of the pages of the folder that no searched revision has.
func (t *textSearch) newPaths() (paths []string) {
	for at := range t.hashes {
		if !t.paths[at] && t.moved[at] == nil && isText(at) && !isReusablePath(at) {
			paths = append(paths, at)
		}
	}
	return paths
}

// hasPage reports whether a tree has a page that an export writes to one of the paths.
func hasPage(pages []api.RevisionPage, paths []string) bool {
	return slices.ContainsFunc(pages, func(p api.RevisionPage) bool {
		names := []string{p.Path + ".md", p.Path + "/README.md"}
		if p.Git != nil {
			names = append(names, p.Git.Path)
		}
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(paths, name) }) || hasPage(p.Pages, paths)
	})
}
