package operations

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// takeMembers lets the command that lists the tokens of the caller list those of all members of an organization.
func (r *rowCommand) takeMembers() {
	var members bool
	r.cmd.Flags().BoolVar(&members, "all-members", false,
		"list the tokens of all members and service accounts of the organization that work in it, for its admins")
	for _, other := range []string{"limit", "cursor", "envelope"} {
		r.cmd.MarkFlagsMutuallyExclusive("all-members", other)
	}
	r.cmd.Example += "\n  wsctl tokens list --all-members -o csv"
	own := r.cmd.RunE
	r.cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !members {
			return own(cmd, args)
		}
		return r.listMembersTokens(cmd)
	}
}

// listMembersTokens lists the tokens of all members of the organization, and says how many members were seen.
func (r *rowCommand) listMembersTokens(cmd *cobra.Command) error {
	row := api.ListMemberTokens.Row
	writer, err := NewWriter(r.app, row, api.NewCompiler().Compile(row.Out), Options{ListOptions: ListOptions{All: true}})
	if err != nil {
		return err
	}
	org, err := r.app.Organization(cmd)
	if err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	list := writer.printer.NewList()
	members, accounts, tokens := 0, 0, 0
	for h, err := range tokenHolders(cmd.Context(), c, org) {
		if err != nil {
			return partial(writer, list, tokens, err)
		}
		found, err := addMemberTokens(cmd.Context(), c, list, api.MemberRef{Organization: org, User: h.user})
		if tokens += found; err != nil {
			return partial(writer, list, tokens, err)
		}
		if h.isService {
			accounts++
		} else {
			members++
		}
	}
	if err := list.Close(); err != nil {
		return err
	}
	seen := app.Pluralize(members, "member")
	if accounts > 0 {
		seen += " and " + app.Pluralize(accounts, "service account")
	}
	r.app.Infof("%s of %s", app.Pluralize(tokens, "token"), seen)
	return nil
}

// tokenHolder is a member or a service account of an organization.
type tokenHolder struct {
	user      string
	isService bool
}

// tokenHolders iterates over the members of an organization, and then over its service accounts.
func tokenHolders(ctx context.Context, c *client.Client, org string) iter.Seq2[tokenHolder, error] {
	return func(yield func(tokenHolder, error) bool) {
		for m, err := range client.All(ctx, c.Members.List, api.ListMembersInput{Organization: org}) {
			if !yield(tokenHolder{user: m.ID}, err) || err != nil {
				return
			}
		}
		for a, err := range client.All(ctx, c.ServiceAccounts.List, api.ListServiceAccountsInput{Organization: org}) {
			if !yield(tokenHolder{user: a.ID, isService: true}, err) || err != nil {
				return
			}
		}
	}
}

// partial returns the error of a list of which some items were written.
func partial(writer *Writer, list app.ListWriter, written int, err error) error {
	if written == 0 {
		return err
	}
	if writer.printer.IsAligned() {
		err = errors.Join(err, list.Close()) // writes the items so far; a JSON list stays unclosed
	}
	return &app.PartialError{Done: written, Cause: err}
}

// addMemberTokens writes the tokens of a member and returns their number. A member who has left meanwhile has none.
func addMemberTokens(ctx context.Context, c *client.Client, list app.ListWriter, member api.MemberRef) (n int, err error) {
	for t, err := range client.All(ctx, c.MemberTokens.List, api.ListMemberTokensInput{MemberRef: member}) {
		if api.IsReason(err, api.ReasonNotFound) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		data, err := json.Marshal(t)
		if err == nil {
			err = list.Add(data)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
