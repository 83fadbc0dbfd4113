package operations

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
)

// completionTimeout limits the completion of ids, because the shell blocks until it returns.
const completionTimeout = 1500 * time.Millisecond

// CompleteFlag registers completion of a flag with ids. subject is their resource as in api.Param, such as space or
// changeRequest.
func CompleteFlag(a *app.App, cmd *cobra.Command, flag, subject string) {
	ids := CompleteArgument(a, subject)
	complete := func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return ids(cmd, nil, word)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // the flag exists
}

// CompleteArgument returns a completion function that completes the first argument with ids of subject, fetched from the
// server. On any error it silently offers none.
func CompleteArgument(a *app.App, subject string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		cmd.SetContext(ctx)
		a.SilenceForCompletion()
		found, err := fetchIDs(a, cmd, subject)
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

// fetchIDs requests at most 100 resources and returns a completion for each: its id, a tab, and its name. It returns none if
// there is no list for subject.
func fetchIDs(a *app.App, cmd *cobra.Command, subject string) ([]string, error) {
	row, label := completionSource(subject)
	if row.Name == "" {
		return nil, nil
	}
	if inside := cmd.Flags().Lookup("change-request"); inside != nil && inside.Changed {
		if twin, ok := row.Twin(); ok {
			row = twin
		}
	}
	path, err := listPath(a, cmd, row)
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

// lookupText returns the text of the member at a dotted path of an object.
func lookupText(object map[string]any, path string) string {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		text, _ := object[name].(string)
		return text
	}
	inner, _ := object[name].(map[string]any)
	return lookupText(inner, rest)
}

// listPath returns the path parameters of a list from the flags typed so far.
func listPath(a *app.App, cmd *cobra.Command, row api.Row) (map[string]string, error) {
	path := map[string]string{}
	for _, p := range row.PathParams() {
		var err error
		switch name := p.Name; p.Subject {
		case "organization":
			path[name], err = a.Organization(cmd)
		case "space":
			path[name], err = a.Space(cmd)
		case "changeRequest", "site":
			path[name] = cmd.Flag(app.FlagName(row, api.InPath, p.Subject)).Value.String()
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
			lines = append(lines, app.SanitizeLine(id)+"\t"+app.SanitizeLine(lookupText(item, label)))
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
