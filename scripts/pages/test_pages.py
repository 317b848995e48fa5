"""Drives the pages of a gateway in Chromium; see scripts/test-pages.

    test_pages.py PROGRAM CHROMIUM FOLDER [TEST…]
"""
import datetime, io, json, os, pathlib, signal, subprocess, sys, tempfile, time, traceback, urllib.error, urllib.request, zoneinfo

import zxingcpp
from PIL import Image
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from compliance_report import compliance_report

PROGRAM, CHROMIUM, PICTURES = os.path.abspath(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
PASSWORD = "a long password for the pages"
ZONE = "Europe/Berlin"
PHONE = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 2, "has_touch": True}


def keep(name, document):
    """Keeps a document for the validator, which runs after the tests."""
    folder = PICTURES / "html"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.html").write_text(document)


class Gateway:
    def __init__(self, folder):
        self.prepare(folder)
        subprocess.run(
            [PROGRAM, "admin", "create", "--email", "root@example.org", "--password-stdin"], input=PASSWORD + "\n", text=True,
            check=True, stdout=subprocess.DEVNULL, env=self.environment)
        self.paths = []
        self.start("0")
        try:
            self.furnish()
        except BaseException:
            self.end()
            raise

    def prepare(self, folder):
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DOORWARD_")}
        self.environment |= {
            "DOORWARD_AUTH_PASSWORD_COST": "14", "DOORWARD_STORE_PATH": f"{folder}/doorward.db",
            "DOORWARD_COMMANDS_TIMEOUT_SECONDS": "3"}

    def start(self, port, **environment):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--http-port", port, "--log-level", "debug"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=open(f"{self.folder}/gateway.log", "a"), text=True, env=self.environment | environment)
        line = next((line for line in self.process.stdout if "listening on" in line), None)
        if line is None:
            raise RuntimeError("The gateway has not started:\n" + self.log()[-2000:])
        self.url = line.split("listening on ")[1].split()[0]

    def end(self):
        """Ends this gateway's process, and no other one."""
        if self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def restart(self, **environment):
        self.end()
        self.start(self.url.rsplit(":", 1)[1], **environment)

    def log(self):
        return pathlib.Path(f"{self.folder}/gateway.log").read_text()

    def request(self, method, path, headers=None, body=None):
        """Returns the status, the headers and the text, and follows no redirection."""
        request = urllib.request.Request(self.url + path, method=method, headers=headers or {}, data=body)
        opener = urllib.request.build_opener(NoRedirection)
        try:
            with opener.open(request) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def call(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"}
        if token or self.token:
            headers["Authorization"] = f"Bearer {token or self.token}"
        status, _, text = self.request(method, "/api/v1" + path, headers, None if body is None else json.dumps(body).encode())
        assert status < 300, f"{method} {path}: {text}"
        return json.loads(text)["data"] if text else {}

    token = None

    def sign_in(self, email, password=PASSWORD):
        return self.call("POST", "/auth/login", {"email": email, "password": password})["token"]

    def furnish(self):
        root = self.sign_in("root@example.org")
        self.root = root
        owner = self.call("POST", "/users", {"email": "owner@example.org", "firstName": "Olga", "lastName": "Example", "password": PASSWORD}, root)
        portfolio = self.call("POST", "/portfolios", {"name": "Houses", "administratorUserIds": [owner["user"]["id"]]}, root)
        self.token = self.sign_in("owner@example.org")
        self.portfolio = portfolio["portfolio"]["id"]
        house = {"name": "Quay 1", "portfolioId": self.portfolio, "defaultTimeZone": ZONE}
        self.property = self.call("POST", "/properties", house)["property"]["id"]
        self.locks = {}
        for name, latency in [("Front door", 1500), ("Cellar", 0), ("Silent door", 0)]:
            device = {"name": name, "adapter": "simulator", "address": {"latencyMs": latency}, "propertyId": self.property}
            self.locks[name] = self.call("POST", "/devices", device)["device"]["id"]

    def link(self, locks, begins=0, ends=7200, **more):
        """Grants an access and creates its link; returns the access's id and the path of the page."""
        now = datetime.datetime.now(datetime.timezone.utc)
        instant = lambda seconds: (now + datetime.timedelta(seconds=seconds)).isoformat()
        access = self.call("POST", "/guest-access", {
            "label": "Gus & Co.", "deviceIds": [self.locks[name] for name in locks], "operations": ["UNLOCK", "LOCK"],
            "validFrom": instant(begins), "validUntil": instant(ends)} | more)["guestAccess"]["id"]
        link = self.call("POST", f"/guest-access/{access}/link")["link"]
        path = link["url"][len(self.url):]
        self.paths.append(path)
        return access, path

    def commands(self, access):
        """The recorded commands of a link."""
        records = self.call("GET", "/access-records?kind=COMMAND_INTENT&limit=200")["accessRecords"]
        return [record for record in records if record["actorId"] == access]

    def trigger(self, lock, event):
        self.call("POST", f"/simulator/devices/{self.locks[lock]}/events", {"event": event})


class NewGateway(Gateway):
    """A gateway with nothing in its store, and the path of the link in its start line."""

    def __init__(self, folder, **environment):
        self.prepare(folder)
        self.start("0", **environment)
        self.link = "/setup" + self.process.stdout.readline().strip().partition("/setup")[2]


class NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Pages:
    """Opens pages, checks them with axe, and takes pictures."""

    def __init__(self, browser, gateway):
        self.browser, self.gateway, self.axe, self.contexts, self.pictures, self.keep = browser, gateway, Axe(), [], PICTURES, keep

    def open(self, path, script=True, **more):
        context = self.browser.new_context(java_script_enabled=script, **PHONE, **more)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        self.foreign, self.errors = [], []
        page.on("request", lambda request: request.url.startswith(self.gateway.url) or self.foreign.append(request.url))
        page.on("console", lambda line: line.type == "error" and "status of" not in line.text and self.errors.append(line.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("response", self.document_arrives)
        self.response = page.goto(self.gateway.url + path)
        return page

    def document_arrives(self, response):
        if response.request.is_navigation_request():
            self.document = response

    def check(self, page, name, script=True):
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
        keep(name, self.document.text())
        assert not self.foreign and not self.errors, (self.foreign, self.errors)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 320, f"{name}: {width} pixels wide"
        # A thumb needs 44 pixels.
        heights = page.evaluate("[...document.querySelectorAll('button')].map(one => one.offsetHeight)")
        low = len([height for height in heights if 0 < height < 44])
        assert low == 0, f"{name}: {low} buttons are too low"
        # Axe needs scripts. The gateway sends the same page with and without them.
        if not script:
            return
        found = self.axe.run(page)
        assert found.violations_count == 0, f"{name}: {found.generate_report()}"

    def close(self):
        for context in self.contexts:
            context.close()


def tap(page, label):
    page.get_by_role("button", name=label, exact=True).click()


def wait_for(page, selector, text):
    page.locator(selector, has_text=text).wait_for()


def enabled(page):
    return [one.inner_text().split("\n")[0].strip() for one in page.locator("button:enabled").all()]


def scheduled(pages, gateway):
    _, path = gateway.link(["Front door"], begins=3600)
    for script in [True, False]:
        page = pages.open(path, script=script)
        assert "The access begins on" in page.inner_text("main") and enabled(page) == []
        assert page.inner_text("main").count("Not open yet.") == 1
        pages.check(page, "scheduled" if script else "scheduled-without-script", script)


def outside_hours(pages, gateway):
    """Hours that begin the day after tomorrow, by the property's clock."""
    day = datetime.datetime.now(zoneinfo.ZoneInfo(ZONE)) + datetime.timedelta(days=2)
    schedule = {"periods": [{"days": [day.strftime("%a").upper()], "from": "10:00", "until": "12:30"}]}
    access, path = gateway.link(["Front door"], ends=30 * 86400, schedule=schedule)
    for script in [True, False]:
        page = pages.open(path, script=script)
        text = page.inner_text("main")
        assert "Not open at this time. It opens on " + day.strftime("%A ") in text and ", 10:00 (UTC+0" in text, text
        assert enabled(page) == []
        pages.check(page, "outside-hours" if script else "outside-hours-without-script", script)
    assert not gateway.commands(access)


def uses(pages, gateway):
    _, path = gateway.link(["Cellar"], maxUses=2)
    page = pages.open(path)
    for left in ["1", "0"]:
        tap(page, "Unlock Cellar")
        wait_for(page, "#uses", f"{left} left")
        page.wait_for_selector("#progress .good")
    assert "No uses are left." in page.inner_text("main") and enabled(page) == ["Lock"]
    pages.check(page, "no-uses-left")
    tap(page, "Lock Cellar")
    wait_for(page, "#progress .good", "Cellar: locked")


def move_with_script(pages, gateway):
    _, path = gateway.link(["Front door", "Cellar"])
    page = pages.open(path)
    pages.check(page, "open")
    address = page.url
    page.focus(f"#unlock-{gateway.locks['Front door']}")
    page.keyboard.press("Enter")
    page.wait_for_selector("#progress .running")
    moving = page.inner_text("#progress")
    assert "Confirmed by the lock" not in moving and "Front door: unlocked" not in moving
    pages.check(page, "moving")
    wait_for(page, "#progress .good", "Confirmed by the lock.")
    assert page.url.startswith(address)
    assert page.evaluate("document.activeElement.id") == "progress", "the focus has left the progress"
    pages.check(page, "confirmed")
    dark = pages.open(path, color_scheme="dark")
    pages.check(dark, "dark")


def move_without_script(pages, gateway):
    _, path = gateway.link(["Front door"])
    page = pages.open(path, script=False)
    pages.check(page, "open-without-script", script=False)
    tap(page, "Unlock Front door")
    assert "?command=" in page.url
    page.wait_for_selector("#progress .running")
    pages.check(page, "moving-without-script", script=False)
    page.wait_for_selector("#progress .good")
    pages.check(page, "confirmed-without-script", script=False)


def double_tap(pages, gateway):
    for script in [True, False]:
        for lock in ["Front door", "Cellar"]:
            access, path = gateway.link([lock])
            page = pages.open(path, script=script)
            page.locator(f"#unlock-{gateway.locks[lock]}").dblclick(no_wait_after=True)
            page.wait_for_selector("#progress .good")
            commands = gateway.commands(access)
            assert len(commands) == 1, f"{len(commands)} commands to {lock} with script {script}"


def refused(pages, gateway):
    _, path = gateway.link(["Cellar"])
    gateway.trigger("Cellar", "jam")
    for script in [True, False]:
        page = pages.open(path, script=script)
        tap(page, "Unlock Cellar")
        wait_for(page, "#progress .bad", "jam")
        pages.check(page, "refused" if script else "refused-without-script", script)
    gateway.trigger("Cellar", "clear")


def unconfirmed(pages, gateway):
    """A lock that does not answer: the page never says that the door is open."""
    _, path = gateway.link(["Silent door"])
    gateway.trigger("Silent door", "lose_confirmations")
    page = pages.open(path)
    tap(page, "Unlock Silent door")
    wait_for(page, "#progress .bad", "No confirmation: check the door.")
    assert "Silent door: unlocked" not in page.inner_text("main")
    pages.check(page, "no-confirmation")
    gateway.trigger("Silent door", "clear")


def locked_down(pages, gateway):
    _, path = gateway.link(["Cellar"])
    page = pages.open(path)
    gateway.call("POST", f"/properties/{gateway.property}/lockdown", {"reason": "a drill"})
    tap(page, "Unlock Cellar")
    page.wait_for_selector("#progress .bad")
    assert "The property is locked down at the moment." in page.inner_text("main")
    assert "Unlock" not in enabled(page)
    pages.check(page, "locked-down")
    gateway.call("DELETE", f"/properties/{gateway.property}/lockdown")


def lost_right(pages, gateway):
    """A link that ends while its page is open: the tap sends nothing, and the page says that the link has ended."""
    for script in [True, False]:
        access, path = gateway.link(["Cellar"])
        page = pages.open(path, script=script)
        gateway.call("DELETE", f"/guest-access/{access}")
        tap(page, "Unlock Cellar")
        wait_for(page, "#title", "This link does not work")
        pages.check(page, "ended-while-open" if script else "ended-while-open-without-script", script)
        assert not gateway.commands(access)


def ended(pages, gateway):
    access, path = gateway.link(["Cellar"])
    gateway.call("DELETE", f"/guest-access/{access}/link")
    page = pages.open(path)
    assert pages.response.status == 404
    pages.check(page, "ended")


def previews(pages, gateway):
    """What services and browsers that preview or prefetch a link send moves no lock."""
    access, path = gateway.link(["Cellar"])
    for method in ["GET", "HEAD"]:
        for headers in [{"User-Agent": "WhatsApp/2"}, {"Sec-Purpose": "prefetch"}, {"Accept": "*/*"}]:
            status, answered, text = gateway.request(method, path, headers)
            assert status == 200 and answered["Referrer-Policy"] == "no-referrer" and answered["Cache-Control"] == "no-store"
    action = f"{path}/devices/{gateway.locks['Cellar']}/unlock"
    assert gateway.request("GET", action)[0] == 405
    # A browser that loads the page and presses nothing.
    pages.open(path).wait_for_load_state("networkidle")
    assert not gateway.commands(access)


def nonce_after_restart(pages, gateway):
    """A nonce is valid after a restart, and a command is sent once for it before and after."""
    access, path = gateway.link(["Cellar"])
    action = f"{path}/devices/{gateway.locks['Cellar']}/unlock"
    text = gateway.request("GET", path)[2]
    nonce = text.split(f'action="{action}"')[1].split('name="nonce" value="')[1].split('"')[0]

    def press():
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        status, _, text = gateway.request("POST", action, headers, f"nonce={nonce}".encode())
        assert status == 200, text
        return json.loads(text)["data"]["command"]["id"]

    first = press()
    gateway.restart()
    assert press() == first
    assert len(gateway.commands(access)) == 1


def invite(gateway, email, role):
    offer = gateway.call("POST", f"/properties/{gateway.property}/managers", {"email": email, "role": role})
    return offer["invitation"]["url"][len(gateway.url):]


def invitation(pages, gateway):
    """A person without an account."""
    page = pages.open(invite(gateway, "new@example.org", "MAINTENANCE"))
    pages.check(page, "invitation")
    assert "token" not in page.url
    page.fill("#firstName", "Nina")
    page.fill("#lastName", "New")
    page.fill("#create #password", PASSWORD)
    page.fill("#create #repeated", PASSWORD + "x")
    tap(page, "Create the account and accept")
    wait_for(page, "#message", "The two passwords differ.")
    pages.check(page, "invitation-refused")
    page.fill("#create #repeated", PASSWORD)
    tap(page, "Create the account and accept")
    wait_for(page, "#message", "accepted")
    pages.check(page, "invitation-accepted")
    page.get_by_role("link", name="Sign in").click()
    page.wait_for_selector("#email")
    assert gateway.call("GET", "/users/me", token=gateway.sign_in("new@example.org"))["user"]["firstName"] == "Nina"


def invitation_with_account(pages, gateway):
    """A person who has an account: the page asks to sign in to it."""
    gateway.call("POST", "/users", {
        "email": "old@example.org", "firstName": "Otto", "lastName": "Old", "password": PASSWORD}, gateway.root)
    page = pages.open(invite(gateway, "old@example.org", "MAINTENANCE"))
    for field in ["firstName", "lastName"]:
        page.fill("#" + field, "Otto")
    for field in ["password", "repeated"]:
        page.fill("#create #" + field, PASSWORD)
    tap(page, "Create the account and accept")
    page.wait_for_selector("#signIn")
    pages.check(page, "invitation-sign-in")
    page.fill("#email", "old@example.org")
    page.fill("#current", PASSWORD)
    tap(page, "Sign in and accept")
    wait_for(page, "#message", "accepted")


def setup(pages, gateway):
    """The first start: from the link in the start line, by keyboard, to the console with a simulated lock."""
    for test, public in [(set_up, {}), (set_up_unheard, {"DOORWARD_GATEWAY_PUBLIC_URL": "https://doors.example"})]:
        with tempfile.TemporaryDirectory() as folder:
            new = NewGateway(folder, **public)
            own = Pages(pages.browser, new)
            try:
                test(own, new)
            finally:
                own.close()
                new.end()


def set_up(pages, gateway):
    page = pages.open(gateway.link, timezone_id=ZONE)
    wait_for(page, "#gateway", "Its name is doorward.local, and it has no public address. Both are in the configuration")
    assert "token" not in page.url and page.input_value("#zone") == ZONE
    assert "The configuration of the gateway names none" in page.inner_text("#brokers")
    pages.check(page, "setup")
    page.focus("#firstName")
    keyboard = page.keyboard
    for text in ["Ada", "Ames", "ada@example.org", PASSWORD, PASSWORD + "x", "Harbour Homes", "Quay 1", None, "1A", " "]:
        if text:
            keyboard.type(text)
        keyboard.press("Tab")
    assert page.is_checked("#simulatedLocks")
    keyboard.press("Enter")
    wait_for(page, "#message", "The two passwords differ.")
    assert page.locator("#message").evaluate("one => one.getBoundingClientRect().top >= 0"), "the message is out of sight"
    pages.check(page, "setup-refused")
    page.fill("#repeated", PASSWORD)
    page.fill("#zone", "Mars/Olympus")
    tap(page, "Set up the gateway")
    wait_for(page, "#message", "The time zone is not known to the gateway")
    page.fill("#zone", ZONE)
    tap(page, "Set up the gateway")
    page.wait_for_url(gateway.url + "/")
    page.get_by_text("Front door (simulated)").first.wait_for()
    assert not pages.foreign and not pages.errors, (pages.foreign, pages.errors)
    token = gateway.sign_in("ada@example.org")
    units = gateway.call("GET", "/units", token=token)["units"]
    portfolios = gateway.call("GET", "/portfolios", token=token)["portfolios"]
    assert [one["name"] for one in units + portfolios] == ["1A", "Harbour Homes"]
    page = pages.open(gateway.link)
    wait_for(page, "#message", "This link is not valid any more.")
    pages.check(page, "setup-over")
    assert gateway.log().count(gateway.link.split("token=")[1]) == 1, "the token is logged once, at the start"


def set_up_unheard(pages, gateway):
    """A set-up whose answer is lost: the next try says what to do."""
    page = pages.open(gateway.link)
    wait_for(page, "#gateway", "its public address is https://doors.example. Both are in the configuration")
    for name, text in [("firstName", "Ada"), ("email", "ada@example.org"), ("password", PASSWORD), ("repeated", PASSWORD)]:
        page.fill("#" + name, text)

    def lose(route):
        assert route.fetch().status == 201
        route.abort()

    page.route("**/api/v1/setup", lose, times=1)
    tap(page, "Set up the gateway")
    wait_for(page, "#message", "The gateway cannot be reached; try again.")
    tap(page, "Set up the gateway")
    wait_for(page, "#message", "If you have just set it up, sign in.")
    assert page.get_by_role("link", name="Sign in").get_attribute("href") == "/"


def password(pages, gateway):
    user = gateway.call("GET", "/users?q=Olga", token=gateway.root)["users"][0]["id"]
    reset = gateway.call("POST", f"/users/{user}/password-reset", token=gateway.root)["reset"]
    path = reset["url"][len(gateway.url):]
    page = pages.open(path)
    pages.check(page, "password")
    new = PASSWORD + ", the new one"
    for value, message, picture in [
        ("short", "at least 15", "password-refused"), (new, "The password is set", "password-set"),
    ]:
        page.fill("#password", value)
        page.fill("#repeated", value)
        tap(page, "Set the password")
        wait_for(page, "#message", message)
        pages.check(page, picture)
    gateway.token = gateway.sign_in("owner@example.org", new)
    page = pages.open(path)
    for field in ["password", "repeated"]:
        page.fill("#" + field, new)
    tap(page, "Set the password")
    wait_for(page, "#message", "not valid any more")


def qr_codes(pages, gateway):
    """QR codes of the versions 4, 7, 9 and 10, full to the last byte, are read by another program as the same text."""
    access, path = gateway.link(["Cellar"])
    page = pages.browser.new_context(viewport={"width": 500, "height": 500}).new_page()
    for length in [62, 122, 180, 213]:
        public = "https://" + host(length - len(path) - len("https://"))
        gateway.restart(DOORWARD_GATEWAY_PUBLIC_URL=public)
        link = gateway.call("POST", f"/guest-access/{access}/link")["link"]
        gateway.paths.append(link["url"][len(public):])
        assert len(link["url"]) == length, link["url"]
        page.set_content(f'<body style="margin:0;width:500px">{link["qr"]}')
        found = zxingcpp.read_barcodes(Image.open(io.BytesIO(page.screenshot())))
        assert [one.text for one in found] == [link["url"]], (length, found)
    page.context.close()
    gateway.restart()


def host(length):
    """A name of a host with labels of at most 63 characters."""
    text = "".join("." if index % 50 == 49 else "a" for index in range(length - len("a.test")))
    return text + "a.test"


def documents(pages, gateway):
    """The documents that no other test opens: the description of the API, and links that do not work."""
    for name, path, expected in [("docs", "/docs", 200), ("console", "/", 200), ("no-link", "/g/nothing", 404), ("no-token", "/reset-password", 200)]:
        status, headers, text = gateway.request("GET", path, {"Accept": "text/html"})
        assert status == expected and headers["Content-Type"].startswith("text/html"), (path, status)
        keep(name, text)


def no_tokens_in_logs(pages, gateway):
    log = gateway.log()
    assert "/g/:token" in log and gateway.paths and not any(path[3:] in log for path in gateway.paths)


TESTS = [
    scheduled, outside_hours, uses, move_with_script, move_without_script, double_tap, refused, unconfirmed, locked_down,
    lost_right, ended, previews, nonce_after_restart, invitation, invitation_with_account, setup, password,
    qr_codes, compliance_report, documents, no_tokens_in_logs,
]


def run(tests, make_gateway, make_pages):
    """Runs the tests that the arguments name, or all, one after the other with one gateway; ends with 1 if one fails."""
    # SIGTERM ends the gateway and the browser as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    PICTURES.mkdir(parents=True, exist_ok=True)
    tests = [test for test in tests if not sys.argv[4:] or test.__name__ in sys.argv[4:]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        gateway = make_gateway(folder)
        try:
            # Chromium's sandbox does not work for root.
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
            for test in tests:
                pages, begin = make_pages(browser, gateway), time.monotonic()
                try:
                    test(pages, gateway)
                    print(f"passed  {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED  {test.__name__}\n{traceback.format_exc()}", flush=True)
                    for number, page in enumerate(page for context in browser.contexts for page in context.pages):
                        page.screenshot(path=PICTURES / f"failed-{test.__name__}-{number}.png")
                finally:
                    pages.close()
            browser.close()
        finally:
            gateway.end()
    print(f"{len(tests) - failed} of {len(tests)} passed; the pictures are in {PICTURES}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    run(TESTS, Gateway, Pages)
