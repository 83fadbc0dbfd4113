package client_test

import (
	"context"
	"fmt"
	"log"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// A new site is not published until it is published explicitly.
func ExampleSitesService_Publish() {
	ctx := context.Background()
	c := client.New(url, client.WithToken(token))
	site, err := c.Sites.Create(ctx, api.CreateSiteInput{
		Organization: "org_1",
		Body:         api.SiteCreate{Title: "Handbook", Visibility: api.SitePublic, Spaces: api.SpaceSelection{"spc_1"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	site, err = c.Sites.Publish(ctx, api.SiteRef{Organization: "org_1", Site: site.ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(site.URLs.Published)
	// Output: https://docs.example.com/handbook/
}
