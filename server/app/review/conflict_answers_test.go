package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// resolveAll resolves every conflict of the story with take where the conflict has that answer, and with its first
// answer otherwise. It also returns the effects of the answers.
func resolveAll(list []api.Conflict, take api.ResolutionTake) (answers []api.Resolution, effects []string) {
	for _, c := range list {
		chosen := c.Answers[0]
		for _, a := range c.Answers {
			if a.Take == take {
				chosen = a
			}
		}
		answers = append(answers, api.Resolution{Conflict: c.ID, Take: chosen.Take})
		effects = append(effects, chosen.Effect)
	}
	return answers, effects
}

// TestConflictAnswersHaveStatedEffect checks that every answer to a conflict has the effect that it states.
func TestConflictAnswersHaveStatedEffect(t *testing.T) {
	t.Parallel()
	for take, want := range map[api.ResolutionTake]struct {
		effects []string
		outline []string
	}{
		api.TakeOurs: {
			effects: []string{
				"“Dust” is at the top level, first.", "“Mast” is in “Guide”, first.", "“Quick start” stays deleted; what the change " +
					"request changed in it is left out.",
				"“Old notes” stays deleted; “Newer notes” below it goes to the top level.", "“Gateway” is at the top level and “Cable” " +
					"is below “Gateway”.",
				"“Status lights” stays, as it is in the space.", "“Install” of the change request gets the address “install-2”, and the " +
					"other page keeps “install”.",
			},
			outline: []string{
				"Dust", "Welcome", "Newer notes", "Power", "Status lights", "Guide", "  Mast", "Reference", "Frost", "Salt", "Gateway",
				"  Cable", "Lists", "Install", "Install",
			},
		},
		api.TakeTheirs: {
			effects: []string{
				"“Dust” is at the top level, after “Quick start”.", "“Mast” is in “Reference”, first.",
				"“Quick start” comes back, as it is in the change request; “First day”, which was below it, stays deleted.",
				"“Old notes” comes back, as it is in the change request, with “Newer notes” below it.",
				"“Gateway” is below “Cable” and “Cable” is at the top level.",
				"“Status lights” is deleted; what the space changed in it is left out.",
			},
			outline: []string{
				"Welcome", "Power", "Quick start", "Dust", "Guide", "Reference", "  Mast", "Frost", "Salt", "Cable", "  Gateway",
				"Old notes", "  Newer notes", "Lists", "Install", "Install",
			},
		},
	} {
		t.Run(string(take), func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				s := newConflictingRequests(w)
				ref := servertest.Ref(s.conflictingRequest)
				answers, effects := resolveAll(getConflicts(w, ref).Conflicts, take)
				for _, effect := range want.effects {
					if !slices.Contains(effects, effect) {
						t.Errorf("no answer states the effect %q: %q", effect, effects)
					}
				}
				servertest.Equal(t, "result", api.OutcomeUpdate, w.Pull(ref, answers...).Result)
				pages := w.Pages(ref)
				servertest.Equal(t, "outline", want.outline, servertest.Outline(pages))
				var slugs []string
				servertest.EachPage(pages, func(p api.RevisionPage) {
					if p.Title == "Install" {
						slugs = append(slugs, p.Slug)
					}
				})
				slices.Sort(slugs)
				servertest.Equal(t, "slugs", []string{"install", "install-2"}, slugs)
			})
		})
	}
}

// TestConflictDescriptionIncludesLinkTargets checks that the description of a conflict names the targets of links, because the
// links in texts contain ids. Settings contain the names themselves.
func TestConflictDescriptionIncludesLinkTargets(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("See it.\n")
		other := w.CreateSpace("Field notes", "", api.EditLive)
		start := w.NewRequest("editor", space)
		cells := w.InsertPage(start, servertest.NewPage("Cells", "About cells.\n"))
		lead := w.InsertPage(start, api.ContentChange{
			Operation: api.InsertPage, Type: api.PageLink, Title: api.Some("Elsewhere"), Target: &api.ContentRef{
				Kind: api.RefURL, URL: "https://example.com/",
			},
		})
		w.MustMerge(start)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(page, "See [them](/pages/"+cells+").\n"),
			api.ContentChange{Operation: api.UpdatePage, Page: lead, Target: &api.ContentRef{Kind: api.RefPage, Page: cells}})
		w.Change(second, servertest.Write(page, "See it there.\n"),
			api.ContentChange{Operation: api.UpdatePage, Page: lead, Target: &api.ContentRef{Kind: api.RefSpace, Space: other}})
		w.MustMerge(first)
		list := getConflicts(w, second).Conflicts
		servertest.Equal(t, "links", []api.ConflictLink{{ID: cells, Title: "Cells"}}, list[0].Links)
		servertest.Equal(t, "readable", "See [them](/pages/“Cells”).", list[0].Readable(list[0].Ours.Value))
		servertest.Equal(t, "where it leads", []string{"https://example.com/", "the page “Cells”", "the space “Field notes”"},
			[]string{list[1].Base.Value, list[1].Ours.Value, list[1].Theirs.Value})
	})
}

// A page with many conflicting sentences is described completely.
//
//wsd:serial
func TestManyConflictsAreDescribed(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const sentences = 5000
		text := func(word string) string {
			var out strings.Builder
			for i := range sentences {
				fmt.Fprintf(&out, "Sentence %d is %s. ", i, word)
			}
			return strings.TrimSpace(out.String()) + "\n"
		}
		space, page := w.NewSpaceWithPage(text("green"))
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(page, text("red")))
		w.Change(second, servertest.Write(page, text("blue")))
		w.MustMerge(first)
		list := getConflicts(w, second).Conflicts
		servertest.Equal(t, "conflicts", sentences, len(list))
		servertest.Equal(t, "the last", "paragraph 1, sentence 5000 of 5000", list[sentences-1].Place)
	})
}
