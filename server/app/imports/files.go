package imports

import (
	"context"
	"encoding/json"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/merge"
)

// mergeFiles adds new and changed files. Files cannot be edited in a space, so a changed file conflicts only if a user removed
// it.
func (u *update) mergeFiles(ctx context.Context) error {
	for _, f := range u.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.mergeFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (u *update) mergeFile(f *incomingFile) error {
	was, known := u.last.files[f.id]
	origin := &revision.Origin{Source: u.source.ID, Path: f.path, OID: f.OID, CreatedAt: u.now}
	if known {
		origin.CreatedAt = laterTime(was.Origin.CreatedAt, u.now)
	}
	switch {
	case f.adopted != nil:
		next := *f.adopted
		next.Origin = origin
		u.draft.Files[f.id] = &next
		u.noteFile(&u.result.Updated, next)
		return nil
	case known && was.Origin.OID == f.OID && was.Origin.Path == f.path:
		return nil
	}
	made := revision.NewFile(u.draft.Content, f.id, api.CleanLine(f.Name), f.ContentType, f.Data)
	made.Origin = origin
	if u.last.removed[f.id] {
		return u.mergeRemoved(was, made)
	}
	if known {
		take, err := u.decideFile(was, made)
		if err != nil || !take {
			return err
		}
	}
	u.draft.Files[f.id] = &made
	if known {
		u.noteFile(&u.result.Updated, made)
	} else {
		u.noteFile(&u.result.Created, made)
	}
	return nil
}

// mergeRemoved handles a file that users removed from the space. It is restored only if the source changed it and the request
// resolves the conflict that way.
func (u *update) mergeRemoved(was, made revision.File) error {
	if was.Origin.OID == made.Origin.OID {
		return u.draft.RecordRemovedFile(made)
	}
	take, err := u.resolveFile(made, fileValue(was), map[string]string{})
	switch {
	case err != nil:
		return err
	case take:
		u.draft.Files[made.ID] = &made
		u.noteFile(&u.result.Updated, made)
	case !u.held[made.ID]:
		return u.draft.RecordRemovedFile(made)
	}
	return nil
}

// resolveFile resolves the conflict between the file of the source and what is here. It reports whether the file of the source is to be
// taken. A file whose conflict is open is held.
func (u *update) resolveFile(made revision.File, base, ours map[string]string) (take bool, err error) {
	theirs := fileValue(made)
	_, conflicts := merge.ResolveMap(merge.KindFile, base, ours, theirs, nil)
	for _, c := range conflicts {
		i := slices.IndexFunc(u.body.Resolutions, func(r api.Resolution) bool { return r.Conflict == c.ID })
		if i < 0 {
			u.held[made.ID] = true
			u.openConflicts = append(u.openConflicts, c)
			u.noteFile(&u.result.Conflicting, made)
			return false, nil
		}
		answer, err := review.ResolutionValue(c, u.body.Resolutions, i)
		if err != nil {
			return false, err
		}
		u.resolutions[c.ID] = answer
		if answer == nil || *answer != theirs[made.ID] {
			return false, nil
		}
	}
	return true, nil
}

// fileValue returns a file as a merge value.
func fileValue(f revision.File) map[string]string {
	f.Origin = nil
	value, _ := json.Marshal(f) // strings and numbers always encode
	return map[string]string{f.ID: string(value)}
}
