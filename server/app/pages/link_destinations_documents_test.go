package pages_test

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// checkDocuments compares the links of evaluated documents with the model. Destinations with an id and bare fragments
// are kept even if they are broken; other broken destinations become text.
func (s *randomSpace) checkDocuments() {
	for _, p := range s.model.pages {
		uses := p.links()
		if len(uses) == 0 {
			continue
		}
		d := servertest.Do(s.w, "reader", api.GetContentPage, api.PageInput{
			Space: s.space, Page: p.id, PageOptions: api.PageOptions{
				Format: api.FormatDocument, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll},
			},
		})
		refs := map[string]string{}
		s.collect(d.Document.Nodes, refs)
		for _, u := range uses {
			got := refs[u.label]
			if u.isImage || u.isExternal() || strings.HasPrefix(u.destination, "/pages/") || strings.HasPrefix(u.destination, "#") {
				continue
			}
			s.counts.documents.Add(1)
			found := s.model.resolve(p, u.destination, false)
			want := ""
			switch {
			case found.isBroken():
			case !found.target.isPage():
				want = "file " + found.target.id
			case found.isAnchor:
				want = "anchor " + found.target.id + "#" + found.fragment
			default:
				want = "page " + found.target.id
			}
			if got != want {
				s.w.T.Errorf("%s of %s names %q in its document, by the reference %q", u.destination, p.id, got, want)
			}
		}
	}
}

// collect adds the references of a document's links to refs by label.
func (s *randomSpace) collect(nodes []api.DocumentNode, refs map[string]string) {
	for _, node := range nodes {
		if node.Type == "link" {
			var ref api.ContentRef
			data, err := json.Marshal(node.Data["ref"])
			s.w.Must(err)
			s.w.Must(json.Unmarshal(data, &ref))
			text := string(ref.Kind) + " " + ref.URL + ref.Page + ref.File
			if ref.Anchor != "" {
				text += "#" + ref.Anchor
			}
			refs[labelOf(node)] = text
		}
		s.collect(node.Nodes, refs)
		s.collect(node.Fragments, refs)
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
