package main

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// defaultColumns are what lists show of a thing unless --columns says otherwise.
func defaultColumns(s *api.Schema) []output.Column {
	switch s.Name {
	case "Space":
		return output.ParseColumns("id,title,visibility,changeRequestsOpen=OPEN,comments,updatedAt")
	case "Collection":
		return output.ParseColumns("id,title,parent,description")
	case "Organization":
		return output.ParseColumns("id,title,type,createdAt")
	case "ChangeRequest":
		return output.ParseColumns("number,id,status,subject,createdBy.displayName=BY,comments,outdated,updatedAt")
	case "RequestedReviewer":
		return output.ParseColumns("user.id=USER,user.displayName=NAME,requestedBy.displayName=ASKED BY,createdAt")
	case "Comment":
		return output.ParseColumns("id,status,postedBy.displayName=BY,postedAt,target.page.path=PAGE,replies,body.markdown=TEXT")
	case "CommentReply":
		return output.ParseColumns("id,postedBy.displayName=BY,postedAt,body.markdown=TEXT")
	case "RevisionPage":
		return output.ParseColumns("id,title,type,path")
	case "ContentEffect":
		return output.ParseColumns("object=CHANGE,page.id=PAGE,ref")
	case "File":
		return output.ParseColumns("id,name,contentType,size")
	case "Token":
		return output.ParseColumns("id,name,scopes,expiresAt,lastUsedAt")
	default:
		return plainColumns(s)
	}
}

// plainColumns are the first plain members of a thing.
func plainColumns(s *api.Schema) []output.Column {
	const most = 6
	var names []string
	for _, f := range s.Fields {
		if isPlain(f.Schema) && f.Name != "object" && len(names) < most {
			names = append(names, f.Name)
		}
	}
	return output.ParseColumns(strings.Join(names, ","))
}

// item is the schema of what the rows of the output are: the items of a list, or the answer itself.
func (r *rowCommand) item() *api.Schema {
	if r.isList {
		items, _ := r.answer.Field("items")
		return items.Schema.Items
	}
	if member, ok := inner(r.answer); ok {
		list, _ := r.answer.Field(member)
		return list.Schema.Items
	}
	return r.answer
}

// printer returns the printer for the row's answer.
func (r *rowCommand) printer() (*output.Printer, error) {
	item := r.item()
	defaults := defaultColumns(item)
	_, isTable := inner(r.answer)
	if r.app.flags.output != string(output.CSV) && !r.isList && !isTable {
		defaults = nil // a record shows all of its members
	}
	printer, err := r.app.printer(defaults)
	if err != nil {
		return nil, err
	}
	if r.envelope {
		if err := enveloped(printer); err != nil {
			return nil, err
		}
	}
	if r.app.flags.columns != "" {
		return printer, checkColumns(printer.Columns, item)
	}
	return printer, nil
}

// enveloped makes a printer write the whole answer of a list.
func enveloped(p *output.Printer) error {
	switch p.Format {
	case output.Auto:
		p.Format = output.JSON
	case output.JSON, output.YAML:
	default:
		if p.JQ == "" && p.Template == "" {
			return usagef("--envelope goes with json or yaml, not with %s", p.Format)
		}
	}
	return nil
}

// checkColumns refuses columns that the contract does not have, naming those that it has.
func checkColumns(columns []output.Column, item *api.Schema) error {
	for _, c := range columns {
		schema := item
		for name := range strings.SplitSeq(c.Path, ".") {
			if schema.Kind == api.KindMap || schema.Kind == api.KindAny {
				break
			}
			field, ok := schema.Field(name)
			if !ok {
				return usagef("there is no column %q", c.Path).withHint("there are %s", strings.Join(fieldNames(schema), ", "))
			}
			schema = field.Schema
		}
	}
	return nil
}

func fieldNames(s *api.Schema) []string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}
