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

// TestAReviewIsSentAgainAfterThirtyHours loses the answer to one review and the way to the server of another, kills everything,
// and lets thirty hours pass: longer than a server remembers requests. Both are there once, though the pages have moved on.
func TestAReviewIsSentAgainAfterThirtyHours(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]bool{"that arrived": true, "that did not arrive": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.handbook()
			rob := w.reader.open("rob", h.arguments()...)
			rob.begins(onWhole)
			rob.press("C-s")
			rob.sees("!█", "✎ 1 draft")
			rob.press("Enter")
			rob.reads()
			rob.press("c")
			rob.composes("comment on", onBlock)
			rob.press("S")
			rob.sees("2 not sent")
			rob.press("BTab")
			rob.sees("(•) request changes")
			held := w.gate.hold("PUT", "/submissions/", answered)
			rob.press("C-s")
			held.wait(t)
			rob.kill()
			w.wsd.kill()

			w.passes(30 * time.Hour)
			h.movesOn()
			rob.again(h.arguments()...)
			h.said(onWhole, onBlock)
			rob.sees("Changed pages", "!✎")
			rob.press("q")
			rob.ended()
			rob.again(h.arguments()...)
			rob.sees("Changed pages", "!✎")
			h.said(onWhole, onBlock)
			h.verdicts(1)
		})
	}
}

// passes lets time pass, for Redis and for a server on it, which serves in the place of the one that was killed.
func (w *world) passes(d time.Duration) {
	w.Helper()
	options, err := redis.ParseURL(w.redis)
	must(w, err)
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	must(w, expire(w.Context(), client, d))
	clock := func() time.Time { return time.Now().Add(d) }
	quiet := slog.New(slog.DiscardHandler)
	s, err := store.Open(w.Context(), store.Config{URL: w.redis, Model: access.New, Logger: quiet, Clock: clock})
	must(w, err)
	w.Cleanup(func() { _ = s.Close() })
	fetcher := fetch.New(fetch.Options{})
	made, err := server.New(server.Options{
		Store: s, PublicURL: w.gate.url, Secret: []byte(secret), Fetcher: fetcher, Importer: importer.New(fetcher, importer.Limits{}), Log: quiet,
		Version: "test", Clock: clock,
	})
	must(w, err)
	front := httptest.NewServer(made.Handler())
	w.Cleanup(front.Close)
	w.gate.leadTo(front.URL)
}

// expire does to the keys of a Redis what some time does.
func expire(ctx context.Context, client *redis.Client, d time.Duration) error {
	for keys := client.Scan(ctx, 0, "*", 1000).Iterator(); keys.Next(ctx); {
		left, err := client.PTTL(ctx, keys.Val()).Result()
		switch {
		case err != nil:
			return err
		case left < 0: // it stays
		case left <= d:
			err = client.Del(ctx, keys.Val()).Err()
		default:
			err = client.PExpire(ctx, keys.Val(), left-d).Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// movesOn edits what the review was about.
func (h *handbook) movesOn() {
	h.w.Helper()
	_, err := h.w.author.client.ChangeRequestContent.Edit(h.w.Context(), api.EditContentInput{ChangeRequestRef: h.at, Body: api.ContentEdit{
		Changes: []api.ContentChange{h.text("Battery", strings.Replace(battery, "The battery lasts five years. It is charged by the sun.\n\n", "", 1))},
	}})
	must(h.w, err)
}
