package operations

import (
	"strings"
	"text/template/parse"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// templateCheck finds members in a template that what it is applied to cannot have.
type templateCheck struct {
	root *api.Schema
}

// checkTemplate returns a usage error if a template names a member that values of a schema do not have. Members of values whose
// schema is not known, such as variables and results of functions, are not checked.
func checkTemplate(tree *parse.Tree, of *api.Schema) error {
	return templateCheck{of}.node(tree.Root, of)
}

// checkTemplate checks the template of a printer, which is applied to the whole answer or, for lists, to the array of all items.
func (w *Writer) checkTemplate(p *app.Printer) error {
	tree, err := p.TemplateTree()
	if err != nil || tree == nil {
		return err
	}
	schema := w.schema
	switch {
	case w.row.IsList() && !w.options.Envelope:
		schema = &api.Schema{Kind: api.KindArray, Items: w.rowSchema()}
	case w.options.Several:
		schema = &api.Schema{Kind: api.KindArray, Items: w.schema}
	}
	return checkTemplate(tree, schema)
}

// node checks a node. dot is the schema of the value of dot, or nil if it is not known.
func (t templateCheck) node(n parse.Node, dot *api.Schema) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil { // without else
			return nil
		}
		return t.all(n.Nodes, dot)
	case *parse.ActionNode:
		return t.node(n.Pipe, dot)
	case *parse.TemplateNode:
		return t.node(n.Pipe, dot)
	case *parse.IfNode:
		return t.all([]parse.Node{n.Pipe, n.List, n.ElseList}, dot)
	case *parse.WithNode:
		return t.block(n.BranchNode, dot, schemaOf(n.Pipe, dot))
	case *parse.RangeNode:
		element := schemaOf(n.Pipe, dot)
		if element != nil {
			element = element.Items
		}
		return t.block(n.BranchNode, dot, element)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		for _, command := range n.Cmds {
			if err := t.all(command.Args, dot); err != nil {
				return err
			}
		}
	case *parse.FieldNode:
		return checkMembers(dot, n.Ident)
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			return checkMembers(t.root, n.Ident[1:])
		}
	case *parse.ChainNode:
		return t.node(n.Node, dot)
	}
	return nil
}

func (t templateCheck) all(nodes []parse.Node, dot *api.Schema) error {
	for _, n := range nodes {
		if err := t.node(n, dot); err != nil {
			return err
		}
	}
	return nil
}

// block checks a node with a list in which dot has another value.
func (t templateCheck) block(n parse.BranchNode, dot, inside *api.Schema) error {
	if err := t.node(n.Pipe, dot); err != nil {
		return err
	}
	if err := t.node(n.List, inside); err != nil {
		return err
	}
	return t.node(n.ElseList, dot)
}

// schemaOf returns the schema of the value of a pipeline that is dot or a member of it, otherwise nil.
func schemaOf(pipe *parse.PipeNode, dot *api.Schema) *api.Schema {
	if dot == nil || len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		return nil
	}
	switch n := pipe.Cmds[0].Args[0].(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		for _, name := range n.Ident {
			field, ok := dot.Field(name)
			if !ok {
				return nil
			}
			dot = field.Schema
		}
		return dot
	}
	return nil
}

// checkMembers returns a usage error unless values of a schema have the members of a path.
func checkMembers(s *api.Schema, path []string) error {
	for i, name := range path {
		if s == nil || s.Kind == api.KindMap || s.Kind == api.KindAny {
			return nil
		}
		field, ok := s.Field(name)
		if !ok {
			err := app.Usagef("--template: there is no .%s", strings.Join(path[:i+1], "."))
			if names := fieldNames(s); len(names) > 0 {
				return err.WithHint("there are %s", strings.Join(names, ", "))
			}
			return err
		}
		s = field.Schema
	}
	return nil
}
