package api

import (
	"fmt"
	"strings"
)

// Routes of a user's reading marks on a change request and of their saved queries. Both are private to the user.
var (
	GetChangeRequestReading = get[ChangeRequestRef, Reading]("change-requests.get-reading",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reading", "Show what the caller has read of a change request as it is "+
			"now, and where they looked last.")
	UpdateChangeRequestReading = post[UpdateReadingInput, Reading]("change-requests.update-reading",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reading", "Mark what the caller has read of a change request, or take "+
			"marks away; nobody else sees them.", markSlow)
	GetChangeRequestSavedQueries = get[OrganizationRef, SavedQueries]("change-requests.get-saved-queries",
		"/v1/orgs/{organizationId}/change-requests/saved-queries", "Show the queries of change requests that the caller has saved, in "+
			"their order.")
	PutChangeRequestSavedQueries = put[PutSavedQueriesInput, SavedQueries]("change-requests.put-saved-queries",
		"/v1/orgs/{organizationId}/change-requests/saved-queries", "Save queries of change requests in place of those that the caller "+
			"has saved; nobody else sees them.")
)

// MaxReadMarks is the maximum number of marks of a user on a change request. Beyond it the oldest are removed.
const MaxReadMarks = 20_000

// VariablePrefix is the prefix of the ids of variables in readings, such as variable:NAME.
const VariablePrefix = "variable:"

// UpdateReadingInput is the input of UpdateChangeRequestReading.
type UpdateReadingInput struct {
	ChangeRequestRef
	Body ReadingUpdate
}

// ReadingUpdate is the body of UpdateChangeRequestReading.
type ReadingUpdate struct {
	Revision string           `json:"revision,omitzero" pattern:"id" doc:"The revision of the change request that was read; default its head. What has changed since is not read."`
	Read     []string         `json:"read,omitzero" len:"0..5000" each:"1..150" unique:"true" doc:"What was read: ids of pages, files and reusable contents that the revision changes, and variable:NAME."`
	Unread   []string         `json:"unread,omitzero" len:"0..5000" each:"1..150" unique:"true" doc:"What is to count as not read; what has no mark stays so."`
	LastLook Optional[string] `json:"lastLook,omitzero" pattern:"id" null:"true" doc:"How far the timeline was looked at: a cursor; null forgets it."`
}

// Validate checks that no id is in both read and unread.
func (r ReadingUpdate) Validate() []FieldError {
	read := map[string]bool{}
	for _, id := range r.Read {
		read[id] = true
	}
	for _, id := range r.Unread {
		if read[id] {
			return []FieldError{{Path: "unread", Message: "has " + strings.ToValidUTF8(Shorten(id, maxID), "") + ", which read has, too"}}
		}
	}
	return nil
}

// Reading is the reading progress of a user on the changes of a change request.
type Reading struct {
	Revision string        `json:"revision" doc:"The head of the change request that this is about."`
	Base     string        `json:"base" doc:"The revision of the space that it is compared with."`
	Read     int           `json:"read" doc:"How many of the items are read."`
	Total    int           `json:"total" doc:"How many items there are."`
	LastLook string        `json:"lastLook,omitzero" doc:"The cursor of the timeline that was looked at last."`
	Items    []ReadingItem `json:"items" doc:"Everything that the change request changes, by title."`
}

var _ = declareView[Reading](ViewTable, "items")

// ReadingItem is a changed resource. It counts as read if it has not changed since it was marked.
type ReadingItem struct {
	ID       string       `json:"id" doc:"Of the page, file or reusable content; variable:NAME for a variable."`
	Title    string       `json:"title"`
	Reason   UnseenReason `json:"reason" enum:"created,deleted,text,place,settings" doc:"What the change request does to it."`
	Read     bool         `json:"read" doc:"It was marked, and reads as it did then: its text, settings and place, what it includes, and the text that it is compared with."`
	MarkedAt Time         `json:"markedAt,omitzero" doc:"When it was marked last."`
}

var _ = declareColumns[ReadingItem]("read,reason,title,id,markedAt")

// PutSavedQueriesInput is the input of PutChangeRequestSavedQueries.
type PutSavedQueriesInput struct {
	OrganizationRef
	Body SavedQueries
}

// SavedQueries are the saved queries of a user.
type SavedQueries struct {
	Queries []SavedQuery `json:"queries" len:"0..50" doc:"In the order in which they are shown."`
}

// Validate checks that the names of the queries are unique.
func (q SavedQueries) Validate() []FieldError {
	names := map[string]bool{}
	for i, query := range q.Queries {
		if names[query.Name] {
			return []FieldError{{Path: fmt.Sprintf("queries[%d].name", i), Message: "is the name of another one"}}
		}
		names[query.Name] = true
	}
	return nil
}

// SavedQuery is a named query of ListChangeRequestQueue. Omitted members have the defaults of the list.
type SavedQuery struct {
	Name              string                `json:"name" len:"1..50"`
	Status            []ChangeRequestStatus `json:"status,omitzero" len:"0..4" doc:"As status of the list."`
	Creator           string                `json:"creator,omitzero" pattern:"id"`
	Contributor       string                `json:"contributor,omitzero" pattern:"id"`
	RequestedReviewer string                `json:"requestedReviewer,omitzero" pattern:"id"`
	Space             string                `json:"space,omitzero" pattern:"id"`
	Reason            []QueueReason         `json:"reason,omitzero" len:"0..5" doc:"As reason of the list."`
	OrderBy           ChangeRequestOrder    `json:"orderBy,omitzero"`
}

var _ = declareColumns[SavedQuery]("name,status,creator,contributor,requestedReviewer,space,reason,orderBy")
