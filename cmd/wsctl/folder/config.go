package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/dialects"
)

// Config is wsctl.yaml, which links a folder to a space. It never decides where a token is sent.
type Config struct {
	Version int      `yaml:"version"`
	Server  string   `yaml:"server"`
	Space   string   `yaml:"space"`
	Root    string   `yaml:"root,omitempty"`   // of the content, relative to the file; "" is its directory
	Name    string   `yaml:"name"`             // of the source whose pages the folder has
	Ignore  []string `yaml:"ignore,omitempty"` // patterns as in .gitignore
}

func (c Config) root() string {
	if c.Root == "" {
		return "."
	}
	return c.Root
}

// FindConfig reads the wsctl.yaml of dir or of the nearest directory above it. It returns an error that is fs.ErrNotExist if
// there is none.
func FindConfig(dir string) (Config, string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Config{}, "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		data, err := os.ReadFile(filepath.Join(at, configName)) //nolint:gosec // of the folder that the caller names
		if err == nil {
			c, err := parseConfig(data)
			return c, at, err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Config{}, "", fmt.Errorf("read %s: %w", configName, err)
		}
		if at == filepath.Dir(at) {
			return Config{}, "", fmt.Errorf("%s: %w", configName, fs.ErrNotExist)
		}
	}
}

// directoryReason returns why a directory cannot be named as a folder: it does not exist, or is within one. It returns "" for the
// directory of a wsctl.yaml, for that of its content, and for the working directory.
func directoryReason(dir string) string {
	if !isDirectory(dir) {
		return dir + " is no directory"
	}
	c, top, err := FindConfig(dir)
	if err != nil || dir == "." {
		return ""
	}
	at, err := filepath.Abs(dir)
	if err != nil || at == top || at == filepath.Join(top, filepath.FromSlash(c.root())) {
		return ""
	}
	return fmt.Sprintf("%s is a part of the folder %s; run the command there, with --only-path to push a part", dir, top)
}

// parseConfig parses wsctl.yaml. Its errors are usage errors that name the member.
func parseConfig(data []byte) (c Config, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		return c, app.Usagef("%s cannot be read: %v", configName, err)
	}
	c.Root = strings.TrimSuffix(c.Root, "/")
	switch {
	case c.Version != 1:
		return c, app.Usagef("%s: version must be 1, not %d", configName, c.Version)
	case c.Server == "" || app.CheckURL(c.Server) != nil:
		return c, app.Usagef("%s: server must be the address of a server, not %q", configName, c.Server)
	case c.Space == "":
		return c, app.Usagef("%s: space is missing", configName)
	case c.Name == "" || len(c.Name) > 100:
		return c, app.Usagef("%s: name must have 1 to 100 characters", configName)
	case c.Root != "" && dialects.InvalidPathReason(c.Root) != "":
		return c, app.Usagef("%s: root %q %s", configName, c.Root, dialects.InvalidPathReason(c.Root))
	}
	return c, nil
}

// writeConfig writes the wsctl.yaml of a folder that has none. title is a remark beside the space.
func (f *Folder) writeConfig(title string) error {
	if _, err := f.top.Lstat(configName); err == nil {
		return nil
	}
	node := yaml.Node{}
	if err := node.Encode(f.Config); err != nil {
		return fmt.Errorf("%s: %w", configName, err)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == "space" {
			node.Content[i+1].LineComment = "# " + api.CleanLine(title)
		}
	}
	data, err := yaml.Marshal(&node)
	if err != nil {
		return fmt.Errorf("%s: %w", configName, err)
	}
	return f.write(f.top, configName, data)
}
