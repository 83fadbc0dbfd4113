package api

import "net/http"

// Routes of collections.
var (
	ListCollections = get[ListCollectionsInput, Page[Collection]]("collections.list", "/v1/orgs/{organizationId}/collections",
		"List the collections of an organization.", withOperation("listCollectionsInOrganizationById"))
	CreateCollection = create[CreateCollectionInput, Collection]("collections.create", "/v1/orgs/{organizationId}/collections",
		"Create a collection.", withOptionalBody, withOperation("createCollection"))
	GetCollection = get[CollectionRef, Collection]("collections.get", "/v1/collections/{collectionId}", "Show a collection.",
		withOperation("getCollectionById"))
	UpdateCollection = patch[UpdateCollectionInput, Collection]("collections.update", "/v1/collections/{collectionId}",
		"Change a collection's title, description or default level.", withOperation("updateCollectionById"))
	DeleteCollection = remove[CollectionRef]("collections.delete", "/v1/collections/{collectionId}", http.StatusResetContent,
		"Delete a collection and the collections in it; their spaces go to the trash for 7 days.", withOperation("deleteCollectionById"))
	ListCollectionSpaces = get[ListCollectionSpacesInput, Page[Space]]("collections.list-spaces", "/v1/collections/{collectionId}/spaces",
		"List the spaces of a collection, in their order.", withOperation("listSpacesInCollectionById"))
	MoveCollection = post[MoveCollectionInput, Collection]("collections.move", "/v1/collections/{collectionId}/move",
		"Move a collection to another parent or position.", withOperation("moveCollection"), failsWith(ReasonNoChange))
)

// CollectionRef identifies a collection.
type CollectionRef struct {
	Collection string `path:"collectionId" pattern:"id"`
}

// ListCollectionsInput is the input of ListCollections.
type ListCollectionsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Nested Optional[bool] `query:"nested" default:"true" doc:"Also list collections inside collections."`
}

// CreateCollectionInput is the input of CreateCollection.
type CreateCollectionInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         CollectionCreate
}

// CollectionCreate is the body of CreateCollection.
type CollectionCreate struct {
	Title  string `json:"title,omitzero" len:"0..50"`
	Parent string `json:"parent,omitzero" pattern:"id" doc:"The collection to create it in; default the top."`
}

// UpdateCollectionInput is the input of UpdateCollection.
type UpdateCollectionInput struct {
	Collection string `path:"collectionId" pattern:"id"`
	Body       CollectionPatch
}

// CollectionPatch is the body of UpdateCollection.
type CollectionPatch struct {
	Title        Optional[string] `json:"title,omitzero" len:"0..50"`
	Description  Optional[string] `json:"description,omitzero" len:"0..100"`
	DefaultLevel Optional[Level]  `json:"defaultLevel,omitzero" null:"true" doc:"Role for everybody, inherit, or null for nobody but admins, the creator and people added by name."`
}

// ListCollectionSpacesInput is the input of ListCollectionSpaces.
type ListCollectionSpacesInput struct {
	Collection string `path:"collectionId" pattern:"id"`
	ListOptions
}

// MoveCollectionInput is the input of MoveCollection.
type MoveCollectionInput struct {
	Collection string `path:"collectionId" pattern:"id"`
	Body       Move
}

// Move is the body of operations that move a collection or a space. At least one member is required.
type Move struct {
	Parent   Optional[string] `json:"parent,omitzero" null:"true" pattern:"id" doc:"The new parent collection; null is the top of the organization."`
	Position *MovePosition    `json:"position,omitzero" doc:"Default: the end."`
}

// Validate checks that a parent or a position is given.
func (m Move) Validate() []FieldError {
	if m.Parent.IsZero() && m.Position == nil {
		return []FieldError{{Path: "parent", Message: "is required when there is no position"}}
	}
	return nil
}

// MovePosition identifies the siblings next to the new position.
type MovePosition struct {
	Before *ContentPointer `json:"before,omitzero" doc:"Place it directly before this one."`
	After  *ContentPointer `json:"after,omitzero" doc:"Place it directly after this one."`
}

// ContentPointerType is the type of the target of a ContentPointer.
type ContentPointerType string

// Values of ContentPointerType.
const (
	PointerSpace      ContentPointerType = "space"
	PointerCollection ContentPointerType = "collection"
)

// Values returns the values of ContentPointerType.
func (ContentPointerType) Values() []ContentPointerType {
	return []ContentPointerType{PointerSpace, PointerCollection}
}

// ContentPointer identifies a sibling: {type: space, space: id} or {type: collection, collection: id}.
type ContentPointer struct {
	Type       ContentPointerType `json:"type"`
	Space      string             `json:"space,omitzero" pattern:"id"`
	Collection string             `json:"collection,omitzero" pattern:"id"`
}

// ID returns the id for the type of the pointer, or "" if it has none or both.
func (p ContentPointer) ID() string {
	switch {
	case p.Type == PointerSpace && p.Collection == "":
		return p.Space
	case p.Type == PointerCollection && p.Space == "":
		return p.Collection
	default:
		return ""
	}
}

// CollectionFields holds the stored members of a Collection.
type CollectionFields struct {
	Object       string `json:"object" enum:"collection"`
	ID           string `json:"id"`
	Title        string `json:"title" len:"0..50"`
	Description  string `json:"description,omitzero" len:"0..100"`
	Organization string `json:"organization"`
	Parent       string `json:"parent,omitzero" doc:"Id of the collection that it is in; absent at the top level."`
	DefaultLevel *Level `json:"defaultLevel" doc:"Role that members without a permission have; inherit takes that of the parent or organization."`
	DeletedAt    Time   `json:"deletedAt,omitzero" doc:"Of one in the trash."`
}

// Collection is a folder of spaces and collections.
type Collection struct {
	CollectionFields
	URLs        AppURLs               `json:"urls"`
	Permissions CollectionPermissions `json:"permissions"`
}

var _ = declareColumns[Collection]("id,title,parent,description")

// CollectionPermissions are the permissions of the caller on a collection.
type CollectionPermissions struct {
	View            bool `json:"view"`
	Admin           bool `json:"admin"`
	ViewInviteLinks bool `json:"viewInviteLinks"`
	Create          bool `json:"create"`
}
