#!/usr/bin/env python3
"""Measures the web console of a gateway in Chromium: weight, times, long tasks and memory.

    Benchmarks/Console/console.py PROGRAM CHROMIUM FOLDER [FIGURE…]

PROGRAM is a release build of doorward. FOLDER, for the gateway's files, must be on the disk to be measured. FIGURE is one or more of
`load`, `thousand`, `many` and `heap`. Runs with the virtual environment of scripts/test-pages. Times are measured with a processor that
is four times slower (CONSOLE_SLOWER) and a network of 150 ms and 1.6 Mbit/s, as the browser's own throttling imitates them.
Each measured value is one line of JSON: {"benchmark", "figure", "value", "unit", "goal"}.
"""
import gzip, http.client, json, os, pathlib, platform, statistics, sys, tempfile, threading, time

# These also read the first three arguments.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/pages"))
from console_driver import WIDE, Console, button  # noqa: E402
from scripted_stream import ScriptedStream  # noqa: E402
from test_pages import CHROMIUM, PASSWORD, Gateway, sync_playwright  # noqa: E402

NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 100_000}
SLOWER = float(os.environ.get("CONSOLE_SLOWER", "4"))
ROUNDS = int(os.environ.get("CONSOLE_ROUNDS", "7"))
MANY = int(os.environ.get("CONSOLE_DOORS", "10000"))
EVENTS = int(os.environ.get("CONSOLE_EVENTS", "36000"))  # ten a second for an hour


def show(figure, value, unit, goal=None, **more):
    print(json.dumps({"benchmark": "console", "figure": figure, "value": round(value, 1), "unit": unit, "goal": goal} | more), flush=True)


class Houses(Gateway):
    """A portfolio with 60 doors, one with 1,000 and one with many, each with its own owner."""

    def furnish(self):
        self.people, self.root = {}, self.sign_in("root@example.org")
        self.doors = {}
        for name, count in [("sixty", 60), ("thousand", 1000), ("many", MANY)]:
            if name in WANTED:
                self.add_doors(name, count)

    def add_doors(self, name, count):
        email = f"{name}@example.org"
        user = self.call("POST", "/users", {"email": email, "firstName": "Olga", "lastName": "Example", "password": PASSWORD}, self.root)
        portfolio = self.call("POST", "/portfolios", {"name": name, "administratorUserIds": [user["user"]["id"]]}, self.root)["portfolio"]
        self.people[name], token = email, self.sign_in(email)
        self.token = self.token or token
        properties = [
            self.call("POST", "/properties", {"name": f"Quay {number + 1}", "portfolioId": portfolio["id"], "defaultTimeZone": "Europe/Berlin"}, token)
            for number in range(10)]
        self.doors[name] = doors = [None] * count
        self.tokens = getattr(self, "tokens", {}) | {name: token}

        def attach(first):
            connection = http.client.HTTPConnection(self.url.split("//")[1])
            for number in range(first, count, 8):
                body = {"name": f"Door {number + 1:05}", "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": properties[number % 10]["property"]["id"]}
                connection.request("POST", "/api/v1/devices", json.dumps(body), {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
                response = connection.getresponse()
                answer = response.read()
                assert response.status == 201, answer
                doors[number] = json.loads(answer)["data"]["device"]["id"]

        threads = [threading.Thread(target=attach, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(doors)


# In the page: when something was drawn, and tasks over 50 ms.
PROBE = """
window.probe = {
    tasks: [],
    // The time at which `holds` was true in a frame that was drawn.
    drawn(holds) {
        return new Promise((resolve) => {
            const look = () => holds() && (observer.disconnect(), requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
            const observer = new MutationObserver(look);
            observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
            look();
        });
    },
};
// As many doors as fit on a screen.
probe.doors = probe.drawn(() => document.querySelectorAll('[data-door]').length >= 12);
new PerformanceObserver((list) => { for (const one of list.getEntries()) probe.tasks.push([one.startTime, one.duration]); }).observe({type: 'longtask', buffered: true});
"""


class Bench:
    def __init__(self, browser, gateway):
        self.gateway, self.console = gateway, Console(browser, gateway)
        self.console.has_stream = True

    def page(self, person, size=WIDE, url=None, slow=True):
        """A signed-in person's page with an empty cache, and its connection to the browser's tools."""
        context = self.console.context(size)
        url = url or self.gateway.url
        context.request.post(url + "/api/v1/auth/login", data={"email": self.gateway.people[person], "password": PASSWORD}, headers={"X-Doorward-Client": "console"})
        context.add_init_script(PROBE)
        page = self.console.page(context, url)
        page.set_default_timeout(60_000)
        tools = context.new_cdp_session(page)
        tools.send("Network.enable")
        if slow:
            tools.send("Network.emulateNetworkConditions", NETWORK)
            tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        return page, tools

    def longest(self, page, since):
        page.wait_for_timeout(300)
        return max((length for begin, length in page.evaluate("probe.tasks") if begin >= since), default=0)


def load(bench):
    """The first load of somebody who has a session, and what a press and a change take."""
    times, received, plain, gzipped, requests = [], [], [], [], []
    for number in range(ROUNDS):
        page, tools = bench.page("sixty")
        sizes, responses = {}, []
        tools.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}))
        tools.on("Network.requestWillBeSent", lambda event: event["request"]["url"].startswith("http") and requests[-1].append(event["request"]["url"]))
        page.on("response", lambda one: one.url.startswith("http") and responses.append(one))
        requests.append([])
        page.goto(bench.gateway.url + "/")
        times.append(page.evaluate("probe.doors"))
        page.locator(".badge.live").wait_for()
        received.append(sum(sizes.values()))
        bodies = [one.body() for one in responses if one.status == 200 and "/stream" not in one.url]
        plain.append(sum(map(len, bodies)))
        gzipped.append(sum(len(gzip.compress(body, 6)) for body in bodies))
        if number < ROUNDS - 1:
            page.context.close()
    show("first load, over the network, headers included", statistics.median(received) / 1000, "kB", 120, plain=round(statistics.median(plain) / 1000, 1), gzip=round(statistics.median(gzipped) / 1000, 1))
    show("requests of the first load", statistics.median(map(len, requests)), "requests", 15)
    show("doors on screen", statistics.median(times), "ms", 1500, best=round(min(times)), worst=round(max(times)))
    press(bench, page)
    change(bench, page)
    page.context.close()


def press(bench, page, figure="press to feedback", row=".card"):
    values = []
    for number in range(20):
        door = page.locator(row).nth(number % 10).get_attribute("data-door")
        operation = "UNLOCK" if number < 10 else "LOCK"
        page.evaluate("""([id]) => {
            const button = document.getElementById(id), row = button.closest('[data-door]');
            window.pressed = new Promise((resolve) => button.addEventListener('click', (event) => {
                probe.drawn(() => row.querySelector('.progress')).then((at) => resolve(at - event.timeStamp));
            }, {once: true, capture: true}));
        }""", [f"{operation}-{door}"])
        page.locator(f"#{operation}-{door}").click()
        values.append(page.evaluate("window.pressed"))
        page.locator(f"[data-door='{door}'] .progress.done").wait_for()
    show(figure, statistics.median(values), "ms", 100, worst=round(max(values)))


def change(bench, page, figure="change at the gateway to the page", person="sixty"):
    """From the request of somebody else that causes the change, so it contains the whole command."""
    values = []
    for number in range(20):
        door = bench.gateway.doors[person][number % 10]
        word, class_ = ("unlock", "warn") if number % 20 < 10 else ("lock", "ok")
        page.evaluate("""([door, word]) => { const row = document.querySelector(`[data-door='${door}']`); window.changed = probe.drawn(() => row.querySelector(`.tile.${word}, .pill.${word}`)).then(() => Date.now()); 1 }""", [door, class_])
        sent = time.time()
        bench.gateway.call("POST", f"/devices/{door}/{word}", {}, bench.gateway.tokens[person])
        values.append(page.evaluate("window.changed") - 1000 * sent)
    show(figure, statistics.median(values), "ms", 300, worst=round(max(values)))


def scroll(bench, page, count, figure):
    """Shows and scrolls all doors, as a person with a wheel does."""
    since = page.evaluate("performance.now()")
    page.mouse.move(600, 500)
    begin = time.monotonic()
    while time.monotonic() - begin < 60:
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(50)
        # What the driver does itself in a page with many elements would be a long task of its own.
        shown, at_end = page.evaluate("""() => {
            const more = document.getElementById('more');
            if (more && more.getBoundingClientRect().y < 1200) more.click();
            return [document.querySelectorAll('[data-door]').length, scrollY + innerHeight >= document.documentElement.scrollHeight - 5];
        }""")
        if at_end and shown == count:
            break
    show(figure, bench.longest(page, since), "ms", 50, elements=shown)


def thousand(bench):
    for style in ["board", "list"]:
        page, _ = bench.page("thousand")
        page.goto(bench.gateway.url + "/")
        page.wait_for_selector("#style-board")
        if style == "list":
            button(page, "List").click()
        show(f"1,000 doors, first doors of the {style} on screen", page.evaluate("probe.doors"), "ms")
        page.locator(".badge.live").wait_for()
        scroll(bench, page, 1000, f"1,000 doors scrolled, longest task, {style}")
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(300)
        since = page.evaluate("performance.now()")
        change(bench, page, f"1,000 doors shown, change at the gateway to the page, {style}", "thousand")
        show(f"1,000 doors shown, longest task of a change, {style}", bench.longest(page, since), "ms")
        page.context.close()


def many(bench):
    page, _ = bench.page("many")
    page.goto(bench.gateway.url + "/")
    show(f"{MANY:,} doors, first doors on screen", page.evaluate("probe.doors"), "ms")
    page.locator(".badge.live").wait_for()
    since = page.evaluate("performance.now()")
    wanted = f"Door {MANY - 3:05}"
    page.evaluate(f"() => {{ window.found = probe.drawn(() => document.querySelector('.card h3')?.textContent === '{wanted}'); 1 }}")
    page.fill("#search", wanted)
    at = page.evaluate("performance.now()")
    show(f"{MANY:,} doors, search to the door on screen", page.evaluate("window.found") - at, "ms")
    show(f"{MANY:,} doors, longest task of a search", bench.longest(page, since), "ms")
    page.context.close()


def heap(bench):
    """An hour of ten events a second, sent as fast as the page takes them."""
    stream = ScriptedStream(bench.gateway)
    try:
        page, tools = bench.page("sixty", url=stream.url, slow=False)
        page.goto(stream.url + "/")
        page.locator(".badge.live").wait_for()
        devices = bench.gateway.call("GET", "/devices?limit=200", token=bench.gateway.tokens["sixty"])["devices"]
        tools.send("Performance.enable")
        used, nodes = [], []

        def measure():
            tools.send("HeapProfiler.collectGarbage")
            page.wait_for_timeout(200)
            tools.send("HeapProfiler.collectGarbage")
            metrics = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
            used.append(metrics["JSHeapUsedSize"])
            nodes.append(metrics["Nodes"])

        begin = time.monotonic()
        for number in range(EVENTS):
            if number % (EVENTS // 10) == 0:
                measure()
            state = ["LOCKED", "UNLOCKING", "UNLOCKED", "LOCKING", "JAMMED"][number % 5]
            device = devices[number * 7 % len(devices)] | {"state": state, "batteryLevel": number % 100, "stateAt": f"2026-11-25T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"}
            stream.push("change", {"names": ["device"], "type": "device", "object": device})
            if number % 20 == 19:
                # The page has taken these before the next ones come.
                marker = f"Door {number}"
                stream.push("change", {"names": ["device"], "type": "device", "object": devices[0] | {"name": marker}})
                page.evaluate("""name => new Promise((resolve) => {
                    const look = () => ([...document.querySelectorAll('.card h3')].some((one) => one.textContent === name) ? resolve() : requestAnimationFrame(look));
                    look();
                })""", marker)
        measure()
        seconds = time.monotonic() - begin
        # The first minutes warm the page up.
        show("heap after an hour of ten events a second, relative to the heap after 18 minutes", 100 * used[-1] / used[3], "%", 105,
             megabytes=[round(one / 1e6, 2) for one in used], nodes=[int(one) for one in nodes], events=EVENTS, seconds=round(seconds))
        page.context.close()
    finally:
        stream.close()


FIGURES = {"load": (load, "sixty"), "thousand": (thousand, "thousand"), "many": (many, "many"), "heap": (heap, "sixty")}


if __name__ == "__main__":
    names = sys.argv[4:] or list(FIGURES)
    WANTED = {FIGURES[name][1] for name in names}
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place, sync_playwright() as playwright:
        gateway = Houses(place)
        try:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
            model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
            print(json.dumps({"benchmark": "console", "figure": "machine", "processor": model, "cores": os.cpu_count(), "chromium": browser.version, "load": os.getloadavg()[0]}), flush=True)
            for name in names:
                FIGURES[name][0](Bench(browser, gateway))
            browser.close()
        finally:
            gateway.end()
