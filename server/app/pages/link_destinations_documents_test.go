package pages_test

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// checkDocuments compares the links of evaluated documents with the model. Destinations with an id and bare fragments
// are kept even if they are broken; other broken destinations become text.
func (k *growth) checkDocuments() {
	for _, p := range k.library.pages {
		uses := p.uses()
		if len(uses) == 0 {
			continue
		}
		d := servertest.Do(k.w, "reader", api.GetContentPage, api.PageInput{
			Space: k.space, Page: p.id, PageOptions: api.PageOptions{
				Format: api.FormatDocument, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll},
			},
		})
		refs := map[string]string{}
		k.collect(d.Document.Nodes, refs)
		for _, u := range uses {
			got := refs[u.label]
			if u.isImage || u.isExternal() || strings.HasPrefix(u.to, "/pages/") || strings.HasPrefix(u.to, "#") {
				continue
			}
			k.tally.documents.Add(1)
			found := k.library.resolve(p, u.to, false)
			want := ""
			switch {
			case found.isBroken():
			case !found.to.isPage():
				want = "file " + found.to.id
			case found.isAnchor:
				want = "anchor " + found.to.id + "#" + found.fragment
			default:
				want = "page " + found.to.id
			}
			if got != want {
				k.w.T.Errorf("%s of %s names %q in its document, by the reference %q", u.to, p.id, got, want)
			}
		}
	}
}

// collect adds the references of a document's links to refs by label.
func (k *growth) collect(nodes []api.DocumentNode, refs map[string]string) {
	for _, node := range nodes {
		if node.Type == "link" {
			var ref api.ContentRef
			data, err := json.Marshal(node.Data["ref"])
			k.w.Must(err)
			k.w.Must(json.Unmarshal(data, &ref))
			text := string(ref.Kind) + " " + ref.URL + ref.Page + ref.File
			if ref.Anchor != "" {
				text += "#" + ref.Anchor
			}
			refs[labelOf(node)] = text
		}
		k.collect(node.Nodes, refs)
		k.collect(node.Fragments, refs)
	}
}

func labelOf(node api.DocumentNode) string {
	text := ""
	for _, leaf := range node.Leaves {
		text += leaf.Text
	}
	for _, below := range node.Nodes {
		text += labelOf(below)
	}
	return text
}
