package sites_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// newAdaptiveSite publishes a site with three sections: one without condition, one for the plan pro, and one for beta
// testers.
func newAdaptiveSite(w *servertest.World, visibility api.SiteVisibility) (site api.SiteRef, key string, spaces []string) {
	w.T.Helper()
	for _, title := range []string{"All", "Pro", "Beta"} {
		spaces = append(spaces, w.NewSpaceIn(title, "").ID)
	}
	site = api.SiteRef{Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
		Organization: w.Org, Body: api.SiteCreate{Title: "Docs", Visibility: visibility},
	}).ID}
	for i, condition := range []string{"", `visitor.claims.plan == "pro"`, `visitor.claims.beta`} {
		section := servertest.Do(w, "admin", api.CreateSiteSection, api.CreateSiteSectionInput{
			SiteRef: site, Body: api.SiteSectionCreate{SpaceID: spaces[i]},
		})
		if condition != "" {
			servertest.Do(w, "admin", api.UpdateSiteSection, api.UpdateSiteSectionInput{
				SiteSectionRef: api.SiteSectionRef{
					SiteRef: site, SiteSection: section.ID,
				}, Body: api.SiteSectionPatch{Condition: api.Some(condition)},
			})
		}
	}
	servertest.Do(w, "admin", api.PublishSite, site)
	return site, w.EnableAdaptive(site), spaces
}

// visibleSections returns the section titles that a visitor with a token gets, and checks that all responses agree.
func visibleSections(w *servertest.World, site api.SiteRef, token string) string {
	w.T.Helper()
	visit := api.SiteVisit{SiteRef: site, VisitorToken: token}
	var titles []string
	for _, s := range servertest.Do(w, "", api.GetSitePublished, visit).Structure.Structure {
		titles = append(titles, s.Title)
	}
	var others, shown []string
	for _, s := range servertest.Do(w, "", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: visit}).Items {
		others = append(others, s.Title)
	}
	for _, s := range servertest.Do(w, "", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: visit}).Items {
		shown = append(shown, s.Title)
	}
	if !slices.Equal(titles, others) || !slices.Equal(titles, shown) {
		w.T.Errorf("published %v, sections %v, site spaces %v", titles, others, shown)
	}
	return strings.Join(titles, " ")
}

// TestVisitorClaimsSelectSections checks that visitors with different claims get different sections of a site and may
// read their content.
func TestVisitorClaimsSelectSections(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, key, spaces := newAdaptiveSite(w, api.SitePublic)
		for _, c := range []struct {
			claims jwt.MapClaims
			want   string
		}{
			{jwt.MapClaims{"plan": "pro"}, "All Pro"},
			{jwt.MapClaims{"beta": true}, "All Beta"},
			{jwt.MapClaims{"plan": "pro", "beta": true}, "All Pro Beta"},
			{jwt.MapClaims{"plan": "free", "beta": false}, "All"},
			{jwt.MapClaims{"plan": true, "beta": "true"}, "All"}, // types differ from the schema
		} {
			token := servertest.VisitorToken(t, w, key, c.claims)
			if got := visibleSections(w, site, token); got != c.want {
				t.Errorf("with %v: %s, want %s", c.claims, got, c.want)
			}
			a := servertest.Try(w, "", api.GetSpace, api.GetSpaceInput{Space: spaces[1], VisitorToken: token})
			if got, want := a.Status == http.StatusOK, strings.Contains(c.want, "Pro"); got != want {
				t.Errorf("with %v the space is answered %d", c.claims, a.Status)
			}
		}
		if got := visibleSections(w, site, ""); got != "All" {
			t.Errorf("without a token: %s", got)
		}
		servertest.Do(w, "admin", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{AdaptiveContent: api.Some(api.AdaptiveContent{})},
		})
		if got := visibleSections(w, site, servertest.VisitorToken(t, w, key, jwt.MapClaims{"plan": "pro"})); got != "All" {
			t.Errorf("a site that does not adapt: %s", got)
		}
		if list := servertest.Do(w, "reader", api.ListSiteSections, api.ListSiteSectionsInput{
			SiteVisit: api.SiteVisit{SiteRef: site},
		}); list.Count != 3 {
			t.Errorf("a reader sees %d sections", list.Count)
		}
	})
}

// TestMemberWithVisitorTokenSeesVisitorView checks that a member who sends a visitor token gets the site as that
// visitor.
func TestMemberWithVisitorTokenSeesVisitorView(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		site, key, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		for token, want := range map[string]int{
			"": 3, "a bad one": 1,
			servertest.VisitorToken(t, w, key, jwt.MapClaims{"plan": "pro"}):               2,
			servertest.VisitorToken(t, w, key, jwt.MapClaims{"plan": "pro", "beta": true}): 3,
		} {
			visit := api.SiteVisit{SiteRef: site, VisitorToken: token}
			servertest.Equal(t, "sections of "+token, want,
				servertest.Do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: visit}).Count)
			servertest.Equal(t, "published for "+token, want,
				len(servertest.Do(w, "reader", api.GetSitePublished, visit).Structure.Structure))
		}
	})
}

// TestVisitorTokenIsRequired checks that a site for authenticated visitors admits only visitors with a token signed
// with its key.
func TestVisitorTokenIsRequired(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		site, key, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		other, otherKey, _ := newAdaptiveSite(w, api.SiteVisitorAuth)
		now := w.Clock.Now()
		good := servertest.VisitorToken(t, w, key, jwt.MapClaims{"plan": "pro"})
		parts := strings.Split(good, ".")
		encode := func(v any) string {
			data, err := json.Marshal(v)
			w.Must(err)
			return base64.RawURLEncoding.EncodeToString(data)
		}
		hs512, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"exp": now.Add(time.Hour).Unix()}).SignedString([]byte(key))
		w.Must(err)
		endless, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"plan": "pro"}).SignedString([]byte(key))
		w.Must(err)
		if got := visibleSections(w, site, good); got != "All Pro" {
			t.Errorf("with a good token: %s", got)
		}
		for name, token := range map[string]string{
			"no token":            "",
			"alg none":            encode(map[string]string{"alg": "none", "typ": "JWT"}) + "." + parts[1] + ".",
			"alg none, signed":    encode(map[string]string{"alg": "none", "typ": "JWT"}) + "." + parts[1] + "." + parts[2],
			"another algorithm":   hs512,
			"truncated signature": good[:len(good)-3],
			"no signature":        parts[0] + "." + parts[1] + ".",
			"unsigned claims": parts[0] + "." + encode(map[string]any{"plan": "pro", "exp": now.Add(time.Hour).Unix(), "x": 1}) +
				"." + parts[2],
			"expired":                 servertest.VisitorToken(t, w, key, jwt.MapClaims{"exp": now.Unix()}),
			"token not valid yet":     servertest.VisitorToken(t, w, key, jwt.MapClaims{"nbf": now.Add(time.Minute).Unix()}),
			"token without expiry":    endless,
			"token of another site":   servertest.VisitorToken(t, w, otherKey, jwt.MapClaims{}),
			"signed with another key": servertest.VisitorToken(t, w, "guessed", jwt.MapClaims{}),
			"signed with empty key":   servertest.VisitorToken(t, w, "", jwt.MapClaims{}),
			"not a token":             "hello",
			"access token of a user":  w.Tokens["admin"],
		} {
			e := servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: token}, http.StatusUnauthorized,
				api.ReasonUnauthenticated)
			if says := map[string]string{
				"expired": "expired", "token without expiry": "exp claim", "signed with another key": "signature is invalid",
			}[name]; !strings.Contains(e.Message, says) {
				t.Errorf("%s: %s, want %s", name, e.Message, says)
			}
			if a := servertest.Try(w, "stranger", api.GetSitePublished, api.SiteVisit{
				SiteRef: site, VisitorToken: token,
			}); a.Status != http.StatusNotFound {
				t.Errorf("%s, as a stranger: %d", name, a.Status)
			}
		}
		servertest.Do(w, "stranger", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: good})
		w.Clock.Advance(2 * time.Hour)
		servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: good}, http.StatusUnauthorized,
			api.ReasonUnauthenticated)

		fresh := servertest.VisitorToken(t, w, key, jwt.MapClaims{})
		servertest.Do(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: fresh})
		renewed := servertest.Do(w, "creator", api.RegenerateSiteAuth, site)
		if renewed.PrivateKey == key || servertest.Do(w, "creator", api.GetSiteAuth, site).PrivateKey != renewed.PrivateKey {
			t.Error("the key is not a new one")
		}
		servertest.Do(w, "creator", api.UpdateSiteAuth, api.UpdateSiteAuthInput{
			SiteRef: site, Body: api.PublishingAuthPatch{FallbackURL: api.Some("https://example.com/login")},
		})
		e := servertest.Refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: fresh}, http.StatusUnauthorized,
			api.ReasonUnauthenticated)
		if !strings.Contains(e.Hint, "https://example.com/login") {
			t.Errorf("the hint is %q", e.Hint)
		}
		servertest.Do(w, "", api.GetSitePublished, api.SiteVisit{
			SiteRef: other, VisitorToken: servertest.VisitorToken(t, w, otherKey, jwt.MapClaims{}),
		})
		for name, stored := range w.Dump() {
			if strings.Contains(stored, renewed.PrivateKey) || strings.Contains(stored, otherKey) {
				t.Errorf("a key stands in %s", name)
			}
		}
	})
}

// TestAdaptiveSchemaAndConditionsAreValidated checks that schemas and conditions are validated when they are set, and
// each violation is reported with its position.
func TestAdaptiveSchemaAndConditionsAreValidated(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		site := api.SiteRef{Organization: w.Org, Site: servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Spaces: api.SpaceSelection{w.NewSpace().ID}},
		}).ID}
		servertest.Refused(w, "admin", api.GetSiteAdaptiveSchema, site, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.ListSiteTemplateConditions, site, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.GetSiteAuth, site, http.StatusNotFound, api.ReasonNotFound)
		set := func(text string) api.UpdateAdaptiveSchemaInput {
			return api.UpdateAdaptiveSchemaInput{SiteRef: site, Body: api.AdaptiveSchemaUpdate{JSONSchema: api.JSONObject(text)}}
		}
		e := servertest.Refused(w, "admin", api.UpdateSiteAdaptiveSchema,
			set(`{"type":"object","properties":{"a":{"type":"integer","description":"x"},"b":{"type":"boolean"}}}`),
			http.StatusUnprocessableEntity, api.ReasonInvalid)
		var paths []string
		for _, f := range e.Fields {
			paths = append(paths, f.Path)
		}
		if want := []string{"jsonSchema.additionalProperties", "jsonSchema.properties.a.type"}; !slices.Equal(paths, want) {
			t.Errorf("violations of %v, want %v", paths, want)
		}
		servertest.Do(w, "admin", api.UpdateSiteAdaptiveSchema, set(servertest.ClaimsSchema))
		if got := servertest.Do(w, "editor", api.GetSiteAdaptiveSchema, site); string(got.JSONSchema) != servertest.ClaimsSchema {
			t.Errorf("the schema is %s", got.JSONSchema)
		}
		if got := servertest.Do(w, "editor", api.ListSiteTemplateConditions, site).Items; len(got) != 3 ||
			got[1].Condition != `visitor.claims.plan == "pro"` {
			t.Errorf("templates %v", got)
		}
		shown := servertest.Do(w, "admin", api.ListSiteSpaces, api.ListSiteSpacesInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[0]
		in := api.UpdateSiteSpaceInput{
			SiteSpaceRef: api.SiteSpaceRef{
				SiteRef: site, SiteSpace: shown.ID,
			}, Body: api.SiteSpacePatch{Condition: api.Some(`visitor.claims.plan = "pro"`)},
		}
		if e := servertest.Refused(w, "admin", api.UpdateSiteSpace, in, http.StatusUnprocessableEntity,
			api.ReasonInvalid); e.Fields[0].Path != "condition" || !strings.Contains(e.Fields[0].Message, "byte 20") {
			t.Errorf("%v", e.Fields)
		}
		in.Body.Condition = api.Some(`visitor.claims.paln == "pro"`)
		if e := servertest.Refused(w, "admin", api.UpdateSiteSpace, in, http.StatusUnprocessableEntity,
			api.ReasonInvalid); e.Fields[0].Path != "condition" || !strings.Contains(e.Fields[0].Message, "visitor.claims.paln") {
			t.Errorf("%v", e.Fields)
		}
		in.Body.Condition = api.Some(`visitor.claims.plan == "pro"`)
		servertest.Do(w, "admin", api.UpdateSiteSpace, in)
	})
}
