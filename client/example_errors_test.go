package client_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// The client waits for rate limits of up to a minute. WithNotice informs the user; this example replaces the wait.
func ExampleWithNotice() {
	c := client.New(url, client.WithToken(token),
		client.WithNotice(func(w client.Wait) { fmt.Printf("%v Trying again in %s.\n", w.Cause, w.For) }),
		client.WithSleep(func(context.Context, time.Duration) error { return nil }))
	user, err := c.User.Get(context.Background(), api.NoInput{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(user.DisplayName)
	// Output:
	// 1200 requests a minute are enough. Trying again in 20s.
	// Ada
}

// Programs test the reason of an error; its message and hint are for people.
func Example_errors() {
	c := client.New(url, client.WithToken(token))
	_, err := c.Spaces.Get(context.Background(), api.GetSpaceInput{Space: "spc_9"})
	switch refused, ok := api.AsError(err); {
	case api.IsReason(err, api.ReasonNotFound):
		fmt.Println("there is no such space, or you may not see it")
	case ok:
		fmt.Println(refused.Message, refused.Hint, refused.RequestID)
	case err != nil:
		fmt.Println("no answer:", err)
	}
	// Output: there is no such space, or you may not see it
}
