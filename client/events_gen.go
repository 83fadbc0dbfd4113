// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"
	"iter"

	"docspace.dev/wsd/client/api"
)

// EventsService lists what has happened in an organization, and follows it.
type EventsService struct{ c *Client }

// List lists what has happened in an organization, as far as you may read what it is about: the latest first. It
// answers a page of the log; [All] of [Log] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/events (operation eventsList)
func (s EventsService) List(ctx context.Context, in api.ListEventsInput, options ...CallOption) (api.LogPage[api.Event], error) {
	return call(ctx, s.c, api.ListEvents, in, options)
}

// Tail follows what happens in an organization, as far as you may read what it is about: server-sent events, the
// oldest first.
//
//	GET /v1/orgs/{organizationId}/events/stream (operation eventsTail)
func (s EventsService) Tail(ctx context.Context, in api.TailEventsInput, options ...CallOption) iter.Seq2[api.EventMessage, error] {
	return stream(ctx, s.c, api.TailEvents, in, options)
}
