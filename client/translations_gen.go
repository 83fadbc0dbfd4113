// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TranslationsService manages translation settings.
type TranslationsService struct{ c *Client }

// AddLanguage adds a language to translate into.
//
//	PUT /v1/orgs/{organizationId}/translations/{translationSettingsId}/languages/{language} (operation translationsAddLanguage)
func (s TranslationsService) AddLanguage(ctx context.Context, in api.TranslationLanguageRef, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.AddTranslationLanguage, in, options)
}

// Create creates translation settings.
//
//	POST /v1/orgs/{organizationId}/translations (operation createTranslation)
func (s TranslationsService) Create(ctx context.Context, in api.CreateTranslationInput, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.CreateTranslation, in, options)
}

// Delete deletes translation settings.
//
//	DELETE /v1/orgs/{organizationId}/translations/{translationSettingsId} (operation deleteTranslation)
func (s TranslationsService) Delete(ctx context.Context, in api.TranslationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteTranslation, in, options)
}

// Get shows translation settings.
//
//	GET /v1/orgs/{organizationId}/translations/{translationSettingsId} (operation getTranslation)
func (s TranslationsService) Get(ctx context.Context, in api.TranslationRef, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.GetTranslation, in, options)
}

// List lists the translation settings of an organization. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/orgs/{organizationId}/translations (operation listTranslations)
func (s TranslationsService) List(ctx context.Context, in api.ListTranslationsInput, options ...CallOption) (api.Page[api.Translation], error) {
	return call(ctx, s.c, api.ListTranslations, in, options)
}

// RemoveLanguage removes a language.
//
//	DELETE /v1/orgs/{organizationId}/translations/{translationSettingsId}/languages/{language} (operation translationsRemoveLanguage)
func (s TranslationsService) RemoveLanguage(ctx context.Context, in api.TranslationLanguageRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveTranslationLanguage, in, options)
}

// Update changes the title of translation settings.
//
//	PUT /v1/orgs/{organizationId}/translations/{translationSettingsId} (operation updateTranslation)
func (s TranslationsService) Update(ctx context.Context, in api.UpdateTranslationInput, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.UpdateTranslation, in, options)
}
