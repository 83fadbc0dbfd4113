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

// oldKeyVariable is the environment variable of the previous encryption key during its replacement.
const oldKeyVariable = "WSD_OLD_ENCRYPTION_KEY"

// replaceSecretCommand is a run of `wsd secret replace`.
type replaceSecretCommand struct{ yes, generate bool }

func newSecretCmd(ctx context.Context, cfg *config) *cobra.Command {
	r := &replaceSecretCommand{}
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

// newSecretFile holds a generated secret until it replaces the secret of the data.
const newSecretFile = secretFile + ".new"

// generateSecret returns a new secret, stored in the data directory. It reuses one that an interrupted run left
// there.
func (c *config) generateSecret() (string, error) {
	if c.secret != "" || c.redisURL != "" {
		return "", errors.New("--generate is for the secret in a data directory; put a new one into WSD_SECRET")
	}
	path := filepath.Join(c.data, newSecretFile)
	secret, err := os.ReadFile(path) //nolint:gosec // below the operator's data directory
	if errors.Is(err, fs.ErrNotExist) {
		secret = []byte(rand.Text() + rand.Text())
		err = os.WriteFile(path, secret, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("new secret: %w", err)
	}
	return string(secret), nil
}

func (r *replaceSecretCommand) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
		own := *cfg
		if r.generate {
			var err error
			if own.secret, err = cfg.generateSecret(); err != nil {
				return err
			}
		}
		changed, err := own.changedSecrets(s.Fingerprints(ctx))
		if err != nil {
			return err
		}
		if len(changed) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "The data was written with these secrets: there is nothing to replace.")
			return nil
		}
		if err := r.replace(ctx, cmd, &own, s, changed); err != nil || !r.generate {
			return err
		}
		return os.Rename(filepath.Join(cfg.data, newSecretFile), filepath.Join(cfg.data, secretFile)) //nolint:wrapcheck // it names both
	})
}

// changedSecrets returns the secrets that differ from those of the data, given as fingerprints by name.
func (c *config) changedSecrets(fingerprints map[string]string, err error) (changed []redis.Secret, _ error) {
	if err != nil {
		return nil, err
	}
	available, err := c.availableSecrets()
	if err != nil {
		return nil, err
	}
	for _, s := range available {
		if s.Name == secretVariable && len(s.Value) < auth.MinSecret {
			return nil, fmt.Errorf("%s has %d characters, at least %d are needed", s.Name, len(s.Value), auth.MinSecret)
		}
		if fingerprints[s.Name] != s.Fingerprint() {
			changed = append(changed, s)
		}
	}
	if c.oldEncryptionKey == "" {
		return changed, nil
	}
	old, err := auth.ParseEncryptionKey(c.oldEncryptionKey)
	if fingerprint, recorded := fingerprints[auth.EncryptionKeyVariable]; err == nil && recorded && fingerprint != (redis.Secret{Name: auth.EncryptionKeyVariable, Value: old}).Fingerprint() {
		err = errors.New("it is not the key that the data was written with")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", oldKeyVariable, err)
	}
	return changed, nil
}

// newReplacement returns the replacement of the changed secrets in a store.
func (c *config) newReplacement(s *store.Store, changed []redis.Secret) (r auth.Replacement, err error) {
	r.Store = s
	for _, secret := range changed {
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
	if c.oldEncryptionKey == "" {
		return r, nil
	}
	old, err := auth.ParseEncryptionKey(c.oldEncryptionKey)
	if err == nil {
		r.Old, err = auth.NewSealer(old)
	}
	return r, err
}

// replace prints what is lost, asks for confirmation, and replaces the secrets.
func (r *replaceSecretCommand) replace(ctx context.Context, cmd *cobra.Command, cfg *config, s *store.Store, changed []redis.Secret) error {
	replacement, err := cfg.newReplacement(s, changed)
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
		if err := confirmReplace(cmd); err != nil {
			return err
		}
	}
	if _, err := replacement.Run(ctx, false); err != nil {
		return err
	}
	for _, secret := range changed {
		if err := s.SetFingerprint(ctx, secret); err != nil {
			return err
		}
	}
	if _, err := replacement.Run(ctx, false); err != nil { // values that a node wrote in the meantime
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), "Replaced. Start every node with the new secrets.")
	return nil
}

// confirmReplace asks for confirmation. It returns an error if the answer is no or there is no terminal.
func confirmReplace(cmd *cobra.Command) error {
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
