package api

// Routes that return only the text of a resource, as a document.
var (
	GetContentDocument = get[DocumentInput, JSONDocument]("content.get-document",
		"/v1/spaces/{spaceId}/documents/{documentId}", "Show the text that documentId of a page names, or before and after of a change, "+
			"as a document.", withOperation("getDocumentById"))
	GetRevisionPageDocument = get[RevisionPageDocumentInput, JSONDocument]("revisions.get-page-document",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document", "Show the text of a page as it was in a revision, as a "+
			"document.", withOperation("getPageDocumentInRevisionById"))
	GetRevisionReusableContentDocument = get[RevisionReusableContentDocumentInput, JSONDocument]("revisions.get-reusable-content-document",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document",
		"Show the text of a reusable content as it was in a revision, as a document.",
		withOperation("getReusableContentDocumentInRevisionById"))
)

// DocumentInput is the input of GetContentDocument.
type DocumentInput struct {
	Space    string `path:"spaceId" pattern:"id"`
	Document string `path:"documentId" pattern:"id"`
	Schema   string `query:"schema" enum:"current,next" default:"current" doc:"There is one schema of documents, which both name."`
}

// RevisionPageDocumentInput is the input of GetRevisionPageDocument.
type RevisionPageDocumentInput struct {
	RevisionRef
	Page string `path:"pageId" pattern:"id"`
	TextOptions
}

// RevisionReusableContentDocumentInput is the input of GetRevisionReusableContentDocument.
type RevisionReusableContentDocumentInput struct {
	RevisionRef
	ReusableContent string `path:"reusableContentId" pattern:"id"`
	TextOptions
}
