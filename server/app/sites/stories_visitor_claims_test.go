package sites_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
)

// pingToken returns the visitor token that a member gets for a site; "" selects the only site.
func pingToken(w *servertest.World, as, org, site string, headers ...string) string {
	w.T.Helper()
	return servertest.Do(w, as, api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: org}, Site: site},
		headers...).ServiceVisitorClaims
}

// TestPingReturnsVisitorToken checks that a ping returns a visitor token for the organization's site for
// authenticated visitors, with the member's role as a claim. Without such a site or its key it returns no token.
func TestPingReturnsVisitorToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.Equal(t, "claims without a site", "", pingToken(w, "editor", w.Org, ""))
		site, _, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		servertest.Do(w, "admin", api.UpdateSiteAdaptiveSchema, api.UpdateAdaptiveSchemaInput{SiteRef: site, Body: api.AdaptiveSchemaUpdate{
			JSONSchema: api.JSONObject(
				`{"type":"object","additionalProperties":false,"properties":{"role":{"type":"string","description":"Role"},"plan":{"type":"string","description":"Plan"}}}`),
		}})
		section := servertest.Do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{
			SiteVisit: api.SiteVisit{SiteRef: site},
		}).Items[1]
		servertest.Do(w, "admin", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: section.ID},
			Body:           api.SiteSectionPatch{Condition: api.Some(`visitor.claims.role == "edit"`)},
		})
		for as, want := range map[string]string{"editor": "All Pro", "guest": "All"} {
			servertest.Equal(t, "sections for the "+as, want, visibleSections(w, site, pingToken(w, as, w.Org, "")))
			servertest.Equal(t, "sections for the "+as+" of the named site", want,
				visibleSections(w, site, pingToken(w, as, w.Org, site.Site)))
		}

		first := pingToken(w, "guest", w.Org, "", "Idempotency-Key", "ping")
		claims, err := base64.RawURLEncoding.DecodeString(strings.Split(first, ".")[1])
		w.Must(err)
		for _, part := range []string{
			`"sub":"` + w.Users["guest"].ID + `"`, `"aud":["` + site.Site + `"]`, `"role":"guest"`, `"organization":"` + w.Org +
				`"`, `"email":"guest@example.com"`,
		} {
			if !strings.Contains(string(claims), part) {
				t.Errorf("%s is not in the claims %s", part, claims)
			}
		}
		for name, stored := range w.Dump() {
			if strings.Contains(stored, first) {
				t.Errorf("the claims stand in %s", name)
			}
		}
		w.Clock.Advance(time.Hour)
		servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: first}, 401, api.ReasonUnauthenticated)
		seen := servertest.Do(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: w.Users["guest"].ID}).LastSeenAt
		if again := pingToken(w, "guest", w.Org, "", "Idempotency-Key", "ping"); again == first {
			t.Error("a repeat answers the old claims")
		}
		servertest.Equal(t, "the guest is seen later", true,
			servertest.Do(w, "admin", api.GetMember, api.MemberRef{
				Organization: w.Org, User: w.Users["guest"].ID,
			}).LastSeenAt.After(seen.Time))
		servertest.Refused(w, "stranger", api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: w.Org}}, 404,
			api.ReasonNotFound)
	})
}

// TestPingWithoutSiteReturnsNoToken checks that if an organization has several sites, a ping without a site returns no token
// but counts. A site that is not one of the organization for authenticated visitors is refused.
func TestPingWithoutSiteReturnsNoToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		first, _, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		second, _, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		public, _, _ := newAdaptiveSite(w, api.SitePublic)
		unkeyed := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Title: "New", Visibility: api.SiteVisitorAuth},
		}).ID
		w.Clock.Advance(time.Minute)
		servertest.Equal(t, "claims without a name", "", pingToken(w, "editor", w.Org, ""))
		servertest.Equal(t, "seen", w.Clock.Now().UnixMilli(),
			servertest.Do(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}).LastSeenAt.UnixMilli())

		servertest.Equal(t, "sections of the first", "All", visibleSections(w, first, pingToken(w, "editor", w.Org, first.Site)))
		of := pingToken(w, "editor", w.Org, second.Site)
		servertest.Equal(t, "sections of the second", "All", visibleSections(w, second, of))
		servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: first, VisitorToken: of}, 401, api.ReasonUnauthenticated)

		named := func(org, site string) api.PingInput {
			return api.PingInput{OrganizationRef: api.OrganizationRef{Organization: org}, Site: site}
		}
		for _, site := range []string{public.Site, "site_" + strings.Repeat("0", 14), w.Org} {
			servertest.Refused(w, "editor", api.PingMember, named(w.Org, site), 400, api.ReasonInvalidParam)
		}
		servertest.Refused(w, "editor", api.PingMember, named(w.Org, unkeyed), 409, api.ReasonState)
	})
}

// TestPingTokenIsBoundToSite checks that a token from a ping opens no site of another organization, as it did with a
// key shared by the server, and no other site of the same organization, even if both have the same key.
func TestPingTokenIsBoundToSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, key, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		evil := servertest.Do(w, "stranger", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Evil"},
		}).ID
		servertest.Equal(t, "claims of an organization without a site", "", pingToken(w, "stranger", evil, ""))
		servertest.Refused(w, "stranger", api.PingMember, api.PingInput{
			OrganizationRef: api.OrganizationRef{Organization: evil}, Site: site.Site,
		}, 400, api.ReasonInvalidParam)
		own := api.SiteRef{Organization: evil, Site: servertest.Do(w, "stranger", api.CreateSite, api.CreateSiteInput{
			Organization: evil, Body: api.SiteCreate{Title: "Bait", Visibility: api.SiteVisitorAuth},
		}).ID}
		servertest.Do(w, "stranger", api.RegenerateSiteAuth, own)
		servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: pingToken(w, "stranger", evil, "")}, 401,
			api.ReasonUnauthenticated)

		signed := func(claims jwt.MapClaims) api.SiteVisit {
			return api.SiteVisit{SiteRef: site, VisitorToken: servertest.VisitorToken(t, w, key, claims)}
		}
		servertest.Refused(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": servertest.PublicURL, "aud": own.Site}), 401,
			api.ReasonUnauthenticated)
		servertest.Refused(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": servertest.PublicURL}), 401, api.ReasonUnauthenticated)
		servertest.Do(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": servertest.PublicURL, "aud": site.Site}))
		// signed by the customer's own login
		servertest.Do(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": "https://id.example", "aud": "anything"}))
	})
}

// TestPingWithoutSealingKeySignsNothing checks that a ping without the key that seals secrets updates the time last
// seen and returns no token.
func TestPingWithoutSealingKeySignsNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, _, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		w.Serve(func(o *server.Options) { o.Key = nil })
		servertest.Equal(t, "claims", "", pingToken(w, "editor", w.Org, ""))
		a := servertest.Try(w, "editor", api.PingMember, api.PingInput{
			OrganizationRef: api.OrganizationRef{Organization: w.Org}, Site: site.Site,
		})
		servertest.Equal(t, "the named site", http.StatusConflict, a.Status)
	})
}
