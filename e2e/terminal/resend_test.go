package terminal

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/store"
)

// TestReviewIsResentAfterThirtyHours kills screen and server before the request or the response of a review arrives,
// and advances the clock beyond the lifetime of idempotency keys. The review is stored once, although the pages have
// changed.
func TestReviewIsResentAfterThirtyHours(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]bool{"request received": true, "request lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.newHandbook()
			rob := w.reviewer.open("rob", h.arguments()...)
			rob.startComment(generalComment)
			rob.press("C-s")
			rob.wantTexts("!█", "✎ 1 draft")
			rob.press("Enter")
			rob.gotoFirstChange()
			rob.press("c")
			rob.compose("comment on", blockComment)
			rob.press("S")
			rob.wantTexts("2 not sent")
			rob.press("BTab")
			rob.wantTexts("(•) request changes")
			held := w.proxy.hold("PUT", "/submissions/", answered)
			rob.press("C-s")
			held.wait(t)
			rob.kill()
			w.wsd.kill()

			w.advance(30*time.Hour, 30*time.Hour, nil)
			h.editReviewedPage()
			rob.restart(h.arguments()...)
			h.wantTexts(generalComment, blockComment)
			rob.wantTexts("Changed pages", "!✎")
			rob.press("q")
			rob.waitForExit()
			rob.restart(h.arguments()...)
			rob.wantTexts("Changed pages", "!✎")
			h.wantTexts(generalComment, blockComment)
			h.wantReviews(1)
		})
	}
}

// advance moves the clock by d, after which it is ahead of the present: it ages the keys in Redis and serves their data in this process
// with the later clock. configure, which may be nil, changes the options of the server.
func (w *world) advance(d, ahead time.Duration, configure func(*server.Options)) {
	w.Helper()
	options, err := redis.ParseURL(w.redis)
	must(w, err)
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	must(w, expire(w.Context(), client, d))
	clock := func() time.Time { return time.Now().Add(ahead) }
	quiet := slog.New(slog.DiscardHandler)
	s, err := store.Open(w.Context(), store.Config{URL: w.redis, Model: access.NewModel, Logger: quiet, Clock: clock})
	must(w, err)
	w.Cleanup(func() { _ = s.Close() })
	fetcher := fetch.New(fetch.Options{})
	o := server.Options{
		Store: s, PublicURL: w.proxy.url, Secret: []byte(secret), Fetcher: fetcher, Importer: importer.New(fetcher,
			importer.Limits{}), Log: quiet,
		Version: "test", Clock: clock,
	}
	if configure != nil {
		configure(&o)
	}
	srv, err := server.New(o)
	must(w, err)
	front := httptest.NewServer(srv.Handler())
	w.Cleanup(func() {
		front.CloseClientConnections() // a screen may follow the stream of events
		front.Close()
	})
	w.proxy.setTarget(front.URL)
}

// expire shortens the time to live of all keys by d and deletes those that have expired.
func expire(ctx context.Context, client *redis.Client, d time.Duration) error {
	for keys := client.Scan(ctx, 0, "*", 1000).Iterator(); keys.Next(ctx); {
		ttl, err := client.PTTL(ctx, keys.Val()).Result()
		switch {
		case err != nil:
			return err
		case ttl < 0: // no expiry
		case ttl <= d:
			err = client.Del(ctx, keys.Val()).Err()
		default:
			err = client.PExpire(ctx, keys.Val(), ttl-d).Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// editReviewedPage deletes, as the author, a paragraph that has review comments.
func (h *handbook) editReviewedPage() {
	h.w.Helper()
	_, err := h.w.author.client.ChangeRequestContent.Edit(h.w.Context(),
		api.EditContentInput{ChangeRequestRef: h.ref, Body: api.ContentEdit{
			Changes: []api.ContentChange{
				h.textChange("Battery", strings.Replace(battery, "The battery lasts five years. It is charged by the sun.\n\n", "", 1)),
			},
		}})
	must(h.w, err)
}
