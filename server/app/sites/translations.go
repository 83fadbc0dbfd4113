package sites

import (
	"context"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) translationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListTranslations, auth.InOrganization(api.RoleAdmin), s.listTranslations),
		rest.Write(api.CreateTranslation, auth.InOrganization(api.RoleAdmin), s.createTranslation).On(rest.Organization),
		rest.Read(api.GetTranslation, auth.InOrganization(api.RoleAdmin), s.getTranslation),
		rest.Write(api.UpdateTranslation, auth.InOrganization(api.RoleAdmin), s.updateTranslation).On(rest.Translation),
		rest.Write(api.DeleteTranslation, auth.InOrganization(api.RoleAdmin),
			s.deleteTranslation).On(rest.Translation).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Write(api.AddTranslationLanguage, auth.InOrganization(api.RoleAdmin), s.addTranslationLanguage).On(rest.Translation),
		rest.Write(api.RemoveTranslationLanguage, auth.InOrganization(api.RoleAdmin),
			s.removeTranslationLanguage).On(rest.Translation).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
	}
}

func (s *Service) translationURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/translations/" + id
}

// encodeTranslation returns the JSON of translation settings. Only admins can read them, so all permissions are true.
func (s *Service) encodeTranslation(org, id string, public []byte) *rest.Object {
	return rest.ExtendObject(public).
		Set("permissions", api.TranslationPermissions{View: true, Edit: true}).
		Set("urls", api.LocationURLs{Location: s.translationURL(org, id)})
}

func (s *Service) translationResult(org, id string, r txn.Record) (rest.Result[api.Translation], error) {
	result, err := rest.ObjectResult[api.Translation](s.encodeTranslation(org, id, r.Public))
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

func (s *Service) listTranslations(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListTranslationsInput,
) rest.Finish[api.Page[api.Translation]] {
	return rest.ListIndexed[api.Translation](r, b, in.ListOptions, rest.IndexedList{
		Index: store.TranslationsKey(in.Organization),
		Key:   func(id string) redis.Key { return store.TranslationKey(in.Organization, id) },
		Encode: func(_ *rest.Call, id string, r txn.Record) ([]byte, error) {
			return s.encodeTranslation(in.Organization, id, r.Public).Bytes()
		},
	})
}

func (s *Service) getTranslation(_ context.Context, _ *rest.Request, b *txn.Batch, in api.TranslationRef) rest.Finish[api.Translation] {
	translation := b.Record(store.TranslationKey(in.Organization, in.Translation))
	return func(context.Context, *rest.Call) (rest.Result[api.Translation], error) {
		record, ok, err := translation.Get()
		if err != nil || !ok {
			return rest.Result[api.Translation]{}, rest.NotFoundIfNil(err)
		}
		return s.translationResult(in.Organization, in.Translation, record)
	}
}

func (s *Service) createTranslation(_ context.Context, _ *rest.Call, tx *store.Tx,
	in api.CreateTranslationInput,
) (rest.Result[api.Translation], error) {
	id := tx.NewID(store.TranslationPrefix)
	t, err := tx.Translation(in.Organization, id)
	if err != nil {
		return rest.Result[api.Translation]{}, err
	}
	now := api.At(tx.Now())
	t.Fields = api.TranslationFields{
		Object: "translation-settings", ID: id, Title: in.Body.Title, Languages: []api.Language{}, CreatedAt: now, UpdatedAt: now,
	}
	record, err := tx.PutTranslation(in.Organization, t)
	if err != nil {
		return rest.Result[api.Translation]{}, err
	}
	result, err := s.translationResult(in.Organization, id, record)
	return result.WithLocation(id, s.translationURL(in.Organization, id)), err
}

// changeTranslation calls change with the stored translation settings. If change reports that it modified them, the settings
// are stored with a new time of update. The error is not_found if they do not exist.
func (s *Service) changeTranslation(tx *store.Tx, ref api.TranslationRef, change func(
	*api.TranslationFields,
) bool,
) (none rest.Result[api.Translation], err error) {
	t, err := tx.Translation(ref.Organization, ref.Translation)
	if err != nil || t.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	changed := change(&t.Fields)
	if changed {
		t.Fields.UpdatedAt = revision.ChangeTime(t.Fields.CreatedAt, tx.Now())
	}
	return rest.PutIfChanged(tx, store.TranslationKey(ref.Organization, ref.Translation), changed,
		func() (txn.Record, error) { return tx.PutTranslation(ref.Organization, t) },
		func(r txn.Record) (rest.Result[api.Translation], error) {
			return s.translationResult(ref.Organization, ref.Translation, r)
		})
}

func (s *Service) updateTranslation(_ context.Context, _ *rest.Call, tx *store.Tx,
	in api.UpdateTranslationInput,
) (rest.Result[api.Translation], error) {
	return s.changeTranslation(tx, in.TranslationRef, func(t *api.TranslationFields) bool {
		return api.Some(in.Body.Title).Apply(&t.Title)
	})
}

func (s *Service) addTranslationLanguage(_ context.Context, _ *rest.Call, tx *store.Tx,
	in api.TranslationLanguageRef,
) (rest.Result[api.Translation], error) {
	return s.changeTranslation(tx, in.TranslationRef, func(t *api.TranslationFields) bool {
		if slices.Contains(t.Languages, in.Language) {
			return false
		}
		t.Languages = append(t.Languages, in.Language)
		return true
	})
}

func (s *Service) removeTranslationLanguage(_ context.Context, _ *rest.Call, tx *store.Tx,
	in api.TranslationLanguageRef,
) (rest.Result[api.None], error) {
	result, err := s.changeTranslation(tx, in.TranslationRef, func(t *api.TranslationFields) bool {
		before := len(t.Languages)
		t.Languages = slices.DeleteFunc(t.Languages, func(l api.Language) bool { return l == in.Language })
		return len(t.Languages) < before
	})
	if err == nil && result.Unchanged {
		err = rest.AbsentIfNil(nil)
	}
	return rest.None(in.Translation), err
}

func (s *Service) deleteTranslation(_ context.Context, _ *rest.Call, tx *store.Tx, in api.TranslationRef) (rest.Result[api.None], error) {
	t, err := tx.Translation(in.Organization, in.Translation)
	if err != nil || t.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	tx.DeleteTranslation(in.Organization, in.Translation)
	var languages []api.TakenThing
	for _, language := range t.Fields.Languages {
		languages = append(languages, api.TakenThing{ID: string(language)})
	}
	return rest.Removed(api.Removal{
		ID: in.Translation, Title: t.Fields.Title, With: []api.Taken{api.NewTaken("languages", len(languages), languages...)},
	}), nil
}
