package client_test

import (
	"context"
	"fmt"
	"log"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

func ExampleChangeRequestsService_Create() {
	c := client.New(url, client.WithToken(token))
	request, err := c.ChangeRequests.Create(context.Background(), api.CreateChangeRequestInput{
		Space: "spc_1",
		Body:  api.ChangeRequestCreate{Subject: "Explain the installer"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("#%d %s (%s)\n", request.Number, request.Subject, request.Status)
	// Output: #7 Explain the installer (draft)
}

// The operations of one call become one revision, or none is applied.
func ExampleChangeRequestContentService_Edit() {
	c := client.New(url, client.WithToken(token))
	result, err := c.ChangeRequestContent.Edit(context.Background(), api.EditContentInput{
		ChangeRequestRef: api.ChangeRequestRef{Space: "spc_1", ChangeRequest: "7"},
		Body: api.ContentEdit{Changes: []api.ContentChange{
			{
				Operation: api.UpdatePage, Page: "pag_1", Document: &api.Document{
					Markdown: api.Some("# Install\n\nRun the installer twice.\n"),
				},
			},
			{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some("# Uninstall\n\nRun it backwards.\n")}},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range result.Changes {
		fmt.Println(change.Object)
	}
	// Output:
	// updated_page
	// created_page
}

// A comment without a page is about the whole change request; one with a node and a quote is about the quoted words.
func ExampleChangeRequestCommentsService_Create() {
	c := client.New(url, client.WithToken(token))
	comment, err := c.ChangeRequestComments.Create(context.Background(), api.CreateChangeRequestCommentInput{
		ChangeRequestRef: api.ChangeRequestRef{Space: "spc_1", ChangeRequest: "7"},
		Body: api.CommentCreate{
			Page: "pag_1", Node: "blk_2", Quote: "twice",
			Body: api.CommentBody{Markdown: api.Some("Is once not enough?")},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(comment.Status, comment.Body.Markdown)
	// Output: open Is once not enough?
}

// The review names the reviewed revision, so that its verdict does not cover later changes.
func ExampleChangeRequestReviewsService_Create() {
	c := client.New(url, client.WithToken(token))
	review, err := c.ChangeRequestReviews.Create(context.Background(), api.CreateReviewInput{
		ChangeRequestRef: api.ChangeRequestRef{Space: "spc_1", ChangeRequest: "7"},
		Body:             api.ReviewCreate{Status: api.ReviewApproved, Revision: "rev_5"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(review.Status)
	// Output: approved
}

// A merge with conflicts is not an error: it applies nothing and returns the conflicts. With a resolution for each,
// the same call merges. If a resolution causes another conflict, all conflicts are returned again.
func ExampleChangeRequestsService_Merge() {
	ctx := context.Background()
	c := client.New(url, client.WithToken(token))
	in := api.MergeInput{ChangeRequestRef: api.ChangeRequestRef{Space: "spc_1", ChangeRequest: "7"}}
	merged, err := c.ChangeRequests.Merge(ctx, in)
	for err == nil && merged.Result == api.OutcomeConflicts {
		in.Body.Resolutions = nil
		for _, conflict := range merged.Conflicts {
			fmt.Printf("%s in %s: taking the change request's\n", conflict.Kind, conflict.Title)
			in.Body.Resolutions = append(in.Body.Resolutions, api.Resolution{Conflict: conflict.ID, Take: api.TakeTheirs})
		}
		merged, err = c.ChangeRequests.Merge(ctx, in)
	}
	if err != nil {
		log.Fatal(err) // api.ReasonMergeRules if the merge rules of the space are not met
	}
	fmt.Println("the space is at", merged.Revision)
	// Output:
	// text in Install: taking the change request's
	// the space is at rev_8
}
