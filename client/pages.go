package client

import (
	"context"
	"errors"
	"iter"
	"slices"

	"docspace.dev/wsd/client/api"
)

// ListFunc is a method that lists: client.Spaces.List, say.
type ListFunc[In, T any] func(context.Context, In, ...CallOption) (api.Page[T], error)

// All goes through a list to its end, page by page:
//
//	for space, err := range client.All(ctx, c.Spaces.List, api.ListSpacesInput{Organization: org}) {
//
// An error ends the iteration, after the items that came before it.
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

// Pages is All by the page, for callers that need the count or the cursor.
func Pages[In, T any](ctx context.Context, list ListFunc[In, T], in In, options ...CallOption) iter.Seq2[api.Page[T], error] {
	return func(yield func(api.Page[T], error) bool) {
		last := ""
		for {
			page, err := list(ctx, in, options...)
			if !yield(page, err) || err != nil || page.Next == nil {
				return
			}
			if page.Next.Page == last {
				yield(api.Page[T]{}, errStuck)
				return
			}
			last = page.Next.Page
			options = append(slices.Clip(options), cursor(last))
		}
	}
}

// errStuck ends a walk that would go on for ever.
var errStuck = errors.New("the server answers the same cursor again and again")
