package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// volatileMembers differ between two runs of the same requests: ids, times and values derived from them.
var volatileMembers = []string{
	"id", "changeRequest", "postedAt", "editedAt", "resolvedAt", "reactedAt", "createdAt", "updatedAt", "lastSeenAt", "deletedAt", "urls",
	"revision", "revisionInitial", "revisionMerged",
	"revisionMergedAncestor", "mergedFrom", "documentId", "blocks", "next", "downloadURL", "space", "organization",
}

// view returns the content of an organization, as read over HTTP, as canonical JSON with titles in place of ids.
func (p person) view(t *testing.T, organization string) string {
	t.Helper()
	v := &viewer{t: t, person: p, names: map[string]string{}}
	collections := v.items("/v1/orgs/" + organization + "/collections")
	for _, collection := range collections {
		collection["spaces"] = v.items("/v1/collections/" + member(collection, "id") + "/spaces") // in order
	}
	view := map[string]any{"organizations": v.items("/v1/orgs"), "collections": collections}
	spaces := v.items("/v1/orgs/" + organization + "/spaces")
	for _, space := range spaces {
		path := "/v1/spaces/" + member(space, "id")
		space["content"], space["files"] = v.pages(path), v.items(path+"/content/files")
		space["discussion"], space["requests"] = v.comments(path), v.requests(path)
	}
	view["spaces"] = spaces
	view["sites"] = v.sites("/v1/orgs/" + organization)
	text, err := json.MarshalIndent(v.normalize(view), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// viewer collects the parts of a view and the titles that replace ids in it.
type viewer struct {
	t      *testing.T
	person person
	names  map[string]string // titles by id
}

// get returns the response body of a GET request.
func (v *viewer) get(path string) map[string]any { return v.person.do(v.t, "GET", path, nil) }

// items returns all items of a list.
func (v *viewer) items(path string) []map[string]any {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	list, _ := v.get(path + separator + "limit=1000")["items"].([]any)
	items := make([]map[string]any, len(list))
	for i, item := range list {
		items[i], _ = item.(map[string]any)
		v.addName(items[i])
	}
	return items
}

// addName records the title or name of an item under its id.
func (v *viewer) addName(item map[string]any) {
	for _, name := range []string{member(item, "title"), member(item, "name")} {
		if name != "" {
			v.names[member(item, "id")] = name
		}
	}
}

// sites returns the sites with their keys and share links.
func (v *viewer) sites(path string) any {
	sites := v.items(path + "/sites")
	for _, site := range sites {
		sitePath := path + "/sites/" + member(site, "id")
		site["key"], site["shareLinks"] = v.get(sitePath + "/publishing/auth")["privateKey"], v.items(sitePath+"/share-links")
	}
	return sites
}

// pages returns the page tree with its texts.
func (v *viewer) pages(path string) any {
	tree := v.get(path + "/content/pages")["pages"]
	v.addTexts(path, tree)
	return tree
}

func (v *viewer) addTexts(path string, pages any) {
	list, _ := pages.([]any)
	for _, item := range list {
		page, _ := item.(map[string]any)
		v.addName(page)
		page["markdown"] = v.get(path + "/content/page/" + member(page, "id") + "?format=markdown")["markdown"]
		v.addTexts(path, page["pages"])
	}
}

// comments returns the comments with their replies.
func (v *viewer) comments(path string) any {
	comments := v.items(path + "/comments?status=all")
	for _, comment := range comments {
		if replies, _ := comment["replies"].(float64); replies > 0 {
			comment["answers"] = v.items(path + "/comments/" + member(comment, "id") + "/replies")
		}
	}
	return comments
}

// requests returns the change requests, with the content of those that are not final.
func (v *viewer) requests(path string) any {
	requests := map[string]any{}
	for _, status := range []string{"draft", "open", "merged", "archived"} {
		list := v.items(path + "/change-requests?status=" + status)
		for _, item := range list {
			requestPath := path + "/change-requests/" + member(item, "id")
			if status == "draft" || status == "open" {
				item["content"], item["files"] = v.pages(requestPath), v.items(requestPath+"/content/files")
			}
			item["discussion"] = v.comments(requestPath)
		}
		requests[status] = list
	}
	return requests
}

// normalize removes volatile members and replaces ids with titles.
func (v *viewer) normalize(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, inner := range value {
			if !slices.Contains(volatileMembers, name) {
				kept[name] = v.normalize(inner)
			}
		}
		return kept
	case []map[string]any:
		kept := make([]any, len(value))
		for i, inner := range value {
			kept[i] = v.normalize(inner)
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, inner := range value {
			kept[i] = v.normalize(inner)
		}
		return kept
	case string:
		for id, title := range v.names {
			value = strings.ReplaceAll(value, id, "<"+title+">")
		}
		return value
	}
	return value
}
