package spaces

import (
	"errors"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// resolveMove resolves the destination of a move: the new parent, in which the caller must be allowed to create, and
// the position among its children.
func (s *Service) resolveMove(c *rest.Call, tx *store.Tx, self, oldParent string, move api.Move) (parent string, at txn.Position,
	err error,
) {
	parent = oldParent
	if given, ok := move.Parent.Get(); ok {
		parent = given
	} else if move.Parent.IsNull() {
		parent = ""
	}
	if parent != oldParent {
		if err := s.CheckParent(c, tx, parent); err != nil {
			return "", at, err
		}
	}
	if move.Position == nil {
		return parent, at, nil
	}
	if at.Before, err = s.siblingOf(c, self, parent, "position.before", move.Position.Before); err != nil {
		return "", at, err
	}
	at.After, err = s.siblingOf(c, self, parent, "position.after", move.Position.After)
	return parent, at, err
}

// siblingOf returns the order member of the sibling that a pointer names, or "" without a pointer. It returns an invalid-field
// error unless the sibling is another active child of parent that the caller may read.
func (s *Service) siblingOf(c *rest.Call, self, parent, path string, pointer *api.ContentPointer) (member string, err error) {
	if pointer == nil {
		return "", nil
	}
	id := pointer.ID()
	switch {
	case id == "":
		return "", api.InvalidField(path, "must name a %s, and nothing else", pointer.Type)
	case id == self:
		return "", api.InvalidField(path, "is the item to move")
	case access.IsSpace(id) != (pointer.Type == api.PointerSpace):
		return "", api.InvalidField(path, "is not the id of a %s", pointer.Type)
	}
	c.Access(func(model *access.Model) {
		n, active := model.Active(id)
		if !active || n.Parent != parent || !model.Role(c.Caller, id).AtLeast(api.RoleRead) {
			err = api.InvalidField(path, "is not among the children of the target")
			return
		}
		member = txn.OrderMember(n.Order, id)
	})
	return member, err
}

// checkMoves returns the error NotMovedError if a move would not change anything.
func (s *Service) checkMoves(c *rest.Call, id, oldParent, oldOrder, parent string, at txn.Position) error {
	if oldParent != parent {
		return nil
	}
	self := txn.OrderMember(oldOrder, id)
	same := false
	c.Access(func(model *access.Model) {
		siblings := make([]string, 0, len(model.Children(parent)))
		for _, sibling := range model.Children(parent) {
			if n, active := model.Active(sibling); active {
				siblings = append(siblings, txn.OrderMember(n.Order, sibling))
			}
		}
		same = IsAtPosition(siblings, self, at)
	})
	if !same {
		return nil
	}
	return NotMovedError()
}

// NotMovedError returns the conflict error for a move to the current position.
func NotMovedError() error {
	return api.Errorf(http.StatusConflict, api.ReasonNoChange, "It is there already: the move would change nothing.")
}

// IsAtPosition reports whether self is at the position among its siblings.
func IsAtPosition(siblings []string, self string, at txn.Position) bool {
	i := slices.Index(siblings, self)
	if i < 0 {
		return false
	}
	follows := i > 0 && siblings[i-1] == at.After
	precedes := i+1 < len(siblings) && siblings[i+1] == at.Before
	switch {
	case at.Before == "" && at.After == "":
		return i == len(siblings)-1
	case at.Before == "":
		return follows
	case at.After == "":
		return precedes
	default:
		return follows && precedes
	}
}

// MoveError returns the API error for an invalid position.
func MoveError(err error) error {
	switch {
	case errors.Is(err, txn.ErrNotAdjacent):
		return api.InvalidField("position", "before and after are given, and are not next to each other")
	case errors.Is(err, txn.ErrNoSibling):
		return api.InvalidField("position", "names something that is not among the children of the target")
	}
	return err
}
