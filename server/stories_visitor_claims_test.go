package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
)

// pinged is the token that a member of an organization gets for a site; "" asks for the only one.
func pinged(w *world, as, org, site string, headers ...string) string {
	w.t.Helper()
	return do(w, as, api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: org}, Site: site}, headers...).ServiceVisitorClaims
}

// A ping answers what makes a member a visitor of the organization's site for authenticated visitors: what they see
// there goes by their role. Where there is none with a key, it answers nothing of the kind.
func TestVisitorClaimsOfAPing(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		equal(t, "claims without a site", "", pinged(w, "editor", w.org, ""))
		site, _, _ := adaptiveSite(w, api.SiteVisitorAuth)
		do(w, "admin", api.UpdateSiteAdaptiveSchema, api.UpdateAdaptiveSchemaInput{SiteRef: site, Body: api.AdaptiveSchemaUpdate{
			JSONSchema: api.JSONObject(`{"type":"object","additionalProperties":false,"properties":{"role":{"type":"string","description":"Role"},"plan":{"type":"string","description":"Plan"}}}`),
		}})
		section := do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[1]
		do(w, "admin", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: section.ID},
			Body:           api.SiteSectionPatch{Condition: api.Some(`visitor.claims.role == "edit"`)},
		})
		for as, want := range map[string]string{"editor": "All Pro", "guest": "All"} {
			equal(t, "sections for the "+as, want, sectionsFor(w, site, pinged(w, as, w.org, "")))
			equal(t, "sections for the "+as+" of the named site", want, sectionsFor(w, site, pinged(w, as, w.org, site.Site)))
		}

		first := pinged(w, "guest", w.org, "", "Idempotency-Key", "ping")
		claims, err := base64.RawURLEncoding.DecodeString(strings.Split(first, ".")[1])
		w.must(err)
		for _, part := range []string{
			`"sub":"` + w.users["guest"].ID + `"`, `"aud":["` + site.Site + `"]`, `"role":"guest"`, `"organization":"` + w.org + `"`, `"email":"guest@example.com"`,
		} {
			if !strings.Contains(string(claims), part) {
				t.Errorf("%s is not in the claims %s", part, claims)
			}
		}
		for name, stored := range w.dump() {
			if strings.Contains(stored, first) {
				t.Errorf("the claims stand in %s", name)
			}
		}
		w.clock.Advance(time.Hour)
		refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: first}, 401, api.ReasonUnauthenticated)
		seen := do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["guest"].ID}).LastSeenAt
		if again := pinged(w, "guest", w.org, "", "Idempotency-Key", "ping"); again == first {
			t.Error("a repeat answers the old claims")
		}
		equal(t, "the guest is seen later", true, do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["guest"].ID}).LastSeenAt.After(seen.Time))
		refused(w, "stranger", api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: w.org}}, 404, api.ReasonNotFound)
	})
}

// Of several sites one has to be named: without a name there is no token, and the ping counts all the same. What is
// not a site of the organization for authenticated visitors is refused.
func TestPingsNameOneOfSeveralSites(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		first, _, _ := adaptiveSite(w, api.SiteVisitorAuth)
		second, _, _ := adaptiveSite(w, api.SiteVisitorAuth)
		public, _, _ := adaptiveSite(w, api.SitePublic)
		unkeyed := do(w, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.org, Body: api.SiteCreate{Title: "New", Visibility: api.SiteVisitorAuth}}).ID
		w.clock.Advance(time.Minute)
		equal(t, "claims without a name", "", pinged(w, "editor", w.org, ""))
		equal(t, "seen", w.clock.Now().UnixMilli(), do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["editor"].ID}).LastSeenAt.UnixMilli())

		equal(t, "sections of the first", "All", sectionsFor(w, first, pinged(w, "editor", w.org, first.Site)))
		of := pinged(w, "editor", w.org, second.Site)
		equal(t, "sections of the second", "All", sectionsFor(w, second, of))
		refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: first, VisitorToken: of}, 401, api.ReasonUnauthenticated)

		named := func(org, site string) api.PingInput {
			return api.PingInput{OrganizationRef: api.OrganizationRef{Organization: org}, Site: site}
		}
		for _, site := range []string{public.Site, "site_" + strings.Repeat("0", 14), w.org} {
			refused(w, "editor", api.PingMember, named(w.org, site), 400, api.ReasonInvalidParam)
		}
		refused(w, "editor", api.PingMember, named(w.org, unkeyed), 409, api.ReasonState)
	})
}

// A ping in one organization opens no site of another, whoever made that organization: the theft that a key of the
// whole server made possible. Nor does a token that was signed for one site open another, should both have one key.
func TestPingsOpenNoSiteOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site, key, _ := adaptiveSite(w, api.SiteVisitorAuth)
		evil := do(w, "stranger", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Evil"}}).ID
		equal(t, "claims of an organization without a site", "", pinged(w, "stranger", evil, ""))
		refused(w, "stranger", api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: evil}, Site: site.Site}, 400, api.ReasonInvalidParam)
		own := api.SiteRef{Organization: evil, Site: do(w, "stranger", api.CreateSite, api.CreateSiteInput{
			Organization: evil, Body: api.SiteCreate{Title: "Bait", Visibility: api.SiteVisitorAuth},
		}).ID}
		do(w, "stranger", api.RegenerateSiteAuth, own)
		refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: pinged(w, "stranger", evil, "")}, 401, api.ReasonUnauthenticated)

		signed := func(claims jwt.MapClaims) api.SiteVisit {
			return api.SiteVisit{SiteRef: site, VisitorToken: visitorToken(t, w, key, claims)}
		}
		refused(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": publicURL, "aud": own.Site}), 401, api.ReasonUnauthenticated)
		refused(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": publicURL}), 401, api.ReasonUnauthenticated)
		do(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": publicURL, "aud": site.Site}))
		do(w, "", api.GetSitePublished, signed(jwt.MapClaims{"iss": "https://id.example", "aud": "anything"})) // whoever runs the sign-in
	})
}

// Where the key that seals secrets was taken away, a ping says that somebody is here and signs nothing.
func TestPingsWithoutTheSealingKey(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		site, _, _ := adaptiveSite(w, api.SiteVisitorAuth)
		w.serve(func(o *server.Options) { o.Key = nil })
		equal(t, "claims", "", pinged(w, "editor", w.org, ""))
		a := try(w, "editor", api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: w.org}, Site: site.Site})
		equal(t, "the named site", http.StatusConflict, a.Status)
	})
}
