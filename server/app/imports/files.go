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

// mergeFiles brings in the files that are new or that the source has changed. Files are not edited here, so that one that
// changed in the source is in conflict only where somebody has taken it out.
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

func (u *update) mergeFile(f *fileArrival) error {
	was, known := u.before.files[f.id]
	origin := &revision.Origin{Source: u.source.ID, Path: f.path, OID: f.OID, At: u.now}
	if known {
		origin.At = after(was.Origin.At, u.now)
	}
	switch {
	case f.adopted != nil:
		next := *f.adopted
		next.Origin = origin
		u.draft.Files[f.id] = &next
		u.noteFile(&u.answer.Updated, next)
		return nil
	case known && was.Origin.OID == f.OID && was.Origin.Path == f.path:
		return nil
	}
	made := revision.NewFile(u.draft.Content, f.id, api.CleanLine(f.Name), f.ContentType, f.Data)
	made.Origin = origin
	if u.before.removed[f.id] {
		return u.mergeRemoved(was, made)
	}
	u.draft.Files[f.id] = &made
	if known {
		u.noteFile(&u.answer.Updated, made)
	} else {
		u.noteFile(&u.answer.Created, made)
	}
	return nil
}

// mergeRemoved decides about a file that was taken out here. It comes back only if the source has changed it and the
// request says so.
func (u *update) mergeRemoved(was, made revision.File) error {
	if was.Origin.OID == made.Origin.OID {
		return u.draft.KeepRemovedFile(made)
	}
	_, conflicts := merge.ResolveMap(merge.KindFile, fileValue(was), map[string]string{}, fileValue(made), nil)
	for _, c := range conflicts {
		i := slices.IndexFunc(u.body.Resolutions, func(r api.Resolution) bool { return r.Conflict == c.ID })
		if i < 0 {
			u.held[made.ID] = true
			u.open = append(u.open, c)
			u.noteFile(&u.answer.Conflicting, made)
			return nil
		}
		answer, err := review.Decide(c, u.body.Resolutions, i)
		if err != nil {
			return err
		}
		u.answers[c.ID] = answer
		if answer == nil {
			return u.draft.KeepRemovedFile(made)
		}
	}
	u.draft.Files[made.ID] = &made
	u.noteFile(&u.answer.Updated, made)
	return nil
}

// fileValue is a file as merge sees it.
func fileValue(f revision.File) map[string]string {
	f.Origin = nil
	value, _ := json.Marshal(f) // strings and numbers always encode
	return map[string]string{f.ID: string(value)}
}
