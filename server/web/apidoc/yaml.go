package apidoc

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// YAML returns a JSON document as YAML in block style.
func YAML(document []byte) ([]byte, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil { // JSON is YAML in flow style
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	useBlockStyle(&node)
	data, err := yaml.Marshal(&node)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	return data, nil
}

func useBlockStyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		useBlockStyle(child)
	}
}
