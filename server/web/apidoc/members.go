package apidoc

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// memberDescriptions are the descriptions of members that mean the same in all objects, by name. They apply to strings whose type has no
// description of its own.
var memberDescriptions = map[string]string{
	"anchor":            "Id of a heading or block.",
	"app":               "Address of the page for people.",
	"changeRequest":     "Id of the change request.",
	"collection":        "Id of the collection.",
	"componentId":       "Id of a component of the integration.",
	"contentType":       "Media type.",
	"contributor":       "Id of a user.",
	"createdAt":         "Time of its creation.",
	"creator":           "Id of a user.",
	"deletedAt":         "Time of its deletion; absent if it is not deleted.",
	"editedAt":          "Time of the last change of its text; absent without one.",
	"emoji":             "An emoji as Unicode characters.",
	"file":              "Id of the file.",
	"icon":              "Name of an icon.",
	"installation":      "Id of the installation.",
	"installationId":    "Id of the installation.",
	"location":          "Address in this API.",
	"markdown":          "Text as Markdown.",
	"organization":      "Id of the organization.",
	"page":              "Id of the page.",
	"path":              "Path without a slash at either end.",
	"photoURL":          "Address of a picture of the person.",
	"postedAt":          "Time when it was published.",
	"published":         "Address for visitors.",
	"requestedReviewer": "Id of a user.",
	"resultType":        "Kind of the hit.",
	"site":              "Id of the site.",
	"siteSection":       "Id of the site section.",
	"siteSpace":         "Id of the site space.",
	"slug":              "Name in addresses.",
	"space":             "Id of the space.",
	"spec":              "Slug of the OpenAPI specification.",
	"updatedAt":         "Time of the last change.",
	"user":              "Id of the user.",
}

// describeMember adds the description of a member to its schema v if it has none. Permissions of the caller are named after what they
// allow.
func describeMember(v map[string]any, of *api.Schema, f api.Field) {
	if v["description"] != nil || v["$ref"] != nil {
		return
	}
	switch {
	case f.Name == "icon" && (f.Schema.Format == "uri" || strings.HasSuffix(of.Name, "URLs")):
		addDescription(v, "Address of a picture.")
	case f.Schema.Kind == api.KindString:
		addDescription(v, memberDescriptions[f.Name])
	case f.Schema.Kind == api.KindBoolean && strings.HasSuffix(of.Name, "Permissions"):
		addDescription(v, "Whether the caller has this permission.")
	}
}
