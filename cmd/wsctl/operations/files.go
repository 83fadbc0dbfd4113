package operations

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// readData returns the value of --data: inline JSON, a file, or standard input.
func readData(a *app.App, source string) ([]byte, error) {
	data := []byte(source)
	if !strings.HasPrefix(strings.TrimSpace(source), "{") && !strings.HasPrefix(strings.TrimSpace(source), "[") {
		var err error
		if data, err = readFile(a, source); err != nil {
			return nil, err
		}
	}
	return checkJSON(data, "--data")
}

// readJSON reads the JSON file given by a flag.
func readJSON(a *app.App, path, flag string) ([]byte, error) {
	data, err := readFile(a, path)
	if err != nil {
		return nil, err
	}
	return checkJSON(data, flag)
}

func checkJSON(data []byte, flag string) ([]byte, error) {
	if err := json.Unmarshal(data, new(any)); err != nil {
		return nil, app.Usagef("%s is not JSON: %v", flag, err)
	}
	return data, nil
}

// readText reads a text file unchanged. It returns an error if the text is not UTF-8, because JSON would replace
// bytes.
func readText(a *app.App, path string) (string, error) {
	data, err := readFile(a, path)
	if err != nil {
		return "", err
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return "", app.Usagef("%s is not UTF-8 at byte %d", path, i)
		}
		i += size
	}
	return string(data), nil
}

func readFile(a *app.App, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(a.In)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, app.Usagef("%v", err)
	}
	return data, nil
}
