package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/term"
)

func (p *Printer) writeYAML(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	node, err := yamlNode(decoder)
	if err != nil {
		return err
	}
	return p.writeYAMLNode(node)
}

func (p *Printer) writeYAMLNode(node *yaml.Node) error {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return err
	}
	_, err := p.Out.Write(api.EscapeControls(b.Bytes())) // such characters occur in double-quoted strings only
	return err
}

// yamlNode converts JSON to YAML and preserves the order of members and the digits of numbers.
func yamlNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if value == '{' {
			node.Kind = yaml.MappingNode
		}
		for decoder.More() {
			child, err := yamlNode(decoder) // in an object, names and values alternate
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err := decoder.Token()
		return node, err
	case string:
		return yamlText(value), nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}, nil
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value)}, nil
	}
}

// yamlText writes long text as a block scalar, unless that would change the text or hide parts of it.
func yamlText(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	awkward := strings.ContainsFunc(text, term.IsUnsafe) || strings.Contains(text, "\t") ||
		strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\n") || strings.ContainsAny(text, "\u0085\u2028\u2029\ufeff")
	if awkward {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

type yamlList struct {
	p       *Printer
	started bool
}

func (l *yamlList) Add(item []byte) error {
	l.started = true
	return l.p.writeYAML(append(append([]byte("["), item...), ']'))
}

func (l *yamlList) Close() error {
	if l.started {
		return nil
	}
	_, err := io.WriteString(l.p.Out, "[]\n")
	return err
}
