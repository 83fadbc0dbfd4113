package revision

import (
	"context"

	"docspace.dev/wsd/store/objects"
)

// HistoricalRevision is a revision with its id.
type HistoricalRevision struct {
	ID string
	Revision

	Lost bool // declared lost in a repair; Revision holds the data known from elsewhere
}

// VisitHistory visits a revision and its first parents, newest first, until visit returns false or an error.
func (rs *Revisions) VisitHistory(ctx context.Context, c *objects.Content, from string, visit func(
	HistoricalRevision,
) (more bool, err error),
) error {
	for id := from; id != ""; {
		r, err := rs.ReadHistorical(ctx, c, id)
		if err != nil {
			return err
		}
		more, err := visit(r)
		if err != nil || !more || len(r.Parents) == 0 {
			return err
		}
		id = r.Parents[0] // the other parent was merged into this revision
	}
	return nil
}

// LostNote is the note stored in place of an object that was declared lost in a repair.
type LostNote struct {
	Revision *Revision `json:"revision,omitzero"` // replacement for a lost revision
}
