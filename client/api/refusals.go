package api

// Routes of the public API for features that wsd does not have. They are mounted so that clients get an explicit
// error, or not_found if the caller may not see the space. They have no command and no client method.
var (
	GetSpaceGitInfo = get[SpaceRef, GitSync]("spaces.get-git-info", "/v1/spaces/{spaceId}/git/info",
		"Always 404: wsd synchronizes with no git.", markRefused, withOperation("getSpaceGitInfo"))
	ApplyContentTemplate = create[ApplyTemplateInput, None]("content.apply-template", "/v1/spaces/{spaceId}/content/template",
		"Always 422: wsd has no templates.", markRefused, withOperation("applyTemplateToSpace"))
)

// ApplyTemplateInput is the input of ApplyContentTemplate.
type ApplyTemplateInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  TemplateApply
}

// TemplateApply is the body of ApplyContentTemplate.
type TemplateApply struct {
	ID            string     `json:"id" len:"1..200" doc:"The template."`
	Params        JSONObject `json:"params,omitzero" len:"..100" keys:"..100" each:"..4096" doc:"What its placeholders become."`
	ChangeRequest string     `json:"changeRequestId,omitzero" pattern:"id" doc:"Where to apply it; default the space."`
}
