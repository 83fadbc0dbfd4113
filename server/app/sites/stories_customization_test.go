package sites_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// customizationAPI sends and reads customizations of a site as plain JSON, so that members can be omitted.
type customizationAPI struct {
	w    *servertest.World
	path string
}

// put replaces the customization as the user "creator" and fails the test unless the response has the given status.
func (l customizationAPI) put(body any, status int) servertest.Response {
	l.w.T.Helper()
	return l.w.Call("creator", http.MethodPut, l.path+"/customization", body, status)
}

func (l customizationAPI) get(as string) (body map[string]any) {
	l.w.T.Helper()
	servertest.Decode(l.w, l.w.Call(as, http.MethodGet, l.path+"/customization?unmasked=true", nil, http.StatusOK), &body)
	return body
}

// newCustomizedSite creates a site and returns access to its customization.
func newCustomizedSite(w *servertest.World, title string) (customizationAPI, api.SiteRef) {
	w.T.Helper()
	site := servertest.Do(w, "creator", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{Title: title}})
	return customizationAPI{w, "/v1/orgs/" + w.Org + "/sites/" + site.ID}, api.SiteRef{Organization: w.Org, Site: site.ID}
}

// fullCustomization has all members of a customization with values that differ from the defaults.
const fullCustomization = `{
	"title": "Docs", "localizedTitle": {"de": "Doku"},
	"styling": {
		"theme": "bold", "primaryColor": {"light": "#123", "dark": "#fedcba"}, "tint": {"color": {"light": "#abc", "dark": "#def"}},
		"infoColor": {"light": "#111", "dark": "#222"}, "successColor": {"light": "#333", "dark": "#444"},
		"warningColor": {"light": "#555", "dark": "#666"}, "dangerColor": {"light": "#777", "dark": "#888"},
		"corners": "straight", "depth": "flat", "links": "accent", "background": "match", "icons": "duotone", "search": "prominent",
		"font": {"id": "f1", "custom": true, "fontFamily": "Ours", "fontFaces": [{"weight": 400,
		"sources": [{"url": "https://example.com/f.woff2", "format": "woff2"}]}]},
		"headingFont": "Lato", "monospaceFont": "FiraCode",
		"codeTheme": {"default": {"light": "github-light", "dark": "github-dark"}, "openapi": {"light": "one-light", "dark": "nord"}},
		"sidebar": {"background": "filled", "list": "pill"}
	},
	"internationalization": {"locale": "pt-br"},
	"favicon": {"icon": {"light": "https://example.com/l.png", "dark": "https://example.com/d.png"}},
	"header": {
		"preset": "custom", "logo": {"light": "https://example.com/l.svg", "dark": "https://example.com/d.svg"},
		"backgroundColor": {"light": "#000", "dark": "#fff"}, "linkColor": {"light": "#fff", "dark": "#000"},
		"primaryLink": {"kind": "url", "url": "https://example.com"},
		"links": [
			{"title": "Menu", "to": null, "links": [{"title": "Mail", "localizedTitle": {"de": "Post"}, "to": {"kind": "url",
			"url": "mailto:docs@example.com"}}]},
			{"title": "Call", "localizedTitle": {"fr": "Appel"}, "style": "button-primary", "to": {"kind": "url", "url": "tel:+4930"},
			"condition": "visitor.claims.plan == \"pro\""}
		]
	},
	"footer": {
		"logo": {"light": "https://example.com/l.svg", "dark": "https://example.com/d.svg"}, "copyright": "2026",
		"groups": [{"title": "More", "localizedTitle": {"de": "Mehr"}, "links": [{"title": "Page", "localizedTitle": {"de": "Seite"},
		"to": {"kind": "page", "page": "p_1", "space": "s_1"}}]}]
	},
	"announcement": {"enabled": true, "message": "New", "localizedMessage": {"es": "Nuevo"}, "style": "info", "link": {"title": "See",
	"localizedTitle": {"de": "Siehe"}, "to": {"kind": "space", "space": "s_1"}}},
	"themes": {"default": "system", "toggeable": false}, "pdf": {"enabled": false}, "feedback": {"enabled": false}, "ai": {"mode": "none"},
	"advancedCustomization": {"enabled": false}, "git": {"showEditLink": true},
	"pageActions": {"externalAI": true, "markdown": false, "items": ["external-ai", "mcp"]},
	"externalLinks": {"target": "blank"}, "pagination": {"enabled": false}, "trademark": {"enabled": true},
	"privacyPolicy": {"url": "https://example.com/privacy"}, "socialPreview": {"url": "https://example.com/card.png"},
	"socialAccounts": [{"platform": "mastodon", "handle": "docs", "display": {"header": true, "footer": false}}],
	"insights": {"trackingCookie": true}
}`

// missingMembers returns the paths of the schema's members that are in none of the values.
func missingMembers(path string, s *api.Schema, values []any) (missing []string) {
	if s.Object != nil && slices.ContainsFunc(values, func(v any) bool { _, object := v.(map[string]any); return object }) {
		s = s.Object
	}
	if s.Kind == api.KindArray {
		var items []any
		for _, v := range values {
			list, _ := v.([]any)
			items = append(items, list...)
		}
		return missingMembers(path+"[]", s.Items, items)
	}
	if s.Name == "RefTarget" {
		return nil // one of several schemas, as in ContentRef
	}
	for _, f := range s.Fields {
		name := strings.TrimPrefix(path+"."+f.Name, ".")
		var inner []any
		for _, v := range values {
			if object, ok := v.(map[string]any); ok && object[f.Name] != nil {
				inner = append(inner, object[f.Name])
			}
		}
		if missing = append(missing, missingMembers(name, f.Schema, inner)...); len(inner) == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// TestCustomizationRoundTrip checks that all members of a customization are stored, omitted ones get their defaults, and
// a response is accepted as a request.
func TestCustomizationRoundTrip(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		l, site := newCustomizedSite(w, "Manual")
		defaults := l.get("reader")
		for path, want := range map[string]any{
			"insights.trackingCookie": false, "pageActions.externalAI": false, "git.showEditLink": false, "trademark.enabled": false,
			"ai.mode":          "none",
			"feedback.enabled": false, "advancedCustomization.enabled": false, "pagination.enabled": true, "styling.theme": "clean",
			"title": "Manual",
		} {
			servertest.Equal(t, path, want, servertest.ValueAt(defaults, strings.Split(path, ".")...))
		}

		var all map[string]any
		w.Must(json.Unmarshal([]byte(fullCustomization), &all))
		body := api.NewCompiler().Input(api.UpdateSiteCustomization.Row).Body
		// excludes images
		servertest.Equal(t, "members that are not tried", []string{"favicon.emoji"}, missingMembers("", body, []any{all}))
		l.put(all, http.StatusOK)
		servertest.Equal(t, "all of it", all, l.get("reader"))
		if a := l.put(l.get("creator"), http.StatusOK); len(a.Body) == 0 {
			t.Error("no answer")
		}
		servertest.Equal(t, "taken back", all, l.get("reader"))

		servertest.Do(w, "creator", api.PublishSite, site)
		var published map[string]any
		servertest.Decode(w, w.Call("reader", http.MethodGet, l.path+"/published", nil, http.StatusOK), &published)
		servertest.Equal(t, "for renderers", any(all), servertest.ValueAt(published, "customizations", "site"))

		l.put(map[string]any{"styling": map[string]any{"primaryColor": map[string]any{"dark": "#010203"}}}, http.StatusOK)
		part := l.get("reader")
		servertest.Equal(t, "a part of a colour", any(map[string]any{
			"light": servertest.ValueAt(defaults, "styling", "primaryColor", "light"), "dark": "#010203",
		}), servertest.ValueAt(part, "styling", "primaryColor"))
		servertest.Equal(t, "the rest", servertest.ValueAt(defaults, "header"), servertest.ValueAt(part, "header"))
		l.put(map[string]any{}, http.StatusOK)
		servertest.Equal(t, "nothing", defaults, l.get("reader"))
	})
}

// TestCustomizationDefaultsToSiteTitleAndIcon checks that title and icon of a customization are those of the site
// until others are set, also if a response is sent back.
func TestCustomizationDefaultsToSiteTitleAndIcon(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		l, site := newCustomizedSite(w, "Before")
		l.put(l.get("creator"), http.StatusOK)
		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{Title: api.Some("After"), Icon: api.Some(api.SiteIcon{Emoji: "🦊"})},
		})
		got := l.get("reader")
		servertest.Equal(t, "title", any("After"), got["title"])
		servertest.Equal(t, "favicon", any(map[string]any{"emoji": "🦊"}), got["favicon"])
		l.put(map[string]any{"title": "Mine", "favicon": map[string]any{"emoji": "🐢"}}, http.StatusOK)
		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: site, Body: api.SitePatch{Title: api.Some("Later"), Icon: api.Null[api.SiteIcon]()},
		})
		got = l.get("reader")
		servertest.Equal(t, "title of its own", any("Mine"), got["title"])
		servertest.Equal(t, "favicon of its own", any(map[string]any{"emoji": "🐢"}), got["favicon"])
	})
}

// TestCustomizationRejectsInvalidValues checks that unsupported features and unsafe links are refused.
func TestCustomizationRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		l, _ := newCustomizedSite(w, "Site")
		for body, field := range map[string]string{
			`{"ai":{"mode":"search"}}`:                   "ai.mode",
			`{"feedback":{"enabled":true}}`:              "feedback.enabled",
			`{"advancedCustomization":{"enabled":true}}`: "advancedCustomization.enabled",
			`{"favicon":{"emoji":"🦊","icon":{"light":"https://a.example/i","dark":"https://a.example/i"}}}`:                                        "favicon",
			`{"favicon":{"icon":{"light":"http://a.example/i","dark":"https://a.example/i"}}}`:                                                     "favicon.icon.light",
			`{"socialPreview":{"url":"data:image/png;base64,AA"}}`:                                                                                 "socialPreview.url",
			`{"styling":{"font":{"id":"f","custom":true,"fontFamily":"F","fontFaces":[{"weight":400,"sources":[{"url":"http://a.example/f"}]}]}}}`: "styling.font.fontFaces[0].sources[0].url",
			`{"styling":{"font":"Comic"}}`:                                                         "styling.font",
			`{"styling":{"font":{"id":"f","name":"x"}}}`:                                           "styling.font.name",
			`{"styling":{"primaryColor":{"light":"red"}}}`:                                         "styling.primaryColor.light",
			`{"styling":{"tint":{"color":{"light":"#123"}}}}`:                                      "styling.tint.color.dark",
			`{"pageActions":{"externalAI":true,"items":["markdown"]}}`:                             "pageActions.externalAI",
			`{"header":{"links":[{"title":"x","to":{"kind":"url","url":"javascript:alert(1)"}}]}}`: "header.links[0].to.url",
			`{"header":{"links":[{"title":"x","to":{"kind":"page","url":"https://a.example"}}]}}`:  "header.links[0].to.page",
			`{"header":{"links":[{"to":null}]}}`:                                                   "header.links[0].title",
			`{"header":{"links":[{"title":"x","to":null,"condition":"visitor.claims.a =="}]}}`:     "header.links[0].condition",
			`{"footer":{"groups":[{"title":"x","links":[{"title":"y","to":null}]}]}}`:              "footer.groups[0].links[0].to",
			`{"header":{"logo":{"light":"https://a.example/l"}}}`:                                  "header.logo.dark",
			`{"colour":"red"}`: "colour",
		} {
			a := l.put(json.RawMessage(body), http.StatusUnprocessableEntity)
			found := map[string]bool{}
			for _, f := range a.Error().Fields {
				found[f.Path] = true
			}
			if !found[field] {
				t.Errorf("%s is refused for %v, want %s", body, servertest.SortedKeys(found), field)
			}
		}
		servertest.Refused(w, "editor", api.UpdateSiteCustomization, api.UpdateSiteCustomizationInput{
			SiteRef: api.SiteRef{
				Organization: w.Org, Site: strings.TrimPrefix(l.path, "/v1/orgs/"+w.Org+"/sites/"),
			}, Body: api.SiteCustomizationPut{SiteCustomization: api.DefaultCustomization()},
		}, 403, api.ReasonForbidden)
	})
}

// TestCustomizationMergesPageActions checks that the page actions in two members are merged, and either member may be
// omitted.
func TestCustomizationMergesPageActions(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		l, _ := newCustomizedSite(w, "Site")
		for body, want := range map[string]string{
			`{}`:                              `{"externalAI":false,"markdown":true,"items":["markdown","pdf"]}`,
			`{"externalAI":true}`:             `{"externalAI":true,"markdown":true,"items":["markdown","pdf","external-ai"]}`,
			`{"markdown":false}`:              `{"externalAI":false,"markdown":false,"items":["pdf"]}`,
			`{"items":["external-ai"]}`:       `{"externalAI":true,"markdown":false,"items":["external-ai"]}`,
			`{"items":[],"externalAI":false}`: `{"externalAI":false,"markdown":false,"items":[]}`,
		} {
			l.put(json.RawMessage(`{"pageActions":`+body+`}`), http.StatusOK)
			var expected map[string]any
			w.Must(json.Unmarshal([]byte(want), &expected))
			servertest.Equal(t, body, any(expected), l.get("reader")["pageActions"])
		}
	})
}

// TestHeaderItemsAreFilteredForVisitors checks that header items whose condition a visitor does not satisfy are
// hidden from the visitor but not from members.
func TestHeaderItemsAreFilteredForVisitors(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		site, _, _ := newAdaptiveSite(w, api.SitePublic)
		path := "/v1/orgs/" + w.Org + "/sites/" + site.Site
		customizationAPI{w, path}.put(json.RawMessage(`{"header":{"links":[
			{"title":"All","to":null},{"title":"Pro","to":null,"condition":"visitor.claims.plan == \"pro\""}
		]}}`), http.StatusOK)
		titles := func(as string) (all []string) {
			for _, item := range servertest.Do(w, as, api.GetSitePublished, api.SiteVisit{SiteRef: site}).Customizations.Site.Header.Links {
				all = append(all, item.Title)
			}
			return all
		}
		servertest.Equal(t, "for visitors", []string{"All"}, titles(""))
		servertest.Equal(t, "for members", []string{"All", "Pro"}, titles("reader"))
	})
}

// TestCustomizationGoTypes checks that a request in Go can be built from the defaults or from a response.
func TestCustomizationGoTypes(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		_, site := newCustomizedSite(w, "Site")
		mine := servertest.Do(w, "reader", api.GetSiteCustomization, api.GetSiteCustomizationInput{SiteRef: site})
		mine.Styling.HeadingFont, mine.LocalizedTitle = &api.CustomizationFont{Name: "Lato"}, map[string]string{"fr": "Manuel"}
		in := api.UpdateSiteCustomizationInput{SiteRef: site, Body: api.SiteCustomizationPut{SiteCustomization: mine}}
		servertest.Equal(t, "answer", mine, servertest.Do(w, "creator", api.UpdateSiteCustomization, in))
	})
}
