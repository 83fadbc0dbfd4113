package sites_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// TestSiteSections checks that the first section takes over the spaces of the root. A section has each space at most
// once, and section paths are unique.
func TestSiteSections(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a, b, c := w.NewSpaceIn("A", "").ID, w.NewSpaceIn("B", "").ID, w.NewSpaceIn("C", "").ID
		site := servertest.NewSite(w, api.SitePublic, a, b)
		before := servertest.Do(w, "reader", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items
		made := servertest.Do(w, "creator", api.CreateSiteSection, api.CreateSiteSectionInput{
			SiteRef: site, Body: api.SiteSectionCreate{SpaceID: c},
		})
		servertest.Equal(t, "the title comes from the space, which is too short for one", "Untitled", made.Title)
		servertest.Equal(t, "it follows the existing spaces", []string{"untitled*=a,b", "untitled-2=c"}, shownSections(w, "reader", site))
		for i, shown := range servertest.Do(w, "reader", api.ListSiteSpaces, api.ListSiteSpacesInput{
			SiteVisit: api.SiteVisit{SiteRef: site},
		}).Items[:2] {
			servertest.Equal(t, "where it is published", before[i].URLs, shown.URLs)
		}
		servertest.Equal(t, "default", true, made.SiteSpaces[0].Default)
		first := servertest.Do(w, "reader", api.ListSiteSections, api.ListSiteSectionsInput{
			SiteVisit: api.SiteVisit{SiteRef: site},
		}).Items[0]
		servertest.Equal(t, "the section of the spaces that were there is published where the site is",
			servertest.Do(w, "reader", api.GetSite, site).URLs.Published, first.URLs.Published)
		second := addSection(w, site, a, "Untitled")
		servertest.Equal(t, "sections", []string{"untitled*=a,b", "untitled-2=c", "untitled-3=a"}, shownSections(w, "reader", site))
		for _, taken := range []string{"a", "b"} {
			servertest.Refused(w, "creator", api.UpdateSiteSection, api.UpdateSiteSectionInput{
				SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: made.ID}, Body: api.SiteSectionPatch{Path: api.Some(taken)},
			}, 422, api.ReasonInvalid)
			servertest.Refused(w, "creator", api.UpdateSiteSpace, api.UpdateSiteSpaceInput{
				SiteSpaceRef: api.SiteSpaceRef{
					SiteRef: site, SiteSpace: first.SiteSpaces[0].ID,
				}, Body: api.SiteSpacePatch{Path: api.Some("untitled-2")},
			}, 422, api.ReasonInvalid)
		}
		servertest.Do(w, "creator", api.DeleteSiteSection, api.SiteSectionRef{SiteRef: site, SiteSection: made.ID})

		patch := func(id string, p api.SiteSectionPatch) api.UpdateSiteSectionInput {
			return api.UpdateSiteSectionInput{SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: id}, Body: p}
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.UpdateSiteSection,
				patch(second.ID, api.SiteSectionPatch{Path: api.Some("untitled")}), 422, api.ReasonInvalid)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.UpdateSiteSection,
				patch(second.ID, api.SiteSectionPatch{DefaultSiteSpace: api.Some(first.SiteSpaces[1].ID)}), 422, api.ReasonInvalid)
		})
		changed := servertest.Do(w, "creator", api.UpdateSiteSection, patch(first.ID, api.SiteSectionPatch{
			Path: api.Some("guides"), Title: api.Some("Guides"), Description: api.Some("All."), Icon: api.Some("book"),
			Condition: api.Some(`visitor.claims.x == "y"`), DefaultSiteSpace: api.Some(first.SiteSpaces[1].ID),
		}))
		want := api.SiteSectionFields{
			Object: "site-section", ID: first.ID, Title: "Guides", Description: "All.", Default: true, Path: "guides",
			Condition: `visitor.claims.x == "y"`, Icon: "book",
		}
		servertest.Equal(t, "section", want, changed.SiteSectionFields)
		servertest.Equal(t, "default of the section", []bool{false, true}, []bool{
			changed.SiteSpaces[0].Default, changed.SiteSpaces[1].Default,
		})
		want.Description, want.Icon, want.Condition = "", "", ""
		changed = servertest.Do(w, "creator", api.UpdateSiteSection, patch(first.ID, api.SiteSectionPatch{
			Description: api.Null[string](), Icon: api.Null[string](), Condition: api.Null[string](),
		}))
		servertest.Equal(t, "section without what null removes", want, changed.SiteSectionFields)

		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{DefaultSiteSection: api.Some(second.ID)},
		})
		servertest.Equal(t, "another default", []string{"guides=a,b", "untitled-3*=a"}, shownSections(w, "reader", site))
		servertest.Do(w, "creator", api.DeleteSiteSection, api.SiteSectionRef{SiteRef: site, SiteSection: second.ID})
		servertest.Equal(t, "the default goes, another becomes it", []string{"guides*=a,b"}, shownSections(w, "reader", site))
		servertest.Do(w, "creator", api.DeleteSiteSection, api.SiteSectionRef{SiteRef: site, SiteSection: first.ID})
		servertest.Equal(t, "site spaces of no section", 0, servertest.Do(w, "reader", api.GetSite, site).SiteSpaces)
	})
}

func TestSiteSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a, b, c := w.NewSpaceIn("A", "").ID, w.NewSpaceIn("B", "").ID, w.NewSpaceIn("C", "").ID
		site := servertest.NewSite(w, api.SitePublic, a)
		add := func(space, section string) api.CreateSiteSpaceInput {
			return api.CreateSiteSpaceInput{SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: space, SectionID: section}}
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSiteSpace, add(a, ""), 422, api.ReasonInvalid)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSiteSpace, add(b, "sec_1"), 422, api.ReasonInvalid)
		})
		second := servertest.Do(w, "creator", api.CreateSiteSpace, add(b, ""))
		servertest.Equal(t, "site spaces", []string{"a*", "b"}, shownSpaces(w, "reader", site))
		ref := api.SiteSpaceRef{SiteRef: site, SiteSpace: second.ID}
		patch := func(p api.SiteSpacePatch) api.UpdateSiteSpaceInput {
			return api.UpdateSiteSpaceInput{SiteSpaceRef: ref, Body: p}
		}
		for _, wrong := range []api.SiteSpacePatch{{Path: api.Some("a")}, {SpaceID: api.Some(a)}, {SpaceID: api.Some("s_1")}} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "creator", api.UpdateSiteSpace, patch(wrong), 422, api.ReasonInvalid)
			})
		}
		changed := servertest.Do(w, "creator", api.UpdateSiteSpace, patch(api.SiteSpacePatch{Path: api.Some("v2"), SpaceID: api.Some(c)}))
		servertest.Equal(t, "the space that is shown instead", c, changed.Space.ID)
		servertest.Equal(t, "title", "C", changed.Title)

		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{DefaultSiteSpace: api.Some(second.ID)},
		})
		servertest.Equal(t, "another default", []string{"a", "v2*"}, shownSpaces(w, "reader", site))
		only := func(d bool) int {
			return servertest.Do(w, "reader", api.ListSiteSpaces, api.ListSiteSpacesInput{
				SiteVisit: api.SiteVisit{SiteRef: site}, Default: api.Some(d),
			}).Count
		}
		servertest.Equal(t, "defaults and others", []int{1, 1}, []int{only(true), only(false)})
		servertest.Do(w, "creator", api.DeleteSiteSpace, ref)
		servertest.Equal(t, "the default goes, another becomes it", []string{"a*"}, shownSpaces(w, "reader", site))

		addSection(w, site, b, "First")
		first := servertest.Do(w, "reader", api.ListSiteSections, api.ListSiteSectionsInput{
			SiteVisit: api.SiteVisit{SiteRef: site},
		}).Items[0]
		last := addSection(w, site, c, "Last").SiteSpaces[0]
		servertest.Equal(t, "without a section it goes to the default one", first.ID, servertest.Do(w, "creator", api.CreateSiteSpace,
			add(c, "")).Section)
		lastRef := api.SiteSpaceRef{SiteRef: site, SiteSpace: last.ID}
		e := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.DeleteSiteSpace, lastRef, 409, api.ReasonState)
		})
		if e.Hint == "" {
			t.Error("the refusal gives no way on")
		}
	})
}

// TestSortSiteStructure checks that parts of a site move next to the given neighbours, also into another section or
// group.
func TestSortSiteStructure(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a, b, c := w.NewSpaceIn("A", "").ID, w.NewSpaceIn("B", "").ID, w.NewSpaceIn("C", "").ID
		site := servertest.NewSite(w, api.SitePublic)
		one, two, three := addSection(w, site, a, "One"), addSection(w, site, b, "Two"), addSection(w, site, c, "Three")
		group := servertest.Do(w, "creator", api.CreateSiteSectionGroup, api.CreateSiteSectionGroupInput{
			SiteRef: site, Body: api.SiteSectionGroupCreate{Title: "Group", Sections: []string{two.ID}},
		}).ID
		ids := map[string]api.SitePointer{
			"one": {Type: api.PointerSiteSection, ID: one.ID}, "two": {Type: api.PointerSiteSection, ID: two.ID},
			"three": {Type: api.PointerSiteSection, ID: three.ID}, "group": {Type: api.PointerSiteSectionGroup, ID: group},
			"a": {Type: api.PointerSiteSpace, ID: one.SiteSpaces[0].ID}, "b": {Type: api.PointerSiteSpace, ID: two.SiteSpaces[0].ID},
		}
		sort := func(item, before, after string) api.SortSiteStructureInput {
			in := api.SortSiteStructureInput{SiteRef: site, Body: api.SiteSort{Item: ids[item]}}
			if before != "" {
				in.Body.Position.Before = new(ids[before])
			}
			if after != "" {
				in.Body.Position.After = new(ids[after])
			}
			return in
		}
		servertest.Equal(t, "at first", "one three group(two)", siteOutline(w, site))
		for _, step := range []struct{ item, before, after, want string }{
			{"group", "one", "", "group(two) one three"},
			{"three", "one", "group", "group(two) three one"},
			{"one", "two", "", "group(one two) three"},
			{"one", "", "", "group(two one) three"},
			{"two", "", "three", "group(one) three two"},
			{"two", "", "group", "group(one) two three"},
			{"group", "", "", "two three group(one)"},
		} {
			servertest.Do(w, "creator", api.SortSiteStructure, sort(step.item, step.before, step.after))
			servertest.Equal(t, "after "+step.item+" moved", step.want, siteOutline(w, site))
		}
		for _, same := range [][3]string{{"two", "three", ""}, {"three", "", "two"}, {"group", "", ""}, {"one", "", ""}} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "creator", api.SortSiteStructure, sort(same[0], same[1], same[2]), http.StatusConflict,
					api.ReasonNoChange)
			})
		}
		for _, wrong := range [][3]string{
			{"two", "one", "three"},
			{"two", "two", ""},
			{"a", "one", ""},
			{"one", "a", ""},
			{"group", "one", ""},
			{"three", "group", "group"},
			{"nothing", "", ""},
		} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "creator", api.SortSiteStructure, sort(wrong[0], wrong[1], wrong[2]),
					http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.SortSiteStructure, sort("a", "b", ""), 409, api.ReasonState)
		})
		servertest.Do(w, "creator", api.CreateSiteSpace, api.CreateSiteSpaceInput{
			SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: c, SectionID: one.ID},
		})
		servertest.Do(w, "creator", api.SortSiteStructure, sort("a", "b", ""))
		servertest.Equal(t, "a site space in another section", []string{"two=a,b", "three=c", "one*=c"}, shownSections(w, "reader", site))

		moved := servertest.Do(w, "creator", api.MoveSiteSection, api.MoveSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: three.ID},
			Body: api.SiteSectionMove{
				Position: api.SiteSectionPosition{Before: &api.SiteSectionPointer{Type: "site-section", SiteSection: two.ID}},
			},
		})
		servertest.Equal(t, "moved", three.ID, moved.ID)
		in := api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{
				SiteRef: site, SiteSection: one.ID,
			}, Body: api.SiteSectionPatch{SectionGroup: api.Null[string]()},
		}
		servertest.Do(w, "creator", api.UpdateSiteSection, in)
		servertest.Equal(t, "out of the group", "three two group() one", siteOutline(w, site))
		servertest.Do(w, "creator", api.DeleteSiteSectionGroup, api.SiteSectionGroupRef{SiteRef: site, SiteSectionGroup: group})
		servertest.Equal(t, "without the group", "three two one", siteOutline(w, site))
	})
}

// siteOutline returns the structure of a site as one line.
func siteOutline(w *servertest.World, site api.SiteRef) (line string) {
	w.T.Helper()
	for i, item := range servertest.Do(w, "reader", api.GetSiteStructure, api.SiteVisit{SiteRef: site}).Structure {
		if i > 0 {
			line += " "
		}
		if item.Sections == nil {
			line += item.Path
			continue
		}
		line += "group("
		for j, section := range *item.Sections {
			if j > 0 {
				line += " "
			}
			line += section.Path
		}
		line += ")"
	}
	return line
}

// TestConcurrentSiteChangesAllApply checks that concurrent changes of a site all take effect.
func TestConcurrentSiteChangesAllApply(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Guide", "").ID
		site := servertest.NewSite(w, api.SitePublic)
		const writers = 8
		servertest.Concurrently(writers, func(int) { addSection(w, site, space, "Section") })
		sections := shownSections(w, "reader", site)
		servertest.Equal(t, "sections", writers, len(sections))
		paths := map[string]bool{}
		for _, s := range sections {
			paths[s] = true
		}
		servertest.Equal(t, "paths", writers, len(paths))
		statuses := make([]int, writers)
		servertest.Concurrently(writers, func(i int) {
			other := servertest.NewSite(w, api.SitePublic)
			statuses[i] = servertest.Try(w, "creator", api.UpdateSite, api.UpdateSiteInput{
				SiteRef: other, Body: api.SitePatch{Basename: api.Some("docs")},
			}).Status
		})
		won := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				won++
			} else {
				servertest.Equal(t, "status of who comes second", http.StatusUnprocessableEntity, status)
			}
		}
		servertest.Equal(t, "sites with the basename", 1, won)
	})
}

// TestPurgedSpaceIsRemovedFromSites checks that a purged space is removed from its sites, and another space becomes
// the default.
func TestPurgedSpaceIsRemovedFromSites(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		a, b := w.NewSpaceIn("A", "").ID, w.NewSpaceIn("B", "").ID
		site, other := servertest.NewSite(w, api.SitePublic, a, b), servertest.NewSite(w, api.SitePublic, a)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: a})
		servertest.Equal(t, "what is deleted is not shown", []string{"b*"}, shownSpaces(w, "admin", site))
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		servertest.Equal(t, "keys that speak of it", 0, len(servertest.KeysWithID(w, a)))
		servertest.Equal(t, "what is left", []string{"b*"}, shownSpaces(w, "admin", site))
		servertest.Equal(t, "and there", 0, servertest.Do(w, "admin", api.GetSite, other).SiteSpaces)
	})
}
