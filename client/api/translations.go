package api

import "net/http"

// Routes of translation settings and their languages.
var (
	ListTranslations = get[ListTranslationsInput, Page[Translation]]("translations.list", "/v1/orgs/{organizationId}/translations",
		"List the translation settings of an organization.", withOperation("listTranslations"))
	CreateTranslation = create[CreateTranslationInput, Translation]("translations.create", "/v1/orgs/{organizationId}/translations",
		"Create translation settings.", withOperation("createTranslation"))
	GetTranslation = get[TranslationRef, Translation]("translations.get",
		"/v1/orgs/{organizationId}/translations/{translationSettingsId}", "Show translation settings.", withOperation("getTranslation"))
	UpdateTranslation = put[UpdateTranslationInput, Translation]("translations.update",
		"/v1/orgs/{organizationId}/translations/{translationSettingsId}", "Change the title of translation settings.",
		withOperation("updateTranslation"))
	DeleteTranslation = remove[TranslationRef]("translations.delete",
		"/v1/orgs/{organizationId}/translations/{translationSettingsId}", http.StatusResetContent, "Delete translation settings.",
		withOperation("deleteTranslation"))
	AddTranslationLanguage = put[TranslationLanguageRef, Translation]("translations.add-language",
		"/v1/orgs/{organizationId}/translations/{translationSettingsId}/languages/{language}", "Add a language to translate into.")
	RemoveTranslationLanguage = remove[TranslationLanguageRef]("translations.remove-language",
		"/v1/orgs/{organizationId}/translations/{translationSettingsId}/languages/{language}", http.StatusResetContent,
		"Remove a language.")
)

// ListTranslationsInput is the input of ListTranslations.
type ListTranslationsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// TranslationRef identifies translation settings.
type TranslationRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Translation  string `path:"translationSettingsId" pattern:"id"`
}

// CreateTranslationInput is the input of CreateTranslation.
type CreateTranslationInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         TranslationCreate
}

// TranslationCreate is the body of CreateTranslation and UpdateTranslation.
type TranslationCreate struct {
	Title string `json:"title" len:"1..100"`
}

// UpdateTranslationInput is the input of UpdateTranslation.
type UpdateTranslationInput struct {
	TranslationRef
	Body TranslationCreate
}

// TranslationLanguageRef identifies a language of translation settings.
type TranslationLanguageRef struct {
	TranslationRef
	Language Language `path:"language"`
}

// Language is the code of a target language of translations.
type Language string

// Values returns the languages.
func (Language) Values() []Language {
	return []Language{
		"en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl", "pl", "tr", "sv",
		"no", "da", "fi",
		"el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv", "et", "sl",
	}
}

// TranslationFields holds the stored members of Translation.
type TranslationFields struct {
	Object    string     `json:"object" enum:"translation-settings"`
	ID        string     `json:"id"`
	Title     string     `json:"title" len:"1..100"`
	Languages []Language `json:"languages" doc:"Languages that the space is translated into."`
	CreatedAt Time       `json:"createdAt"`
	UpdatedAt Time       `json:"updatedAt"`
}

// Translation is a set of target languages for the translation of content.
type Translation struct {
	TranslationFields
	Permissions TranslationPermissions `json:"permissions"`
	URLs        LocationURLs           `json:"urls"`
}

var _ = declareColumns[Translation]("id,title,languages,updatedAt")

// TranslationPermissions are the permissions of the caller on translation settings.
type TranslationPermissions struct {
	View bool `json:"view"`
	Edit bool `json:"edit"`
}
