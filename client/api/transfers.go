package api

// Routes of transfers between organizations.
var (
	TransferSpace = post[TransferSpaceInput, TransferredSpace]("spaces.transfer", "/v1/spaces/{spaceId}/transfer",
		"Move a space to another organization.", markSlow, withOperation("transferSpace"), failsWith(ReasonNoChange))
	TransferCollection = post[TransferCollectionInput, TransferredCollection]("collections.transfer",
		"/v1/collections/{collectionId}/transfer", "Move a collection with all its spaces to another organization.", markSlow,
		withOperation("transferCollection"), failsWith(ReasonNoChange))
)

// TransferSpaceInput is the input of TransferSpace.
type TransferSpaceInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  Transfer
}

// TransferCollectionInput is the input of TransferCollection.
type TransferCollectionInput struct {
	Collection string `path:"collectionId" pattern:"id"`
	Body       Transfer
}

// Transfer is the body of a transfer.
type Transfer struct {
	Organization string `json:"organization" pattern:"id" doc:"The organization to move it to: you need the role admin in the one that it is in, and create in this one."`
}

// TransferLoss is something that is lost in a transfer, because it is unknown to the other organization. A dry run
// lists the losses.
type TransferLoss struct {
	Members   []string `json:"members" doc:"Users whose grants by name are dropped."`
	Teams     []string `json:"teams" doc:"Teams whose grants are dropped."`
	Reviewers []string `json:"reviewers" doc:"Users whose requested reviews are dropped."`
}

// TransferredSpace is a space after its transfer.
type TransferredSpace struct {
	Space
	Dropped TransferLoss `json:"dropped"`
}

// TransferredCollection is a collection after its transfer.
type TransferredCollection struct {
	Collection
	Dropped TransferLoss `json:"dropped"`
}
