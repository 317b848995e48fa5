"""Drives the pages of a gateway in Chromium; see scripts/test-pages.

    test_pages.py PROGRAM CHROMIUM FOLDER
"""
import datetime, json, os, pathlib, signal, subprocess, sys, tempfile, traceback, urllib.error, urllib.request

import numpy
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PROGRAM, CHROMIUM, PICTURES = os.path.abspath(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
PASSWORD = "a long password for the pages"
PHONE = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 2, "has_touch": True}


class Gateway:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DOORWARD_")}
        self.environment |= {"DOORWARD_AUTH_PASSWORD_COST": "14", "DOORWARD_STORE_PATH": f"{folder}/doorward.db"}
        subprocess.run(
            [PROGRAM, "admin", "create", "--email", "root@example.org", "--password-stdin"], input=PASSWORD + "\n", text=True,
            check=True, stdout=subprocess.DEVNULL, env=self.environment)
        self.start("0")
        self.furnish()

    def start(self, port):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--http-port", port, "--log-level", "debug"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=open(f"{self.folder}/gateway.log", "a"), text=True, env=self.environment)
        self.url = next(line for line in self.process.stdout if "listening on" in line).split("listening on ")[1].split()[0]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def restart(self):
        self.end()
        self.start(self.url.rsplit(":", 1)[1])

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

    def sign_in(self, email):
        return self.call("POST", "/auth/login", {"email": email, "password": PASSWORD})["token"]

    def furnish(self):
        root = self.sign_in("root@example.org")
        self.root = root
        owner = self.call("POST", "/users", {"email": "owner@example.org", "firstName": "Olga", "lastName": "Example", "password": PASSWORD}, root)
        portfolio = self.call("POST", "/portfolios", {"name": "Houses", "administratorUserIds": [owner["user"]["id"]]}, root)
        self.token = self.sign_in("owner@example.org")
        self.portfolio = portfolio["portfolio"]["id"]
        house = {"name": "Quay 1", "portfolioId": self.portfolio, "defaultTimeZone": "Europe/Berlin"}
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
        return access, link["url"][len(self.url):]

    def records(self, kind):
        return self.call("GET", f"/access-records?kind={kind}&limit=200")["accessRecords"]


class NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Pages:
    """Opens pages, checks them with axe, and takes pictures."""

    def __init__(self, browser, gateway):
        self.browser, self.gateway, self.axe = browser, gateway, Axe()

    def open(self, path, script=True, **more):
        context = self.browser.new_context(java_script_enabled=script, **PHONE, **more)
        page = context.new_page()
        self.foreign, self.errors = [], []
        page.on("request", lambda request: request.url.startswith(self.gateway.url) or self.foreign.append(request.url))
        page.on("console", lambda line: line.type == "error" and "status of" not in line.text and self.errors.append(line.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.response = page.goto(self.gateway.url + path)
        return page

    def check(self, page, name, script=True):
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
        assert not self.foreign and not self.errors, (self.foreign, self.errors)
        width = page.evaluate("document.documentElement.scrollWidth") if script else 320
        assert width <= 320, f"{name}: {width} pixels wide"
        if script:
            found = self.axe.run(page)
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"


def scheduled(pages, gateway):
    _, path = gateway.link(["Front door"], begins=3600)
    page = pages.open(path)
    assert "The access opens on" in page.inner_text("main") and page.locator("button:enabled").count() == 0
    pages.check(page, "scheduled")


def move_with_script(pages, gateway):
    _, path = gateway.link(["Front door", "Cellar"])
    page = pages.open(path)
    pages.check(page, "open")
    address = page.url
    page.focus(f"#unlock-{gateway.locks['Front door']}")
    page.keyboard.press("Enter")
    page.wait_for_selector("#progress .running")
    pages.check(page, "moving")
    assert "confirmed" not in page.inner_text("#progress").lower().replace("not confirmed", "")
    page.wait_for_selector("#progress .good")
    assert "Confirmed by the lock." in page.inner_text("#progress") and address in page.url
    pages.check(page, "confirmed")
    dark = pages.open(path, color_scheme="dark")
    pages.check(dark, "dark")


def move_without_script(pages, gateway):
    _, path = gateway.link(["Front door"])
    page = pages.open(path, script=False)
    page.click("button >> text=Unlock")
    assert "?command=" in page.url
    pages.check(page, "moving-without-script", script=False)
    page.wait_for_selector("#progress .good")
    pages.check(page, "confirmed-without-script", script=False)


def double_tap(pages, gateway):
    for script in [True, False]:
        access, path = gateway.link(["Cellar"])
        page = pages.open(path, script=script)
        button = page.locator(f"#unlock-{gateway.locks['Cellar']}")
        button.dblclick(no_wait_after=True)
        page.wait_for_selector("#progress .good")
        commands = [one for one in gateway.records("COMMAND_INTENT") if one["actorId"] == access]
        assert len(commands) == 1, f"{len(commands)} commands with script {script}"


def refused(pages, gateway):
    _, path = gateway.link(["Cellar"])
    page = pages.open(path)
    gateway.call("POST", f"/simulator/devices/{gateway.locks['Cellar']}/events", {"event": "jam"})
    page.click("button >> text=Unlock")
    page.wait_for_selector("#progress .bad")
    pages.check(page, "refused")
    gateway.call("POST", f"/simulator/devices/{gateway.locks['Cellar']}/events", {"event": "clear"})


def lost_right(pages, gateway):
    """A link that ends while its page is open: the tap sends nothing, and the page says that the link has ended."""
    access, path = gateway.link(["Cellar"])
    page = pages.open(path)
    gateway.call("DELETE", f"/guest-access/{access}")
    page.click("button >> text=Unlock")
    page.wait_for_function("document.getElementById('title').textContent === 'This link does not work'")
    pages.check(page, "ended-while-open")


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
    assert not [one for one in gateway.records("COMMAND_INTENT") if one["actorId"] == access]


def nonce_after_restart(pages, gateway):
    """A nonce is valid after a restart, and a command is sent once for it before and after."""
    access, path = gateway.link(["Cellar"])
    action = f"{path}/devices/{gateway.locks['Cellar']}/unlock"
    text = gateway.request("GET", path)[2]
    nonce = text.split(f'action="{action}"')[1].split('name="nonce" value="')[1].split('"')[0]

    def tap():
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        status, _, text = gateway.request("POST", action, headers, f"nonce={nonce}".encode())
        assert status == 200, text
        return json.loads(text)["data"]["command"]["id"]

    first = tap()
    gateway.restart()
    assert tap() == first
    assert len([one for one in gateway.records("COMMAND_INTENT") if one["actorId"] == access]) == 1


def invitation(pages, gateway):
    for email in ["new@example.org"]:
        offer = gateway.call("POST", f"/properties/{gateway.property}/managers", {"email": email, "role": "MAINTENANCE"})
        page = pages.open(offer["invitation"]["url"][len(gateway.url):])
        pages.check(page, "invitation")
        page.fill("#firstName", "Nina")
        page.fill("#lastName", "New")
        page.fill("#create #password", PASSWORD)
        page.fill("#create #repeated", PASSWORD)
        page.click("text=Create the account and accept")
        page.wait_for_function("document.getElementById('message').textContent.includes('accepted')")
        pages.check(page, "invitation-accepted")
        assert gateway.call("GET", "/users/me", token=gateway.sign_in(email))["user"]["firstName"] == "Nina"


def password(pages, gateway):
    user = gateway.call("GET", "/users?q=Olga", token=gateway.root)["users"][0]["id"]
    reset = gateway.call("POST", f"/users/{user}/password-reset", token=gateway.root)["reset"]
    page = pages.open(reset["url"][len(gateway.url):])
    pages.check(page, "password")
    for value, message in [("short", "at least 15"), (PASSWORD, "The password is set")]:
        page.fill("#password", value)
        page.fill("#repeated", value)
        page.click("text=Set the password")
        page.wait_for_function(f"document.getElementById('message').textContent.includes('{message}')")
    pages.check(page, "password-set")
    gateway.token = gateway.sign_in("owner@example.org")


def qr_codes(pages, gateway):
    """The code of each length that decides about a version is read by another program as the same text."""
    access, _ = gateway.link(["Cellar"])
    link = gateway.call("POST", f"/guest-access/{access}/link")["link"]
    context = pages.browser.new_context(viewport={"width": 400, "height": 400})
    page = context.new_page()
    page.set_content(f'<body style="margin:0;width:400px">{link["qr"]}')
    found = zxingcpp.read_barcodes(picture(page.screenshot()))
    assert [one.text for one in found] == [link["url"]], found


def picture(png):
    """The grey values of a PNG, read by the browser's own pictures: 8 bits, RGB or RGBA, not interlaced."""
    import struct, zlib
    position, data = 8, b""
    while position < len(png):
        length, kind = struct.unpack(">I4s", png[position:position + 8])
        content = png[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", content[:10])
        if kind == b"IDAT":
            data += content
        position += 12 + length
    channels = {2: 3, 6: 4}[color]
    raw, rows, previous = zlib.decompress(data), [], [0] * (width * channels)
    for line in range(height):
        start = line * (width * channels + 1)
        filter_type, row = raw[start], list(raw[start + 1:start + 1 + width * channels])
        for index in range(len(row)):
            left = row[index - channels] if index >= channels else 0
            up, corner = previous[index], previous[index - channels] if index >= channels else 0
            if filter_type == 4:
                estimate = left + up - corner
                distances = [abs(estimate - left), abs(estimate - up), abs(estimate - corner)]
                predicted = [left, up, corner][distances.index(min(distances))]
            else:
                predicted = [0, left, up, (left + up) // 2][filter_type]
            row[index] = (row[index] + predicted) & 255
        rows.append(row[::channels])
        previous = row
    return numpy.array(rows, dtype=numpy.uint8)


def no_tokens_in_logs(pages, gateway):
    log = open(f"{gateway.folder}/gateway.log").read()
    assert "/g/:token" in log and not any(path[3:] in log for path in gateway.paths)


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    tests = [
        scheduled, move_with_script, move_without_script, double_tap, refused, lost_right, ended, previews, nonce_after_restart,
        invitation, password, qr_codes, no_tokens_in_logs,
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        gateway = Gateway(folder)
        gateway.paths, link = [], gateway.link

        def noted(*arguments, **more):
            access, path = link(*arguments, **more)
            gateway.paths.append(path)
            return access, path

        gateway.link = noted
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            for test in tests:
                try:
                    test(Pages(browser, gateway), gateway)
                    print(f"passed  {test.__name__}", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED  {test.__name__}\n{traceback.format_exc()}", flush=True)
        finally:
            browser.close()
            gateway.end()
    print(f"{len(tests) - failed} of {len(tests)} passed; the pictures are in {PICTURES}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
