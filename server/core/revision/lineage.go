package revision

import (
	"context"

	"docspace.dev/wsd/store/objects"
)

// Numbered is a revision with its id.
type Numbered struct {
	ID string
	Revision

	Lost bool // it was given up in a repair: what it says is what is known of it otherwise
}

// Walk walks back from a revision to what it was made of, until visit says that it is enough.
func (s *Revisions) Walk(ctx context.Context, c *objects.Content, from string, visit func(Numbered) (more bool, err error)) error {
	for id := from; id != ""; {
		r, err := s.Historical(ctx, c, id)
		if err != nil {
			return err
		}
		more, err := visit(r)
		if err != nil || !more || len(r.Parents) == 0 {
			return err
		}
		id = r.Parents[0] // the other one is what was merged into it
	}
	return nil
}

// LostNote is what is kept of an object that was given up.
type LostNote struct {
	Revision *Revision `json:"revision,omitzero"` // that stands for one
}
