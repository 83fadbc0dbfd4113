package api

// Routes of adaptive content and visitor authentication of sites.
var (
	GetSiteAdaptiveSchema = get[SiteRef, SiteAdaptiveSchema]("sites.get-adaptive-schema",
		"/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", "Show which claims a docs site expects of its visitors.",
		withOperation("getSiteAdaptiveSchema"))
	UpdateSiteAdaptiveSchema = put[UpdateAdaptiveSchemaInput, SiteAdaptiveSchema]("sites.update-adaptive-schema",
		"/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", "Set which claims a docs site expects of its visitors.",
		withOperation("updateSiteAdaptiveSchema"))
	ListSiteTemplateConditions = get[SiteRef, TemplateConditions]("sites.list-template-conditions",
		"/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions", "List conditions that the expected claims suggest.",
		withOperation("listSiteAdaptiveTemplateConditions"))

	GetSiteAuth = get[SiteRef, PublishingAuth]("sites.get-auth", "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth",
		"Show how visitors of a docs site are authenticated, with the key that signs their tokens.")
	UpdateSiteAuth = patch[UpdateSiteAuthInput, PublishingAuth]("sites.update-auth",
		"/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth", "Change where visitors of a docs site sign in.", markSecret)
	RegenerateSiteAuth = post[SiteRef, PublishingAuth]("sites.regenerate-auth",
		"/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate", "Make a new key that signs the tokens of visitors; the "+
			"old one stops at once.", markSecret)
)

// UpdateAdaptiveSchemaInput is the input of UpdateSiteAdaptiveSchema.
type UpdateAdaptiveSchemaInput struct {
	SiteRef
	Body AdaptiveSchemaUpdate
}

// AdaptiveSchemaUpdate is the body of UpdateSiteAdaptiveSchema.
type AdaptiveSchemaUpdate struct {
	JSONSchema JSONObject `json:"jsonSchema" len:"0..100" keys:"..100" each:"..32768" doc:"JSON Schema draft-07 of an object: claims are boolean, string with or without enum, number, array or object, each with or without a description."`
}

// SiteAdaptiveSchema is the schema of the claims that a site expects of its visitors.
type SiteAdaptiveSchema struct {
	Object     string     `json:"object" enum:"site-adaptive-schema"`
	JSONSchema JSONObject `json:"jsonSchema" doc:"JSON Schema of the claims of visitors."`
	UpdatedAt  Time       `json:"updatedAt"`
}

// TemplateConditions are example conditions.
type TemplateConditions struct {
	Items []TemplateCondition `json:"items"`
}

// TemplateCondition is a condition with its description.
type TemplateCondition struct {
	Description string `json:"description"`
	Condition   string `json:"condition" doc:"Expression over the claims of visitors."`
}

// UpdateSiteAuthInput is the input of UpdateSiteAuth.
type UpdateSiteAuthInput struct {
	SiteRef
	Body PublishingAuthPatch
}

// PublishingAuthPatch is the body of UpdateSiteAuth.
type PublishingAuthPatch struct {
	FallbackURL Optional[string] `json:"fallbackURL,omitzero" format:"uri" len:"1..2048" null:"true" doc:"Where visitors without a valid token are told to sign in; null removes it."`
}

// PublishingAuth is the authentication of visitors of a site: a JWT in the query parameter jwt_token, signed with
// HS256 and the key.
type PublishingAuth struct {
	Object      string `json:"object" enum:"publishing-auth"`
	ID          string `json:"id" doc:"Of the site."`
	Backend     string `json:"backend" enum:"custom" doc:"Always custom: whoever has the key signs."`
	PrivateKey  string `json:"privateKey" doc:"The bytes of this text are the key."`
	FallbackURL string `json:"fallbackURL,omitzero" doc:"Where visitors without a valid token are sent."`
}
