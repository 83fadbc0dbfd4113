package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"time"

	"docspace.dev/wsd/client/api"
)

// The examples call the server at url with token. It has a few canned responses and, like wsd, rejects inputs that
// violate the contract.
var (
	url   = newExampleServer().URL
	token = "wsd_ada_1_secret"
)

func newExampleServer() *httptest.Server {
	mux := http.NewServeMux()
	handleSpaces(mux)
	handleChangeRequests(mux)
	handleSites(mux)
	rateLimit(mux)
	return httptest.NewServer(mux)
}

// handle handles the operation of route with respond.
func handle[In, Out any](mux *http.ServeMux, route api.Route[In, Out], respond func(In) (Out, error)) {
	mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) {
		in, err := decodeInput(r, route.Row)
		if err != nil {
			writeError(w, api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "%v", err))
			return
		}
		out, err := respond(in.(In))
		if err != nil {
			writeError(w, err)
			return
		}
		w.WriteHeader(route.Status)
		_ = json.NewEncoder(w).Encode(out)
	})
}

func writeError(w http.ResponseWriter, err error) {
	refused, ok := errors.AsType[*api.Error](err)
	if !ok {
		refused = api.Errorf(http.StatusInternalServerError, api.ReasonInternal, "%v", err)
	}
	if refused.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(refused.RetryAfter.Seconds())))
	}
	w.WriteHeader(refused.Code)
	_ = json.NewEncoder(w).Encode(api.ErrorBody{Error: *refused})
}

func exampleSpace(id, title string) api.Space {
	return api.Space{SpaceFields: api.SpaceFields{Object: "space", ID: id, Title: title}}
}

func handleSpaces(mux *http.ServeMux) {
	handle(mux, api.ListSpaces, func(in api.ListSpacesInput) (api.Page[api.Space], error) {
		if in.Page == "" {
			first := []api.Space{exampleSpace("spc_1", "Handbook"), exampleSpace("spc_2", "Runbook")}
			return api.Page[api.Space]{Count: 3, Items: first, Next: &api.Next{Page: "2"}}, nil
		}
		return api.Page[api.Space]{Count: 3, Items: []api.Space{exampleSpace("spc_3", "Team guide")}}, nil
	})
	handle(mux, api.CreateSpace, func(in api.CreateSpaceInput) (api.Space, error) {
		return exampleSpace("spc_4", in.Body.Title), nil
	})
	handle(mux, api.GetSpace, func(api.GetSpaceInput) (api.Space, error) { return api.Space{}, api.NotFound() })
	handle(mux, api.GetContentPageByPath, func(in api.PagePathInput) (api.RevisionPage, error) {
		if in.PagePath != "guides/install" || in.Format != api.FormatMarkdown {
			return api.RevisionPage{}, api.NotFound()
		}
		return api.RevisionPage{ID: "pag_1", Title: "Install", Markdown: new("# Install\n\nRun the installer.\n")}, nil
	})
}

func handleChangeRequests(mux *http.ServeMux) {
	handle(mux, api.CreateChangeRequest, func(in api.CreateChangeRequestInput) (api.ChangeRequest, error) {
		return exampleChangeRequest(in.Body.Subject), nil
	})
	handle(mux, api.EditChangeRequestContent, func(in api.EditContentInput) (api.ContentResult, error) {
		result := api.ContentResult{ChangeRequest: exampleChangeRequest("")}
		for _, change := range in.Body.Changes {
			did := map[api.ContentOperation]string{api.InsertPage: "created_page", api.UpdatePage: "updated_page"}[change.Operation]
			result.Changes = append(result.Changes, api.ContentEffect{Object: did, Page: &api.PageRef{Object: "page", ID: "pag_1"}})
		}
		return result, nil
	})
	handle(mux, api.CreateChangeRequestComment, func(in api.CreateChangeRequestCommentInput) (api.Comment, error) {
		text, _ := in.Body.Body.Markdown.Get()
		body := api.CommentText{Markdown: text}
		return api.Comment{CommentFields: api.CommentFields{ID: "com_1", Status: api.CommentOpen, Body: body}}, nil
	})
	handle(mux, api.CreateChangeRequestReview, func(in api.CreateReviewInput) (api.Review, error) {
		return api.Review{ReviewFields: api.ReviewFields{ID: "rev_1", Status: in.Body.Status}}, nil
	})
	handle(mux, api.MergeChangeRequest, func(in api.MergeInput) (api.MergeResult, error) {
		if len(in.Body.Resolutions) == 0 {
			conflict := api.Conflict{ID: "cfl_1", Kind: "text", Title: "Install"}
			return api.MergeResult{Revision: "rev_7", Result: api.OutcomeConflicts, Conflicts: []api.Conflict{conflict}}, nil
		}
		return api.MergeResult{Revision: "rev_8", Result: api.OutcomeMerge}, nil
	})
}

func exampleChangeRequest(subject string) api.ChangeRequest {
	return api.ChangeRequest{
		ChangeRequestFields: api.ChangeRequestFields{ID: "crq_1", Number: 7, Status: api.StatusDraft, Subject: subject},
		Revision:            "rev_5",
	}
}

func handleSites(mux *http.ServeMux) {
	handle(mux, api.CreateSite, func(in api.CreateSiteInput) (api.Site, error) {
		return api.Site{SiteFields: api.SiteFields{ID: "sit_1", Title: in.Body.Title, Visibility: in.Body.Visibility}}, nil
	})
	handle(mux, api.PublishSite, func(in api.SiteRef) (api.Site, error) {
		published := api.SiteURLs{Published: "https://docs.example.com/handbook/"}
		return api.Site{SiteFields: api.SiteFields{ID: in.Site, Published: true}, URLs: published}, nil
	})
}

// rateLimit handles GetUser. It rejects every other request, starting with the first, because of the rate limit.
func rateLimit(mux *http.ServeMux) {
	var requests atomic.Int64
	handle(mux, api.GetUser, func(api.NoInput) (api.CurrentUser, error) {
		if requests.Add(1)%2 == 1 {
			busy := api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "1200 requests a minute are enough.")
			busy.RetryAfter = 20 * time.Second
			return api.CurrentUser{}, busy
		}
		return api.CurrentUser{User: api.User{UserFields: api.UserFields{ID: "usr_1", DisplayName: "Ada"}}}, nil
	})
}
