package search_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// BenchmarkSearchIndex builds the search index of documentation sites. It reports the index size relative to the
// compressed texts, the indexing speed, and the cost of searches for correct and misspelt words.
func BenchmarkSearchIndex(b *testing.B) {
	for name, dir := range map[string]string{
		"Sphinx": "/usr/share/doc/python3.11/html", "DocBook": "/usr/share/doc/postgresql-doc-15/html",
		"AsciiDoc": "/usr/share/doc/git/html",
	} {
		b.Run(name, func(b *testing.B) { benchIndex(b, readDocumentation(b, dir)) })
	}
}

func benchIndex(b *testing.B, texts [][]byte) {
	b.Helper()
	codec, err := objects.NewCodec()
	if err != nil {
		b.Fatal(err)
	}
	defer codec.Close()
	size, packed := 0, 0
	x := &benchServer{servertest.NewBench(b, "no")}
	space := x.CreateSpace("Documentation")
	requests := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, requests, api.ChangeRequestCreate{}, &request)
	var result api.ContentResult
	for some := range slices.Chunk(texts, 20) {
		edit := api.ContentEdit{}
		for _, text := range some {
			size, packed = size+len(text), packed+len(codec.Pack(objects.NewObject(text)))
			edit.Changes = append(edit.Changes, api.ContentChange{
				Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(string(text))},
			})
		}
		x.Do(http.MethodPost, requests+"/"+request.ID+"/content?compat=false", edit, &result)
	}
	x.Send(http.MethodPost, x.Web.URL+requests+"/"+request.ID+"/merge", nil)
	find := x.Web.URL + "/v1/spaces/" + space + "/search?query="
	start := x.CPUTime()
	x.searchUntilIndexed(find + "installation")
	used := x.CPUTime() - start
	for b.Loop() {
		x.Get(find + "installation")
	}
	b.ReportMetric(float64(size)/1e6, "text-MB")
	b.ReportMetric(float64(x.indexBytes())/float64(packed), "index/packed")
	b.ReportMetric(float64(size)/1e6/used.Seconds(), "MB/cpu-s")
	b.ReportMetric(x.medianQueryTime(find, correctWords), "exact-us")
	b.ReportMetric(x.medianQueryTime(find, misspeltWords()), "misspelt-us")
	b.ReportMetric(0, "ns/op")
}

var correctWords = []string{
	"installation", "repository", "configuration", "statement", "reference", "message", "default", "character", "following", "library",
}

// misspeltWords returns misspelt words, with one letter missing or two letters swapped.
func misspeltWords() (words []string) {
	for i, word := range correctWords {
		at := 2 + i%(len(word)-4)
		wrong := word[:at] + word[at+1:]
		if i%2 == 0 && word[at] != word[at+1] {
			wrong = word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
		}
		words = append(words, wrong)
	}
	return words
}

// medianQueryTime returns the median time of searches in microseconds. After the first, all data is in memory.
func (x *benchServer) medianQueryTime(find string, words []string) float64 {
	var took []float64
	for range 20 {
		for _, word := range words {
			start := time.Now()
			x.Get(find + url.QueryEscape(word+" the"))
			took = append(took, float64(time.Since(start).Microseconds()))
		}
	}
	return servertest.Median(took)
}

var indexKeyPattern = regexp.MustCompile(`\}:(term|words|docs|sections|index|segments?)\b`)

// indexBytes returns the number of bytes of all search indexes in Redis.
func (x *benchServer) indexBytes() (total int64) {
	ctx := x.B.Context()
	groups := map[string]int64{}
	for keys := x.Redis.Scan(ctx, 0, "*", 1000).Iterator(); keys.Next(ctx); {
		if kind := indexKeyPattern.FindString(keys.Val()); kind != "" {
			size, err := x.Redis.MemoryUsage(ctx, keys.Val(), 0).Result()
			if err != nil {
				x.B.Fatal(err)
			}
			total += size
			groups[keys.Val()[:3]+kind] += size
		}
	}
	x.B.Log(groups)
	return total
}

// readDocumentation returns the texts of a site as an import creates them.
func readDocumentation(b *testing.B, dir string) (texts [][]byte) {
	b.Helper()
	if _, err := os.Stat(dir + "/index.html"); err != nil {
		b.Skip(err)
	}
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	client := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer client.Close()
	n := 0
	result, err := importer.New(client, importer.Limits{}).Import(b.Context(), importer.Request{
		Source: importer.SourceWebsite, URL: web.URL + "/index.html",
		NewID: func(prefix string) string { n++; return fmt.Sprint(prefix, n) },
	})
	if err != nil {
		b.Fatal(err)
	}
	var walk func(pages []*importer.Page)
	walk = func(pages []*importer.Page) {
		for _, page := range pages {
			if len(strings.TrimSpace(string(page.Markdown))) > 0 {
				texts = append(texts, page.Markdown)
			}
			walk(page.Children)
		}
	}
	walk(result.Pages)
	return texts
}

// BenchmarkOrganizationSearch searches an organization of many spaces for a word that occurs in one of them, on a
// server with empty caches. It reports the trips to Redis and the bytes read.
func BenchmarkOrganizationSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := &benchServer{servertest.NewBench(b, "no")}
			x.createDirectory(n)
			for what, query := range map[string]string{
				"exact": "walruses", "misspelt": "wlaruses", "unfinished": "walr", "nothing": "narwhal",
			} {
				x.restart()
				x.Get(x.Web.URL + "/v1/orgs/" + x.Org + "/spaces?limit=1") // loads the model
				read, start := x.sentBytes(), time.Now()
				x.Get(x.Web.URL + "/v1/orgs/" + x.Org + "/search?query=" + query)
				b.ReportMetric(float64(time.Since(start).Microseconds()), what+"-us")
				b.ReportMetric(float64(x.sentBytes()-read)/1e3, what+"-kB")
			}
			b.ReportMetric(float64(x.indexBytes())/1e6, "index-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// createDirectory creates n spaces with 500 words each in the search directory, and one with a page about walruses.
func (x *benchServer) createDirectory(n int) {
	ctx := x.B.Context()
	x.CreateSpaces(n)
	spaces, err := x.Store.LoadSpaces(ctx, x.Org)
	if err != nil {
		x.B.Fatal(err)
	}
	space := x.CreateSpace("Animals")
	x.mergePage(space, "# Walruses\n\nThe walruses have tusks.\n")
	x.searchUntilIndexed(x.Web.URL + "/v1/spaces/" + space + "/search?query=walruses") // starts the directory
	r := rand.New(rand.NewPCG(1, 2))
	for _, id := range spaces {
		words := map[string]bool{}
		for len(words) < 500 {
			words[fmt.Sprintf("%cord%s", 'a'+rune(r.IntN(26)), strconv.FormatInt(int64(r.ExpFloat64()*5_000), 36))] = true
		}
		list := slices.Collect(maps.Keys(words))
		if err := x.Store.Search.AddToDirectory(ctx, x.Org, id, terms.IndexVersion, list, list); err != nil {
			x.B.Fatal(err)
		}
	}
	for chunk := range slices.Chunk(spaces, 200) {
		err := x.Store.Update(ctx, store.Organization(x.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range chunk {
				tx.MarkSearchCurrent(x.Org, id)
			}
			return nil
		})
		if err != nil {
			x.B.Fatal(err)
		}
	}
}

// mergePage adds a page with the given text to a space, by merging a change request.
func (x *benchServer) mergePage(space, text string) {
	requests := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, requests, api.ChangeRequestCreate{}, &request)
	edit := api.ContentEdit{Changes: []api.ContentChange{{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(text)}}}}
	var result api.ContentResult
	x.Do(http.MethodPost, requests+"/"+request.ID+"/content?compat=false", edit, &result)
	x.Send(http.MethodPost, x.Web.URL+requests+"/"+request.ID+"/merge", nil)
}

// sentBytes returns the number of bytes that Redis has sent.
func (x *benchServer) sentBytes() (n int64) {
	info, err := x.Redis.Info(x.B.Context(), "stats").Result()
	if err != nil {
		x.B.Fatal(err)
	}
	_, after, _ := strings.Cut(info, "total_net_output_bytes:")
	_, _ = fmt.Sscan(after, &n)
	return n
}

// restart serves the store from a new server with empty caches.
func (x *benchServer) restart() {
	made, err := server.New(server.Options{
		Store: x.Store, PublicURL: servertest.PublicURL, Secret: bytes.Repeat([]byte("k"), 32), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		x.B.Fatal(err)
	}
	x.Web = httptest.NewServer(made.Handler())
	x.B.Cleanup(x.Web.Close)
}
