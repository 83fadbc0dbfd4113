package api

import "reflect"

// lacking is implemented by bodies whose counterparts in the public API have members for features that wsd does not have. Lacking
// returns the names of the members with the reason for which they are refused.
type lacking interface{ Lacking() map[string]string }

// lackingMembers returns the members that a type lacks, or nil.
func lackingMembers(t reflect.Type) map[string]string {
	if body, ok := reflect.TypeAssert[lacking](reflect.Zero(t)); ok {
		return body.Lacking()
	}
	return nil
}

// Reasons of several bodies.
const (
	noDrafts       = "sites have no drafts here, and what is changed is shown at once"
	noStartPage    = "a site shows a space from its first page on"
	noTemplates    = "wsd has no templates"
	noTranslations = "titles and descriptions of sites have one language here"
	noNesting      = "section groups have no groups in them here"
)

// Lacking implements lacking.
func (ReplyUpdate) Lacking() map[string]string {
	return map[string]string{"resolved": "a comment is resolved with its replies; a reply alone is not"}
}

// Lacking implements lacking.
func (ReviewRequest) Lacking() map[string]string {
	return map[string]string{"description": "a request for a review has no text here; comment on the change request, or describe it"}
}

// Lacking implements lacking.
func (SitePatch) Lacking() map[string]string {
	return map[string]string{
		"defaultLevel": "a site has no default role here; people have that in the organization, or one in the permissions of the site",
		"styleguide":   "wsd has no style guides",
	}
}

// Lacking implements lacking.
func (SiteSpaceCreate) Lacking() map[string]string {
	return map[string]string{
		"title": "a site space has the title of its space here", "pageId": noStartPage, "draft": noDrafts, "template": noTemplates,
	}
}

// Lacking implements lacking.
func (SiteSpacePatch) Lacking() map[string]string {
	return map[string]string{
		"hidden": "a site space cannot be hidden here; a condition limits who sees it", "pageId": noStartPage, "draft": noDrafts,
	}
}

// Lacking implements lacking.
func (SiteSectionCreate) Lacking() map[string]string {
	return map[string]string{"pageId": noStartPage, "draft": noDrafts, "template": noTemplates}
}

// Lacking implements lacking.
func (SiteSectionPatch) Lacking() map[string]string {
	return map[string]string{"localizedTitle": noTranslations, "localizedDescription": noTranslations, "draft": noDrafts}
}

// Lacking implements lacking.
func (SiteSectionGroupCreate) Lacking() map[string]string {
	return map[string]string{"parent": noNesting, "draft": noDrafts}
}

// Lacking implements lacking.
func (SiteSectionGroupPatch) Lacking() map[string]string {
	return map[string]string{"localizedTitle": noTranslations, "parentSectionGroupId": noNesting, "draft": noDrafts}
}

// Lacking implements lacking.
func (OrganizationCreate) Lacking() map[string]string {
	return map[string]string{"onboardingPreferences": "wsd has no introduction of new organizations that it could adapt"}
}
