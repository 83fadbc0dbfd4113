package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TranslationsService manages translation settings.
type TranslationsService struct{ c *Client }

// List lists the translation settings of an organization.
func (s TranslationsService) List(ctx context.Context, in api.ListTranslationsInput, options ...CallOption) (api.Page[api.Translation], error) {
	return call(ctx, s.c, api.ListTranslations, in, options)
}

// Create creates translation settings.
func (s TranslationsService) Create(ctx context.Context, in api.CreateTranslationInput, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.CreateTranslation, in, options)
}

// Get shows translation settings.
func (s TranslationsService) Get(ctx context.Context, in api.TranslationRef, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.GetTranslation, in, options)
}

// Update changes the title of translation settings.
func (s TranslationsService) Update(ctx context.Context, in api.UpdateTranslationInput, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.UpdateTranslation, in, options)
}

// Delete deletes translation settings.
func (s TranslationsService) Delete(ctx context.Context, in api.TranslationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteTranslation, in, options)
}

// AddLanguage adds a language to translate into.
func (s TranslationsService) AddLanguage(ctx context.Context, in api.TranslationLanguageRef, options ...CallOption) (api.Translation, error) {
	return call(ctx, s.c, api.AddTranslationLanguage, in, options)
}

// RemoveLanguage removes a language.
func (s TranslationsService) RemoveLanguage(ctx context.Context, in api.TranslationLanguageRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveTranslationLanguage, in, options)
}
