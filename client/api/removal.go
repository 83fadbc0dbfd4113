package api

import (
	"slices"
	"strconv"
	"strings"
)

// RemovedHeader is the response header of a delete that counts the resources deleted with it: `collections=2,
// spaces=8`, or `nothing`.
const RemovedHeader = "X-Removed-With"

// AbsentHeader is the response header, with the value true, of a 204 for a delete of a resource that did not exist.
const AbsentHeader = "X-Absent"

// Removal is the result of the dry run of a delete: the resources that would be deleted.
type Removal struct {
	Object       string  `json:"object" enum:"removal"`
	ID           string  `json:"id" doc:"What is deleted."`
	Title        string  `json:"title,omitzero"`
	With         []Taken `json:"with" doc:"What goes with it; nothing where the list is empty."`
	Stays        []Taken `json:"stays,omitzero" doc:"Of a membership: what the member made in the organization, beside content, and stays when the member goes."`
	RestoreUntil Time    `json:"restoreUntil,omitzero" doc:"Until when it can be restored; absent where it is gone at once."`
}

// Taken describes the resources of one kind that are deleted together with another resource.
type Taken struct {
	Kind   string       `json:"kind" doc:"In the plural: spaces."`
	Count  int          `json:"count" doc:"Number of the resources."`
	Named  []TakenThing `json:"named" doc:"Those that you may see."`
	Others int          `json:"others" doc:"How many are not named."`
}

// TakenThing holds the id and title of a resource that is deleted together with another one.
type TakenThing struct {
	ID    string `json:"id"`
	Title string `json:"title,omitzero"`
}

// NewTaken returns a Taken of count resources, some of which are listed by name.
func NewTaken(kind string, count int, named ...TakenThing) Taken {
	return Taken{Kind: kind, Count: count, Named: append([]TakenThing{}, named...), Others: count - len(named)}
}

// Counts returns the elements of taken with a count above zero.
func Counts(taken ...Taken) []Taken {
	return append([]Taken{}, slices.DeleteFunc(taken, func(t Taken) bool { return t.Count == 0 })...)
}

// Header returns the value of RemovedHeader.
func (r Removal) Header() string {
	counts := make([]string, 0, len(r.With))
	for _, t := range r.With {
		counts = append(counts, t.Kind+"="+strconv.Itoa(t.Count))
	}
	if len(counts) == 0 {
		return "nothing"
	}
	return strings.Join(counts, ", ")
}
