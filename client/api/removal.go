package api

import (
	"slices"
	"strconv"
	"strings"
)

// RemovedHeader is the header of an answer to a delete that counts what went with the thing: `collections=2, spaces=8`,
// or `nothing`.
const RemovedHeader = "X-Removed-With"

// AbsentHeader is the header, with the value true, of a 204 to a delete of what was not there.
const AbsentHeader = "X-Absent"

// Removal says what a delete takes with it: the answer of its dry run.
type Removal struct {
	Object       string  `json:"object" enum:"removal"`
	ID           string  `json:"id" doc:"What is deleted."`
	Title        string  `json:"title,omitzero"`
	With         []Taken `json:"with" doc:"What goes with it; nothing where the list is empty."`
	RestoreUntil Time    `json:"restoreUntil,omitzero" doc:"Until when it can be restored; absent where it is gone at once."`
}

// Taken is what goes with something, of one kind.
type Taken struct {
	Kind   string       `json:"kind" doc:"In the plural: spaces."`
	Count  int          `json:"count"`
	Named  []TakenThing `json:"named" doc:"Those that you may see."`
	Others int          `json:"others" doc:"How many are not named."`
}

// TakenThing is one of the things that go with something.
type TakenThing struct {
	ID    string `json:"id"`
	Title string `json:"title,omitzero"`
}

// NewTaken counts things of a kind of which some are named.
func NewTaken(kind string, count int, named ...TakenThing) Taken {
	return Taken{Kind: kind, Count: count, Named: append([]TakenThing{}, named...), Others: count - len(named)}
}

// Counts leaves of things what is not none, as it is told.
func Counts(taken ...Taken) []Taken {
	return append([]Taken{}, slices.DeleteFunc(taken, func(t Taken) bool { return t.Count == 0 })...)
}

// Header is what goes with something as the RemovedHeader counts it.
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
