package pages_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/content"
)

const lampSpec = `{"openapi":"3.1.0","info":{"title":"Lamps","version":"1"},"tags":[{"name":"Bulbs"}],
	"paths":{"/bulbs":{"get":{"tags":["Bulbs"],"summary":"Unscrew every incandescent","description":"As [the guide](/guide) and [no page](/manual) say.","responses":{"200":{"description":"Glowing."}}}}}}`

// reader reads a space through every operation that shows its content.
type reader struct {
	*servertest.World

	space, guide string
}

func (r reader) page(format api.Format) api.RevisionPage {
	r.T.Helper()
	in := api.PageInput{
		Space: r.space, Page: r.guide, PageOptions: api.PageOptions{
			Format: format, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll},
		},
	}
	return servertest.Do(r.World, "reader", api.GetContentPage, in)
}

func (r reader) search(words string) (titles []string) {
	r.T.Helper()
	for _, hit := range servertest.Do(r.World, "reader", api.SearchSpace, api.SearchSpaceInput{Space: r.space, Query: words}).Items {
		titles = append(titles, hit.Title)
	}
	return titles
}

func (r reader) print(o api.PDFOptions) string {
	r.T.Helper()
	return strings.Join(strings.Fields(downloadPDF(r.World, servertest.Do(r.World, "reader", api.GetSpacePdf,
		api.GetSpacePDFInput{Space: r.space, PDFOptions: o}).URL)), " ")
}

// links returns the problems of the space's links by destination.
func (r reader) links() map[string]api.LinkProblem {
	r.T.Helper()
	found := map[string]api.LinkProblem{}
	for _, l := range servertest.Do(r.World, "reader", api.ListSpaceLinks, api.ListLinksInput{Space: r.space}).Items {
		found[l.Href] = l.Problem
	}
	return found
}

// TestReadersSeeSameText checks that evaluated pages, documents, search, PDFs and links agree on variables, reusable
// contents and computed pages. Hidden pages are found and linked, but printed only on request.
func TestReadersSeeSameText(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.NewSpec(w, "lamps", lampSpec)
		request := w.NewRequest("editor", w.NewSpace().ID)
		note := w.Change(request,
			servertest.InsertReusable("Note",
				"Mind the {{ space.vars.product }} sprockets of [ours](api/bulbs) and [theirs](nowhere).\n\n"+
					"## Care\n\nWipe it.\n")).Changes[0].ReusableContent.ID
		api1 := servertest.InsertComputedPage("API", "lamps")
		api1.Computed.Props = nil
		hidden := servertest.Insert("Attic", "", "Hidden heliotrope.\n")
		hidden.Hidden = api.Some(true)
		made := w.Change(request, servertest.SetVariables("", "product", "Lanternfish"), servertest.SetVariables("", "where", "attic"),
			api1, hidden,
			servertest.Insert("Guide", "", "# Guide\n\n"+content.IncludeExpression(note)+
				"\n\n[care](#care) [up]({{ space.vars.where }}) [bulbs](api/bulbs#get-bulbs)\n"),
		)
		w.MustMerge(request)
		r := reader{w, request.Space, made.Changes[4].Page.ID}

		words := []string{"Lanternfish sprockets", "Wipe it"}
		checkWords(t, *r.page(api.FormatMarkdown).Markdown, words, []string{"{{", "{%"})
		document, err := json.Marshal(r.page(api.FormatDocument).Document)
		w.Must(err)
		checkWords(t, string(document), append(words, `"page":"`+made.Changes[3].Page.ID+`"`, `"page":"`+made.Changes[2].Page.ID+`-bulbs"`),
			[]string{"{{", "{%"})
		for words, want := range map[string][]string{
			"lanternfish": {"Guide"}, "sprockets wipe": {"Guide"}, "incandescent": {"Bulbs"}, "heliotrope": {"Attic"}, "Lamps": {"Lamps"},
		} {
			servertest.Equal(t, words, want, r.search(words))
		}
		whole := r.print(api.PDFOptions{})
		checkWords(t, whole, append(words, "Unscrew every incandescent", "Glowing."), []string{"heliotrope", "{{", "{%"})
		checkWords(t, r.print(api.PDFOptions{Page: made.Changes[3].Page.ID}), []string{"heliotrope"}, words)
		servertest.Equal(t, "links", map[string]api.LinkProblem{
			"/guide": "", "/manual": api.NoSuchPage, "#care": "", "{{ space.vars.where }}": "", "api/bulbs": "", "api/bulbs#get-bulbs": "",
			"nowhere": api.NoSuchPage,
		}, r.links())

		next := w.NewRequest("editor", r.space)
		w.Change(next, servertest.SetVariables("", "product", "Anglerfish"), servertest.SetVariables("", "where", "cellar"))
		w.MustMerge(next)
		servertest.Equal(t, "what it is called now", []string{"Guide"}, r.search("anglerfish"))
		servertest.Equal(t, "what it was called", nil, r.search("lanternfish"))
		servertest.Equal(t, "a destination that leads elsewhere", api.NoSuchPage, r.links()["{{ space.vars.where }}"])

		servertest.PutSpec(w, "lamps", api.OpenAPISource{Text: strings.Replace(lampSpec, "incandescent", "halogen", 1)})
		w.Must(w.Server.RunDueJobs(t.Context()))
		servertest.Equal(t, "the next version", []string{"Bulbs"}, r.search("halogen"))
		servertest.Equal(t, "the version before", nil, r.search("incandescent"))
		w.Fsck()
	})
}

// TestReplacementsBeyondSizeLimitAreOmitted checks that replacements beyond the size of a page are left out and
// reported, and that other operations are not affected.
func TestReplacementsBeyondSizeLimitAreOmitted(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		request := w.NewRequest("editor", w.NewSpace().ID)
		long := strings.Repeat("walnut ", content.MaxTextBytes/8) + "\n"
		large := w.Change(request, servertest.InsertReusable("Large", long)).Changes[0].ReusableContent.ID
		small := w.Change(request, servertest.InsertReusable("Small", "A hazel.\n")).Changes[0].ReusableContent.ID
		both := content.IncludeExpression(large) + "\n\n" + content.IncludeExpression(small) + "\n"
		made := w.Change(request,
			servertest.Insert("Guide", "", strings.Repeat("almond ", content.MaxTextBytes/16)+"\n\n"+both), servertest.Insert("Short", "",
				both))
		w.MustMerge(request)
		r := reader{w, request.Space, made.Changes[0].Page.ID}

		checkWords(t, *r.page(api.FormatMarkdown).Markdown, []string{"A hazel.", content.IncludeExpression(large)}, []string{"walnut"})
		servertest.Equal(t, "links", map[string]api.LinkProblem{content.IncludeExpression(large): api.NoRoom}, r.links())
		servertest.Equal(t, "found", []string{"Short"}, r.search("walnut"))
		found := r.search("hazel")
		slices.Sort(found)
		servertest.Equal(t, "found before the limit", []string{"Guide", "Short"}, found)
	})
}
