package events

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/txn"
)

// reader decides what a caller may see of events, by what the caller may read at that time. It is used while the access model is
// locked.
type reader struct {
	model  *access.Model
	caller *access.Caller
	people map[string]*api.User // users that were shown before
}

func newReader(model *access.Model, c *rest.Call) reader {
	return reader{model: model, caller: c.Caller, people: map[string]*api.User{}}
}

// isAdmin reports whether the caller is an admin of the organization and the token may do what only admins may.
func (r reader) isAdmin() bool {
	return r.caller.IsMember && r.caller.Role == api.RoleAdmin && r.caller.HasScope(api.ScopeAdmin) && r.caller.Spaces == nil
}

// maySee reports whether the caller may see an event: whether they meet the need of the row that reads its object, and their token has
// the scope.
func (r reader) maySee(fields map[string]string) bool {
	o, _ := objectOf(fields[eventlog.Type])
	switch {
	case !r.caller.IsMember, o.scope != "" && !r.caller.HasScope(o.scope):
		return false
	case o.own != "" && fields[o.own] != r.caller.User, o.need.Role == api.RoleAdmin:
		return r.isAdmin()
	case o.shows != "" && !r.mayReadShown(fields[o.shows]):
		return false
	}
	switch o.need.Kind {
	case auth.ByMembership:
		return r.caller.Role.AtLeast(o.need.Role) && (r.caller.Spaces == nil || rest.IsFiltered(o.reader))
	case auth.ByContent:
		return r.mayReadContent(o.container(fields), o.need.Role)
	case auth.BySite:
		return r.mayReadSite(o.container(fields), o.need)
	case auth.Denied, auth.Anybody, auth.SignedIn:
	}
	return false
}

// mayReadShown reports whether the caller may read the space that a site shows. Entries of earlier versions do not contain it.
func (r reader) mayReadShown(space string) bool {
	if space == "" {
		return r.isAdmin()
	}
	return r.mayReadContent(space, api.RoleRead)
}

// mayReadContent reports whether the caller has a role in a space or collection. Deleted ones are visible to those who may restore
// them. Those that are not in the model were purged or moved to another organization, and are visible to nobody but admins.
func (r reader) mayReadContent(id string, role api.Role) bool {
	if id == "" || r.model.Entry(id) == nil {
		return r.isAdmin()
	}
	if _, active := r.model.Active(id); !active {
		role = api.RoleCreate
	}
	return r.model.Role(r.caller, id).AtLeast(role)
}

func (r reader) mayReadSite(id string, need auth.Need) bool {
	site := r.model.Site(id)
	if site == nil {
		return r.isAdmin()
	}
	if !r.model.SiteRole(r.caller, id).AtLeast(need.Role) {
		return false
	}
	if need.Shown {
		for _, space := range site.ShownSpaces() {
			if r.model.Entry(space) != nil && !r.model.Role(r.caller, space).AtLeast(api.RoleRead) {
				return false
			}
		}
	}
	return true
}

// isHidden reports whether an id is that of a space, collection or site that the caller cannot read.
func (r reader) isHidden(id string) bool {
	switch {
	case access.IsSpace(id), strings.HasPrefix(id, txn.CollectionPrefix):
		return !r.mayReadContent(id, api.RoleRead)
	case access.IsSite(id):
		return !r.mayReadSite(id, auth.InSite(api.RoleRead))
	}
	return false
}

// visible returns id, or "" if it is hidden from the caller.
func (r reader) visible(id string) string {
	if r.isHidden(id) {
		return ""
	}
	return id
}

// visibleValues decodes the values of changed members without those that contain a hidden id.
func (r reader) visibleValues(text string) (map[string]json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, err
	}
	for name, value := range values {
		for _, word := range strings.FieldsFunc(string(value), isNoIDRune) {
			if r.isHidden(word) {
				delete(values, name)
			}
		}
	}
	return values, nil
}

// isNoIDRune reports whether a rune is not part of an id.
func isNoIDRune(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}
