package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// TranslationDocument is the document of translation settings.
type TranslationDocument = Document[api.TranslationFields, struct{}]

// TranslationPrefix is the prefix of the identifiers of translation settings.
const TranslationPrefix = "tr_"

// IndexTranslations is the index of translation settings by id.
const IndexTranslations = "translations"

// TranslationsKey returns the key of the index of an organization's translation settings.
func TranslationsKey(org string) redis.Key { return IndexKey(org, IndexTranslations, org) }

// Translation reads translation settings.
func (tx *Tx) Translation(org, id string) (TranslationDocument, error) {
	return ReadDocument[api.TranslationFields, struct{}](tx, TranslationKey(org, id))
}

// PutTranslation writes translation settings with their index.
func (tx *Tx) PutTranslation(org string, t TranslationDocument) (txn.Record, error) {
	tx.Add(TranslationsKey(org), t.Fields.ID)
	return PutDocument(tx, TranslationKey(org, t.Fields.ID), t)
}

// DeleteTranslation removes translation settings. tx must have read them.
func (tx *Tx) DeleteTranslation(org, id string) {
	tx.Delete(TranslationKey(org, id))
	tx.Remove(TranslationsKey(org), id)
}
