package main

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// columnTable is what lists show of a thing, by its name: the columns as --columns takes them.
const columnTable = `
Space: id,title,visibility,changeRequestsOpen=OPEN,comments,updatedAt
Collection: id,title,parent,description
Organization: id,title,type,createdAt
Member: id,user.displayName=NAME,user.email=EMAIL,role,joinedAt,lastSeenAt,spaces,teams
MemberSpace: space.id=SPACE,space.title=TITLE,permission,space.visibility=VISIBILITY
MemberTeam: team.id=TEAM,team.title=TITLE,member.role=ROLE,team.members=MEMBERS,team.spaces=SPACES
Team: id,title,members,spaces,createdAt
Invite: id,email,role,expiresAt,secret
LinkInvite: id,role,level,space,collection,expiresAt,redundant,secret
TeamMemberItem: organization.id=USER,organization.user.displayName=NAME,organization.user.email=EMAIL,team.role=ROLE
ChangeRequest: number,id,status,subject,createdBy.displayName=BY,comments,outdated,updatedAt
HistoryEntry: number,id,type,author.displayName=BY,createdAt,mergedFrom.number=REQUEST,mergedFrom.subject=SUBJECT
BlamedBlock: author.displayName=BY,createdAt=WHEN,changeRequest.number=REQUEST,revision,kind,preview=TEXT
RequestedReviewer: user.id=USER,user.displayName=NAME,requestedBy.displayName=ASKED BY,createdAt
Review: id,status,outdated,reviewer.displayName=BY,createdAt,comment.body.markdown=TEXT
MergeGate: state,rule,message,clearedBy.role=BY ROLE,clearedBy.users.0.displayName=BY
Conflict: id,kind,title=PAGE,attribute,ours,theirs
Contributor: user.id=USER,user.displayName=NAME,actionType=DID,count,updatedAt
Comment: id,status,postedBy.displayName=BY,postedAt,target.page.path=PAGE,target.anchor.state=TEXT IS,replies,body.markdown=TEXT
CommentReply: id,postedBy.displayName=BY,postedAt,body.markdown=TEXT
RevisionPage: id,title,type,path
ContentEffect: object=CHANGE,page.id=PAGE,reusableContent.id=REUSABLE CONTENT,ref
SemanticChange: type=CHANGE,page.id=PAGE,page.path=PATH,page.title=TITLE,file.name=FILE,reusableContent.title=REUSABLE CONTENT
File: id,name,contentType,size
OpenAPISpec: slug,processingState=STATE,lastProcessErrorCode=ERROR,lastVersion=VERSION,lastProcessedAt=READ,sourceURL=SOURCE
Link: status,href,problem,locationReferences.0.page.path=PAGE,locationReferences.0.internalLocation.node=NODE
Reference: kind,page.path=PAGE,page.title=TITLE,internalLocation.node=NODE
PageHit: title,path,sections.0.title=SECTION,sections.0.body=TEXT
SpaceHit: id,title=SPACE,pages.0.title=PAGE,pages.0.path=PATH,pages.0.sections.0.body=TEXT
TransferRecord: id,direction,state,title,from,to,transferredBy.displayName=BY,transferredAt,takeBackUntil
Translation: id,title,languages,updatedAt
UserPermission: user.id=USER,user.displayName=NAME,user.email=EMAIL,permission
SitePermission: user.id=USER,user.displayName=NAME,user.email=EMAIL,permission,origin.type=FROM,origin.reason=BY
TeamPermission: team.id=TEAM,team.title=TITLE,team.members=MEMBERS,permission
SAMLProvider: id,label,status,ssoURL=URL,defaultTeam.title=TEAM,defaultRole=ROLE,createdAt
Site: id,title,visibility,published,siteSpaces=SPACES,urls.published=URL
SiteSection: id,title,path,default,sectionGroup=GROUP,urls.published=URL
SiteSectionGroup: id,title,icon
SiteStructureItem: title,object=KIND,id,path,default,condition,urls.published=URL
SiteSpace: id,title,path,section,default,space.id=SPACE,urls.published=URL
ShareLink: id,name,active,createdAt,urls.published=URL
Integration: name,version,title,visibility,target,owner.title=OWNER
IntegrationInstallation: id,status,target.organization=ORGANIZATION,spaces,externalIds,updatedAt
Token: id,name,scopes,expiresAt,lastUsedAt
`

// defaultColumns are what lists show of a thing unless --columns says otherwise.
func defaultColumns(s *api.Schema) []output.Column {
	_, rest, found := strings.Cut(columnTable, "\n"+s.Name+": ")
	if !found {
		return plainColumns(s)
	}
	columns, _, _ := strings.Cut(rest, "\n")
	return output.ParseColumns(columns)
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
	for _, member := range []string{"rules", "conflicts"} { // of Mergeability and ConflictList
		if list, ok := r.answer.Field(member); ok && list.Required && list.Schema.Kind == api.KindArray {
			return list.Schema.Items
		}
	}
	return r.answer
}

// printer returns the printer for the row's answer.
func (r *rowCommand) printer() (*output.Printer, error) {
	item := r.item()
	defaults := defaultColumns(item)
	if r.row.Name == api.ListChangeRequestQueue.Name { // numbers are those of a space
		defaults = slices.Insert(defaults, 0, output.ParseColumns("space")...)
	}
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
