package server

import (
	"context"

	"docspace.dev/wsd/store/objects"
)

// made is a revision with its id.
type made struct {
	id string
	revision

	lost bool // it was given up in a repair: what it says is what is known of it otherwise
}

// line walks back from a revision to what it was made of, until visit says that it is enough.
func (s *Server) line(ctx context.Context, c *objects.Content, from string, visit func(made) (more bool, err error)) error {
	for id := from; id != ""; {
		r, err := s.historical(ctx, c, id)
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

// lostNote is what is kept of an object that was given up.
type lostNote struct {
	Revision *revision `json:"revision,omitzero"` // that stands for one
}
