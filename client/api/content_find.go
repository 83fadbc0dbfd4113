package api

// FindContent is the route that resolves a URL to content.
var FindContent = get[FindContentInput, FoundContent]("content.find", "/v1/urls/content",
	"Show what is at an address: of the app, of this interface, or of a published site.", withOperation("getContentByUrl"))

// FindContentInput is the input of FindContent.
type FindContentInput struct {
	URL string `query:"url" secret:"true" required:"true" len:"1..2048" format:"uri" doc:"An address of a collection, a space, a change request or a page."`
}

// FoundContent is the content at a URL: a collection, or a space with the change request and page in the URL.
type FoundContent struct {
	Collection    *Collection    `json:"collection,omitzero"`
	Space         *Space         `json:"space,omitzero"`
	ChangeRequest *ChangeRequest `json:"changeRequest,omitzero"`
	Page          *RevisionPage  `json:"page,omitzero" doc:"Without its text."`
}
