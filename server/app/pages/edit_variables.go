package pages

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
)

// setVariables sets and removes variables of a page or of the space.
func (e *contentEditor) setVariables(change api.ContentChange) error {
	if change.Page == "" {
		variables, err := revision.WithVariables(e.draft.Variables, change.Variables)
		if err != nil {
			return err
		}
		e.draft.Variables = variables
		e.effects = append(e.effects, api.ContentEffect{Object: "updated_variables"})
		return nil
	}
	p, err := e.findPage(change.Page)
	if err != nil {
		return err
	}
	if p.Type != api.PageDocument {
		return api.InvalidField("page", "is of type %s, which has no variables", p.Type)
	}
	before := *p
	if p.Variables, err = revision.WithVariables(p.Variables, change.Variables); err != nil {
		return err
	}
	if pageChanged(before, *p) {
		p.UpdatedAt = revision.ChangeTime(p.CreatedAt, e.now.Time)
		e.draft.Put(p)
	}
	e.addEffect("updated_page", "", p.ID)
	return nil
}
