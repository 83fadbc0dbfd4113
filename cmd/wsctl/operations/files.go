package operations

import (
	"os"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// readData returns the value of --data: an object or list itself, or one in a file or standard input, as JSON or YAML.
func readData(a *app.App, source string) (document, error) {
	if isInline(source) {
		return parseDocument([]byte(source), "--data")
	}
	return readDocument(a, source)
}

// readDocument reads a file with JSON or YAML.
func readDocument(a *app.App, path string) (document, error) {
	data, err := readFile(a, path)
	if err != nil {
		return document{}, err
	}
	return parseDocument(data, sourceName(path))
}

// readText reads a text file unchanged. It returns an error if the text is not UTF-8, because JSON would replace
// bytes.
func readText(a *app.App, path string) (string, error) {
	data, err := readFile(a, path)
	if err != nil {
		return "", err
	}
	if at := invalidByte(data); at >= 0 {
		return "", app.Usagef("%s is not UTF-8 at byte %d", sourceName(path), at)
	}
	return string(data), nil
}

func readFile(a *app.App, path string) ([]byte, error) {
	if path == "-" {
		return a.ReadInput()
	}
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, app.Usagef("%v", err)
	}
	return data, nil
}
