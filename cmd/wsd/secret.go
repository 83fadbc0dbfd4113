package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// oldKeyVariable is the environment variable of a key of encrypted secrets that is replaced.
const oldKeyVariable = "WSD_OLD_ENCRYPTION_KEY"

// replacing is one `wsd secret replace`.
type replacing struct{ yes, generate bool }

func newSecret(ctx context.Context, cfg *config) *cobra.Command {
	r := &replacing{}
	replace := &cobra.Command{
		Use: "replace", Short: "Make other secrets those of the data", Args: cobra.NoArgs,
		Long: `Make the secrets in WSD_SECRET and WSD_ENCRYPTION_KEY those of the data, where they are others than before. It says first
what is lost by that, and asks. Where the old WSD_ENCRYPTION_KEY is known, put it into WSD_OLD_ENCRYPTION_KEY: what it
sealed is sealed anew, and nothing of it is lost.

Stop the nodes before, or start them again with the new secrets after it: one that has the old ones is not ready any more.`,
		Example: `  WSD_OLD_ENCRYPTION_KEY=$OLD WSD_ENCRYPTION_KEY=$NEW wsd secret replace
  wsd secret replace --generate --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(ctx, cmd, cfg) },
	}
	replace.Flags().BoolVar(&r.yes, "yes", false, "do not ask")
	replace.Flags().BoolVar(&r.generate, "generate", false, "make a new secret in the data directory, in place of WSD_SECRET")
	secret := &cobra.Command{Use: "secret", Short: "Replace the secrets of the server", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	secret.AddCommand(replace)
	return secret
}

// newSecretFile has a secret that is not that of the data yet.
const newSecretFile = secretFile + ".new"

// generated is a new secret in the data directory; one that was made before and not used is taken.
func (c *config) generated() (string, error) {
	if c.secret != "" || c.redisURL != "" {
		return "", errors.New("--generate is for the secret in a data directory; put a new one into WSD_SECRET")
	}
	path := filepath.Join(c.data, newSecretFile)
	made, err := os.ReadFile(path) //nolint:gosec // below the operator's data directory
	if errors.Is(err, fs.ErrNotExist) {
		made = []byte(rand.Text() + rand.Text())
		err = os.WriteFile(path, made, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("new secret: %w", err)
	}
	return string(made), nil
}

func (r *replacing) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	return cfg.beside(ctx, cmd, func(s *store.Store) error {
		own := *cfg
		if r.generate {
			var err error
			if own.secret, err = cfg.generated(); err != nil {
				return err
			}
		}
		given, err := own.given(s.Fingerprints(ctx))
		if err != nil {
			return err
		}
		if len(given) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "The data was written with these secrets: there is nothing to replace.")
			return nil
		}
		if err := r.replace(ctx, cmd, &own, s, given); err != nil || !r.generate {
			return err
		}
		return os.Rename(filepath.Join(cfg.data, newSecretFile), filepath.Join(cfg.data, secretFile)) //nolint:wrapcheck // it names both
	})
}

// given are the secrets that are others than those of the data.
func (c *config) given(known map[string]string, err error) (others []redis.Secret, _ error) {
	if err != nil {
		return nil, err
	}
	mine, err := c.known()
	if err != nil {
		return nil, err
	}
	for _, s := range mine {
		if s.Name == secretVariable && len(s.Value) < auth.MinSecret {
			return nil, fmt.Errorf("%s has %d characters, at least %d are needed", s.Name, len(s.Value), auth.MinSecret)
		}
		if known[s.Name] != s.Fingerprint() {
			others = append(others, s)
		}
	}
	if c.oldKey == "" {
		return others, nil
	}
	old, err := auth.ParseEncryptionKey(c.oldKey)
	if fingerprint, there := known[auth.EncryptionKeyVariable]; err == nil && there && fingerprint != (redis.Secret{Name: auth.EncryptionKeyVariable, Value: old}).Fingerprint() {
		err = errors.New("it is not the key that the data was written with")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", oldKeyVariable, err)
	}
	return others, nil
}

// replacement is what the secrets that are given change.
func (c *config) replacement(s *store.Store, given []redis.Secret) (r auth.Replacement, err error) {
	r.Store = s
	for _, secret := range given {
		if secret.Name == secretVariable {
			signer := auth.NewSigner(secret.Value, time.Now)
			r.Signer = &signer
			continue
		}
		r.Key = true
		if r.New, err = auth.NewSealer(secret.Value); err != nil {
			return r, err
		}
	}
	if c.oldKey == "" {
		return r, nil
	}
	old, err := auth.ParseEncryptionKey(c.oldKey)
	if err == nil {
		r.Old, err = auth.NewSealer(old)
	}
	return r, err
}

// replace says what is lost, asks, and replaces.
func (r *replacing) replace(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store, given []redis.Secret) error {
	replacement, err := cfg.replacement(s, given)
	if err != nil {
		return err
	}
	effect, err := replacement.Run(ctx, true)
	if err != nil {
		return err
	}
	w := cmd.ErrOrStderr()
	if replacement.Signer != nil {
		fmt.Fprintf(w, "WSD_SECRET: addresses of downloads, which hold for an hour, and lists that are being paged through end. %d share links and\n  %d invite links get other addresses: those that people have stop working.\n", effect.ShareLinks, effect.InviteLinks)
	}
	if replacement.Key {
		fmt.Fprintf(w, "%s: %d keys of sites and secrets of integrations are sealed anew, %d cannot be opened and are lost.\n", auth.EncryptionKeyVariable, effect.Sealed, effect.Lost)
	}
	if !r.yes {
		if err := confirm(cmd); err != nil {
			return err
		}
	}
	if _, err := replacement.Run(ctx, false); err != nil {
		return err
	}
	for _, secret := range given {
		if err := s.SetFingerprint(ctx, secret); err != nil {
			return err
		}
	}
	if _, err := replacement.Run(ctx, false); err != nil { // what a node wrote meanwhile
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), "Replaced. Start every node with the new secrets.")
	return nil
}

// confirm asks whether to go on; without a terminal that takes --yes.
func confirm(cmd *cobra.Command) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return errors.New("nothing was changed: with --yes they are replaced")
	}
	fmt.Fprint(cmd.ErrOrStderr(), "Replace them? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n')
	if !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return errors.New("nothing was changed")
	}
	return nil
}
