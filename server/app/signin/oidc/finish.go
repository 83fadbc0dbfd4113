package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	goidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Limits of values of providers.
const (
	maxCodeLength  = 4096
	maxTokenLength = 256 << 10
	// maxClockDifference is the accepted difference between the clocks of a provider and of this server.
	maxClockDifference = time.Minute
)

// checkState returns an error unless the callback answers the request that began the sign-in, with each parameter once.
func checkState(s Start, q url.Values) error {
	for _, name := range []string{"state", "code", "iss", "error"} {
		if len(q[name]) > 1 {
			return refuse(ReasonCallback, "the callback has the parameter "+name+" more than once")
		}
	}
	if s.State == "" || s.Nonce == "" || s.Verifier == "" {
		return refuse(ReasonState, "there is no sign-in that the callback could belong to")
	}
	if !areEqual(q.Get("state"), s.State) {
		return refuse(ReasonState, "the callback belongs to another sign-in: its state is another one")
	}
	return nil
}

// areEqual compares secrets in constant time.
func areEqual(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// readCode returns the code of a callback, after the issuer and the error in it (RFC 9207, RFC 6749).
func readCode(p Provider, m metadata, q url.Values) (string, error) {
	switch issuer := q.Get("iss"); {
	case q.Has("iss") && issuer != p.Issuer:
		return "", refuse(ReasonMixUp, fmt.Sprintf("the callback is of the issuer %q, want %q", printable(issuer, maxCodeLength), p.Issuer))
	case !q.Has("iss") && m.NamesIssuers:
		return "", refuse(ReasonMixUp, "the callback does not name its issuer, although the provider says that its callbacks do")
	}
	if q.Has("error") {
		return "", refusedBy(q.Get("error"))
	}
	code := q.Get("code")
	if code == "" || len(code) > maxCodeLength {
		return "", refuse(ReasonCallback, fmt.Sprintf("the callback must have a code of at most %d bytes", maxCodeLength))
	}
	return code, nil
}

// exchange returns the tokens for a code.
func (c *Client) exchange(
	ctx context.Context, p Provider, m metadata, code, verifier string,
) (token *oauth2.Token, idToken string, err error) {
	config, err := p.config(m)
	if err != nil {
		return nil, "", err
	}
	token, err = config.Exchange(goidc.ClientContext(ctx, c.http), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, "", exchangeError(m, err)
	}
	idToken, err = idTokenOf(token)
	if err == nil && idToken == "" {
		err = refuse(ReasonNoToken, "the provider has sent no ID token")
	}
	return token, idToken, err
}

// idTokenOf returns the ID token of an answer of the token endpoint, or "" if it has none.
func idTokenOf(token *oauth2.Token) (idToken string, err error) {
	idToken, _ = token.Extra("id_token").(string)
	if len(idToken) > maxTokenLength {
		return "", refuse(ReasonTooLarge, fmt.Sprintf("the ID token has more than %d bytes", maxTokenLength))
	}
	return idToken, nil
}

// exchangeError returns the error of a refused exchange. It contains no text of the provider besides a code.
func exchangeError(m metadata, err error) error {
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		if answer.ErrorCode != "" {
			return refusedBy(answer.ErrorCode)
		}
		return refuse(ReasonAnswer, fmt.Sprintf("the token endpoint has answered with the status %d and no code of an error",
			answer.Response.StatusCode))
	}
	if _, isOfClient := errors.AsType[*url.Error](err); !isOfClient {
		return refuse(ReasonAnswer, "the answer of the token endpoint is no JSON object with an access token")
	}
	u, _ := url.Parse(m.TokenURL) // was checked
	return clientError(u.Host, err)
}

// verify returns the claims of an ID token, after its signature, issuer, audience and times.
func (c *Client) verify(ctx context.Context, p Provider, k known, idToken string) (claims, error) {
	if err := checkAlgorithm(idToken); err != nil {
		return nil, err
	}
	var accepted []string
	for _, algorithm := range algorithms {
		accepted = append(accepted, string(algorithm))
	}
	now := c.now()
	signature := &signatureVerifier{client: c, known: k}
	verifier := goidc.NewVerifier(p.Issuer, signature, &goidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: accepted, Now: func() time.Time { return now.Add(-maxClockDifference) },
	})
	_, err := verifier.Verify(ctx, idToken)
	if signature.err != nil {
		return nil, signature.err
	}
	found, parseErr := parseClaims(signature.payload)
	if parseErr != nil {
		return nil, refuse(ReasonToken, "the ID token has no JSON object of claims")
	}
	// go-oidc does not distinguish the case of the names of claims, takes another issuer of Google, and has no errors of their own
	// for issuer and audience. So its checks are repeated.
	for _, check := range []error{checkIssuer(found, p), checkIssuedTo(found, p), checkTimes(found, now)} {
		if check != nil {
			return nil, check
		}
	}
	if err != nil {
		return nil, refuse(ReasonToken, "the ID token is not of the expected form")
	}
	return found, nil
}

func checkIssuer(found claims, p Provider) error {
	if issuer, _ := found.text("iss"); issuer != p.Issuer {
		return refuse(ReasonTokenOf, fmt.Sprintf("the ID token is of the issuer %q, want %q", printable(issuer, maxCodeLength), p.Issuer))
	}
	return nil
}

// checkIssuedTo returns an error if a token is not for the client, or was issued to another one: it names that one, or is for several
// clients and names none.
func checkIssuedTo(found claims, p Provider) error {
	audience, ok := found.texts("aud")
	if !ok || !slices.Contains(audience, p.ClientID) {
		return refuse(ReasonAudience, "the ID token is for another client")
	}
	client, ok := found.text("azp")
	switch {
	case !ok && found.has("azp"), ok && client != p.ClientID:
		return refuse(ReasonIssuedTo, "the ID token was issued to another client: its claim azp names another one")
	case !ok && len(audience) > 1:
		return refuse(ReasonIssuedTo, "the ID token is for several clients, and has no claim azp with the one that it was issued to")
	}
	return nil
}

// checkTimes returns an error if the times of a token do not include now.
func checkTimes(found claims, now time.Time) error {
	earliest, latest := now.Add(-maxClockDifference), now.Add(maxClockDifference)
	issued, hasIssued := found.time("iat")
	ends, hasEnd := found.time("exp")
	from, hasFrom := found.time("nbf")
	switch {
	case !hasIssued || !hasEnd:
		return refuse(ReasonClaims, "the ID token does not say when it was issued (iat) and when it ends (exp)")
	case ends.Before(earliest):
		return refuse(ReasonExpired, "the ID token has ended: compare the clocks")
	case issued.After(latest):
		return refuse(ReasonEarly, "the ID token is of the future: compare the clocks")
	case hasFrom && from.After(latest), !hasFrom && found.has("nbf"):
		return refuse(ReasonEarly, "the ID token is not valid yet: compare the clocks")
	}
	return nil
}

func checkNonce(found claims, nonce string) error {
	got, ok := found.text("nonce")
	switch {
	case !ok:
		return refuse(ReasonNoNonce, "the ID token has no nonce")
	case !areEqual(got, nonce):
		return refuse(ReasonNonce, "the ID token belongs to another sign-in: its nonce is another one")
	}
	return nil
}

// addUserInfo returns claims with those of the user info endpoint that they lack. It asks if the ID token has no e-mail address, or
// no claim with groups although p names one: providers may send these there only (OpenID Connect Core 1.0, section 5.4).
func (c *Client) addUserInfo(ctx context.Context, p Provider, m metadata, accessToken string, found claims) (claims, error) {
	isComplete := found.has("email") && (p.TeamClaim == "" || found.has(p.TeamClaim))
	if isComplete || m.UserInfoURL == "" || accessToken == "" {
		return found, nil
	}
	data, err := c.get(ctx, m.UserInfoURL, accessToken)
	if refused, ok := errors.AsType[*Error](err); ok && refused.Reason == ReasonAnswer {
		return nil, refuse(ReasonUserInfo, "the user info was refused: "+refused.Message)
	}
	if err != nil {
		return nil, err
	}
	info, err := parseClaims(data)
	if err != nil {
		return nil, refuse(ReasonUserInfo, "the user info is no JSON object")
	}
	subject, _ := found.text("sub")
	if other, _ := info.text("sub"); other != subject {
		return nil, refuse(ReasonUserInfo, "the user info is of another person than the ID token")
	}
	return found.with(info, p.TeamClaim), nil
}
