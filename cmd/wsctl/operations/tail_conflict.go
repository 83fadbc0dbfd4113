package operations

import (
	"context"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
)

// changesSpace reports whether an event is a change of the content that readers of a space see.
func changesSpace(e api.Event) bool {
	switch e.Kind {
	case "spaces.compute", "content.repair":
		return e.ChangeRequest == ""
	case api.MergeChangeRequest.Name:
		return true
	case api.CreateSpace.Name, api.DuplicateSpace.Name:
		return false
	}
	return e.ChangeRequest == "" && e.Revision != "" && e.RevisionBefore != ""
}

// conflict returns the open change requests of the caller that conflict with a change of their space. The conflicts are those at the
// time of the call, also if the space has changed since the event. A change request whose
// conflicts were reported is not reported again until it has no conflicts or has another head.
func (j *judge) conflict(ctx context.Context, e api.Event) (none concern, err error) {
	if !changesSpace(e) {
		return none, nil
	}
	in := api.ListQueueInput{Organization: j.org, Space: e.Space, Status: []api.ChangeRequestStatus{api.StatusOpen}}
	in.Creator, in.Limit = j.user, api.Some(maxJudgedRequests)
	own, _, err := lookUp(ctx, j.client.ChangeRequests.ListQueue, in)
	if err != nil {
		return none, err
	}
	var found []string
	for _, r := range own.Items {
		isNew, err := j.hasNewConflict(ctx, e, r)
		if err != nil {
			return none, err
		}
		if isNew {
			found = append(found, r.ID)
			j.conflicts[r.ID] = r.Revision
		}
	}
	if len(found) == 0 {
		return none, nil
	}
	return concern{concernConflict, found}, nil
}

// hasNewConflict reports whether a change request has a conflict that a change of the space may have caused, and that was not reported.
// The conflicts are read unless the list says that there are none.
func (j *judge) hasNewConflict(ctx context.Context, e api.Event, r api.QueuedChangeRequest) (bool, error) {
	if r.CreatedAt.After(e.At.Time) {
		return false, nil
	}
	merge, isReported := r.Summary.Merge, j.conflicts[r.ID] == r.Revision
	if isReported && merge != nil && merge.Conflicts > 0 {
		return false, nil
	}
	var list api.ConflictList
	if r.Outdated && (merge == nil || merge.Conflicts > 0) {
		var err error
		list, _, err = lookUp(ctx, j.client.ChangeRequests.GetConflicts, api.ChangeRequestRef{Space: e.Space, ChangeRequest: r.ID})
		if err != nil {
			return false, err
		}
	}
	if len(list.Conflicts) == 0 {
		delete(j.conflicts, r.ID)
	}
	return !isReported && slices.ContainsFunc(list.Conflicts, func(c api.Conflict) bool { return mayCause(e, c) }), nil
}

// mayCause reports whether a change of the space may have caused a conflict. If the conflict does not say which change of the space it
// is with, that of its page counts, and every change if the conflict is not about one page alone or the changed pages are not known.
func mayCause(e api.Event, c api.Conflict) bool {
	switch space := c.Ours; {
	case space.ChangeRequest != nil:
		return e.Kind == api.MergeChangeRequest.Name && requestOf(e).ChangeRequest == strconv.Itoa(space.ChangeRequest.Number) ||
			e.Target != nil && e.Target.ID == space.ChangeRequest.ID
	case space.At != nil && space.Source == nil:
		return isNear(*space.At, e.At)
	}
	switch c.Kind {
	case "moved", "order", "slug", "cycle":
		return true
	}
	return c.Page == "" || e.Pages == 0 || e.Pages > max(len(e.PageIDs), 1) || e.Page == c.Page || slices.Contains(e.PageIDs, c.Page)
}
