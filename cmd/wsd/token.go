package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/store"
)

// tokenColumns are the headings of a table of tokens.
var tokenColumns = []string{"TOKEN", "USER", "WHOSE", "NAME", "SCOPES", "WORKS IN", "MADE", "LAST USED", "ENDS", "TYPE"}

// tokenCells returns a token as a row of a table.
func tokenCells(t operator.Token) []string {
	whose := t.UserEmail
	if whose == "" {
		whose = t.UserName
	}
	if t.Damaged {
		return []string{t.ID, t.User, cell(whose), "damaged, see wsd fsck"}
	}
	scopes := make([]string, len(t.Scopes))
	for i, scope := range t.Scopes {
		scopes[i] = string(scope)
	}
	where := t.Organization
	if where == "" {
		where = "all"
	}
	lastUse := "never"
	if !t.LastUsedAt.IsZero() {
		lastUse = t.LastUsedAt.UTC().Format("2006-01-02T15:04Z07:00") // is stored to the minute
	}
	ends := timeCell(t.ExpiresAt, "never")
	if t.ExpiresAt.IsZero() && t.Parent != "" {
		ends = "with " + t.Parent
	}
	return []string{
		t.ID, t.User, cell(whose), cell(t.Name), strings.Join(scopes, ","), where, timeCell(t.CreatedAt, "-"),
		lastUse, ends, cmp.Or(string(t.Type), "token"),
	}
}

func newTokenListCmd(ctx context.Context, cfg *config) *cobra.Command {
	var filter operator.TokenFilter
	var scope string
	var f format
	list := &cobra.Command{
		Use: "list", Short: "List tokens: whose, scopes, last use, end", Args: noArgs,
		Long: `List tokens: whose, scopes, last use, end. Secrets of tokens are not stored and not shown.

Tokens of all users are found by a walk over the keys of the store, and printed as they are found, in no particular order.`,
		Example: "  wsd token list\n  wsd token list --user you@example.com\n  wsd token list --never-ends --scope admin",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if filter.Scope = api.Scope(scope); scope != "" && !isOneOf(filter.Scope.Values(), filter.Scope) {
				return usagef("--scope: %q is not one of read, write, admin", scope)
			}
			maxAge, err := cfg.parseTokenMaxAge()
			if err != nil {
				return err
			}
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				out := listWriter[operator.Token]{out: cmd.OutOrStdout(), format: f, columns: tokenColumns, cells: tokenCells}
				err := operator.Service{Store: s, TokenMaxAge: maxAge}.ListTokens(ctx, filter, out.write)
				if err != nil {
					return err
				}
				return out.close(cmd.ErrOrStderr(), "there is no token")
			})
		},
	}
	list.Flags().StringVar(&filter.User, "user", "", "id or e-mail address of a user")
	list.Flags().BoolVar(&filter.Unbounded, "never-ends", false, "only tokens that end neither at a time nor with another token")
	list.Flags().StringVar(&scope, "scope", "", "only tokens that have this scope: read, write or admin")
	addFormatFlag(list, &f)
	return list
}

func newTokenRevokeCmd(ctx context.Context, cfg *config) *cobra.Command {
	var user string
	var f format
	revoke := &cobra.Command{
		Use: "revoke TOKEN...", Short: "Revoke tokens and those that were made with them", Args: cobra.ArbitraryArgs,
		Long: `Revoke tokens and those that were made with them. The next request with one of them fails, on every node, and open screens
end within 15 seconds. Invites that were made with them are refused.

TOKEN is an id (t_ID) or, for a token that has leaked, the token itself (wsd_ACCOUNT_ID_SECRET), also without its last part.
With --user all tokens of a user are revoked.`,
		Example: "  wsd token revoke t_0apw3q003r2m8k\n  wsd token revoke --user you@example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (user == "") == (len(args) == 0) {
				return newUsageError(cmd, "usage: "+cmd.UseLine()+";", "which tokens? ids, or --user for all of a user")
			}
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				if user != "" {
					return revokeTokensOf(ctx, cmd, s, user, f)
				}
				return revokeTokens(ctx, cmd, s, args, f)
			})
		},
	}
	revoke.Flags().StringVar(&user, "user", "", "id or e-mail address of a user, all of whose tokens are revoked")
	addFormatFlag(revoke, &f)
	return revoke
}

// revokeTokens revokes tokens one after the other, and goes on after one that is not there.
func revokeTokens(ctx context.Context, cmd *cobra.Command, s *store.Store, tokens []string, f format) error {
	var failures []error
	all := []operator.RevokedToken{}
	for _, token := range tokens {
		revoked, err := operator.Service{Store: s}.RevokeToken(ctx, token)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		all = append(all, revoked...)
	}
	if f == formatJSON {
		failures = append(failures, writeJSON(cmd.OutOrStdout(), all))
		return joinErrors(failures)
	}
	for _, t := range all {
		note := ""
		if t.Parent != "" {
			note = ", made with " + t.Parent
		}
		fmt.Fprintf(cmd.OutOrStdout(), "revoked %s of %s, %s%s\n", t.ID, t.User, cell(t.Name), note)
	}
	return joinErrors(failures)
}

// joinErrors returns the only error with its hint, or several joined; nil errors are left out.
func joinErrors(all []error) error {
	err := errors.Join(all...)
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
		return joined.Unwrap()[0]
	}
	return err
}

func revokeTokensOf(ctx context.Context, cmd *cobra.Command, s *store.Store, user string, f format) error {
	id, count, err := operator.Service{Store: s}.RevokeTokensOf(ctx, user)
	if err != nil {
		return err
	}
	if f == formatJSON {
		return writeJSON(cmd.OutOrStdout(), map[string]any{"user": id, "revoked": count})
	}
	tokens := "tokens"
	if count == 1 {
		tokens = "token"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "revoked %d %s of %s\n", count, tokens, id)
	return nil
}
