package signin_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/server/servertest"
)

// askForDevice sends the request of a client without a browser.
func (c client) askForDevice(values ...string) secrets {
	c.t.Helper()
	status, s := c.post("/oauth/device", append([]string{"device_name", "server"}, values...)...)
	if status != http.StatusOK {
		c.t.Fatalf("device request: status %d, error %q", status, s.Error)
	}
	return s
}

func deviceForm(code string) []string {
	return []string{"grant_type", "urn:ietf:params:oauth:grant-type:device_code", "device_code", code}
}

// enterCode enters a user code.
func (b *browser) enterCode(code string) page {
	b.t.Helper()
	return b.submit(b.get("/account/device"), "/account/device", "code", code)
}

// TestLoginWithDeviceCode checks the login of a client on a computer without a browser.
func TestLoginWithDeviceCode(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		asked := c.askForDevice("scope", "write")
		c.wantError("authorization_pending", "/oauth/token", deviceForm(asked.DeviceCode)...)
		c.wantError("slow_down", "/oauth/token", deviceForm(asked.DeviceCode)...)
		b.get("/account/device?code="+asked.UserCode).want(t, http.StatusOK, `value="`+asked.UserCode)
		question := b.enterCode(asked.UserCode)
		question.want(t, http.StatusOK, "server")
		question.want(t, http.StatusOK, "198.51.100.9")
		question.want(t, http.StatusOK, "another address than this browser")
		b.submit(question, "/account/device/decide", "decision", "allow").want(t, http.StatusOK, "Allowed")
		status, login := c.post("/oauth/token", deviceForm(asked.DeviceCode)...)
		servertest.Equal(t, "status", http.StatusOK, status)
		servertest.Equal(t, "scope", "write", login.Scope)
		servertest.Equal(t, "it works", true, works(w, login.Access))
		b.enterCode(asked.UserCode).want(t, http.StatusConflict, "decided before")
		status, again := c.post("/oauth/token", deviceForm(asked.DeviceCode)...)
		servertest.Equal(t, "status after a lost answer", http.StatusOK, status)
		w.Clock.Advance(time.Minute)
		c.wantError("invalid_grant", "/oauth/token", deviceForm(asked.DeviceCode)...)
		servertest.Equal(t, "it works after the code came again later", false, works(w, again.Access))
	})
}

// TestDeviceIsRefused checks that the client gets to know a refusal, and the end of its code.
func TestDeviceIsRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		asked := c.askForDevice()
		b.submit(b.enterCode(asked.UserCode), "/account/device/decide", "decision", "deny").want(t, http.StatusOK, "Refused")
		c.wantError("access_denied", "/oauth/token", deviceForm(asked.DeviceCode)...)
		late := c.askForDevice()
		w.Clock.Advance(10 * time.Minute)
		c.wantError("expired_token", "/oauth/token", deviceForm(late.DeviceCode)...)
		b.enterCode(late.UserCode).want(t, http.StatusUnprocessableEntity, "no request with this code")
	})
}

// TestDeviceCodesCannotBeGuessed checks that a person can try some codes in ten minutes, and that an address gets twenty per minute.
func TestDeviceCodesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		asked := c.askForDevice()
		wrong := "BBBB-BBBB"
		if asked.UserCode == wrong {
			wrong = "CCCC-CCCC"
		}
		for range 20 {
			b.enterCode(wrong).want(t, http.StatusUnprocessableEntity, "no request with this code")
		}
		b.enterCode(asked.UserCode).want(t, http.StatusTooManyRequests, "Too many codes")
		c.wantError("expired_token", "/oauth/token", deviceForm(asked.DeviceCode[:len(asked.DeviceCode)-1]+"A")...)
		for range 19 {
			c.askForDevice()
		}
		c.wantError("slow_down", "/oauth/device")
	})
}
