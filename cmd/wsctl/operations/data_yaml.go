package operations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// Limits of a YAML document, which can repeat its own parts by aliases.
const (
	maxYAMLDepth    = 100
	maxYAMLRepeated = 10_000 // nodes in what aliases stand for
)

// errNotYAML is wrapped by the errors of a text that is not YAML.
var errNotYAML = errors.New("not YAML")

// yamlError is the usage error of a text that is not YAML.
type yamlError struct{ error }

func (yamlError) Is(target error) bool { return target == errNotYAML }
func (e yamlError) Unwrap() error      { return e.error }

// yamlLine matches the messages of the parser.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

// convertYAML sets the value of the document to that of a YAML text. Scalars without quotes are true, false, null (or ~),
// numbers as in JSON, or else text: dates and words like no stay as they are written.
func (d *document) convertYAML(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	if err := decoder.Decode(&root); err != nil {
		return d.syntaxError(err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return d.syntaxError(err)
		}
		return d.errorf(more.Line, "has a second document; one is taken")
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode && top.Kind != yaml.SequenceNode {
		return yamlError{app.Usagef("%s has no fields: it is neither JSON nor YAML with keys", d.source)}
	}
	c := yamlConverter{document: d}
	if err := c.value("", top, 0); err != nil {
		return err
	}
	d.json = c.out.Bytes()
	return nil
}

func (d *document) syntaxError(err error) error {
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		line, _ := strconv.Atoi(found[1]) // digits
		return yamlError{d.errorf(line, "is not YAML: %s", found[2])}
	}
	return yamlError{app.Usagef("%s is not YAML: %v", d.source, err)}
}

// yamlConverter writes nodes as JSON.
type yamlConverter struct {
	*document

	out      bytes.Buffer
	aliases  int // aliases that the present node is part of
	repeated int
}

// value writes the node at path.
func (c *yamlConverter) value(path string, node *yaml.Node, depth int) error {
	if c.aliases > 0 {
		c.repeated++
	}
	if c.repeated > maxYAMLRepeated || depth > maxYAMLDepth {
		return c.errorf(node.Line, "is too deep, or repeats too much")
	}
	switch node.Kind {
	case yaml.AliasNode:
		c.aliases++
		defer func() { c.aliases-- }()
		return c.value(path, node.Alias, depth+1)
	case yaml.MappingNode:
		return c.mapping(path, node, depth)
	case yaml.SequenceNode:
		c.out.WriteByte('[')
		for i, item := range node.Content {
			if i > 0 {
				c.out.WriteByte(',')
			}
			at := fmt.Sprintf("%s[%d]", path, i)
			c.lines[at] = item.Line
			if err := c.value(at, item, depth+1); err != nil {
				return err
			}
		}
		c.out.WriteByte(']')
		return nil
	default:
		return c.scalar(path, node)
	}
}

func (c *yamlConverter) mapping(path string, node *yaml.Node, depth int) error {
	seen := map[string]int{}
	c.out.WriteByte('{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			return c.errorf(key.Line, "a key is a word, not a list, an object or <<")
		}
		at := joinPath(path, key.Value)
		if first, twice := seen[key.Value]; twice {
			return c.errorf(key.Line, "%s is given twice, first in line %d", at, first)
		}
		seen[key.Value], c.lines[at] = key.Line, key.Line
		if i > 0 {
			c.out.WriteByte(',')
		}
		c.text(key.Value)
		c.out.WriteByte(':')
		if err := c.value(at, value, depth+1); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

// jsonNumber matches the numbers of JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (c *yamlConverter) scalar(path string, node *yaml.Node) error {
	if node.Style&yaml.TaggedStyle != 0 && node.ShortTag() != "!!str" {
		return c.errorf(node.Line, "%s: the tag %s is not taken", path, node.Tag)
	}
	quoted := node.Style&(yaml.TaggedStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if quoted {
		c.text(node.Value)
		return nil
	}
	switch node.Value {
	case "true", "True", "TRUE":
		c.out.WriteString("true")
	case "false", "False", "FALSE":
		c.out.WriteString("false")
	case "", "~", "null", "Null", "NULL":
		c.out.WriteString("null")
	default:
		if jsonNumber.MatchString(node.Value) {
			c.out.WriteString(node.Value)
		} else {
			c.text(node.Value)
		}
	}
	return nil
}

// text writes a JSON string.
func (c *yamlConverter) text(text string) {
	encoder := json.NewEncoder(&c.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can be encoded; the newline after it is space
	c.out.Truncate(c.out.Len() - 1)
}
