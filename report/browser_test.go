package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// shown is the name of an environment variable with a folder for the pictures that the browser makes.
const shown = "VFLC_PICTURES"

// browser starts Chromium without a window. The test is skipped where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" || testing.Short() {
		t.Skip("needs Chromium (apt-get install chromium), and time that -short does not give")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(path),
		chromedp.NoSandbox))
	t.Cleanup(cancel)
	return ctx
}

// A recorder keeps what a page asks for and what it says on the console.
type recorder struct {
	sync.Mutex
	heard []string
}

func (r *recorder) add(format string, args ...any) {
	r.Lock()
	defer r.Unlock()
	r.heard = append(r.heard, fmt.Sprintf(format, args...))
}

// taken returns what was kept since the last time.
func (r *recorder) taken() []string {
	r.Lock()
	defer r.Unlock()
	out := r.heard
	r.heard = nil
	return out
}

// listen keeps the requests of a tab beside that for the page itself, and its messages.
func listen(t *testing.T, ctx context.Context) *recorder {
	t.Helper()
	r := &recorder{}
	good(t, nil, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if e.Type != network.ResourceTypeDocument {
				r.add("request for %.200s", e.Request.URL)
			}
		case *log.EventEntryAdded:
			r.add("%s: %s", e.Entry.Level, e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			r.add("console: %s", e.Type)
		case *runtime.EventExceptionThrown:
			r.add("exception: %s", e.ExceptionDetails.Text)
		}
	}))
	return r
}

// A look is what the browser measures on a page.
type look struct {
	Wide      float64   // how far the page reaches to the right
	Inner     float64   // the width of the window
	Pictures  []picture // of each SVG
	Cut       []string  // texts that reach out of their boxes
	Forest    int       // forest plots that are drawn and seen whole
	Owner     string    // the colour of the server's name
	Ink       string
	Paper     string
	Unreached []string // parts that are wider than their container, which does not scroll
	Beyond    int      // plots that reach out of the window
	Ground    string   // the colours of a plot
	Letters   string
}

// A picture is a drawing with its size and the number of its shapes.
type picture struct{ Width, Height, Shapes float64 }

// measure is evaluated by the browser.
const measure = `(() => {
  const cut = [];
  for (const g of document.querySelectorAll('.diagram g')) {
    const frame = g.querySelector('.box:not(.behind)');
    if (!frame) continue;
    const edge = frame.getBBox();
    for (const text of g.querySelectorAll('text')) {
      const b = text.getBBox();
      if (b.x + b.width > edge.x + edge.width || b.y + b.height > edge.y + edge.height) cut.push(text.textContent);
    }
  }
  const unreached = [];
  for (const e of document.querySelectorAll('pre, table, svg')) {
    const p = e.closest('.scroll') || e.parentElement;
    if (e.getBoundingClientRect().width > p.clientWidth + 1 && getComputedStyle(p).overflowX !== 'auto') unreached.push(e.outerHTML.slice(0, 80));
  }
  const drawn = [...document.querySelectorAll('svg')].filter(s => s.getClientRects().length > 0);
  const style = s => getComputedStyle(document.querySelector(s));
  return {
    Wide: document.documentElement.scrollWidth, Inner: window.innerWidth, Cut: cut, Unreached: unreached,
    Pictures: drawn.map(s => { const b = s.getBBox(); return {Width: b.width, Height: b.height, Shapes: s.querySelectorAll('path, line, rect, polyline, polygon, circle, text').length}; }),
    Forest: drawn.filter(s => s.closest('.plot') && /forest/.test(s.closest('figure').textContent) && s.getBoundingClientRect().right <= window.innerWidth).length,
    Beyond: drawn.filter(s => s.closest('.plot') && s.getBoundingClientRect().right > window.innerWidth).length,
    Ground: style('.plot svg > polygon').fill, Letters: style('.plot svg > text').fill,
    Owner: style('.p0').color, Ink: style('body').color, Paper: style('body').backgroundColor,
  };
})()`

// Opened from a file, a report asks for nothing, says nothing on the console, has its charts, and can be read
// on a telephone, on a wide screen, in the dark and on paper.
func TestInBrowser(t *testing.T) {
	ctx := browser(t)
	heard := listen(t, ctx)
	control(t, ctx, heard)
	for name, x := range tasks(t) {
		path := filepath.Join(t.TempDir(), name+".html")
		good(t, nil, os.WriteFile(path, []byte(written(t, run(t, x))), 0o600))
		good(t, nil, chromedp.Do(ctx, chromedp.EmulateViewport(390, 1000), chromedp.Navigate("file://"+path)))
		checkLook(t, ctx, name, 390)
		good(t, nil, chromedp.Do(ctx, chromedp.EmulateViewport(1400, 1000)))
		checkLook(t, ctx, name, 1400)
		if name == "nuts" {
			checkDark(t, ctx, name)
			checkPrint(t, ctx, name)
		}
		if got := heard.taken(); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// checkPrint requires that the page can be printed.
func checkPrint(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	good(t, nil, err)
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 {
		t.Errorf("%s: a print of %d bytes", name, len(pdf))
	}
	if dir := os.Getenv(shown); dir != "" {
		good(t, nil, os.WriteFile(filepath.Join(dir, name+".pdf"), pdf, 0o600))
	}
}

// control requires that requests and messages are heard: of a page that has some.
func control(t *testing.T, ctx context.Context, heard *recorder) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "control.html")
	good(t, nil,
		os.WriteFile(path,
			[]byte(`<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: http:"><p style="color: red">a</p><img src="http://127.0.0.1:9/x.png">`), 0o600))
	good(t, nil, chromedp.Do(ctx, chromedp.Navigate("file://"+path)))
	text := fmt.Sprint(heard.taken())
	for _, want := range []string{"request for http://127.0.0.1:9/x.png", "Content Security Policy"} {
		if !bytes.Contains([]byte(text), []byte(want)) {
			t.Fatalf("the browser does not report %q: %s", want, text)
		}
	}
}

// checkLook measures the page in a window of some width.
func checkLook(t *testing.T, ctx context.Context, name string, width int) {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[look](measure))
	good(t, nil, err)
	name = fmt.Sprintf("%s, %d px", name, width)
	keep(t, ctx, name+".png")
	if got.Inner != float64(width) {
		t.Errorf("%s: the window has %g px", name, got.Inner)
	}
	if got.Wide > got.Inner {
		t.Errorf("%s: the page is %g px wide, in a window of %g", name, got.Wide, got.Inner)
	}
	if got.Forest != 1 {
		t.Errorf("%s: %d forest plots are seen whole", name, got.Forest)
	}
	if got.Beyond > 0 || got.Ground != got.Paper || got.Letters != got.Ink {
		t.Errorf("%s: %d plots reach out of the window; %s on %s, where the page has %s on %s", name,
			got.Beyond, got.Letters, got.Ground, got.Ink, got.Paper)
	}
	if len(got.Cut) > 0 || len(got.Unreached) > 0 {
		t.Errorf("%s: texts reach out of their boxes %q, parts out of theirs %q", name, got.Cut,
			got.Unreached)
	}
	for i, p := range got.Pictures {
		if p.Width < 200 || p.Height < 60 || p.Shapes < 3 {
			t.Errorf("%s: picture %d is %+v", name, i, p)
		}
	}
	if len(got.Pictures) < 4 || got.Owner == got.Ink && len(got.Owner) > 0 {
		t.Errorf("%s: %d pictures, the server's name in %s, text in %s", name, len(got.Pictures), got.Owner,
			got.Ink)
	}
}

// checkDark requires a dark page for whoever prefers one.
func checkDark(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	prefer := func(scheme string) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		good(t, nil, err)
	}
	prefer("dark")
	got, err := chromedp.Run(ctx, chromedp.Evaluate[look](measure))
	good(t, nil, err)
	if got.Ground != got.Paper || got.Letters != got.Ink {
		t.Errorf("%s: plots have %s on %s, where the page has %s on %s", name, got.Letters, got.Ground,
			got.Ink, got.Paper)
	}
	if got.Paper != "rgb(15, 20, 26)" || got.Ink != "rgb(230, 237, 243)" {
		t.Errorf("%s: text %s on %s", name, got.Ink, got.Paper)
	}
	keep(t, ctx, name+"-dark.png")
	prefer("light")
}

// keep writes a picture of the page, where a folder for pictures is named.
func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv(shown)
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	good(t, nil, err)
	good(t, nil, os.WriteFile(filepath.Join(dir, name), png, 0o600))
}
