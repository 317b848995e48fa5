"""A furnished gateway and a browser on its console, with the steps that tests share; see test_console.py."""
import datetime, json, os, pathlib

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe

from test_pages import PASSWORD, PICTURES, Gateway, keep

FILES = os.environ.get("CONSOLE_FILES")
HOSTILE = "<img src=x onerror=\"document.title='owned'\">{{7*7}}&amp;"
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 320, "height": 640}
# Widths and colours of a page.
LOOKS = [(width, scheme) for width in [320, 768, 1280] for scheme in ["light", "dark"]]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


class Building(Gateway):
    """A portfolio with two properties, two flats, and a person of each role."""

    def furnish(self):
        super().furnish()
        self.people = {"root": "root@example.org", "owner": "owner@example.org"}
        self.flat = self.create("/units", {"name": "Flat 1A", "propertyId": self.property})
        self.yard = self.create("/properties", {"name": "Yard 7", "portfolioId": self.portfolio, "defaultTimeZone": "Europe/Berlin"})
        for name, latency, place in [
            ("Flat door", 0, {"propertyId": self.property, "unitId": self.flat}), ("Gate", 0, {"propertyId": self.yard}),
            (HOSTILE, 0, {"propertyId": self.yard}),
        ]:
            self.locks[name] = self.create("/devices", {"name": name, "adapter": "simulator", "address": {"latencyMs": latency}} | place)
        self.add("admin", "Ann", f"/portfolios/{self.portfolio}/admins", "PORTFOLIO_ADMIN")
        self.add("manager", "Mia", f"/properties/{self.property}/managers", "PROPERTY_MANAGER")
        self.add("maintenance", "Max", f"/properties/{self.property}/managers", "MAINTENANCE")
        self.add("auditor", "Ada", f"/portfolios/{self.portfolio}/admins", "AUDITOR")
        self.add("tenant", "Tom", f"/units/{self.flat}/tenants", "TENANT")
        self.add("guest", "Gus")
        self.add("stranger", "Stan")

    def owner_id(self):
        return self.call("GET", "/users/me")["user"]["id"]

    def create(self, path, body):
        return next(iter(self.call("POST", path, body).values()))["id"]

    def add(self, name, first, path=None, role=None):
        email = f"{name}@example.org"
        user = self.call("POST", "/users", {"email": email, "firstName": first, "lastName": "Example", "password": PASSWORD}, self.root)
        self.people[name] = email
        setattr(self, name, user["user"]["id"])
        if role:
            self.call("POST", path, {"userId": user["user"]["id"], "role": role})

    def grant(self, begins=0, ends=7200, locks=("Cellar",), **more):
        now = datetime.datetime.now(datetime.timezone.utc)
        instant = lambda seconds: (now + datetime.timedelta(seconds=seconds)).isoformat()
        return self.create("/guest-access", {
            "guestUserId": self.guest, "deviceIds": [self.locks[name] for name in locks], "operations": ["UNLOCK", "LOCK"],
            "validFrom": instant(begins), "validUntil": instant(ends)} | more)


class Console:
    """Opens the console, and collects what must not happen."""

    def __init__(self, browser, gateway):
        self.browser, self.gateway, self.contexts, self.axe = browser, gateway, [], Axe()
        self.foreign, self.errors = [], []
        # Most tests are of a page that is not live, and reads again when it is told to; `doors` and `live` are of one that is.
        self.has_stream = False
        # Answers in the place of the gateway's: the pattern of an address, and `data`.
        self.answers = {}

    def context(self, size=WIDE, **more):
        context = self.browser.new_context(viewport=size, has_touch=size is PHONE, **more)
        self.contexts.append(context)
        context.add_init_script("addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))")
        # The dialog of the system that chooses a file cannot be driven; a test of it puts another one in its place.
        context.add_init_script("delete window.showSaveFilePicker")
        if FILES:
            context.route("**/console/*/*", serve_from_files)
        for pattern, data in self.answers.items():
            context.route(pattern, lambda route, _, data=data: route.fulfill(status=200, content_type="application/json", body=json.dumps({"data": data})))
        if not self.has_stream:
            context.route(self.gateway.url + "/api/v1/stream**", lambda route: route.fulfill(status=404, body="{}"))
        return context

    def page(self, context, url=None):
        page = context.new_page()
        page.set_default_timeout(10_000)
        url = url or self.gateway.url
        page.on("request", lambda request: request.url.startswith((url, "data:")) or self.foreign.append(request.url))
        page.on("console", lambda line: line.type == "error" and "Failed to load resource" not in line.text and self.errors.append(line.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def sign_in(self, person="owner", path="", size=WIDE, context=None, password=PASSWORD, url=None, **more):
        page = self.page(context or self.context(size, **more), url)
        page.goto((url or self.gateway.url) + "/" + path)
        page.fill("#email", self.gateway.people[person])
        page.fill("#password", password)
        page.keyboard.press("Enter")
        page.wait_for_selector("header.top")
        return page

    def check(self, page, name):
        """Requires no violation of WCAG, no error, no foreign request, and no scrolling sideways; takes a picture."""
        page.screenshot(path=PICTURES / f"console-{name}.png", full_page=True)
        self.audit(page, name)

    def audit(self, page, name):
        """As `check`, without a picture."""
        keep(f"console-{name}", "<!doctype html>" + page.evaluate("document.documentElement.outerHTML"))
        width, own = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= own, f"{name}: {width} pixels wide"
        low = page.evaluate("""[...document.querySelectorAll('button, a.button, .places a, input:not([type=checkbox]):not([type=radio]), select')]
            .filter(one => one.offsetHeight > 0 && one.offsetHeight < 24).map(one => one.outerHTML)""")
        assert not low, f"{name}: too low: {low}"
        # Once for a document: its pages differ by the fragment of the address only.
        if page.evaluate("!window.axe"):
            page.evaluate(self.axe.axe_script)
        found = AxeResults(page.evaluate("options => axe.run(options)", {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}))
        assert found.violations_count == 0, f"{name}: {found.generate_report()}"
        self.clean(name)

    def clean(self, name):
        assert not self.foreign and not self.errors, (name, self.foreign, self.errors)

    def close(self):
        for context in self.contexts:
            context.close()


def serve_from_files(route):
    file = pathlib.Path(FILES) / route.request.url.rsplit("/", 1)[1]
    types = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
    route.fulfill(status=200, body=file.read_text(), headers={"Content-Type": types[file.suffix]})


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def text(page, selector="main"):
    """The text that a person sees. A block of doors that was inserted just now (`content-visibility: auto`) has one from the next frame on."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.inner_text(selector)


def open_door(page, name):
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_selector(".hero")


def press(page, name):
    """Presses a button by the keyboard, also one that is shown as not available."""
    button(page, name).focus()
    page.keyboard.press("Enter")


def until(page, holds, words="this has not happened"):
    """Waits until something holds."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(words)


def has(page, selector, count):
    """Waits until the page has so many elements."""
    until(page, lambda: page.locator(selector).count() == count, f"not {count} of {selector}")


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def each_look(console, person, path, selector, name):
    """Checks a page in light and dark, on a wide screen, on a tablet and on a phone."""
    page = console.sign_in(person, path, reduced_motion="reduce")
    page.wait_for_selector(selector)
    labels = {320: "phone", 1280: "wide"}
    for width, scheme in reversed(LOOKS):
        look(page, width, scheme)
        if width in labels:
            console.check(page, f"{name}-{labels[width]}-{scheme}")
        else:
            console.audit(page, f"{name}-{width}-{scheme}")
    page.context.close()


def look(page, width, scheme):
    page.set_viewport_size({"width": width, "height": 640 if width == 320 else 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


def visit(page, path, headings):
    """Opens a page of the console by its address, and waits until it has one of the headings and is not loading."""
    page.evaluate("""([path, headings]) => new Promise((resolve, reject) => {
        const end = performance.now() + 10000;
        const isHere = location.hash === path;
        location.hash = path;
        const look = () => {
            const heading = document.querySelector('#main h1')?.innerText;
            if (headings.includes(heading) && !document.querySelector('#main [aria-busy=true], #main .skeleton')) resolve();
            else if (performance.now() > end) reject(new Error(`${path} does not open: ${heading}`));
            else requestAnimationFrame(look);
        };
        if (isHere) look();
        else addEventListener('hashchange', () => requestAnimationFrame(look), { once: true });
    })""", [path, headings])
