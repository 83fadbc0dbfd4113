package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/demo"
	"docspace.dev/wsd/server/servertest"
)

// demoReader reads the objects of the demo as its admin.
type demoReader struct {
	*servertest.World
	demo.Result
	sample *servertest.Sample
	lists  map[string][]string // ids by path of their list
}

// recordDemo requests every reading row for the first objects of each kind in the demo.
func recordDemo(w *servertest.World, loaded demo.Result) recording {
	w.T.Helper()
	d := demoReader{w, loaded, &servertest.Sample{}, map[string][]string{}}
	r := recording{Token: loaded.Token, ReaderToken: loaded.ReviewerToken, Organization: loaded.Organization, Answers: map[string]string{}}
	for _, row := range api.Rows() {
		if row.Writes() || !strings.HasPrefix(row.Path, "/v1/orgs/{") && !strings.HasPrefix(row.Path, "/v1/spaces/{") {
			continue
		}
		query := w.SampleInput(row, d.sample).Query
		for _, path := range d.paths("", strings.Split(row.Path, "/")[1:]) {
			body, status := d.get(path + query)
			if status >= http.StatusInternalServerError {
				w.T.Errorf("GET %s: %d", path+query, status)
			}
			r.Answers[path+query] = fmt.Sprint(status, " ", string(body))
		}
	}
	if len(r.Answers) < 100 {
		w.T.Errorf("only %d answers", len(r.Answers))
	}
	return r
}

// paths returns the paths for a path with parameters. Each parameter is replaced by ids of the list before it.
func (d demoReader) paths(done string, rest []string) []string {
	if len(rest) == 0 {
		return []string{done}
	}
	if !strings.HasPrefix(rest[0], "{") {
		return d.paths(done+"/"+rest[0], rest[1:])
	}
	var all []string
	for _, id := range d.ids(done) {
		all = append(all, d.paths(done+"/"+id, rest[1:])...)
	}
	return all
}

// ids returns some ids of a list.
func (d demoReader) ids(list string) []string {
	switch {
	case list == "/v1/orgs":
		return []string{d.Organization}
	case list == "/v1/spaces":
		list = "/v1/orgs/" + d.Organization + "/spaces"
	case strings.HasSuffix(list, "/content/page"):
		list = strings.TrimSuffix(list, "/page") + "/pages"
	}
	if ids, ok := d.lists[list]; ok {
		return ids
	}
	type item struct {
		ID   string `json:"id"`
		Slug string `json:"slug"`
	}
	var response struct {
		Items []item `json:"items"`
		Pages []item `json:"pages"`
	}
	if body, status := d.get(list); status == http.StatusOK {
		_ = json.Unmarshal(body, &response) // fails if it is not a list, which then has no ids
	}
	ids := []string{}
	for _, item := range append(response.Items, response.Pages...) {
		if strings.HasSuffix(list, "/openapi") { // paths contain the slugs of specifications
			item.ID = item.Slug
		}
		if item.ID != "" && len(ids) < 3 {
			ids = append(ids, item.ID)
		}
	}
	d.lists[list] = ids
	return ids
}

func (d demoReader) get(path string) (body []byte, status int) {
	a := d.Send("demo", http.MethodGet, path, nil)
	return a.Body, a.Status
}
