package pages_test

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// lookAtDocuments reads what the links of documents of evaluated texts name. Destinations with an id in them, and fragments alone, name what
// they say, whether it is there or not; others that lead nowhere are texts: their address is in the source alone.
func (k *growth) lookAtDocuments() {
	for _, p := range k.now.pages {
		uses := p.uses()
		if len(uses) == 0 {
			continue
		}
		d := servertest.Do(k.w, "reader", api.GetContentPage, api.PageInput{Space: k.space, Page: p.id, PageOptions: api.PageOptions{Format: api.FormatDocument, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll}}})
		refs := map[string]string{}
		k.collect(d.Document.Nodes, refs)
		for _, u := range uses {
			got := refs[u.label]
			if u.isImage || u.isAway() || strings.HasPrefix(u.to, "/pages/") || strings.HasPrefix(u.to, "#") {
				continue
			}
			k.count.documents.Add(1)
			found := k.now.resolve(p, u.to, false)
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

// collect notes what the links of a document name, by their labels.
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
