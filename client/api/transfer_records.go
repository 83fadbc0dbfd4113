package api

// Routes of completed transfers, which can be taken back for a limited time.
var (
	ListTransfers = get[ListTransfersInput, Page[TransferRecord]]("transfers.list", "/v1/orgs/{organizationId}/transfers",
		"List the transfers from an organization and to it.")
	GetTransfer = get[TransferRef, TransferRecord]("transfers.get", "/v1/orgs/{organizationId}/transfers/{transferId}",
		"Show a transfer: where it is, and until when it can be taken back.")
	TakeTransferBack = post[TransferRef, TransferRecord]("transfers.take-back",
		"/v1/orgs/{organizationId}/transfers/{transferId}/take-back", "Take back what was transferred to another organization, as long "+
			"as nobody there has written in it or shows it on a site.", markSlow)
	AskTransfer = post[TransferRef, TransferRecord]("transfers.ask", "/v1/orgs/{organizationId}/transfers/{transferId}/ask",
		"Ask the admins of the other organization to give back what was transferred to it.", failsWith(ReasonNoChange))
	AgreeTransfer = post[TransferRef, TransferRecord]("transfers.agree", "/v1/orgs/{organizationId}/transfers/{transferId}/agree",
		"Give back what another organization transferred to this one and asks for.", markSlow)
	RefuseTransfer = post[TransferRef, TransferRecord]("transfers.refuse", "/v1/orgs/{organizationId}/transfers/{transferId}/refuse",
		"Refuse to give back what another organization transferred to this one and asks for.")
	CopyTransfer = post[TransferRef, TransferRecord]("transfers.copy", "/v1/orgs/{organizationId}/transfers/{transferId}/copy",
		"Take a copy of what was transferred to another organization, as it was then.", markSlow)
)

// TransferRef identifies a transfer of an organization.
type TransferRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Transfer     string `path:"transferId" pattern:"id"`
}

// ListTransfersInput is the input of ListTransfers.
type ListTransfersInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// TransferDirection is the direction of a transfer relative to the organization.
type TransferDirection string

// Values of TransferDirection.
const (
	TransferOut TransferDirection = "out"
	TransferIn  TransferDirection = "in"
)

// Values returns the directions.
func (TransferDirection) Values() []TransferDirection {
	return []TransferDirection{TransferOut, TransferIn}
}

// TransferState is the state of a transfer.
type TransferState string

// Values of TransferState.
const (
	TransferOpen      TransferState = "open"       // the content can be taken back
	TransferAsked     TransferState = "asked"      // the other organization was asked to return the content
	TransferRefused   TransferState = "refused"    // the other organization refused to return the content
	TransferPassedOn  TransferState = "passed-on"  // the other organization transferred the content to a third one
	TransferReturned  TransferState = "returned"   // the other organization transferred the content back
	TransferTakenBack TransferState = "taken-back" // the content was taken back
	TransferCopied    TransferState = "copied"     // a copy of the former state of the content was taken instead
	TransferFinal     TransferState = "final"      // the content can no longer be taken back
)

// Values returns the values of TransferState.
func (TransferState) Values() []TransferState {
	return []TransferState{
		TransferOpen, TransferAsked, TransferRefused, TransferPassedOn, TransferReturned, TransferTakenBack, TransferCopied, TransferFinal,
	}
}

// TransferFields holds the stored members of a TransferRecord.
type TransferFields struct {
	Object        string            `json:"object" enum:"transfer"`
	ID            string            `json:"id"`
	Direction     TransferDirection `json:"direction" doc:"Out of the organization of the path, or in."`
	From          string            `json:"from" doc:"The organization that gave it away."`
	To            string            `json:"to" doc:"The organization that it was transferred to."`
	Space         string            `json:"space,omitzero" doc:"What was transferred, if it is a space."`
	Collection    string            `json:"collection,omitzero" doc:"What was transferred, if it is a collection; its collections and spaces went with it."`
	Title         string            `json:"title" doc:"What it was called then."`
	TransferredAt Time              `json:"transferredAt" doc:"When it was transferred."`
	TakeBackUntil Time              `json:"takeBackUntil" doc:"Until when an admin of the organization that gave it away can take it back."`
	AskedAt       Time              `json:"askedAt,omitzero" doc:"When the other organization was asked to give it back."`
	Copy          string            `json:"copy,omitzero" doc:"The copy that was taken instead; told to those who took it."`
}

// Content returns the space or collection that was transferred.
func (f TransferFields) Content() string { return f.Space + f.Collection }

// TransferRecord is a completed transfer.
type TransferRecord struct {
	TransferFields
	State         TransferState `json:"state"`
	TransferredBy *User         `json:"transferredBy,omitzero"`
	AskedBy       *User         `json:"askedBy,omitzero"`
	URLs          LocationURLs  `json:"urls"`
}

var _ = declareColumns[TransferRecord]("id,direction,state,title,from,to,transferredBy.displayName=BY,transferredAt,takeBackUntil")
