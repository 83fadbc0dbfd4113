package sites

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
)

// samplePages maps the names of samples to the initial pages of a space that is created with a site.
var samplePages = map[string][]spaces.SamplePage{
	api.SpaceEmpty: nil,
	api.SpaceSample: {
		{Title: "Welcome", Markdown: "# Welcome\n\nThis is the first page of your site. Change it in a change request, and merge that.\n"},
		{
			Title: "Write", Markdown: "# Write\n\nPages are Markdown. What readers see is the merged text; drafts stay in change " +
				"requests.\n\n- Link pages by their path.\n- Put files next to the text that shows them.\n",
		},
	},
}
