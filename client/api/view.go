package api

import (
	"reflect"
	"strings"
)

// View is the presentation of a response for users. It is a property of the output type; see Row.View.
type View int

// Values of View. All but ViewRecord and ViewList are for responses with a list of resources or with derived sentences.
const (
	ViewRecord    View = iota // a line per member
	ViewList                  // items of a Page, page by page
	ViewTable                 // table of the contained resources with their children
	ViewChanges               // changes in words, or a table if columns are requested
	ViewDiff                  // text changes by blocks and words
	ViewMerge                 // result of a merge, or its conflicts
	ViewGates                 // gates of a merge, and whether it is possible
	ViewConflicts             // both sides of each conflict
	ViewEdit                  // table of the effects, and the resulting revision
	ViewImport                // imported, changed and skipped resources, with counts
)

// presentation holds the view, the items and the columns that are declared for an output type.
type presentation struct {
	view    View
	items   string
	columns string
}

// presentations is filled during initialization of the package's variables and never written afterwards.
var presentations = map[reflect.Type]presentation{}

// declareColumns declares the columns of a table of Things, such as id,title,changeRequestsOpen=OPEN: each is the path of a
// member with an optional heading.
func declareColumns[Thing any](names string) presentation {
	l := presentations[reflect.TypeFor[Thing]()]
	l.columns = names
	presentations[reflect.TypeFor[Thing]()] = l
	return l
}

// declareView declares the view of an Answer, and the name of the member whose items are the rows of its table.
func declareView[Answer any](view View, items string) presentation {
	l := presentations[reflect.TypeFor[Answer]()]
	l.view, l.items = view, items
	presentations[reflect.TypeFor[Answer]()] = l
	return l
}

// View returns the view of the output: the view declared for its type, else ViewList for a list, ViewTable for an object whose
// only member is a list, and ViewRecord for all others.
func (r Row) View() View {
	view, _ := r.viewAndItems()
	return view
}

// Items returns the name of the output's member that contains the rows of its table, or "" if the output itself is the only
// row.
func (r Row) Items() string {
	_, items := r.viewAndItems()
	return items
}

func (r Row) viewAndItems() (view View, items string) {
	if l := presentations[r.Out]; l.view != ViewRecord {
		return l.view, l.items
	}
	if r.IsList() {
		return ViewList, "items"
	}
	if list, ok := onlyListMember(r.Out); ok {
		return ViewTable, list
	}
	return ViewRecord, ""
}

// Columns returns the default columns of a table of the output, as in ColumnsOf.
func (r Row) Columns() string {
	thing := r.Out
	if items := r.Items(); items != "" {
		thing = jsonMembers(r.Out)[items].Elem()
	}
	return presentations[thing].columns
}

// ColumnsOf returns the columns of a table of Things, separated by commas: the path of a member, optionally followed
// by = and a heading. It returns "" if none are declared.
func ColumnsOf[Thing any]() string { return presentations[reflect.TypeFor[Thing]()].columns }

// onlyListMember returns the name of the only member of t and true, if that member is a list of objects. Otherwise it returns
// false.
func onlyListMember(t reflect.Type) (string, bool) {
	types := jsonMembers(t)
	for name, member := range types {
		if len(types) == 1 && member.Kind() == reflect.Slice && member.Elem().Kind() == reflect.Struct {
			return name, true
		}
	}
	return "", false
}

// jsonMembers returns the types of the JSON members of t by name.
func jsonMembers(t reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return types
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			types[name] = f.Type
		}
	}
	return types
}
