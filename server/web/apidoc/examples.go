package apidoc

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed examples
var exampleFiles embed.FS

// example is a request of an operation, its answer, and that of its dry run if it deletes, as JSON. Absent members have no body, or none
// that is JSON.
type example struct {
	Request json.RawMessage `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	DryRun  json.RawMessage `json:"dryRun,omitempty"`
}

// examples are the examples of operations by name of their row, and those of path parameters by name. They belong to one
// organization, and were recorded by a test.
type examples struct {
	operations map[string]example
	parameters map[string]string
}

// parametersFile is the file of the examples of path parameters.
const parametersFile = "examples/parameters.json"

// readExamples reads the embedded examples: one file for each resource, and one for the parameters.
func readExamples() (examples, error) {
	all := examples{operations: map[string]example{}}
	files, err := exampleFiles.ReadDir("examples")
	if err != nil {
		return all, fmt.Errorf("examples: %w", err)
	}
	for _, file := range files {
		name := "examples/" + file.Name()
		data, err := exampleFiles.ReadFile(name)
		if err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		var target any = &all.operations // adds to those of the other files
		if name == parametersFile {
			target = &all.parameters
		}
		if err := json.Unmarshal(data, target); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}
