package api

import (
	"reflect"
	"strings"
)

// View says how the answer of an operation is shown to people. It belongs to the type of the answer: see Row.View.
type View int

// The views. All but the first two are about answers that hold a list of things, or that say more than their members.
const (
	ViewRecord    View = iota // its members, one by one
	ViewList                  // the items of a Page, page by page
	ViewTable                 // a table of the things that it holds, each with what is below it
	ViewChanges               // what changed, in words; as a table where columns are asked for
	ViewDiff                  // what changed in texts, in blocks and words
	ViewMerge                 // what a merge did, or the conflicts that kept it from doing anything
	ViewGates                 // what a merge depends on, and whether it would go through
	ViewConflicts             // both sides of each conflict
	ViewEdit                  // a table of what was done, and where the content is now
	ViewImport                // what it brought, changed and left, and how much came
)

// look is what is said of how a type is shown.
type look struct {
	view    View
	items   string
	columns string
}

// looks is filled while the package's variables are initialised and never written afterwards.
var looks = map[reflect.Type]look{}

// columns says which members a table of things shows: id,title,changeRequestsOpen=OPEN. Each is the path of a member,
// and a heading where the words of the path do not do.
func columns[Thing any](names string) look {
	l := looks[reflect.TypeFor[Thing]()]
	l.columns = names
	looks[reflect.TypeFor[Thing]()] = l
	return l
}

// shown says how an answer is shown, and which of its members holds the rows where it is shown as a table.
func shown[Answer any](view View, items string) look {
	l := looks[reflect.TypeFor[Answer]()]
	l.view, l.items = view, items
	looks[reflect.TypeFor[Answer]()] = l
	return l
}

// View is how the answer is shown: as its type says, else as the list that it is, or is nothing but, else as a record.
func (r Row) View() View {
	view, _ := r.shown()
	return view
}

// Items is the member of the answer that holds the rows of its table; "" where the answer itself is the one row.
func (r Row) Items() string {
	_, items := r.shown()
	return items
}

func (r Row) shown() (view View, items string) {
	if l := looks[r.Out]; l.view != ViewRecord {
		return l.view, l.items
	}
	if r.IsList() {
		return ViewList, "items"
	}
	if list, ok := onlyList(r.Out); ok {
		return ViewTable, list
	}
	return ViewRecord, ""
}

// Columns are what a table of the answer shows unless somebody asks for others, as in ColumnsOf.
func (r Row) Columns() string {
	thing := r.Out
	if items := r.Items(); items != "" {
		thing = members(r.Out)[items].Elem()
	}
	return looks[thing].columns
}

// ColumnsOf are what a table of things shows, separated by commas: the path of a member each, and behind = a heading
// that is better than the words of the path. "" where the contract does not say.
func ColumnsOf[Thing any]() string { return looks[reflect.TypeFor[Thing]()].columns }

// onlyList finds the one member of an answer that holds a list of things and nothing else.
func onlyList(t reflect.Type) (string, bool) {
	all := members(t)
	for name, member := range all {
		if len(all) == 1 && member.Kind() == reflect.Slice && member.Elem().Kind() == reflect.Struct {
			return name, true
		}
	}
	return "", false
}

// members are the types of what a type has in JSON, by name.
func members(t reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return found
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			found[name] = f.Type
		}
	}
	return found
}
