package signin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// findDevice returns the request with a code that a person typed. Wrong codes are counted, so that codes cannot be guessed.
func (v *visit) findDevice(typed string) (code string, d deviceRequest, err error) {
	s, ctx := v.service, v.r.Context()
	guesses := store.DeviceGuessesKey(v.session.User, strconv.FormatInt(s.now().Unix()/int64(guessTime.Seconds()), 10))
	b := s.Store.NewBatch()
	made := b.Value(guesses)
	if err := b.Do(ctx); err != nil {
		return "", d, fmt.Errorf("read wrong codes: %w", err)
	}
	if n, _ := strconv.Atoi(made.Value()); n >= maxGuesses { // an unreadable counter is that of nobody
		return "", d, api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "Too many wrong codes.").
			WithHint("Wait ten minutes, and start again with: wsctl login --device")
	}
	code, ok := parseUserCode(typed)
	var decided *deviceAnswer
	if ok {
		if d, decided, ok, err = s.readDevice(ctx, code); err != nil {
			return "", d, err
		}
	}
	if ok && decided == nil {
		return code, d, nil
	}
	if err := s.Store.Count(ctx, guesses, 1, 2*guessTime); err != nil {
		return "", d, fmt.Errorf("count wrong codes: %w", err)
	}
	return "", d, api.Errorf(http.StatusUnprocessableEntity, api.ReasonInvalid, "There is no request with this code.").
		WithHint("Codes have 8 letters and end after 10 minutes. Start again with: wsctl login --device")
}

// refusalText returns what a page says about an error.
func refusalText(err error) string {
	e := rest.PublicError(err)
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

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
		return api.Errorf(http.StatusConflict, api.ReasonState, "Somebody has decided about this request before.")
	}
	return v.show(http.StatusOK, "decided.html", map[string]any{"Device": d.Device, "Denied": decision.Denied})
}
