package api

// Page is the envelope of every list.
type Page[T any] struct {
	Next  *Next `json:"next,omitzero" doc:"Where to go on; absent on the last page."`
	Count int   `json:"count" doc:"How many items the whole list has for this caller and these filters."`
	Items []T   `json:"items"`
}

// Next is the cursor of the next page of a list.
type Next struct {
	Page string `json:"page" doc:"Send this as the query parameter page, with the same filters."`
}

// The default and the maximum of the query parameter limit.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// ListOptions are the query parameters of every list.
type ListOptions struct {
	Page  string        `query:"page" len:"..1024" doc:"Cursor from next.page of the answer before."`
	Limit Optional[int] `query:"limit" range:"0..1000" default:"50" doc:"Items per page."`
}

// Size returns the maximum number of items in the page.
func (o ListOptions) Size() int {
	if n, ok := o.Limit.Get(); ok {
		return n
	}
	return DefaultLimit
}
