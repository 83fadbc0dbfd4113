package signin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// findDevice returns the request with a code that a person typed. It counts the codes that a person tries, so that none can be guessed.
func (v *visit) findDevice(typed string) (code string, d deviceRequest, err error) {
	s, ctx := v.service, v.r.Context()
	tries := store.DeviceGuessesKey(v.session.User, strconv.FormatInt(s.Clock().Unix()/int64(tryTime.Seconds()), 10))
	if err := s.Store.Count(ctx, tries, 1, 2*tryTime); err != nil {
		return "", d, fmt.Errorf("count codes: %w", err)
	}
	b := s.Store.NewBatch()
	made := b.Value(tries)
	if err := b.Do(ctx); err != nil {
		return "", d, fmt.Errorf("read the number of codes: %w", err)
	}
	if n, err := strconv.Atoi(made.Value()); err != nil || n > maxTries {
		return "", d, api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "Too many codes.").
			WithHint("Wait ten minutes, and start again with: wsctl login --device")
	}
	code, ok := parseUserCode(typed)
	var decided *deviceAnswer
	if ok {
		if d, decided, ok, err = s.readDevice(ctx, code); err != nil {
			return "", d, err
		}
	}
	switch {
	case !ok:
		return "", d, api.Errorf(http.StatusUnprocessableEntity, api.ReasonInvalid, "There is no request with this code.").
			WithHint("Codes have 8 letters and end after 10 minutes. Start again with: wsctl login --device")
	case decided != nil:
		return "", d, alreadyDecided()
	}
	return code, d, nil
}

func alreadyDecided() *api.Error {
	return api.Errorf(http.StatusConflict, api.ReasonState, "This request was decided before.").
		WithHint("If the other computer does not go on, start again with: wsctl login --device")
}

// showDeviceRequest asks whether the client with a code may act for the person.
func (s *Service) showDeviceRequest(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	code, d, err := v.findDevice(v.formValue("code"))
	if err != nil {
		e := rest.PublicError(err)
		if e.Code >= http.StatusInternalServerError {
			return err
		}
		return v.show(e.Code, "device.html", map[string]any{"Refusal": refusalText(e), "Typed": v.formValue("code")})
	}
	data, err := v.describe(d.grant())
	if err != nil {
		return err
	}
	data["Action"], data["Params"] = "/account/device/decide", map[string]string{"code": showUserCode(code)}
	data["At"], data["Code"], data["Address"] = d.At, showUserCode(code), d.Address
	data["Elsewhere"] = d.Address != auth.Address(v.r)
	return v.show(http.StatusOK, "authorize.html", data)
}

// refusalText returns what a page says about an error.
func refusalText(e api.Error) string { return strings.TrimSpace(e.Message + " " + e.Hint) }

// decideDevice stores the decision about the request of a client. The first one counts.
func (s *Service) decideDevice(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	code, d, err := v.findDevice(v.formValue("code"))
	if err != nil {
		return err
	}
	decision := deviceAnswer{Denied: v.formValue("decision") != "allow"}
	if !decision.Denied {
		made, err := v.approve(d.grant(), orgs.LoginApproval{Address: s.keptAddress(d.Address), CodeDigest: d.Digest, CodeUntil: d.Until})
		if err != nil {
			return err
		}
		decision.User, decision.Token = made.User, made.Token
	}
	data, err := json.Marshal(decision)
	if err != nil {
		return fmt.Errorf("encode the decision about a device: %w", err)
	}
	first, err := s.Store.PutOnce(v.r.Context(), store.DeviceAnswerKey(code), string(data), deviceTime)
	if err != nil {
		return fmt.Errorf("store the decision about a device: %w", err)
	}
	if !first {
		return alreadyDecided()
	}
	return v.show(http.StatusOK, "decided.html", map[string]any{"Device": d.Device, "Denied": decision.Denied})
}
