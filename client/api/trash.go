package api

// Routes of the trash: deleted resources that can be restored.
var (
	ListTrash = get[ListTrashInput, Page[TrashItem]]("trash.list", "/v1/orgs/{organizationId}/trash",
		"List the deleted spaces and collections of an organization that you can restore.")
	ListTrashOrganizations = get[ListTrashOrganizationsInput, Page[TrashedOrganization]]("trash.list-organizations", "/v1/user/trash",
		"List the deleted organizations that you can restore: those that you are an admin of.")
	RestoreCollection = post[CollectionRef, Collection]("collections.restore", "/v1/collections/{collectionId}/restore",
		"Restore a collection deleted within the last 7 days, with what was deleted with it and is still in the trash.")
	RestoreOrganization = post[OrganizationRef, Organization]("organizations.restore", "/v1/orgs/{organizationId}/restore",
		"Restore an organization deleted within the last 7 days.")
)

// ListTrashInput is the input of ListTrash.
type ListTrashInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// ListTrashOrganizationsInput is the input of ListTrashOrganizations.
type ListTrashOrganizationsInput struct {
	ListOptions
}

// TrashKind is the kind of a resource in the trash.
type TrashKind string

// Values of TrashKind.
const (
	TrashSpace      TrashKind = "space"
	TrashCollection TrashKind = "collection"
)

// Values returns the values of TrashKind.
func (TrashKind) Values() []TrashKind { return []TrashKind{TrashSpace, TrashCollection} }

// TrashItem is a deleted space or collection that can be restored.
type TrashItem struct {
	Object       string       `json:"object" enum:"trash-item"`
	Kind         TrashKind    `json:"kind"`
	ID           string       `json:"id"`
	Title        string       `json:"title"`
	Parent       string       `json:"parent,omitzero" doc:"The collection that it lay in, and comes back to if that is there."`
	DeletedAt    Time         `json:"deletedAt"`
	DeletedBy    *User        `json:"deletedBy,omitzero" doc:"Absent where it is not known: of what earlier versions deleted."`
	RestoreUntil Time         `json:"restoreUntil" doc:"From then on it cannot be restored, and is removed for good."`
	Holds        []Taken      `json:"holds" doc:"What comes back with it."`
	Contents     string       `json:"contents" doc:"The same, counted: collections=1, spaces=8, or nothing."`
	URLs         LocationURLs `json:"urls"`
}

var _ = declareColumns[TrashItem]("id,kind,title,deletedBy.displayName=BY,deletedAt,restoreUntil,contents")

// TrashedOrganization is a deleted organization that can be restored.
type TrashedOrganization struct {
	Object       string  `json:"object" enum:"trashed-organization"`
	ID           string  `json:"id"`
	Title        string  `json:"title"`
	DeletedAt    Time    `json:"deletedAt"`
	DeletedBy    *User   `json:"deletedBy,omitzero"`
	RestoreUntil Time    `json:"restoreUntil" doc:"From then on it cannot be restored, and is removed for good with all that it has."`
	Holds        []Taken `json:"holds" doc:"What comes back with it."`
	Contents     string  `json:"contents" doc:"The same, counted: collections=1, spaces=8, or nothing."`
}

var _ = declareColumns[TrashedOrganization]("id,title,deletedBy.displayName=BY,deletedAt,restoreUntil,contents")
