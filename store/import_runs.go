package store

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ImportRunPrivate is the server-side part of an import run.
type ImportRunPrivate struct {
	// Revision and Source are the revision that a completed run created and the source of its pages.
	Revision string `json:"revision,omitzero"`
	Source   string `json:"source,omitzero"`
}

// ImportRunDocument is the document of an import run.
type ImportRunDocument = Document[api.ImportRunFields, ImportRunPrivate]

// ImportRunPrefix is the prefix of the identifiers of import runs.
const ImportRunPrefix = "imp_"

// ImportKind is the kind of the jobs of import runs.
const ImportKind = "import"

// ImportJob returns the name of the job of an import run.
func ImportJob(run string) string { return txn.JobName(ImportKind, run) }

// IndexImportRuns is the index of import runs; RunsActive is the filter of the runs that are not finished.
const IndexImportRuns = "imports"

// ImportRunKey returns the key of the record of an import run.
func ImportRunKey(org, run string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "imp", run)
}

// ImportRunsKey returns the key of the index of an organization's import runs by age: all, or the active ones.
func ImportRunsKey(org string, filter ...string) redis.Key {
	return IndexKey(org, IndexImportRuns, "all", filter...)
}

// ImportRun reads an import run.
func (tx *Tx) ImportRun(org, run string) (ImportRunDocument, error) {
	return ReadDocument[api.ImportRunFields, ImportRunPrivate](tx, ImportRunKey(org, run))
}

// PutImportRun writes an import run with its indexes.
func (tx *Tx) PutImportRun(org string, d ImportRunDocument) (txn.Record, error) {
	tx.Add(ImportRunsKey(org), d.Fields.ID)
	if active := ImportRunsKey(org, string(api.RunsActive)); d.Fields.Status.Active() {
		tx.Add(active, d.Fields.ID)
	} else {
		tx.Remove(active, d.Fields.ID)
	}
	return PutDocument(tx, ImportRunKey(org, d.Fields.ID), d)
}

// DeleteImportRun removes a finished import run. tx must have read it.
func (tx *Tx) DeleteImportRun(org, run string) {
	tx.Delete(ImportRunKey(org, run))
	tx.Remove(ImportRunsKey(org), run)
}
