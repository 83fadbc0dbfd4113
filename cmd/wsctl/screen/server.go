package screen

import (
	"context"
	"iter"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// newRemote returns the remote.Client for c. If readOnly is set, it rejects writes.
func newRemote(c *client.Client, readOnly bool) remote.Client {
	if readOnly {
		return readOnlyServer{server{c}}
	}
	return server{c}
}

// server implements remote.Client with the typed client. It returns whole lists.
type server struct{ c *client.Client }

// Events implements remote.Client.
func (s server) Events(ctx context.Context, organization string) iter.Seq2[api.EventMessage, error] {
	return s.c.Events.Tail(ctx, api.TailEventsInput{Organization: organization})
}

// Content implements remote.Client.
func (s server) Content(at remote.Target) remote.Content { return content{s.c, requestRef(at)} }

func requestRef(at remote.Target) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: at.Space, ChangeRequest: at.ChangeRequest}
}

// readAll reads all pages of a list.
func readAll[In, T any](ctx context.Context, list client.ListFunc[In, T], in In) ([]T, error) {
	var items []T
	for item, err := range client.All(ctx, list, in) {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// maxPage returns list options for the maximum page size.
func maxPage() api.ListOptions { return api.ListOptions{Limit: api.Some(api.MaxLimit)} }

// User implements remote.Client.
func (s server) User(ctx context.Context) (api.User, error) {
	me, err := s.c.User.Get(ctx, api.NoInput{})
	return me.User, err
}

// Organizations implements remote.Client.
func (s server) Organizations(ctx context.Context) ([]api.Organization, error) {
	return readAll(ctx, s.c.Organizations.List, api.ListOrganizationsInput{ListOptions: maxPage()})
}

// Collections implements remote.Client.
func (s server) Collections(ctx context.Context, organization string) ([]api.Collection, error) {
	return readAll(ctx, s.c.Collections.List, api.ListCollectionsInput{Organization: organization, ListOptions: maxPage()})
}

// Spaces implements remote.Client.
func (s server) Spaces(ctx context.Context, organization string) ([]api.Space, error) {
	return readAll(ctx, s.c.Spaces.List, api.ListSpacesInput{Organization: organization, ListOptions: maxPage()})
}

// Space implements remote.Client.
func (s server) Space(ctx context.Context, id string) (api.Space, error) {
	return s.c.Spaces.Get(ctx, api.GetSpaceInput{Space: id})
}

// ChangeRequests implements remote.Client.
func (s server) ChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error) {
	return readAll(ctx, s.c.ChangeRequests.List, api.ListChangeRequestsInput{Space: space, ListOptions: maxPage(), Status: status})
}

// FirstChangeRequests implements remote.Client.
func (s server) FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, bool, error) {
	const atOnce = 100
	list, err := s.c.ChangeRequests.List(ctx, api.ListChangeRequestsInput{
		Space: space, ListOptions: api.ListOptions{Limit: api.Some(atOnce)}, Status: status,
	})
	return list.Items, list.Next != nil, err
}

// ChangeRequest implements remote.Client.
func (s server) ChangeRequest(ctx context.Context, at remote.Target) (api.ChangeRequest, error) {
	return s.c.ChangeRequests.Get(ctx, requestRef(at))
}

// Changes implements remote.Client.
func (s server) Changes(ctx context.Context, at remote.Target, since string) (api.SemanticChanges, error) {
	return s.c.ChangeRequests.GetChanges(ctx, api.ChangeRequestChangesInput{
		ChangeRequestRef: requestRef(at), SinceOptions: api.SinceOptions{Since: since},
		ChangesOptions: api.ChangesOptions{Limit: api.Some(api.MaxLimit)},
	})
}

// Diff implements remote.Client.
func (s server) Diff(ctx context.Context, at remote.Target, page, since string) (api.DocumentDiff, error) {
	d, err := s.c.ChangeRequests.Diff(ctx, api.ChangeRequestDiffInput{
		ChangeRequestRef: requestRef(at), SinceOptions: api.SinceOptions{Since: since}, DiffOptions: api.DiffOptions{Page: page},
	})
	if err != nil || len(d.Documents) == 0 {
		return api.DocumentDiff{}, err
	}
	return d.Documents[0], nil
}

// Merge implements remote.Client.
func (s server) Merge(ctx context.Context, at remote.Target, head, key string) (api.MergeResult, error) {
	return s.c.ChangeRequests.Merge(ctx, api.MergeInput{ChangeRequestRef: requestRef(at)}, client.IdempotencyKey(key), ifHead(head))
}

// ifHead makes a write fail with 412 unless the change request has the given head.
func ifHead(head string) client.CallOption { return client.IfMatch(`".` + head + `"`) }

// Mergeability implements remote.Client.
func (s server) Mergeability(ctx context.Context, at remote.Target) (api.Mergeability, error) {
	return s.c.ChangeRequests.GetMergeability(ctx, requestRef(at))
}

// Conflicts implements remote.Client.
func (s server) Conflicts(ctx context.Context, at remote.Target) (api.ConflictList, error) {
	return s.c.ChangeRequests.GetConflicts(ctx, requestRef(at))
}

// Pull implements remote.Client.
func (s server) Pull(
	ctx context.Context, at remote.Target, head string, resolutions []api.Resolution, key string,
) (api.MergeResult, error) {
	in := api.PullInput{ChangeRequestRef: requestRef(at), Body: api.Pull{Resolutions: resolutions}}
	return s.c.ChangeRequests.Pull(ctx, in, client.IdempotencyKey(key), ifHead(head))
}
