package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// accountOptions holds the flags of `wsd init` and `wsd token create`.
type accountOptions struct {
	user, displayName, org, role, name string
	scopes                             []string
	output                             format

	breakGlass bool // the token works without single sign-on
	initial    bool // create the first organization of the data
}

func (a *accountOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.user, "user", "", "e-mail address of the user, for which you vouch; made if there is none")
	f.StringVar(&a.displayName, "display-name", "", "name of a new user; default the e-mail address")
	about := "id or title of the organization"
	if a.initial {
		about = "title of the organization, which is made"
	}
	f.StringVar(&a.org, "org", "", about)
	f.StringVar(&a.role, "role", string(api.RoleAdmin), "role in the organization: admin, create, review, edit, comment, read or guest")
	f.StringVar(&a.name, "name", "made by wsd", "what the token is for")
	f.StringSliceVar(&a.scopes, "scope", []string{string(api.ScopeAdmin)}, "what the token may do: read, write or admin")
	if !a.initial {
		f.BoolVar(&a.breakGlass, "break-glass", false,
			"for an organization whose identity provider does not answer: the token works without single sign-on, in --org only, for 24 "+
				"hours; all admins see it")
	}
	addFormatFlag(cmd, &a.output)
	_ = cmd.MarkFlagRequired("user") // the flag is defined above
}

func newInitCmd(ctx context.Context, cfg *config) *cobra.Command {
	a := &accountOptions{initial: true}
	cmd := &cobra.Command{
		Use: "init", Short: "Make the first organization, its admin and a token", Args: noArgs,
		Long: `Make the first organization, its admin and a token, and the data, if there is none yet. It is done once, by hand: data that
has an organization is left as it is. It may run beside a wsd that serves.`,
		Example: "  wsd init --user you@example.com --org Docs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			limits, err := cfg.parseBudgets()
			if err != nil {
				return err
			}
			own := *cfg // init may run while Redis is still starting
			own.maxWait = time.Duration(limits.StoreWait)
			own.onWait = func(cause error) {
				fmt.Fprintf(cmd.ErrOrStderr(), "wsd: waiting for Redis: %s\n", redis.UnavailableReason(cause))
			}
			return a.run(ctx, cmd, &own)
		},
	}
	a.addFlags(cmd)
	_ = cmd.MarkFlagRequired("org") // the flag is defined above
	return cmd
}

func newTokenCmd(ctx context.Context, cfg *config) *cobra.Command {
	a := &accountOptions{}
	create := &cobra.Command{
		Use: "create", Short: "Make a token, and the user and membership that it needs", Args: noArgs,
		Example: "  wsd token create --user you@example.com --org Docs --role review",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.run(ctx, cmd, cfg) },
	}
	a.addFlags(create)
	token := &cobra.Command{
		Use: "token", Short: "Make, list and revoke tokens on the machine of the server", Args: noArgs, RunE: func(
			cmd *cobra.Command, _ []string,
		) error {
			return cmd.Help()
		},
	}
	token.AddCommand(create, newTokenListCmd(ctx, cfg), newTokenRevokeCmd(ctx, cfg))
	return token
}

// accountResult is the output of `wsd init` and `wsd token create` with -o json.
type accountResult struct {
	Token        string `json:"token"`
	TokenID      string `json:"tokenId"`
	User         string `json:"user"`
	UserCreated  bool   `json:"userMade"`
	InsteadOf    string `json:"insteadOf,omitzero"` // account that an invite had created for the address
	Organization string `json:"organization,omitzero"`
	Role         string `json:"role,omitzero"`
}

func (a *accountOptions) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	role, scopes, err := a.parse()
	if err != nil {
		return err
	}
	if a.breakGlass && (a.org == "" || role != api.RoleAdmin) {
		return usagef("--break-glass takes --org, and the role admin")
	}
	open := cfg.withExistingStore
	if a.initial {
		open = cfg.withNewStore
	}
	return open(ctx, cmd, func(s *store.Store) error {
		m, err := a.create(ctx, s, role, scopes)
		if err != nil {
			return err
		}
		return a.print(cmd, s, m)
	})
}

// withNewStore is like withExistingStore, but creates the data and its secret if they do not exist.
func (c *config) withNewStore(ctx context.Context, cmd *cobra.Command, fn func(*store.Store) error) error {
	own := *c
	if own.redisURL == "" && own.engine == "" {
		if _, err := own.ensureSecret(); err != nil {
			return err
		}
	}
	var err error
	if own.secrets, err = own.secretSettings().Available(); err != nil {
		return err
	}
	return own.withStore(ctx, cmd, true, fn)
}

// create creates the user, organization and membership where they are missing, and the token.
func (a *accountOptions) create(ctx context.Context, s *store.Store, role api.Role, scopes []api.Scope) (m accountResult, err error) {
	created, err := orgs.Accounts{Store: s}.Create(ctx, orgs.AccountOptions{
		Email: a.user, DisplayName: a.displayName, Organization: a.org, Initial: a.initial, Role: role,
		Token: orgs.TokenOptions{Name: a.name, Scopes: scopes}, BreakGlass: a.breakGlass,
	})
	if err != nil {
		return m, err
	}
	m = accountResult{
		Token: created.Token, TokenID: created.TokenID, User: created.ID, UserCreated: created.Created, InsteadOf: created.DisplacedAccount,
		Organization: created.Organization,
	}
	if m.Organization != "" {
		m.Role = a.role
	}
	return m, nil
}

// parse returns the role and the scopes given by flags, or an error if one of them is unknown.
func (a *accountOptions) parse() (api.Role, []api.Scope, error) {
	role := api.Role(a.role)
	if a.role == "guest" {
		role = api.RoleGuest
	} else if !isOneOf(role.Values(), role) {
		return "", nil, usagef("--role: %q is not one of admin, create, review, edit, comment, read, guest", a.role)
	}
	var scopes []api.Scope
	for _, text := range a.scopes {
		scope := api.Scope(text)
		if !isOneOf(scope.Values(), scope) {
			return "", nil, usagef("--scope: %q is not one of read, write, admin", text)
		}
		scopes = append(scopes, scope)
	}
	return role, scopes, nil
}

func isOneOf[T comparable](values []T, v T) bool {
	return slices.Contains(values, v)
}

func (a *accountOptions) print(cmd *cobra.Command, s *store.Store, m accountResult) error {
	w := cmd.OutOrStdout()
	if a.output == formatJSON {
		return writeJSON(w, m)
	}
	how := "found"
	if m.UserCreated {
		how = "made"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wsd: %s\nuser %s (%s), %s\n", s.Describe(), a.user, m.User, how)
	if m.InsteadOf != "" {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s had this address from an invite, which proves nothing: it keeps its memberships and tokens, but not the address\n",
			m.InsteadOf)
	}
	if m.Organization != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "organization %s, role %s\n", m.Organization, m.Role)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "The token is shown once; keep it safe:")
	_, err := fmt.Fprintln(w, m.Token)
	return err
}
