package api

// ApplySuggestionsInput is the input of ApplyChangeRequestSuggestions.
type ApplySuggestionsInput struct {
	ChangeRequestRef
	Body SuggestionsApply
}

// SuggestionsApply is the body of ApplyChangeRequestSuggestions.
type SuggestionsApply struct {
	Revision string   `json:"revision" pattern:"id" doc:"The head of the change request that they were shown for; if it has moved, nothing is applied."`
	Comments []string `json:"comments" len:"1..100" each:"1..100" unique:"true" doc:"Ids of the comments whose suggestions are applied. Each has to stand where its original text still is, and none may overlap another."`
}

// SuggestionsApplied is the result of ApplyChangeRequestSuggestions.
type SuggestionsApplied struct {
	Revision string   `json:"revision" doc:"The new head of the change request."`
	Comments []string `json:"comments" doc:"The comments that are resolved by it, with the outcome applied."`
	Pages    []string `json:"pages" doc:"Ids of the pages that were edited."`
}
