package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// completionLife is how long completions are kept.
const completionLife = time.Minute

// keptCompletions are completions in the file, by a hash of what they depend on.
type keptCompletions map[string]keptLines

type keptLines struct {
	At    time.Time `json:"at"`
	Lines []string  `json:"lines"`
}

// completionPath returns the path of the file of completions.
func (a *App) completionPath() string { return filepath.Join(ConfigDir(a.Getenv), "completions.json") }

// Cached returns the lines of fetch, or those of at most a minute ago for the same key, profile, address and credential. Errors are not
// kept. A file that cannot be read or written is ignored.
func (a *App) Cached(cmd *cobra.Command, key string, fetch func() ([]string, error)) ([]string, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return nil, err
	}
	credential, err := settings.Credential()
	if err != nil {
		return nil, err
	}
	who := credential.Token
	if credential.Login != nil { // whose tokens change
		who = "login of " + userOf(credential.Token)
	}
	sum := sha256.Sum256([]byte(settings.Profile.Value + "\n" + settings.URL.Value + "\n" + who + "\n" + key))
	hash := hex.EncodeToString(sum[:])
	kept := keptCompletions{}
	if data, err := os.ReadFile(a.completionPath()); err == nil {
		_ = json.Unmarshal(data, &kept) // a damaged file is ignored
	}
	maps.DeleteFunc(kept, func(_ string, k keptLines) bool { age := a.Now().Sub(k.At); return age < 0 || age > completionLife })
	if k, ok := kept[hash]; ok {
		return k.Lines, nil
	}
	lines, err := fetch()
	if err != nil {
		return nil, err
	}
	if kept == nil {
		kept = keptCompletions{}
	}
	kept[hash] = keptLines{a.Now(), lines}
	if data, err := json.Marshal(kept); err == nil {
		_ = WriteFile(a.completionPath(), data) // the next completion asks again
	}
	return lines, nil
}

// ForgetCompletions removes the kept completions: after a write, which may have changed them, and with the token of a profile.
func (a *App) ForgetCompletions() { _ = os.Remove(a.completionPath()) } // mostly there is none
