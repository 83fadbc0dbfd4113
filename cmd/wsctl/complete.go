package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// completionBudget is how long the shell may wait for ids; after it there are none.
const completionBudget = 1500 * time.Millisecond

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeIDs offers the ids that a flag may have.
func completeIDs(a *app.App, cmd *cobra.Command, flag, param string) {
	ids := idCompletion(a, param)
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return ids(cmd, nil, word)
	})
}

// idCompletion asks the server for the ids of what a parameter names. Whatever goes wrong, it offers nothing and
// says nothing: a shell is in the middle of a line.
func idCompletion(a *app.App, param string) completion {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionBudget)
		defer cancel()
		cmd.SetContext(ctx)
		a.Hurry()
		found, err := ids(a, cmd, param)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var matching []string
		for _, line := range found {
			if strings.HasPrefix(line, word) {
				matching = append(matching, line)
			}
		}
		return matching, cobra.ShellCompDirectiveNoFileComp
	}
}

// ids returns lines of an id and, behind a tab, what it is called.
func ids(a *app.App, cmd *cobra.Command, param string) ([]string, error) {
	row, label := source(param)
	if row.Name == "" {
		return nil, nil
	}
	if inside := cmd.Flags().Lookup("change-request"); inside != nil && inside.Changed {
		if twin, ok := row.Twin(); ok {
			row = twin
		}
	}
	path, err := completionPath(a, cmd, row)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	if row.IsList() {
		query.Set("limit", "100")
	}
	req, err := client.Build(row, path, query, nil)
	if err != nil {
		return nil, err
	}
	c, err := a.Client(cmd)
	if err != nil {
		return nil, err
	}
	response, err := c.Do(cmd.Context(), req)
	if err != nil {
		return nil, err
	}
	return idLines(response.Body, label)
}

// source is the list that has the ids of a parameter, and the member that people know them by.
func source(param string) (api.Row, string) {
	switch param {
	case "organization":
		return api.ListOrganizations.Row, "title"
	case "space":
		return api.ListSpaces.Row, "title"
	case "collection":
		return api.ListCollections.Row, "title"
	case "user":
		return api.ListMembers.Row, "user.displayName"
	case "invite":
		return api.ListInvites.Row, "email"
	case "linkInvite":
		return api.ListLinkInvites.Row, "level"
	case "team":
		return api.ListTeams.Row, "title"
	case "changeRequest":
		return api.ListChangeRequests.Row, "subject"
	case "review":
		return api.ListChangeRequestReviews.Row, "reviewer.displayName"
	case "comment":
		return api.ListComments.Row, "status"
	case "revision":
		return api.ListSpaceRevisions.Row, "createdAt"
	case "page":
		return api.ListContentPages.Row, "title"
	case "file":
		return api.ListContentFiles.Row, "name"
	case "spec":
		return api.ListOpenAPISpecs.Row, "slug"
	case "transfer":
		return api.ListTransfers.Row, "title"
	case "translation":
		return api.ListTranslations.Row, "title"
	case "samlProvider":
		return api.ListSAMLProviders.Row, "label"
	case "token":
		return api.ListTokens.Row, "name"
	case "site":
		return api.ListSites.Row, "title"
	case "siteSection":
		return api.ListSiteSections.Row, "title"
	case "siteSectionGroup":
		return api.ListSiteSectionGroups.Row, "title"
	case "siteSpace":
		return api.ListSiteSpaces.Row, "title"
	case "shareLink":
		return api.ListShareLinks.Row, "name"
	default:
		return api.Row{}, ""
	}
}

// textAt is the text of a member of an object, which a path with dots leads to.
func textAt(object map[string]any, path string) string {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		text, _ := object[name].(string)
		return text
	}
	inner, _ := object[name].(map[string]any)
	return textAt(inner, rest)
}

// completionPath fills the path of a list from the flags typed so far.
func completionPath(a *app.App, cmd *cobra.Command, row api.Row) (map[string]string, error) {
	path := map[string]string{}
	for _, p := range row.PathParams() {
		var err error
		switch name := p.Name; p.Subject {
		case "organization":
			path[name], err = a.Organization(cmd)
		case "space":
			path[name], err = a.Space(cmd)
		case "changeRequest", "site":
			path[name] = cmd.Flag(kebab(p.Subject)).Value.String()
		}
		if err != nil {
			return nil, err
		}
	}
	return path, nil
}

func idLines(body []byte, label string) ([]string, error) {
	var list struct {
		Items []map[string]any `json:"items"`
		Pages []map[string]any `json:"pages"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var lines []string
	var add func(items []map[string]any)
	add = func(items []map[string]any) {
		for _, item := range items {
			id, _ := item["id"].(string)
			lines = append(lines, output.Line(id)+"\t"+output.Line(textAt(item, label)))
			below, _ := item["pages"].([]any)
			for _, page := range below {
				if object, ok := page.(map[string]any); ok {
					add([]map[string]any{object})
				}
			}
		}
	}
	add(append(list.Items, list.Pages...))
	return lines, nil
}
