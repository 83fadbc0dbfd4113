package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// Limits of device codes (RFC 8628).
const (
	deviceTime     = 10 * time.Minute
	deviceInterval = 5 * time.Second
	// maxTries is the number of codes that a person may try in tryTime; an approval takes two.
	maxTries = 20
	tryTime  = 10 * time.Minute
)

// userCodeLetters are the letters of user codes: no vowels, so that they form no words, and none that are easily confused (RFC 8628, 6.1).
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// userCodeLength is the number of letters of a user code: 20^8 codes, of which a person can try maxTries in tryTime.
const userCodeLength = 8

// devicePrefix is the prefix of device codes: wsv_<user code>_<secret>.
const devicePrefix = "wsv"

// deviceRequest is the request of a client without a browser, as it is stored under its user code.
type deviceRequest struct {
	Digest       string   `json:"digest"` // of the secret in the device code
	Device       string   `json:"device"`
	Scope        string   `json:"scope,omitempty"`
	Organization string   `json:"organization,omitempty"`
	Address      string   `json:"address"`
	At           api.Time `json:"at"`
	Until        api.Time `json:"until"`
}

func (d deviceRequest) grant() grant {
	return grant{device: d.Device, scope: d.Scope, organization: d.Organization}
}

// deviceAnswer is the decision of a person about a deviceRequest.
type deviceAnswer struct {
	Denied bool   `json:"denied,omitempty"`
	User   string `json:"user,omitempty"`
	Token  string `json:"token,omitempty"`
}

// newUserCode returns a random user code.
func newUserCode() (string, error) {
	code := make([]byte, userCodeLength)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userCodeLetters))))
		if err != nil {
			return "", fmt.Errorf("random letter: %w", err)
		}
		code[i] = userCodeLetters[n.Int64()]
	}
	return string(code), nil
}

// parseUserCode parses a user code that a person has typed: in upper or lower case, with hyphens and spaces.
func parseUserCode(text string) (code string, ok bool) {
	code = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		if strings.ContainsRune(userCodeLetters, r) {
			return r
		}
		if r == '-' || r == ' ' {
			return -1
		}
		return '?'
	}, text)
	return code, len(code) == userCodeLength && !strings.Contains(code, "?")
}

// showUserCode returns a user code in the form in which people read it.
func showUserCode(code string) string { return code[:userCodeLength/2] + "-" + code[userCodeLength/2:] }

// serveDeviceRequest answers the request of a client without a browser (RFC 8628, 3.1).
func (s *Service) serveDeviceRequest(w http.ResponseWriter, r *http.Request) {
	a := s.oauth(w, r)
	if !a.parse() {
		return
	}
	g, err := readGrant(r.PostForm)
	if err != nil {
		a.refuse(err)
		return
	}
	if reason := s.unsafeReason(); reason != "" {
		a.fail(http.StatusBadRequest, "invalid_request", reason)
		return
	}
	if _, ok := s.devices.Take(auth.Address(r), s.Clock(), 0); !ok {
		w.Header().Set("Retry-After", "60")
		a.fail(http.StatusTooManyRequests, "slow_down", fmt.Sprintf("An address gets %d codes per minute.", maxDeviceRequests))
		return
	}
	code, secret, err := s.putDeviceRequest(r.Context(), g, auth.Address(r))
	if err != nil {
		a.refuse(err)
		return
	}
	page := s.PublicURL + "/account/device"
	a.answer(map[string]any{
		"device_code": strings.Join([]string{devicePrefix, code, secret}, "_"), "user_code": showUserCode(code), "verification_uri": page,
		"verification_uri_complete": page + "?code=" + showUserCode(code), "expires_in": int(deviceTime / time.Second),
		"interval": int(deviceInterval / time.Second),
	})
}

// putDeviceRequest stores the request of a client under a new code.
func (s *Service) putDeviceRequest(ctx context.Context, g grant, address string) (code, secret string, err error) {
	secret = rand.Text()
	now := s.Clock()
	d := deviceRequest{
		Digest: auth.Digest(secret), Device: g.device, Scope: g.scope, Organization: g.organization, Address: address, At: api.At(now),
		Until: api.At(now.Add(deviceTime)),
	}
	data, err := json.Marshal(d)
	if err != nil {
		return "", "", fmt.Errorf("encode the request of a device: %w", err)
	}
	for range 3 { // a code that is taken is rare
		if code, err = newUserCode(); err != nil {
			return "", "", err
		}
		created, err := s.Store.PutOnce(ctx, store.DeviceKey(code), string(data), deviceTime)
		if err != nil || created {
			return code, secret, err
		}
	}
	return "", "", fmt.Errorf("no free code for a device")
}

// readDevice reads the request with a user code, and the decision about it; ok is false if there is no request.
func (s *Service) readDevice(ctx context.Context, code string) (d deviceRequest, decided *deviceAnswer, ok bool, err error) {
	b := s.Store.NewBatch()
	request, answer := b.Value(store.DeviceKey(code)), b.Value(store.DeviceAnswerKey(code))
	if err := b.Do(ctx); err != nil {
		return d, nil, false, fmt.Errorf("read the request of a device: %w", err)
	}
	text, ok := request.Get()
	if !ok {
		return d, nil, false, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, nil, false, fmt.Errorf("request of a device: %w", err)
	}
	if text, there := answer.Get(); there {
		decided = &deviceAnswer{}
		if err := json.Unmarshal([]byte(text), decided); err != nil {
			return d, nil, false, fmt.Errorf("decision about a device: %w", err)
		}
	}
	return d, decided, d.Until.After(s.Clock()), nil
}

// pollDevice answers a client that asks for the decision of the person (RFC 8628, 3.4).
func (s *Service) pollDevice(ctx context.Context, a *oauthCall) {
	parts := strings.Split(a.r.PostForm.Get("device_code"), "_")
	if len(parts) != 3 || parts[0] != devicePrefix {
		a.fail(http.StatusBadRequest, "invalid_grant", "The device code is not valid.")
		return
	}
	code, _ := parseUserCode(parts[1]) // there is no request with another text
	d, decided, ok, err := s.readDevice(ctx, code)
	if err != nil {
		a.refuse(err)
		return
	}
	if !ok || subtle.ConstantTimeCompare([]byte(d.Digest), []byte(auth.Digest(parts[2]))) == 0 {
		a.fail(http.StatusBadRequest, "expired_token", "The code has ended: start again.")
		return
	}
	inTime, err := s.Store.PutOnce(ctx, store.DevicePollKey(code), "1", deviceInterval)
	switch {
	case err != nil:
		a.refuse(err)
	case decided == nil && !inTime:
		a.fail(http.StatusBadRequest, "slow_down", "Ask at most every 5 seconds.")
	case decided == nil:
		a.fail(http.StatusBadRequest, "authorization_pending", "Nobody has decided yet.")
	case decided.Denied:
		a.fail(http.StatusBadRequest, "access_denied", "The person refused.")
	default:
		made := auth.Credential{User: decided.User, Token: decided.Token, Secret: parts[2]}
		a.completeLogin(orgs.LoginCreate{Code: made.Code()})
	}
}

// showDevice asks for the user code. One in the address fills in the form: nothing is looked up by following a link.
func (s *Service) showDevice(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	return v.show(http.StatusOK, "device.html", map[string]any{"Typed": api.Shorten(v.r.URL.Query().Get("code"), maxClientName)})
}
