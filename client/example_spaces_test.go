package client_test

import (
	"context"
	"fmt"
	"log"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// All fetches the list page by page during the iteration, so that long lists need little memory.
func ExampleAll() {
	ctx := context.Background()
	c := client.New(url, client.WithToken(token))
	for space, err := range client.All(ctx, c.Spaces.List, api.ListSpacesInput{Organization: "org_1"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(space.ID, space.Title)
	}
	// Output:
	// spc_1 Handbook
	// spc_2 Runbook
	// spc_3 Team guide
}

func ExampleSpacesService_Create() {
	c := client.New(url, client.WithToken(token))
	space, err := c.Spaces.Create(context.Background(), api.CreateSpaceInput{
		Organization: "org_1",
		Body:         api.SpaceCreate{Title: "Release notes"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(space.ID, space.Title)
	// Output: spc_4 Release notes
}

// With a format the response includes the text of the page exactly as it was written.
func ExampleContentService_GetPageByPath() {
	c := client.New(url, client.WithToken(token))
	page, err := c.Content.GetPageByPath(context.Background(), api.PagePathInput{
		Space: "spc_1", PagePath: "guides/install",
		PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(*page.Markdown)
	// Output:
	// # Install
	//
	// Run the installer.
}
