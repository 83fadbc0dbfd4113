package oidc

import (
	"errors"
	"strings"
)

// ErrUnavailable is wrapped by errors of providers that do not answer: there is no connection, the answer takes too long, or its
// status is 429 or at least 500. The sign-in may succeed later.
var ErrUnavailable = errors.New("the provider does not answer")

// Reason is the rule that a sign-in or a provider breaks.
type Reason string

// Values of Reason.
const (
	ReasonCallback  Reason = "callback"       // the parameters of the callback are not those of an answer
	ReasonState     Reason = "state"          // the answer is to another request
	ReasonMixUp     Reason = "mix_up"         // the answer is of another issuer, or does not name one although it should
	ReasonRefused   Reason = "refused"        // the provider has answered with an error: see Error.Code
	ReasonDiscovery Reason = "discovery"      // the discovery document cannot be used
	ReasonIssuer    Reason = "issuer"         // the discovery document is of another issuer
	ReasonEndpoint  Reason = "endpoint"       // an address of the provider is not https
	ReasonBlocked   Reason = "blocked"        // an address of the provider is not public
	ReasonRedirect  Reason = "redirect"       // the provider sends the server to another address
	ReasonTooLarge  Reason = "too_large"      // an answer of the provider is too large
	ReasonAnswer    Reason = "answer"         // an answer of the provider is not of the expected form
	ReasonNoToken   Reason = "no_id_token"    // the answer has no ID token
	ReasonToken     Reason = "token"          // the ID token is not a signed one
	ReasonAlgorithm Reason = "algorithm"      // the ID token is signed with an algorithm that is not accepted
	ReasonKey       Reason = "key"            // the key of the ID token is not among those of the provider
	ReasonSignature Reason = "signature"      // the signature of the ID token is wrong
	ReasonTokenOf   Reason = "token_issuer"   // the ID token is of another issuer
	ReasonAudience  Reason = "audience"       // the ID token is for another client
	ReasonIssuedTo  Reason = "issued_to"      // the ID token is for several clients, and was not issued to this one
	ReasonExpired   Reason = "expired"        // the ID token has ended
	ReasonEarly     Reason = "not_yet_valid"  // the ID token is of the future
	ReasonNonce     Reason = "nonce"          // the ID token is of another sign-in
	ReasonNoNonce   Reason = "no_nonce"       // the ID token does not say of which sign-in it is
	ReasonClaims    Reason = "claims"         // a claim is missing, or not of the expected form
	ReasonUserInfo  Reason = "user_info"      // the user info is of another person, or was refused
	ReasonClient    Reason = "authentication" // the provider takes no way of authentication that this client has
)

// Error is a sign-in that is refused, or a provider that cannot be used. Its text may be shown to admins.
type Error struct {
	Reason  Reason
	Code    string // of ReasonRefused: the code of the provider, such as access_denied
	Message string
	Err     error // underlying error; nil = none
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

func refuse(reason Reason, message string) error { return &Error{Reason: reason, Message: message} }

// maxCode is the maximum length of the code of an error of a provider.
const maxCode = 64

// refusedBy returns the error for an answer of a provider with an error code.
func refusedBy(code string) error {
	code = printable(code, maxCode)
	if code == "" {
		code = "unknown"
	}
	return &Error{Reason: ReasonRefused, Code: code, Message: "the provider has refused the sign-in: " + code}
}

// printable returns the first n bytes of the printable ASCII characters of a text.
func printable(text string, n int) string {
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() < n; i++ {
		if text[i] >= ' ' && text[i] <= '~' {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
