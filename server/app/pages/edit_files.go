package pages

import (
	"context"
	"encoding/base64"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// insertFiles adds files whose bytes are in the request or were fetched before.
func (e *contentEditor) insertFiles(ctx context.Context, c *rest.Call, i int, change api.ContentChange) error {
	for j, given := range change.Files {
		f, err := e.fileData(i, j, given)
		if err != nil {
			return revision.PrefixFields(fmt.Sprintf("files[%d]", j), err)
		}
		added, err := e.addFile(ctx, c, e.fileIDs[[2]int{i, j}], change.SourceName, given, f)
		if err != nil {
			return revision.PrefixFields(fmt.Sprintf("files[%d]", j), err)
		}
		shown := e.service.View.File(c.AddressReason(e.target.Space), e.target.Space, *added)
		e.files = append(e.files, api.InsertedFile{Ref: given.Ref, File: shown})
	}
	return nil
}

func (e *contentEditor) fileData(i, j int, given api.FileInsert) (fetchedFile, error) {
	if given.URL != "" {
		return e.fetchedFiles[[2]int{i, j}], nil
	}
	data, err := base64.StdEncoding.DecodeString(given.Base64)
	if err != nil {
		return fetchedFile{}, api.InvalidField("base64", "is not base64: %s", err)
	}
	if len(data) > revision.MaxFileBytes {
		return fetchedFile{}, api.InvalidField("base64", "holds %d bytes; a file has at most %d", len(data), revision.MaxFileBytes)
	}
	return fetchedFile{contentType: given.ContentType, data: data}, nil
}

func (e *contentEditor) deleteFiles(ctx context.Context, change api.ContentChange) error {
	ids := make([]string, len(change.FileIDs))
	for i, id := range change.FileIDs {
		ids[i] = e.resolve(id)
	}
	known, err := e.draft.Content.Get(ctx, e.draft.BaseHead.Files, ids...)
	if err != nil {
		return fmt.Errorf("files to delete: %w", err)
	}
	for i, id := range ids {
		_, stored := known[id]
		if e.draft.Files[id] == nil && (!stored || e.draft.RemovedFiles[id]) {
			return api.InvalidField(fmt.Sprintf("fileIds[%d]", i), "is not a file of the change request")
		}
		delete(e.draft.Files, id)
		if stored {
			e.draft.RemovedFiles[id] = true
		}
	}
	return nil
}

// fetchedFile is the downloaded content of a file of insert_files.
type fetchedFile struct {
	contentType string
	data        []byte
}
