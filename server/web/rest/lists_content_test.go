package rest_test

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// linkLists returns the lists of links from pages and to files. Their items exist as long as the text does.
func linkLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	space := "/v1/spaces/" + s.Handbook
	request := space + "/change-requests/" + s.Request.ID
	inSpace := func(changes ...api.ContentChange) api.ContentResult {
		r := w.CreateRequest("creator", s.Handbook, next())
		made := w.Edit("creator", r, changes...)
		w.MustMerge(servertest.Ref(r))
		return made
	}
	inRequest := func(changes ...api.ContentChange) api.ContentResult { return w.Edit("editor", s.Request, changes...) }
	links := func(path, page string, apply func(...api.ContentChange) api.ContentResult) mutableList {
		text, n := "# Usage\n", 0
		return mutableList{
			path: path,
			create: func() string {
				n++
				url := fmt.Sprintf("https://example.com/%d/", n)
				text += "\n[a link](" + url + ")\n"
				apply(servertest.Update(page, text))
				return url
			},
			remove: func(url string) {
				text = strings.Replace(text, "\n[a link]("+url+")\n", "", 1)
				apply(servertest.Update(page, text))
			},
		}
	}
	uses := func(path, file string, apply func(...api.ContentChange) api.ContentResult) mutableList {
		return mutableList{
			path: path + "/content/files/" + file + "/backlinks",
			create: func() string {
				return apply(servertest.Insert(next(), "", "![x](/files/"+file+")\n")).Changes[0].Page.ID
			},
			remove: func(id string) { apply(servertest.DeletePage(id)) },
		}
	}
	return map[string]mutableList{
		"links of a space":             links(space+"/links", s.Pages["Usage"], inSpace),
		"links of a page":              links(space+"/content/page/"+s.Pages["Usage"]+"/links", s.Pages["Usage"], inSpace),
		"links of a page of a request": links(request+"/content/page/"+s.RequestPage+"/links", s.RequestPage, inRequest),
		"uses of a file":               uses(space, s.File, inSpace),
		"uses of a file of a request":  uses(request, s.RequestFile, inRequest),
		"files of a space": {
			path: space + "/content/files",
			create: func() string {
				return inSpace(api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
					{Name: next(), ContentType: "image/png", Base64: servertest.OnePixel},
				}}).InsertedFiles[0].File.ID
			},
			remove: func(id string) { inSpace(api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{id}}) },
		},
	}
}

// searchLists returns the lists of search hits, ordered by score, which depends on other pages as well.
func searchLists(w *servertest.World, s *servertest.Sample, next func() string) map[string]mutableList {
	n := 0
	wombats := func(space string) string {
		n++
		r := w.CreateRequest("creator", space, next())
		page := w.Edit("creator", r, servertest.Insert(next(), "", strings.Repeat("wombat ", n%4+1)+strings.Repeat("other words ", n%3)+
			"\n")).Changes[0].Page.ID
		w.MustMerge(servertest.Ref(r))
		return page
	}
	apply := func(change api.ContentChange) {
		n++
		r := w.CreateRequest("creator", s.Handbook, next())
		w.Edit("creator", r, change)
		w.MustMerge(servertest.Ref(r))
	}
	return map[string]mutableList{
		"hits of a space": {
			path: "/v1/spaces/" + s.Handbook + "/search?query=wombat", create: func() string { return wombats(s.Handbook) },
			remove: func(id string) { apply(servertest.DeletePage(id)) },
			move:   func(id string) { apply(servertest.Update(id, strings.Repeat("wombat ", n%3*5+1)+next()+"\n")) },
		},
		"hits of an organization": {
			path:   "/v1/orgs/" + w.Org + "/search?query=wombat",
			create: func() string { space := w.CreateSpace(next(), "", ""); wombats(space); return space },
			remove: func(id string) { deletePath(w, "/v1/spaces/"+id) },
		},
	}
}
