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

// budget is how long the shell may wait for ids; after it there are none.
const budget = 1500 * time.Millisecond

// Flag completes a flag of a command with ids. subject is what they are of, as in api.Param: space, changeRequest.
func Flag(a *app.App, cmd *cobra.Command, flag, subject string) {
	ids := Argument(a, subject)
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return ids(cmd, nil, word)
	})
}

// Argument completes the first argument of a command with ids of a subject, which it asks the server for. Whatever goes
// wrong, it offers nothing and says nothing.
func Argument(a *app.App, subject string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), budget)
		defer cancel()
		cmd.SetContext(ctx)
		a.Hurry()
		found, err := ids(a, cmd, subject)
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
func ids(a *app.App, cmd *cobra.Command, subject string) ([]string, error) {
	row, label := source(subject)
	if row.Name == "" {
		return nil, nil
	}
	if inside := cmd.Flags().Lookup("change-request"); inside != nil && inside.Changed {
		if twin, ok := row.Twin(); ok {
			row = twin
		}
	}
	path, err := pathOf(a, cmd, row)
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

// pathOf fills the path of a list from the flags typed so far.
func pathOf(a *app.App, cmd *cobra.Command, row api.Row) (map[string]string, error) {
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
			lines = append(lines, app.Line(id)+"\t"+app.Line(textAt(item, label)))
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
