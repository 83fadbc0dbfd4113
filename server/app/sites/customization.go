package sites

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteCustomizationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetSiteCustomization, auth.InSite(api.RoleRead), s.getCustomization),
		rest.Write(api.UpdateSiteCustomization, auth.InSite(api.RoleCreate), s.updateCustomization).Of(rest.Site),
	}
}

func (s *Service) getCustomization(_ context.Context, c *rest.Call, b *txn.Batch, in api.GetSiteCustomizationInput) rest.Finish[api.SiteCustomization] {
	return readingSite(c, b, in.Site, customizationResult)
}

func customizationResult(d store.SiteDocument) (rest.Result[api.SiteCustomization], error) {
	result, err := rest.Value(customizationOf(d))
	result.ID = d.Fields.ID
	return result.Versioned(fmt.Sprint(d.Version)), err
}

// customizationOf is how a site is to look. Its title and icon are those of the site unless others are set.
func customizationOf(d store.SiteDocument) api.SiteCustomization {
	look := api.DefaultCustomization()
	if d.Private.Customization != nil {
		look = *d.Private.Customization
	}
	if look.Title == "" {
		look.Title = d.Fields.Title
	}
	if look.Favicon == (api.CustomizationFavicon{}) {
		look.Favicon = ownFavicon(d.Fields.Icon)
	}
	return look
}

// shownCustomization is how a site is to look to the caller: visitors are not told of items that are not for them.
func shownCustomization(v *view.Site) api.SiteCustomization {
	look := customizationOf(v.D)
	look.Header.Links = slices.DeleteFunc(slices.Clone(look.Header.Links), func(item api.CustomizationHeaderItem) bool { return !v.Meets(item.Condition) })
	return look
}

// ownFavicon is the icon of a site as a favicon, none where its pictures are not https.
func ownFavicon(icon *api.SiteIcon) (none api.CustomizationFavicon) {
	switch {
	case icon == nil:
		return none
	case icon.Icon == nil:
		return api.CustomizationFavicon{Emoji: icon.Emoji}
	case !strings.HasPrefix(icon.Icon.Light, "https://") || !strings.HasPrefix(icon.Icon.Dark, "https://"):
		return none
	}
	return api.CustomizationFavicon{Icon: &api.CustomizationThemedURL{Light: icon.Icon.Light, Dark: icon.Icon.Dark}}
}

// updateCustomization replaces how a site is to look. Who gives it the title or the icon that it has anyway has not
// set another one: it goes on following the site.
func (s *Service) updateCustomization(_ context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSiteCustomizationInput) (none rest.Result[api.SiteCustomization], err error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	look := in.Body.SiteCustomization
	if err := checkItems(d, look.Header.Links); err != nil {
		return none, err
	}
	if look.Title == d.Fields.Title {
		look.Title = ""
	}
	if reflect.DeepEqual(look.Favicon, ownFavicon(d.Fields.Icon)) {
		look.Favicon = api.CustomizationFavicon{}
	}
	before := api.DefaultCustomization()
	if d.Private.Customization != nil {
		before = *d.Private.Customization
	}
	unchanged := reflect.DeepEqual(before, look)
	if !unchanged {
		d.Private.Customization = &look
		if err := putSite(c, tx, &d); err != nil {
			return none, err
		}
	}
	result, err := customizationResult(d)
	result.Unchanged = unchanged
	return result, err
}

// checkItems refuses conditions of items of the header that cannot be read, or that no visitor of the site could meet.
func checkItems(d store.SiteDocument, items []api.CustomizationHeaderItem) error {
	for i, item := range items {
		if item.Condition == "" {
			continue
		}
		err := checkCondition(d, api.Some(item.Condition))
		if e := (*api.Error)(nil); errors.As(err, &e) && len(e.Fields) > 0 {
			return api.InvalidField(fmt.Sprintf("header.links[%d].condition", i), "%s", e.Fields[0].Message)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
