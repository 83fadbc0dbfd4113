package sites_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// newMixedSite creates a site as the admin with a space that everybody can read and one that the creator cannot, and returns
// the site and its site spaces in this order.
func newMixedSite(w *servertest.World, visibility api.SiteVisibility) (site api.SiteRef, shown []api.SiteSpace, hidden string) {
	w.T.Helper()
	open := w.NewSpaceIn("Open", "").ID
	hidden = w.NewSpaceIn("Layoffs", "").ID
	w.Hide(hidden)
	site = api.SiteRef{Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
		Organization: w.Org, Body: api.SiteCreate{Visibility: visibility, Spaces: api.SpaceSelection{open, hidden}},
	}).ID}
	return site, siteSpacesOf(w, site), hidden
}

func siteSpacesOf(w *servertest.World, site api.SiteRef) []api.SiteSpace {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items
}

// refusedHidden checks that an operation is refused because of one hidden space, whose title is not revealed, and that
// nothing is changed.
func refusedHidden[In, Out any](w *servertest.World, as string, row api.Route[In, Out], in In) {
	w.T.Helper()
	e := w.WantUntouched(func() api.Error { return servertest.Refused(w, as, row, in, 403, api.ReasonForbidden) })
	servertest.Equal(w.T, "message", "This takes the role read in every space that it makes visible; 1 of them is hidden from you.", e.Message)
	if strings.Contains(e.Hint, "Layoffs") {
		w.T.Errorf("hint %q names the space", e.Hint)
	}
}

// TestMakingSpacesVisibleNeedsReadingThem checks that a member who cannot read a space of a site can neither widen its
// audience nor get a key of the site, but can still change what widens nothing.
func TestMakingSpacesVisibleNeedsReadingThem(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, _, hidden := newMixedSite(w, api.SiteShareLink)
		patch := func(p api.SitePatch) api.UpdateSiteInput { return api.UpdateSiteInput{SiteRef: site, Body: p} }
		link := servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site}).ID
		refusedHidden(w, "creator", api.PublishSite, site)
		refusedHidden(w, "creator", api.UpdateSite, patch(api.SitePatch{Visibility: api.Some(api.SitePublic)}))
		refusedHidden(w, "creator", api.UpdateSite, patch(api.SitePatch{Visibility: api.Some(api.SiteVisitorAuth)}))
		refusedHidden(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		refusedHidden(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{
			ShareLinkRef: api.ShareLinkRef{SiteRef: site, ShareLink: link}, Body: api.ShareLinkPatch{Active: api.Some(true)},
		})
		refusedHidden(w, "creator", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site})
		refusedHidden(w, "creator", api.GetSitePreview, api.SitePreviewInput{SiteRef: site})
		refusedHidden(w, "creator", api.RegenerateSiteAuth, site)
		servertest.Do(w, "creator", api.UpdateSite, patch(api.SitePatch{Title: api.Some("Renamed")}))

		servertest.Do(w, "admin", api.PublishSite, site)
		servertest.Do(w, "creator", api.UnpublishSite, site)
		refusedHidden(w, "creator", api.PublishSite, site)
		servertest.GrantAccess(w, hidden, api.PermissionCreate{Role: new(api.RoleRead), Users: []string{w.Users["creator"].ID}})
		servertest.Do(w, "creator", api.PublishSite, site)
		servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
	})
}

// TestConditionOfHiddenSpaceIsNotWeakened checks that a member who cannot read a space with a condition can neither remove the
// condition nor move the space out of a section with one.
func TestConditionOfHiddenSpaceIsNotWeakened(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const condition = `visitor.claims.plan == "pro"`
		site, shown, hidden := newMixedSite(w, api.SitePublic)
		ref := api.SiteSpaceRef{SiteRef: site, SiteSpace: shown[1].ID}
		servertest.Do(w, "admin", api.UpdateSiteSpace, api.UpdateSiteSpaceInput{
			SiteSpaceRef: ref, Body: api.SiteSpacePatch{Condition: api.Some(condition)},
		})
		refusedHidden(w, "creator", api.UpdateSiteSpace, api.UpdateSiteSpaceInput{
			SiteSpaceRef: ref, Body: api.SiteSpacePatch{Condition: api.Null[string]()},
		})
		refusedHidden(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{
			AdaptiveContent: api.Some(api.AdaptiveContent{Enabled: true}),
		}})
		servertest.Do(w, "creator", api.UpdateSiteSpace, api.UpdateSiteSpaceInput{
			SiteSpaceRef: api.SiteSpaceRef{SiteRef: site, SiteSpace: shown[0].ID}, Body: api.SiteSpacePatch{Path: api.Some("other")},
		})

		internal := servertest.Do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{
			SiteRef: site, Body: api.SiteSectionCreate{SpaceID: hidden, Title: api.Some("Internal")},
		})
		open := w.NewSpaceIn("More", "").ID
		servertest.Do(w, "admin", api.CreateSiteSpace, api.CreateSiteSpaceInput{
			SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: open, SectionID: internal.ID},
		})
		section := api.SiteSectionRef{SiteRef: site, SiteSection: internal.ID}
		servertest.Do(w, "admin", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: section, Body: api.SiteSectionPatch{Condition: api.Some(condition)},
		})
		servertest.Do(w, "admin", api.DeleteSiteSpace, ref) // the copy outside of the section
		refusedHidden(w, "creator", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: section, Body: api.SiteSectionPatch{Condition: api.Null[string]()},
		})
		refusedHidden(w, "creator", api.MoveSiteSpace, api.MoveSiteSpaceInput{
			SiteSpaceRef: api.SiteSpaceRef{SiteRef: site, SiteSpace: internal.SiteSpaces[0].ID},
			Body: api.SiteSpaceMove{Position: api.SiteSpacePosition{
				After: &api.SiteSpacePointer{Type: "site-space", SiteSpace: shown[0].ID},
			}},
		})
	})
}
