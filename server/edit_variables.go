package server

import "docspace.dev/wsd/client/api"

// setVariables sets and removes variables of a page or of the space.
func (e *contentEditor) setVariables(change api.ContentChange) error {
	if change.Page == "" {
		variables, err := withVariables(e.draft.variables, change.Variables)
		if err != nil {
			return err
		}
		e.draft.variables = variables
		e.effects = append(e.effects, api.ContentEffect{Object: "updated_variables"})
		return nil
	}
	p, err := e.page(change.Page)
	if err != nil {
		return err
	}
	if p.Type != api.PageDocument {
		return api.InvalidField("page", "is of type %s, which has no variables", p.Type)
	}
	before := *p
	if p.Variables, err = withVariables(p.Variables, change.Variables); err != nil {
		return err
	}
	if changed(before, *p) {
		p.UpdatedAt = notBefore(p.CreatedAt, e.now.Time)
		e.draft.put(p)
	}
	e.effect("updated_page", "", p.ID)
	return nil
}
