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
		rest.Write(api.UpdateSiteCustomization, auth.InSite(api.RoleCreate), s.updateCustomization).On(rest.Site),
	}
}

func (s *Service) getCustomization(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.GetSiteCustomizationInput,
) rest.Finish[api.SiteCustomization] {
	return readSite(r, b, in.Site, customizationResult)
}

func customizationResult(d store.SiteDocument) (rest.Result[api.SiteCustomization], error) {
	result, err := rest.Value(customizationWithDefaults(d))
	result.ID = d.Fields.ID
	return result.WithVersion(fmt.Sprint(d.Version)), err
}

// customizationWithDefaults returns the customization of a site. Title and icon default to those of the site.
func customizationWithDefaults(d store.SiteDocument) api.SiteCustomization {
	look := api.DefaultCustomization()
	if d.Private.Customization != nil {
		look = *d.Private.Customization
	}
	if look.Title == "" {
		look.Title = d.Fields.Title
	}
	if look.Favicon == (api.CustomizationFavicon{}) {
		look.Favicon = faviconOf(d.Fields.Icon)
	}
	return look
}

// visibleCustomization returns the customization without the header items that are hidden from the visitor.
func visibleCustomization(v *view.Site) api.SiteCustomization {
	look := customizationWithDefaults(v.Document)
	look.Header.Links = slices.DeleteFunc(slices.Clone(look.Header.Links), func(item api.CustomizationHeaderItem) bool {
		return !v.MeetsCondition(item.Condition)
	})
	return look
}

// faviconOf returns the favicon for a site icon. It is empty if the images of the icon are not https URLs.
func faviconOf(icon *api.SiteIcon) (none api.CustomizationFavicon) {
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

// updateCustomization replaces the customization of a site. A title or icon equal to that of the site is not stored,
// so that it continues to follow the site.
func (s *Service) updateCustomization(_ context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSiteCustomizationInput,
) (none rest.Result[api.SiteCustomization], err error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	look := in.Body.SiteCustomization
	if err := checkHeaderItems(d, look.Header.Links); err != nil {
		return none, err
	}
	if look.Title == d.Fields.Title {
		look.Title = ""
	}
	if reflect.DeepEqual(look.Favicon, faviconOf(d.Fields.Icon)) {
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

// checkHeaderItems is like checkCondition for the conditions of header items.
func checkHeaderItems(d store.SiteDocument, items []api.CustomizationHeaderItem) error {
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
