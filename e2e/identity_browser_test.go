package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pageLimit is the limit for an action of a person in a browser, with the pages to which it leads.
const pageLimit = 40 * time.Second

// chromium is a running Chromium, which ends with the test.
type chromium struct {
	t       *testing.T
	browser context.Context
}

// startChromium starts a Chromium without a window. It accepts certificates of anybody.
func startChromium(t *testing.T) chromium {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(requireProgram(t, "chromium")), chromedp.UserDataDir(t.TempDir()),
		chromedp.IgnoreCertErrors, chromedp.NoSandbox, // it does not start in containers otherwise
	)
	// The context of the test ends before its cleanup, which has to wait for the process.
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	browser, stopBrowser := chromedp.NewContext(allocator)
	t.Cleanup(stopBrowser)
	if err := chromedp.Do(browser); err != nil {
		t.Fatal(err)
	}
	return chromium{t, browser}
}

// tab is a page of a browser.
type tab struct {
	t    *testing.T
	page context.Context
}

// newTab opens an empty tab that shares no cookies with others.
func (c chromium) newTab() tab {
	c.t.Helper()
	page, stop := chromedp.NewContext(c.browser, chromedp.WithNewBrowserContext())
	c.t.Cleanup(stop)
	if err := chromedp.Do(page); err != nil {
		c.t.Fatal(err)
	}
	return tab{c.t, page}
}

// run fails the test unless the actions are done within the limit.
func (b tab) run(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.page, pageLimit)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\nthe page is %s", what, err, b.text())
	}
}

// text returns the address of the page and the text that it shows.
func (b tab) text() string {
	ctx, cancel := context.WithTimeout(b.page, pageLimit)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.documentElement.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// open opens an address. The page may refuse, with any status.
func (b tab) open(address string) {
	b.t.Helper()
	b.run("open "+address, chromedp.Navigate(address))
}

// awaitText waits until the page shows a text.
func (b tab) awaitText(text string) {
	b.t.Helper()
	b.run(fmt.Sprintf("the text %q", text), chromedp.WaitReady(fmt.Sprintf(`//body[contains(., %q)]`, text)))
}

// press presses the button or follows the link with a text.
func (b tab) press(text string) {
	b.t.Helper()
	target := fmt.Sprintf(`//*[(self::button or self::a) and normalize-space(.) = %q]`, text)
	b.run("press "+text, chromedp.Click(target))
}

// awaitEnd waits until the page has no button with a text.
func (b tab) awaitEnd(button string) {
	b.t.Helper()
	b.run("the end of "+button, chromedp.WaitNotPresent(fmt.Sprintf(`//button[normalize-space(.) = %q]`, button)))
}

// enter types a text into the field with a name, and the Enter key.
func (b tab) enter(name, text string) {
	b.t.Helper()
	b.run("enter "+name, chromedp.SendKeys(chromedp.CSS(`input[name="`+name+`"]`), text+kb.Enter))
}

// enterPassword fills in a login form and sends it.
func (b tab) enterPassword(name, password string) {
	b.t.Helper()
	b.run("enter the user name", chromedp.SendKeys(chromedp.CSS(`input[name="username"]`), name))
	b.enter("password", password)
}
