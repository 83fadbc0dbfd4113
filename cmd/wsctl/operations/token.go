package operations

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// limitToken adds the defaults of wsctl to the body of a new token, and says on standard error what they are. The defaults of the
// server are those of the token that makes it, which often may do everything and never ends.
func (r *rowCommand) limitToken(body []byte) ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return body, nil //nolint:nilerr // a list, which the server refuses
	}
	var notes []string
	for _, b := range r.body {
		if r.rowOptions.defaults[b.name] == "" || b.value.IsSet() || r.document.lines[b.name] > 0 {
			continue
		}
		member, err := b.value.JSON()
		if err != nil {
			return nil, err
		}
		whole[b.name] = member
		notes = append(notes, r.defaultNote(b, member))
	}
	if notes != nil {
		r.app.Infof("the token %s", strings.Join(notes, ", and "))
	}
	return json.Marshal(whole)
}

// defaultNote says what the default of a member of a new token is, and which flag changes it.
func (r *rowCommand) defaultNote(b *bodyField, member json.RawMessage) string {
	var ends time.Time
	if json.Unmarshal(member, &ends) == nil {
		return "ends on " + ends.In(r.app.Now().Location()).Format(time.DateOnly) + " (--" + b.value.Name + ")"
	}
	return "may " + b.value.String() + " (--" + b.value.Name + ")"
}

// keepRotated stores the new secret of a token if it is that of the profile, whose old secret ends.
func (r *rowCommand) keepRotated(ctx context.Context, answer []byte) {
	var rotated api.Token
	if r.dryRun || r.row.Name != api.RotateToken.Name || json.Unmarshal(answer, &rotated) != nil {
		return
	}
	settings, err := r.app.Settings(r.cmd)
	if err != nil {
		return // the command could not have run
	}
	stored, err := settings.StoredCredential()
	_, own, ok := app.SplitToken(stored.Token)
	if err != nil || !ok || stored.Login != nil || "t_"+own != rotated.ID {
		return
	}
	place, err := settings.StoreToken(ctx, rotated.Token)
	if err != nil {
		r.app.Infof("profile %s has the old secret still (%v); wsctl login --with-token keeps the new one", settings.Profile.Value, err)
		return
	}
	r.app.Infof("profile %s has the new secret, in the %s", settings.Profile.Value, place)
}
