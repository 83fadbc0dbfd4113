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
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// completionTimeout limits the completion of ids, because the shell blocks until it returns.
const completionTimeout = 1500 * time.Millisecond

// CompleteFlag registers completion of a flag with names. subject is that of their resources as in api.Param, such as space or
// changeRequest. The names of a list are separated by commas.
func CompleteFlag(a *app.App, cmd *cobra.Command, flag, subject string, isList bool) {
	names := CompleteArgument(a, subject)
	complete := func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		at := 0
		if isList {
			at = strings.LastIndexByte(word, ',') + 1
		}
		found, directive := names(cmd, nil, word[at:])
		for i := range found {
			found[i] = word[:at] + found[i]
		}
		return found, directive
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // the flag exists
}

// CompleteArgument returns a completion function that completes the first argument with names of a subject, or their ids if the
// word begins like one, fetched from the server. On any error it silently offers none.
func CompleteArgument(a *app.App, subject string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		cmd.SetContext(ctx)
		a.SilenceForCompletion()
		found, err := fetchNames(a, cmd, subject, word)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		var matching []string
		for _, c := range found {
			name := c.Name
			if !strings.HasPrefix(name, word) {
				name = c.ID
			}
			if name == "" || !strings.HasPrefix(name, word) {
				continue
			}
			if strings.HasSuffix(name, ":") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			matching = append(matching, app.SanitizeLine(name)+"\t"+app.SanitizeLine(c.Title))
		}
		return matching, directive
	}
}

// fetchNames returns the completions of a subject. What a word begins with is kept: the space of SPACE#N and SPACE:PATH.
func fetchNames(a *app.App, cmd *cobra.Command, subject, word string) ([]resolve.Completion, error) {
	if !resolve.HasNames(subject) {
		return fetchIDs(a, cmd, subject)
	}
	rest, in, err := resolve.Split(subject, word+"\x00", "") // so that there is a rest
	if err != nil {
		return nil, err
	}
	before := strings.TrimSuffix(word, strings.TrimSuffix(rest, "\x00"))
	scope := typedIDs(a, cmd, in)
	key := []string{subject, before, scope("changeRequest"), cmd.Flags().Lookup("url").Value.String()}
	for _, outer := range []string{"organization", "space", "site"} {
		key = append(key, typedText(a, cmd, outer, in))
	}
	lines, err := a.Cached(cmd, strings.Join(key, "\n"), func() ([]string, error) {
		found, err := resolve.New(a, cmd).Complete(subject, scope)
		lines := make([]string, len(found))
		for i, c := range found {
			lines[i] = strings.Join([]string{c.Name, c.ID, c.Title}, "\x00")
		}
		return lines, err
	})
	if err != nil {
		return nil, err
	}
	found := make([]resolve.Completion, len(lines))
	for i, line := range lines {
		parts := strings.SplitN(line, "\x00", 3)
		found[i] = resolve.Completion{Name: before + parts[0], ID: before + parts[1], Title: parts[2]}
	}
	return found, nil
}

// typedText returns the name of the resource of a subject that what is completed is in: that in the word itself, that of the flag
// typed so far, or the configured one.
func typedText(a *app.App, cmd *cobra.Command, subject string, in map[string]string) string {
	if text := in[subject]; text != "" {
		return text
	}
	flag := app.Kebab(subject)
	if subject == "organization" {
		flag = "org"
	}
	if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
		return f.Value.String()
	}
	settings, err := a.Settings(cmd)
	switch {
	case err != nil:
		return ""
	case subject == "space":
		return settings.Space.Value
	case subject == "organization":
		return settings.Org.Value
	}
	return ""
}

// typedIDs returns the scope of what is completed: that of the flags typed so far and the settings.
func typedIDs(a *app.App, cmd *cobra.Command, in map[string]string) resolve.Scope {
	known := map[string]string{}
	return func(subject string) string {
		if id, ok := known[subject]; ok {
			return id
		}
		text := typedText(a, cmd, subject, in)
		if text != "" && subject != "changeRequest" {
			id, err := resolve.New(a, cmd).Find(subject, text)
			if err != nil {
				id = ""
			}
			text = id
		}
		known[subject] = text
		return text
	}
}

// fetchIDs requests at most 100 resources without names and returns a completion for each. It returns none if there is no list for
// subject.
func fetchIDs(a *app.App, cmd *cobra.Command, subject string) ([]resolve.Completion, error) {
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
	return completions(response.Body, label)
}

// listPath returns the path parameters of a list from the flags typed so far.
func listPath(a *app.App, cmd *cobra.Command, row api.Row) (map[string]string, error) {
	path := map[string]string{}
	scope := typedIDs(a, cmd, nil)
	for _, p := range row.PathParams() {
		id := scope(p.Subject)
		if id == "" && p.Subject == "organization" {
			var err error
			if id, err = resolve.New(a, cmd).Organization(); err != nil {
				return nil, err
			}
		}
		path[p.Name] = id
	}
	return path, nil
}

// completions returns the completions of the items of a list, with the member at the path label as title.
func completions(body []byte, label string) ([]resolve.Completion, error) {
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var found []resolve.Completion
	for _, item := range list.Items {
		id := resolve.Member(item, "id")
		found = append(found, resolve.Completion{Name: id, ID: id, Title: resolve.Member(item, label)})
	}
	return found, nil
}
