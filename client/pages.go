package client

import (
	"context"
	"errors"
	"iter"
	"slices"

	"docspace.dev/wsd/client/api"
)

// ListFunc is a method that returns a page of a list, such as Client.Spaces.List.
type ListFunc[In, T any] func(context.Context, In, ...CallOption) (api.Page[T], error)

// LogFunc is a method that returns a page of a log, such as Client.Events.List.
type LogFunc[In, T any] func(context.Context, In, ...CallOption) (api.LogPage[T], error)

// Log returns a ListFunc of a log, for All and Pages. Its pages have the count 0.
func Log[In, T any](list LogFunc[In, T]) ListFunc[In, T] {
	return func(ctx context.Context, in In, options ...CallOption) (api.Page[T], error) {
		page, err := list(ctx, in, options...)
		return api.Page[T]{Next: page.Next, Items: page.Items}, err
	}
}

// All iterates over the items of a list and fetches its pages as needed:
//
//	for space, err := range client.All(ctx, c.Spaces.List, api.ListSpacesInput{Organization: org}) {
//
// An error ends the iteration, after the items before it.
func All[In, T any](ctx context.Context, list ListFunc[In, T], in In, options ...CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		for page, err := range Pages(ctx, list, in, options...) {
			if err != nil {
				yield(zero, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages is like All but iterates over the pages, for callers that need the count or the cursor.
func Pages[In, T any](ctx context.Context, list ListFunc[In, T], in In, options ...CallOption) iter.Seq2[api.Page[T], error] {
	return func(yield func(api.Page[T], error) bool) {
		last := ""
		for {
			page, err := list(ctx, in, options...)
			if !yield(page, err) || err != nil || page.Next == nil {
				return
			}
			if page.Next.Page == last {
				yield(api.Page[T]{}, errRepeatedCursor)
				return
			}
			last = page.Next.Page
			options = append(slices.Clip(options), withCursor(last))
		}
	}
}

// errRepeatedCursor ends an iteration that would not terminate.
var errRepeatedCursor = errors.New("the server answers the same cursor again and again")
