package servertest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
)

// TakesBody reports whether requests of a row have a body.
func TakesBody(row api.Row) bool { return api.NewCompiler().Input(row).Body != nil }

// MinimalValue returns the smallest value that a schema accepts.
func MinimalValue(s *api.Schema) any {
	switch s.Kind {
	case api.KindString:
		return minimalString(s)
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			return *s.Min
		}
		return 0
	case api.KindBoolean:
		return true
	case api.KindArray:
		list := []any{}
		for s.Min != nil && len(list) < *s.Min {
			list = append(list, MinimalValue(s.Items))
		}
		return list
	case api.KindMap, api.KindAny:
	case api.KindObject:
		object := map[string]any{}
		for _, f := range s.Fields {
			if f.Required {
				object[f.Name] = MinimalValue(f.Schema)
			}
		}
		return object
	}
	return map[string]any{}
}

func minimalString(s *api.Schema) string {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "uri":
		return "https://a.example"
	case s.Format == "emoji":
		return "👍"
	case s.Format == "date-time":
		return "2030-01-31T12:00:00.000Z"
	case s.Format == "base64":
		return "AAAA"
	case s.Min != nil:
		return strings.Repeat("x", *s.Min)
	}
	return "x"
}

// WantUnchanged fails the test unless the store, streams included, equals the dump before.
func WantUnchanged(w *World, before map[string]string, after string) {
	w.T.Helper()
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		w.T.Errorf("%s, the store has changed:\n%s", after, diff)
	}
}

// SetOrganizationLimit sets the number of organizations that a user may create.
func SetOrganizationLimit(w *World, name string, organizations int64) {
	w.T.Helper()
	id := w.Users[name].ID
	w.Must(orgs.Accounts{Store: w.Store}.SetLimits(w.T.Context(), store.User(id), store.UserQuotaKey(id), map[string]*int64{
		"organizations": &organizations,
	}))
}

// NewMember creates a member of the organization with a token under the user's id, and returns the id.
func NewMember(w *World, role api.Role) string {
	w.T.Helper()
	name := fmt.Sprintf("newcomer%d", len(w.Users))
	user, err := orgs.Accounts{Store: w.Store}.EnsureUser(w.T.Context(), name+"@example.com", name)
	w.Must(err)
	w.Users[user.ID] = user
	w.Tokens[user.ID] = w.CreateToken(user.ID)
	w.SetMember(user.ID, role)
	return user.ID
}

// DryRunStatus returns the status of a successful dry run of a row: that of the row itself, but 200 for a delete without a
// body, since its dry run has a body.
func DryRunStatus(row api.Row) int {
	if row.Method == http.MethodDelete && (row.Status == http.StatusNoContent || row.Status == http.StatusResetContent) {
		return http.StatusOK
	}
	return row.Status
}
