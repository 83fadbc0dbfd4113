package app

import (
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/itchyny/gojq"
)

func compileJQ(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("cannot apply --jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("cannot apply --jq: %w", err)
	}
	return code, nil
}

// writeJQ writes each result on a line of its own: strings as they are, other values as compact JSON.
func (p *Printer) writeJQ(data []byte) error {
	code, err := compileJQ(p.JQ)
	if err != nil {
		return err
	}
	value, err := decode(data)
	if err != nil {
		return err
	}
	results := code.Run(value)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("cannot apply --jq: %w", err)
		}
		line, isText := result.(string)
		if !isText {
			encoded, err := gojq.Marshal(result)
			if err != nil {
				return err
			}
			line = string(showJSON(encoded))
		}
		if err := p.Text(line + "\n"); err != nil {
			return err
		}
	}
}

func (p *Printer) parseTemplate() (*template.Template, error) {
	functions := template.FuncMap{
		"json": func(v any) (string, error) { data, err := encodeJSON(v); return string(data), err },
		"join": func(separator string, list []any) string {
			parts := make([]string, len(list))
			for i, v := range list {
				parts[i] = formatValue(v)
			}
			return strings.Join(parts, separator)
		},
		"timeago": func(at string) (string, error) {
			t, err := time.Parse(time.RFC3339, at)
			return relativeTime(t, p.Now), err
		},
		"upper": strings.ToUpper,
		"lower": strings.ToLower,
	}
	t, err := template.New("template").Funcs(functions).Parse(p.Template)
	if err != nil {
		return nil, fmt.Errorf("cannot apply --template: %w", err)
	}
	return t, nil
}

// TemplateTree returns the parsed template, or nil if there is none.
func (p *Printer) TemplateTree() (*parse.Tree, error) {
	if p.Template == "" {
		return nil, nil
	}
	t, err := p.parseTemplate()
	if err != nil {
		return nil, err
	}
	return t.Tree, nil
}

func (p *Printer) executeTemplate(data []byte) error {
	t, err := p.parseTemplate()
	if err != nil {
		return err
	}
	value, err := decode(data)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, value); err != nil {
		return fmt.Errorf("cannot apply --template: %w", err)
	}
	return p.Text(b.String())
}
