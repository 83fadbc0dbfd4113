package imports_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// twoFolders is an archive in one directory whose SUMMARY.md is in another one. Both folders have a page and an image
// of the same names, and one page is not listed.
var twoFolders = map[string]string{
	"manual-2.1/docs/SUMMARY.md": "* [Red](red/README.md)\n* [Blue](blue/README.md)\n  * [Deep](blue/deep/x.md)\n\n## More\n\n" +
		"* [Home](../README.md)\n",
	"manual-2.1/README.md":           "# Home\n\n[red](docs/red/) [blue](docs/blue/deep/x)\n",
	"manual-2.1/docs/red/README.md":  "# Red\n\n![a](img/a.png) [blue](../blue/README.md) [home](/README.md)\n",
	"manual-2.1/docs/blue/README.md": "# Blue\n\n![a](img/a.png) [deep](deep/x.md) [lost](lost.md#lost)\n",
	"manual-2.1/docs/blue/deep/x.md": "# Deep\n\n![a](../img/a.png) [up](../README.md#blue) [out](../../../../x.md)\n",
	"manual-2.1/docs/blue/lost.md":   "# Lost\n\n[blue](README.md)\n",
	"manual-2.1/docs/red/img/a.png":  "red",
	"manual-2.1/docs/blue/img/a.png": "blue",
}

// TestArchiveLinksKeepTargets checks that links and images keep their targets, also after pages were moved and renamed.
func TestArchiveLinksKeepTargets(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Web["https://example.com/manual.zip"] = string(zipTexts(t, twoFolders))
		ref := w.NewRequest("editor", w.NewSpace().ID)
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref, Body: api.Import{URL: "https://example.com/manual.zip", Source: api.ImportZip},
		})
		w.MustMerge(ref)
		want := []string{
			"docs/blue/README.md deep/x.md -> docs/blue/deep/x.md",
			"docs/blue/README.md img/a.png -> docs/blue/img/a.png",
			"docs/blue/README.md lost.md#lost -> docs/blue/lost.md",
			"docs/blue/deep/x.md ../../../../x.md -> ",
			"docs/blue/deep/x.md ../README.md#blue -> docs/blue/README.md",
			"docs/blue/deep/x.md ../img/a.png -> docs/blue/img/a.png",
			"docs/blue/lost.md README.md -> docs/blue/README.md",
			"docs/red/README.md ../blue/README.md -> docs/blue/README.md",
			"docs/red/README.md /README.md -> README.md",
			"docs/red/README.md img/a.png -> docs/red/img/a.png",
			"README.md docs/blue/deep/x -> docs/blue/deep/x.md",
			"README.md docs/red/ -> docs/red/README.md",
		}
		slices.Sort(want)
		servertest.Equal(t, "links", want, linksByPath(w, ref.Space))

		pages := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space}).Pages
		var deep, red string
		servertest.EachPage(pages, func(p api.RevisionPage) {
			switch p.Title {
			case "Deep":
				deep = p.ID
			case "Red":
				red = p.ID
			}
		})
		second := w.NewRequest("editor", ref.Space)
		w.Change(second,
			api.ContentChange{Operation: api.UpdatePage, Page: deep, Slug: api.Some("elsewhere"), Into: api.Some(red)},
			api.ContentChange{Operation: api.UpdatePage, Page: red, Title: api.Some("Crimson"), Slug: api.Some("crimson")})
		w.MustMerge(second)
		servertest.Equal(t, "links after a move", want, linksByPath(w, ref.Space))
	})
}

// linksByPath formats the links of a space with the source paths of both ends.
func linksByPath(w *servertest.World, space string) (lines []string) {
	w.T.Helper()
	paths := map[string]string{}
	servertest.EachPage(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages, func(
		p api.RevisionPage,
	) {
		if p.Git != nil {
			paths[p.ID] = p.Git.Path
		}
	})
	for _, f := range servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{Space: space}).Items {
		paths[f.ID] = f.Git.Path
	}
	for _, l := range servertest.Do(w, "reader", api.ListSpaceLinks, api.ListLinksInput{Space: space}).Items {
		to := ""
		if l.Target != nil && l.Target.Page != nil {
			to = paths[l.Target.Page.ID]
		}
		if l.Target != nil && l.Target.File != nil {
			to = paths[l.Target.File.ID]
		}
		lines = append(lines, paths[l.Locations[0].Page.ID]+" "+l.Href+" -> "+to)
	}
	slices.Sort(lines)
	return lines
}

// zipTexts returns an archive of texts.
func zipTexts(t *testing.T, texts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range texts {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
