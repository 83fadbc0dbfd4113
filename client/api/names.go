package api

// FindName finds resources by the names that people type.
var FindName = post[FindNameInput, NameList]("names.find", "/v1/orgs/{organizationId}/names",
	"Find spaces, collections, docs sites, teams and members by name.", markReadOnly)

// FindNameInput is the input of FindName.
type FindNameInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         NameQuery
}

// MaxNames is the maximum number of names in a NameQuery, MaxNameMatches that of the resources listed for each.
const (
	MaxNames       = 100
	MaxNameMatches = 10
)

// NameQuery is the body of FindName.
type NameQuery struct {
	Names []Name `json:"names" len:"1..100" doc:"The names to look up."`
}

// Name is a name of a resource of a kind.
type Name struct {
	Kind NameKind `json:"kind"`
	Name string   `json:"name" len:"1..512" doc:"A title, in any letter case and with any punctuation (Skylark Handbook, skylark-handbook); title: and the exact title; of spaces and collections also the path COLLECTION/TITLE, of sites the hostname, of members the e-mail address, or @me."`
}

// NameKind is a kind of resources that have names.
type NameKind string

// Values of NameKind.
const (
	NameSpace      NameKind = "space"
	NameCollection NameKind = "collection"
	NameSite       NameKind = "site"
	NameTeam       NameKind = "team"
	NameMember     NameKind = "member"
)

// Values returns the values of NameKind.
func (NameKind) Values() []NameKind {
	return []NameKind{NameSpace, NameCollection, NameSite, NameTeam, NameMember}
}

// NameList is the output of FindName.
type NameList struct {
	Items []NameMatches `json:"items" doc:"One for each name of the query, in its order."`
}

// NameMatches are the resources that have a name, as far as the caller may see them.
type NameMatches struct {
	Kind  NameKind    `json:"kind"`
	Name  string      `json:"name" doc:"As given."`
	Count int         `json:"count" doc:"How many resources have the name. One of several has to be told apart by its own name, or its id."`
	Found []NameMatch `json:"found" doc:"The first ten of them, by id."`
}

var _ = declareColumns[NameMatches]("kind,name,count,found.0.id=ID,found.0.title=TITLE,found.0.name=UNIQUE")

// NameMatch is a resource that has a name.
type NameMatch struct {
	ID      string `json:"id"`
	Title   string `json:"title" doc:"The title; of a member, the display name."`
	Name    string `json:"name" doc:"The shortest name that finds only this one; its id if there is no such name."`
	Version string `json:"version" doc:"For If-Match, in quotes: a change is refused if the resource has been changed since."`
}
