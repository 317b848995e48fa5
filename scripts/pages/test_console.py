"""Drives the web console of a gateway in Chromium; see scripts/test-pages.

    test_console.py PROGRAM CHROMIUM FOLDER [first | second | TEST…]

With CONSOLE_FILES=Sources/DoorwardConsole/Resources the files come from that folder, so that a change needs no build.
"""
import gzip, io, json, pathlib, sys, time

import zxingcpp
from PIL import Image

from console_driver import (
    FILES, HOSTILE, PHONE, WIDE, Building, Console, button, each_look, focused, has, look, open_door, press, text, until)
from console_guests import GUESTS
from console_interactions import INTERACTIONS
from console_management import MANAGEMENT
from console_people import PEOPLE
from console_picker import PICKER
from console_places import DOOR, PLACES
from console_rights import RIGHTS
from scripted_stream import ScriptedStream
from test_pages import PASSWORD, run

# --- Sign-in ------------------------------------------------------------------------------------------------------------


def sign_in(console, gateway):
    """A wrong password is refused in words; a reload continues the session; after signing out nothing is left."""
    for scheme in ["light", "dark"]:
        for size, label in [(WIDE, "wide"), (PHONE, "phone")]:
            page = console.page(console.context(size, color_scheme=scheme))
            page.goto(gateway.url + "/")
            page.wait_for_selector("#email")
            console.check(page, f"sign-in-{label}-{scheme}")
    page.fill("#email", gateway.people["owner"])
    page.fill("#password", "not the password of anyone")
    button(page, "Sign in").click()
    page.locator(".notice", has_text="wrong").wait_for()
    assert focused(page) == "password"
    console.check(page, "sign-in-refused")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")
    assert page.evaluate("document.cookie + localStorage.length + sessionStorage.length") == "doorward_session=100"
    page.reload()
    page.wait_for_selector(".card")
    other = console.page(page.context)
    other.goto(gateway.url + "/")
    other.wait_for_selector(".card")
    page.goto(gateway.url + "/#/account")
    button(page, "Sign out").click()
    page.wait_for_selector("#email")
    # The other tab has followed, and neither shows anything of the person, not even by the back button.
    other.wait_for_selector("#email")
    page.go_back()
    for tab in [page, other]:
        tab.wait_for_selector("#email")
        assert "Olga" not in tab.content() and "Cellar" not in tab.content()
    page.reload()
    page.wait_for_selector("#email")
    console.clean("sign-in")


def first_visit(console, gateway):
    """A browser without a session sends no request that fails, and over plain HTTP the sign-in page says what that means."""
    page = console.page(console.context())
    failed, lines = [], []
    page.on("response", lambda response: response.status >= 400 and failed.append(response.url))
    page.on("console", lambda line: lines.append(line.text))
    page.goto(gateway.url + "/")
    page.wait_for_selector("#email")
    assert not failed and not lines, (failed, lines)
    assert page.locator(".notice").count() == 0
    url = "http://doors.example"
    context = console.context(PHONE)
    pass_on = lambda route: route.fulfill(response=route.fetch(url=gateway.url + route.request.url[len(url):]))
    context.route(url + "/**", lambda route: route.fallback() if FILES and "/console/" in route.request.url else pass_on(route))
    page = console.page(context, url)
    page.goto(url + "/")
    page.locator(".notice.warn", has_text="plain HTTP").wait_for()
    console.check(page, "sign-in-plain")


def sign_out(console, gateway):
    """A session that has not ended is said so; it ends also when the access token has expired."""
    page = console.sign_in("owner", "#/account")
    logout = "**/api/v1/auth/logout"
    page.route(logout, lambda route: route.abort())
    button(page, "Sign out").click()
    page.locator(".note", has_text="You are still signed in").wait_for()
    assert page.locator("#email").count() == 0 and "Olga" in text(page, "header")
    console.check(page, "sign-out-away")
    page.unroute(logout)
    expired = lambda route: route.continue_(headers=route.request.headers | {"authorization": "Bearer expired"})
    page.route(logout, expired, times=1)
    button(page, "Sign out").click()
    page.wait_for_selector("#email")
    page.reload()
    page.wait_for_selector("#email")
    assert not page.evaluate("document.cookie"), "the browser still has a session"
    console.clean("sign-out")


def recovery_code(console, gateway):
    """A new password by a recovery code, on the sign-in page."""
    token = gateway.sign_in(gateway.people["stranger"])
    code = gateway.call("POST", "/users/me/recovery-codes", {"currentPassword": PASSWORD}, token)["recoveryCodes"][0]
    page = console.page(console.context(PHONE))
    page.goto(gateway.url + "/")
    page.get_by_role("link", name="Use a recovery code").click()
    new = PASSWORD + ", the new one"
    for field, value in [("#reset-email", gateway.people["stranger"]), ("#code", "wrong"), ("#new-password", new), ("#repeated", new)]:
        page.fill(field, value)
    button(page, "Set the password").click()
    page.locator(".notice.bad").wait_for()
    console.check(page, "reset-refused")
    page.fill("#code", code)
    button(page, "Set the password").click()
    page.locator(".notice.ok", has_text="Sign in with it").wait_for()
    console.check(page, "reset-done")
    page.fill("#email", gateway.people["stranger"])
    page.fill("#password", new)
    page.keyboard.press("Enter")
    page.locator("h2", has_text="No doors yet").wait_for()
    console.check(page, "doors-empty")


def two_people(console, gateway):
    """A second person who signs in in the same browser replaces the first in every tab."""
    context = console.context()
    first = console.sign_in("owner", context=context)
    first.wait_for_selector(".card")
    second = console.page(context)
    second.goto(gateway.url + "/")
    second.wait_for_selector(".card")
    second.evaluate("""(body) => fetch('/api/v1/auth/login', {method: 'POST', body, headers: {'Content-Type': 'application/json', 'X-Doorward-Client': 'console'}})
        .then(r => r.json()).then(a => { new BroadcastChannel('doorward-session').postMessage({type: 'signedIn', userId: a.data.user.id}); })""",
        f'{{"email": "tenant@example.org", "password": "{PASSWORD}"}}')
    for page in [first, second]:
        page.locator(".person-name", has_text="Tom Example").wait_for()
        page.wait_for_selector(".card")
        assert "Olga" not in page.content() and "Cellar" not in page.content()
    console.clean("two people")


# --- Doors --------------------------------------------------------------------------------------------------------------


def doors(console, gateway):
    """The band of counters filters, and so do the search and the property; hostile names are text; the gateway's stream is shown."""
    console.has_stream = True
    page = console.sign_in("owner")
    page.wait_for_selector(".card")
    has(page, ".card", 6)
    page.evaluate("""() => {
        window.spoken = [];
        new MutationObserver(() => window.spoken.push(document.getElementById('announce').textContent)).observe(document.getElementById('announce'), {childList: true, characterData: true, subtree: true});
    }""")
    page.locator(".badge.live").wait_for()
    gateway.call("POST", f"/devices/{gateway.locks['Gate']}/unlock", {})
    until(page, lambda: any("Gate: Unlocked" in one for one in page.evaluate("window.spoken")))
    assert not any("permissions" in one for one in page.evaluate("window.spoken")), "the stream sends the permissions that are known already"
    gateway.call("POST", f"/devices/{gateway.locks['Gate']}/lock", {})
    assert "<img src=x" in text(page)
    assert page.locator("main img").count() == 0 and page.title() == "Doors - Doorward"
    page.fill("#search", "yard")
    has(page, ".card", 2)
    button(page, "List").click()
    has(page, "tbody tr", 2)
    page.fill("#search", "no such door")
    page.locator("h2", has_text="No door matches").wait_for()
    console.check(page, "doors-none")
    button(page, "Show all doors").click()
    page.select_option("#property", label="Yard 7")
    has(page, "tbody tr", 2)
    assert "property=" in page.url
    page.reload()
    has(page, "tbody tr", 2)
    button(page, "Board").click()
    page.select_option("#property", "")
    page.locator("#show-open").click()
    has(page, ".card", 0)
    gateway.call("POST", f"/devices/{gateway.locks['Gate']}/unlock", {})
    page.locator("#show-open .number", has_text="1").wait_for()
    has(page, ".card", 1)
    assert "Gate" in text(page, ".card")
    gateway.call("POST", f"/devices/{gateway.locks['Gate']}/lock", {})
    each_look(console, "owner", "", ".card", "doors")
    page = console.sign_in("owner", "", PHONE)
    button(page, "List").click()
    page.wait_for_selector("table")
    assert page.locator(".table-frame").evaluate("one => one.scrollWidth <= one.clientWidth"), "a part of the list is cut off"
    console.check(page, "doors-list-phone")
    look(page, 1280, "light")
    inside = "[...document.querySelectorAll('tbody tr')].every(one => one.lastChild.lastChild.getBoundingClientRect().right <= one.closest('.table-frame').getBoundingClientRect().right && one.lastChild.lastChild.scrollWidth <= one.lastChild.clientWidth)"
    assert page.evaluate(inside), "a button is cut off"
    console.check(page, "doors-list-wide")


def blocks(console, gateway):
    """Doors in blocks are one list or one table, keep the focus when they move to another block, and are found by the browser."""
    place = gateway.create("/properties", {"name": "Blocks", "portfolioId": gateway.portfolio, "defaultTimeZone": "Europe/Berlin"})
    doors = [gateway.create("/devices", {"name": f"Block {number:02}", "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": place}) for number in range(1, 15)]
    stream = ScriptedStream(gateway)
    try:
        page = console.sign_in("owner", f"#/doors?property={place}", url=stream.url)
        page.locator(".badge.live").wait_for()
        has(page, ".card", 14)
        sizes = "[...document.querySelectorAll('.block')].map(one => one.childElementCount)"
        assert page.evaluate(sizes) == [6, 6, 2]
        assert page.get_by_role("list").filter(has_text="Block 14").get_by_role("listitem").count() == 14
        names = "[...document.querySelectorAll('.card h3')].map(one => one.textContent)"
        for search, numbers in [("Block 1", range(10, 15)), ("", range(1, 15)), ("no such door", []), ("Block 1", range(10, 15)), ("", range(1, 15))]:
            page.fill("#search", search)
            has(page, ".card", len(numbers))
            assert page.evaluate(names) == [f"Block {number:02}" for number in numbers], search
        page.evaluate("document.activeElement.blur()")
        for _ in range(7):
            page.keyboard.press("j")
        now = "document.activeElement.textContent"
        assert page.evaluate(now) == "Block 07"
        stream.push("removed", {"names": ["device"], "type": "device", "id": doors[1]})
        has(page, ".card", 13)
        assert page.evaluate(sizes) == [6, 6, 1] and page.evaluate(now) == "Block 07", "the focus has moved"
        page.keyboard.press("j")
        assert page.evaluate(now) == "Block 08"
        assert page.evaluate("find('Block 14')"), "the browser does not find a door"
        console.check(page, "doors-blocks")
        button(page, "List").click()
        has(page, "tbody tr", 13)
        assert page.evaluate(sizes) == [6, 6, 1]
        table = page.get_by_role("table")
        assert table.count() == 1 and table.get_by_role("row").count() == 14 and table.get_by_role("columnheader").count() == 5
        assert table.get_by_role("rowheader", name="Block 14").count() == 1 and table.get_by_role("cell").count() == 4 * 13
        left = "[...document.querySelectorAll('.doors tr')].map(row => [...row.children].map(one => one.getBoundingClientRect().x).join())"
        assert len(set(page.evaluate(left))) == 1, "the columns of the blocks are not aligned"
        console.check(page, "doors-blocks-list")
        look(page, 320, "dark")
        assert table.get_by_role("row").count() == 14 and table.get_by_role("columnheader").count() == 5
        console.check(page, "doors-blocks-list-phone")
    finally:
        stream.close()
        for door in doors:
            gateway.call("DELETE", f"/devices/{door}")
        gateway.call("DELETE", f"/properties/{place}")


def permissions(console, gateway):
    """What a person never holds is hidden, for each role."""
    expected = {
        "owner": (6, ["Unlock Cellar", "Lock Cellar", "Unlatch Cellar"]), "manager": (4, ["Unlock Cellar", "Lock Cellar", "Unlatch Cellar"]),
        "maintenance": (4, ["Unlock Cellar", "Lock Cellar", "Unlatch Cellar"]), "auditor": (6, []), "tenant": (1, []), "root": (6, []),
    }
    for person, (count, names) in expected.items():
        page = console.sign_in(person)
        page.wait_for_selector(".card")
        has(page, ".card", count)
        found = [one.get_attribute("aria-label") for one in page.locator(".card button").all()]
        assert [name for name in found if "Cellar" in name] == names, (person, found)
        if person == "tenant":
            assert len(found) == 3
        console.clean(person)
        page.context.close()


def keyboard(console, gateway):
    """From the sign-in to an opened door and back with the keyboard alone; one key never opens a door."""
    page = console.page(console.context())
    page.goto(gateway.url + "/")
    page.wait_for_selector("#email")
    page.keyboard.press("Tab") if focused(page) == "BODY" else None
    assert focused(page) == "email"
    page.keyboard.type(gateway.people["owner"])
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")
    page.keyboard.press("/")
    assert focused(page) == "search"
    page.keyboard.type("Cellar")
    page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "Cellar"
    page.keyboard.press("u")
    cellar = gateway.locks["Cellar"]
    assert focused(page) == f"UNLOCK-{cellar}" and not page.locator(".progress").count()
    page.keyboard.press("Enter")
    page.locator(".progress.done", has_text="Unlocked. The lock confirmed it.").wait_for()
    assert focused(page) == f"UNLOCK-{cellar}", "the focus has moved"
    page.keyboard.press("l")
    page.locator(".progress.done", has_text="Locked. The lock confirmed it.").wait_for()
    page.keyboard.press("g")
    page.keyboard.press("d")
    console.check(page, "keyboard")


# --- A door -------------------------------------------------------------------------------------------------------------


def unlock(console, gateway):
    """The progress says nothing is done before the lock has confirmed it, and the door is locked again from the same place."""
    for size, name in [(WIDE, "wide"), (PHONE, "phone")]:
        page = console.sign_in("owner", size=size)
        open_door(page, "Front door")
        assert page.title() == "Front door - Doorward"
        button(page, "Unlock").click()
        page.locator(".progress-panel", has_text="Waiting for the lock to confirm").wait_for()
        assert "Unlocked." not in text(page, ".progress-panel") and button(page, "Lock").get_attribute("aria-disabled") == "true"
        console.check(page, f"door-moving-{name}")
        page.locator(".progress-panel.ok", has_text="Unlocked. The lock confirmed it.").wait_for()
        page.locator(".hero-word", has_text="Unlocked").wait_for()
        page.locator(".record >> nth=0 >> strong", has_text="Unlocked").wait_for()
        if size is PHONE:
            console.check(page, "door-unlocked")
        button(page, "Lock again").click()
        page.locator(".progress-panel.ok", has_text="Locked. The lock confirmed it.").wait_for()
        page.context.close()
    each_look(console, "owner", f"#/doors/{gateway.locks['Cellar']}", ".record-row", "door-looks")


def failures(console, gateway):
    """A jam, no confirmation, and a lock that is offline are said in words, and never as done."""
    for lock, event, words in [
        ("Cellar", "jam", "reports a jam"), ("Silent door", "lose_confirmations", "did not confirm in time"), ("Cellar", "offline", "is offline"),
    ]:
        gateway.trigger(lock, event)
        page = console.sign_in("owner")
        open_door(page, lock)
        button(page, "Unlock").click()
        page.locator(".progress-panel.bad", has_text=words).wait_for()
        assert "Unlocked." not in text(page, ".progress-panel")
        console.check(page, f"door-{event}")
        gateway.trigger(lock, "online" if event == "offline" else "clear")
        page.context.close()


def lockdown(console, gateway):
    """Under a lockdown unlocking is disabled and says why; a manager cannot override it, and the owner can, with a reason."""
    gateway.call("POST", f"/properties/{gateway.property}/lockdown", {"reason": "a drill"})
    try:
        page = console.sign_in("manager")
        page.wait_for_selector(".card")
        press(page, "Unlock Cellar")
        page.locator(".card .why", has_text="locked down").wait_for()
        console.check(page, "doors-lockdown")
        open_door(page, "Cellar")
        assert button(page, "Unlock").get_attribute("aria-disabled") == "true"
        press(page, "Unlock")
        page.locator(".why", has_text="locked down").wait_for()
        assert page.locator(".why button").count() == 0
        console.check(page, "door-lockdown")
        page = console.sign_in("owner", size=PHONE)
        open_door(page, "Cellar")
        press(page, "Unlock")
        button(page, "Override the lockdown and unlock").click()
        page.wait_for_selector("dialog")
        console.check(page, "door-override")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert focused(page) == "override-UNLOCK", focused(page)
        page.keyboard.press("Enter")
        page.fill("#override-reason", "the fire brigade")
        page.keyboard.press("Enter")
        page.locator(".progress-panel.ok", has_text="Unlocked").wait_for()
        # The newest record is the one of this command.
        page.locator(".record >> nth=0 >> strong", has_text="Unlocked").click()
        page.locator(".record-facts", has_text="the fire brigade").wait_for()
    finally:
        gateway.call("DELETE", f"/properties/{gateway.property}/lockdown")


def property_lockdown(console, gateway):
    """A lockdown wants the typed name, names the doors that did not confirm, and is lifted; who may not start one does not see it."""
    gateway.call("POST", f"/devices/{gateway.locks['Cellar']}/unlock", {})
    gateway.trigger("Silent door", "lose_confirmations")
    page = console.sign_in("manager", size=PHONE)
    page.get_by_role("link", name="Quay 1", exact=True).click()
    page.locator("h1", has_text="Quay 1").wait_for()
    has(page, "li.row:has(.dot-icon)", 4)
    button(page, "Start a lockdown").click()
    page.fill("#lockdown-reason", "a drill")
    page.fill("#lockdown-name", "Quay")
    page.keyboard.press("Enter")
    page.locator(".error", has_text="not the name").wait_for()
    console.check(page, "property-confirm")
    page.fill("#lockdown-name", "Quay 1")
    page.keyboard.press("Enter")
    page.locator(".lockdown", has_text="of 4 doors locked").wait_for()
    page.locator(".lockdown.active", has_text="1 of 4 doors did not confirm").wait_for(timeout=30_000)
    assert "a drill" in text(page, ".lockdown") and "did not confirm in time" in text(page, ".attention") and "Silent door" in text(page, ".attention")
    page.locator(".row", has_text="Cellar").locator(".pill.ok").wait_for()
    console.check(page, "property-locked-down")
    gateway.trigger("Silent door", "clear")
    button(page, "Lock again").click()
    page.locator(".lockdown .notice.ok").wait_for()
    button(page, "Lift the lockdown").click()
    button(page, "Start a lockdown").wait_for()
    page.context.close()
    page = console.sign_in("auditor", f"#/properties/{gateway.property}")
    has(page, "li.row:has(.dot-icon)", 4)
    assert page.locator(".lockdown").count() == 0
    each_look(console, "owner", f"#/properties/{gateway.property}", ".row", "property")


def guest_window(console, gateway):
    """A guest access that has not begun says when it opens; one that has begun works, and one that is revoked is gone."""
    access = gateway.grant(begins=3600)
    page = console.sign_in("guest", f"#/doors/{gateway.locks['Cellar']}", PHONE)
    page.locator(".denial", has_text="has not begun").wait_for()
    assert "Opens" in text(page, ".denial")
    console.check(page, "door-not-begun")
    gateway.call("DELETE", f"/guest-access/{access}")
    access = gateway.grant()
    page.goto(gateway.url + "/#/doors")
    page.get_by_role("link", name="Cellar", exact=True).click()
    button(page, "Unlock").click()
    page.locator(".progress-panel.ok").wait_for()
    assert button(page, "Unlatch").count() == 0 and page.get_by_role("tab").count() == 0
    console.check(page, "door-guest")
    gateway.call("DELETE", f"/guest-access/{access}")
    button(page, "Lock again").click()
    page.locator("main", has_text="has been revoked").wait_for()
    console.clean("guest window")


def lost_right(console, gateway):
    """A right that is gone: a press on the stale page is denied and explained, and the buttons leave."""
    gateway.add("helper", "Hal", f"/properties/{gateway.property}/managers", "MAINTENANCE")
    page = console.sign_in("helper")
    open_door(page, "Cellar")
    gateway.call("DELETE", f"/properties/{gateway.property}/managers/{gateway.helper}")
    button(page, "Unlock").click()
    page.locator("main", has_text="no access").wait_for()
    page.locator("h2", has_text="Not found, or no access").wait_for()
    assert button(page, "Unlock").count() == 0 and focused(page) == "H1", focused(page)
    console.check(page, "door-lost")
    page.get_by_role("link", name="Doors", exact=True).first.click()
    page.locator("h2", has_text="No doors yet").wait_for()
    console.clean("lost right")


def late_permissions(console, gateway):
    """Rights that were read before the stream sent newer ones are out of date when they arrive."""
    place, held = f"/properties/{gateway.property}/managers", []
    gateway.add("late", "Lea", place, "MAINTENANCE")
    console.has_stream = True
    try:
        page = console.sign_in("late")
    finally:
        console.has_stream = False
    page.locator(".badge.live", has_text="Live").wait_for()
    open_door(page, "Cellar")

    def hold(route):
        headers = {name: value for name, value in route.request.headers.items() if name != "if-none-match"}
        held.append((route, route.fetch(headers=headers)))

    page.route("**/api/v1/users/me/permissions", hold)
    denial = json.dumps({"status": "error", "code": "forbidden", "message": "Not now."})
    page.route("**/unlock", lambda route: route.fulfill(status=403, content_type="application/json", body=denial))
    button(page, "Unlock").click()
    until(page, lambda: held, "the denial has the rights read again")
    gateway.call("DELETE", f"{place}/{gateway.late}")
    page.locator("h2", has_text="Not found, or no access").wait_for()
    page.get_by_role("link", name="Doors", exact=True).first.click()
    page.locator("h2", has_text="No doors yet").wait_for()
    nav = text(page, "nav")
    for route, response in held:
        with page.expect_response("**/api/v1/users/me/permissions"):
            route.fulfill(response=response)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert text(page, "nav") == nav, text(page, "nav")
    console.clean("late permissions")


def unknown_door(console, gateway):
    """A door that does not exist and one of somebody else look the same."""
    shown = []
    for door in ["nothing", gateway.locks["Gate"]]:
        page = console.sign_in("tenant", f"#/doors/{door}")
        page.locator("h2", has_text="Not found, or no access").wait_for()
        shown.append(text(page))
        console.check(page, "door-unknown")
    assert shown[0] == shown[1]


def settings(console, gateway):
    """Who can open a door, at another time too; its name, its notes and its settings."""
    page = console.sign_in("owner")
    open_door(page, "Cellar")
    page.get_by_role("tab", name="History").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".row", has_text="Mia Example").wait_for()
    console.check(page, "door-who")
    page.keyboard.press("ArrowRight")
    page.fill("#seconds", "30")
    button(page, "Send to the lock").click()
    page.locator(".notice.ok", has_text="The lock has confirmed the settings.").wait_for()
    page.fill("#name", "Cellar door")
    page.fill("#notes", "Key box <b>left</b> of the gate")
    button(page, "Save").click()
    page.locator("h1", has_text="Cellar door").wait_for()
    page.locator("dd", has_text="Key box <b>left</b> of the gate").wait_for()
    console.check(page, "door-settings")
    page.fill("#notes", "x" * 257)
    button(page, "Save").click()
    page.locator(".notice.bad", has_text="The text is too long").wait_for()
    page.fill("#notes", "")
    page.fill("#name", "Cellar")
    button(page, "Save").click()
    page.locator("h1", has_text="Cellar").wait_for()


def away(console, gateway):
    """While the gateway is away, the page keeps what it has, says so, and knows that an unlock may not have been sent."""
    page = console.sign_in("owner")
    open_door(page, "Cellar")
    gateway.end()
    button(page, "Read again").click()
    page.locator(".notice.bad", has_text="could not be refreshed").wait_for()
    button(page, "Unlock").click()
    page.locator(".progress-panel.bad", has_text="It is not known whether the command to unlock was sent").wait_for()
    console.check(page, "door-away")
    gateway.start(gateway.url.rsplit(":", 1)[1])
    button(page, "Ask again").click()
    page.locator(".progress-panel.ok", has_text="Unlocked").wait_for()
    button(page, "Lock again").click()
    page.locator(".progress-panel.ok", has_text="Locked.").wait_for()
    console.clean("away")


# --- Guests, log, access check, account -----------------------------------------------------------------------------------


def guests(console, gateway):
    """A guest is let in on a phone: the times as resolved, the link and its QR code; the link opens the door; one tap ends it."""
    page = console.sign_in("owner", "#/guests", PHONE)
    page.locator("h2", has_text="No guests").wait_for()
    console.check(page, "guests-empty")
    button(page, "Let a guest in").click()
    page.wait_for_selector("dialog")
    button(page, "Let in").click()
    page.locator("dialog .notice.bad", has_text="The name of the guest is missing.").wait_for()
    page.fill("#label", HOSTILE)
    page.select_option("#guest-property", label="Quay 1")
    page.get_by_label("Cellar", exact=True).check()
    page.get_by_label("Only at certain hours").check()
    page.fill("#valid-from", "2027-03-28T02:30")
    page.fill("#valid-until", "2027-10-31T02:30")
    console.check(page, "guests-new")
    button(page, "Let in").click()
    page.wait_for_selector("#link")
    assert "does not exist on that day" in text(page, "dialog") and "exists twice" in text(page, "dialog")
    assert "UTC)" in text(page, "dialog") and "Mon" in text(page, "dialog")
    console.check(page, "guests-link")
    image = Image.open(io.BytesIO(page.locator(".qr").screenshot()))
    link = page.input_value("#link")
    gateway.paths.append(link[len(gateway.url):])
    assert [one.text for one in zxingcpp.read_barcodes(image)] == [link]
    page.keyboard.press("Escape")
    has(page, "dialog", 0)
    has(page, ".guest", 1)
    assert "Scheduled" in text(page, ".guest") and "<img src=x" in text(page, ".guest") and page.locator("main img").count() == 0
    console.check(page, "guests-phone")
    page.locator(".guest .danger").click()
    console.check(page, "guests-revoke")
    button(page, "Cancel").click()
    has(page, "dialog", 0)
    assert focused(page).startswith("revoke-")
    page.keyboard.press("Enter")
    page.locator("#confirm").click()
    page.locator(".note", has_text="revoked").wait_for()
    page.locator("h2", has_text="No guests").wait_for()
    assert gateway.request("GET", link[len(gateway.url):])[0] == 404
    page.select_option("#guest-show", "all")
    page.locator(".pill", has_text="Revoked").first.wait_for()
    access = gateway.grant(locks=("Cellar", "Gate")[:1], label="Plumber", maxUses=2)
    each_look(console, "owner", "#/guests", ".guest", "guests")
    gateway.call("DELETE", f"/guest-access/{access}")


def guests_of_tenant(console, gateway):
    """A tenant lets guests in to their own door only, and an account that does not exist is said so."""
    page = console.sign_in("tenant", "#/guests")
    button(page, "Let a guest in").click()
    page.wait_for_selector("dialog .choices[role=group] input")
    assert page.locator(".choices[role=group] input").count() == 1
    page.get_by_label("Their account here").check()
    page.fill("#guest-email", "nobody@example.org")
    button(page, "Let in").click()
    page.locator("dialog .notice.bad", has_text="No account has this email address.").wait_for()
    page.fill("#guest-email", gateway.people["guest"])
    # Without the module the refusal names it, and who can change it.
    subscription = f"/portfolios/{gateway.portfolio}/subscription"
    gateway.call("PUT", subscription, {"modules": {"guestAccess": False}}, gateway.root)
    button(page, "Let in").click()
    page.locator("dialog .notice.bad", has_text="does not include guest access. The owner of the portfolio, or a super admin can change it.").wait_for()
    console.check(page, "guests-without-module")
    gateway.call("PUT", subscription, {"modules": {"guestAccess": True}}, gateway.root)
    button(page, "Let in").click()
    page.locator("dialog .details", has_text="Flat door").wait_for()
    console.check(page, "guests-tenant")
    button(page, "Done").click()
    page.locator(".guest .danger").click()
    page.locator("#confirm").click()
    page.locator(".note", has_text="revoked").wait_for()


def guest_names(console, gateway):
    """A guest with an account has the name that the gateway sends, and a warning about a link is beside its code."""
    access = gateway.grant()
    answer = lambda route, change: route.fulfill(status=200, content_type="application/json", body=json.dumps({"data": change(route.fetch().json()["data"])}))
    guest = {"guest": {"id": gateway.guest, "name": "Gus Example ", "email": gateway.people["guest"]}}
    page = console.sign_in("owner")
    page.route("**/api/v1/guest-access?**", lambda route: answer(route, lambda data: data | {"guestAccesses": [one | guest for one in data["guestAccesses"]]}))
    page.route(f"**/api/v1/guest-access/{access}?**", lambda route: answer(route, lambda data: data | {"guestAccess": data["guestAccess"] | guest}))
    page.route("**/api/v1/guest-access/*/link", lambda route: answer(route, lambda data: {"link": data["link"] | {"warning": "The link names an address of this network only."}}))
    page.goto(gateway.url + "/#/guests")
    page.locator(".guest strong", has_text="Gus Example").wait_for()
    button(page, "Details of Gus Example").click()
    button(page, "Create a link").click()
    page.locator(".link-view .notice.warn", has_text="this network only").wait_for()
    assert page.inner_text("#dialog-title") == "Gus Example"
    console.check(page, "guests-warning")
    gateway.call("DELETE", f"/guest-access/{access}")


def log(console, gateway):
    """The log with filters, pages, a denial that is explained, charts with their tables, and an export."""
    stranger = gateway.sign_in(gateway.people["tenant"])
    status, _, _ = gateway.request("POST", f"/api/v1/devices/{gateway.locks['Flat door']}/unlatch", {"Authorization": f"Bearer {stranger}", "Content-Type": "application/json"}, b"{}")
    assert status == 200
    for _ in range(3):
        gateway.request("POST", f"/api/v1/devices/{gateway.locks['Gate']}/unlock", {"Authorization": f"Bearer {stranger}", "Content-Type": "application/json"}, b"{}")
    for _ in range(30):
        gateway.call("POST", f"/devices/{gateway.locks['Gate']}/lock", {})
    page = console.sign_in("owner", "#/log")
    page.locator(".record").first.wait_for()
    # A page of the API has fifty records, and a command has one row for its request and its outcome.
    before = page.locator(".record").count()
    assert 25 <= before < 50, before
    button(page, "Show earlier records").click()
    page.locator(f".record >> nth={before}").wait_for()
    page.select_option("#log-kind", "DENIAL")
    page.locator(".record-title", has_text="Unlock denied").first.wait_for()
    page.locator(".record-row", has_text="Someone without access").first.click()
    page.locator(".record-facts .denial", has_text="no role or guest access").wait_for()
    page.evaluate("scrollTo(0, 0)")
    console.check(page, "log-denial")
    page.select_option("#log-kind", "COMMAND_OUTCOME")
    page.select_option("#log-outcome", "TIMED_OUT")
    has(page, ".record-title:has-text('denied')", 0)
    page.select_option("#log-kind", "GATEWAY")
    page.select_option("#log-door", label="Gate")
    page.locator("h2", has_text="No records").wait_for()
    console.check(page, "log-empty")
    page.goto(gateway.url + "/#/log?span=1")
    page.locator("summary").click()
    page.locator("details .table", has_text="Confirmed").wait_for()
    console.check(page, "log-table")
    button(page, "Export").click()
    page.wait_for_selector("#export-csv")
    console.check(page, "log-export")
    with page.expect_download() as download:
        button(page, "CSV").click()
    lines = pathlib.Path(download.value.path()).read_text().splitlines()
    assert len(lines) > 30 and "seq" in lines[0], lines[:2]
    page.locator(".note", has_text="saved").wait_for()
    each_look(console, "owner", "#/log", ".record", "log")
    page = console.sign_in("tenant", "#/log")
    page.locator(".record-title").first.wait_for()
    assert page.locator("#export").count() == 0 and "Gate" not in text(page)
    page = console.sign_in("maintenance", "#/log")
    page.locator("main", has_text="None of your roles includes this page").wait_for()
    assert page.locator(".places a", has_text="Log").count() == 0
    console.check(page, "log-refused")


def access_check(console, gateway):
    """Who can open a door, and whether a person can at a time, with the rule or the reason."""
    page = console.sign_in("owner", "#/check")
    page.select_option("#check-door", label="Cellar – Quay 1")
    page.select_option("#check-person", label="Tom Example")
    button(page, "Can this person?").click()
    page.locator(".answer", has_text="no role or guest access").wait_for()
    console.check(page, "check-no")
    # An answer that comes after the question has been changed is not shown beside the new one.
    held = []
    page.route("**/api/v1/authorize", lambda route: held.append(route))
    button(page, "Can this person?").click()
    until(page, lambda: held, "the question has not been asked")
    page.select_option("#check-person", label="Mia Example")
    with page.expect_response("**/api/v1/authorize"):
        held[0].continue_()
    page.unroute("**/api/v1/authorize")
    assert page.locator(".answer").count() == 0, text(page, ".answer")
    page.fill("#check-at", "2030-12-24T18:00")
    button(page, "Can this person?").click()
    page.locator(".answer", has_text="Role Property manager").wait_for()
    assert "By the current rules" in text(page, ".answer")
    page.fill("#check-at", "2020-12-24T18:00")
    page.keyboard.press("Enter")
    page.locator(".notice.bad", has_text="is in the past").wait_for()
    page.fill("#check-at", "")
    button(page, "Who can?").click()
    page.locator(".row", has_text="Max Example").wait_for()
    console.check(page, "check-who")
    page = console.sign_in("tenant", "#/check", PHONE)
    page.wait_for_selector("#check-door")
    assert page.locator("#check-person").count() == 0
    button(page, "Can I?").click()
    page.locator(".answer", has_text="Role Tenant").wait_for()
    console.check(page, "check-phone")
    each_look(console, "owner", "#/check", "#check-door", "check")
    page = console.sign_in("stranger", "#/check", password=PASSWORD + ", the new one")
    page.locator("main", has_text="None of your roles includes this page").wait_for()
    console.clean("check")


def account(console, gateway):
    """Own names, password, recovery codes, sessions; the keys of the keyboard can be switched off."""
    page = console.sign_in("maintenance", "#/account")
    page.fill("#firstName", "Maxine")
    page.locator("form", has_text="Who you are").get_by_role("button", name="Save").click()
    page.locator(".person-name", has_text="Maxine Example").wait_for()
    new = PASSWORD + ", another one"
    for field, value in [("#currentPassword", "wrong"), ("#newPassword", new), ("#repeated", new)]:
        page.fill(field, value)
    button(page, "Change the password").click()
    page.locator(".notice.bad").wait_for()
    console.check(page, "account-refused")
    page.fill("#currentPassword", PASSWORD)
    other = console.sign_in("maintenance")
    button(page, "Change the password").click()
    page.locator(".notice.ok", has_text="The password is changed.").wait_for()
    has(page, ".rows .row", 1)
    # The other session has ended: its page says so as soon as it asks for anything.
    button(other, "Read again").click()
    other.locator(".notice", has_text="The session has ended. Sign in again.").wait_for()
    page.fill("#codesPassword", PASSWORD)
    button(page, "Create recovery codes").click()
    page.locator(".notice.bad", has_text="The current password is wrong.").wait_for()
    page.fill("#codesPassword", new)
    button(page, "Create recovery codes").click()
    has(page, ".codes li", 8)
    console.check(page, "account-codes")
    button(page, "I have written them down").click()
    has(page, ".codes li", 0)
    page.get_by_label("Single-letter keys").uncheck()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("d")
    assert page.url.endswith("#/account")
    page.get_by_label("Single-letter keys").check()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_selector(".card")
    assert page.url.endswith("#/doors")
    each_look(console, "owner", "#/account", "#firstName", "account")


# --- Live ---------------------------------------------------------------------------------------------------------------


def live(console, gateway):
    """Changes of the stream appear in place: the focus stays, and many changes are one announcement."""
    stream = ScriptedStream(gateway)
    try:
        page = console.sign_in("owner", url=stream.url)
        page.locator(".badge.live", has_text="Live").wait_for()
        has(page, ".card", 6)
        wish = stream.opened[0]
        # The accesses that end soon are asked for after the doors, on the same stream or on one that is opened anew.
        assert {need["type"] for need in wish["names"].values()} - {"guestAccess"} == {"permissions", "device"} and wish["token"].startswith("Bearer ")
        asked = lambda: [*(name for one in stream.opened for name in one["names"]), *(name for _, name in stream.changes)]
        until(page, lambda: any(name.startswith("guestAccess") for name in asked()))
        until(page, lambda: len(stream.streams) == 1)
        page.locator(".badge.live", has_text="Live").wait_for()
        assert all(len(name) <= 64 for name in wish["names"])
        door = gateway.call("GET", f"/devices/{gateway.locks['Cellar']}")["device"]
        page.locator(f"#UNLOCK-{door['id']}").focus()
        page.evaluate("""() => {
            window.spoken = []; window.changed = null;
            new MutationObserver(() => window.spoken.push(document.getElementById('announce').textContent)).observe(document.getElementById('announce'), {childList: true, characterData: true, subtree: true});
        }""")
        places = page.evaluate("[...document.querySelectorAll('.card')].map(one => { const {x, y, width, height} = one.getBoundingClientRect(); return [x, y, width, height] })")
        begin = time.monotonic()
        for device in gateway.call("GET", "/devices")["devices"]:
            for state in ["UNLOCKING", "UNLOCKED"]:
                changed = device | {"state": state, "batteryLow": False}
                stream.push("change", {"names": ["device"], "type": "device", "object": changed})
        has(page, ".tile.warn", 6)
        print(f"        twelve changes of six doors after {1000 * (time.monotonic() - begin):.0f} ms", flush=True)
        assert focused(page) == f"UNLOCK-{door['id']}", "the focus has moved"
        assert page.evaluate("[...document.querySelectorAll('.card')].map(one => { const {x, y, width, height} = one.getBoundingClientRect(); return [x, y, width, height] })") == places, "something has moved"
        page.wait_for_timeout(700)
        spoken = page.evaluate("window.spoken")
        assert 1 <= len(spoken) <= 3 and any("12 changes" in one or "changes. Last" in one for one in spoken), spoken
        console.check(page, "live")
        stream.push("removed", {"names": ["device"], "type": "device", "id": door["id"]})
        has(page, ".card", 5)
        assert focused(page) == "H1", "the focus of a door that is gone goes to the heading"
        # A right that is lost takes its buttons away.
        stream.push("change", {"names": ["permissions"], "type": "permissions", "object": {"rules": [], "packedRules": [], "etag": '"x"', "nextChangeAt": None}})
        has(page, ".card button", 0)
        has(page, ".places a", 1)
        console.check(page, "live-without-rights")
    finally:
        stream.close()


def live_recovers(console, gateway):
    """A stream that breaks is said to be stale, and is opened again with the same names and the last position."""
    stream = ScriptedStream(gateway)
    try:
        page = console.sign_in("owner", url=stream.url)
        page.locator(".badge.live").wait_for()
        stream.refusals = [503, 503]
        stream.end_streams()
        page.locator(".badge.stale", has_text="Stale since").wait_for()
        console.check(page, "live-stale")
        page.locator(".badge.live").wait_for(timeout=20_000)
        first, last = stream.opened[0], stream.opened[-1]
        # The accesses that end soon are asked for after the doors.
        assert first["names"].items() <= last["names"].items() and first["lastId"] is None and last["lastId"].startswith("e1-"), stream.opened
        # A name that is reset is caught up with before it is live again.
        stream.push("reset", {"name": "device"})
        page.locator(".badge.catching-up", has_text="Catching up").wait_for()
        stream.push("ready", {"name": "device"})
        page.locator(".badge.live").wait_for()
        # A name that is refused leaves the others as they are.
        stream.push("reset", {"name": "device"})
        page.locator(".badge.catching-up").wait_for()
        stream.push("refused", {"name": "device", "code": "unavailable", "details": {}})
        page.locator(".badge.live").wait_for()
        rules = gateway.call("GET", "/users/me/permissions")["rules"]
        stream.push("change", {"names": ["permissions"], "type": "permissions", "object": {"rules": [], "packedRules": [], "etag": '"x"', "nextChangeAt": None}})
        has(page, ".places a", 1)
        stream.push("change", {"names": ["permissions"], "type": "permissions", "object": {"rules": rules, "packedRules": [], "etag": '"y"', "nextChangeAt": None}})
        has(page, ".card", 6)
        # The access token is renewed before the stream is opened again.
        before = len(stream.opened)
        stream.refusals = [401]
        stream.end_streams()
        until(page, lambda: len(stream.opened) == before + 2)
        page.locator(".badge.live").wait_for()
        assert stream.opened[-1]["token"] != stream.opened[-2]["token"]
        # Another page has other names: the open stream is changed.
        page.locator(".places a", has_text="Guests").click()
        page.wait_for_url("**/#/guests")
        until(page, lambda: {("DELETE", "device"), ("PUT", "guestAccess")} <= set(stream.changes))
        # Nothing is asked for that this page does not show.
        names = set(stream.opened[-1]["names"])
        for method, name in stream.changes:
            names = names | {name} if method == "PUT" else names - {name}
        assert names == {"permissions", "guestAccess"}, names
        page.goto(stream.url + "/#/account")
        button(page, "Sign out").click()
        page.wait_for_selector("#email")
        # The proxy notices the end when it writes.
        until(page, lambda: stream.push("position", {"at": "2026-11-25T12:00:00.000Z"}) or not stream.streams)
        console.clean("live recovers")
    finally:
        stream.close()


def seven_tabs(console, gateway):
    """Seven tabs share one connection; when the tab that holds it closes, another one takes over."""
    stream = ScriptedStream(gateway)
    try:
        context = console.context()
        tabs = [console.sign_in("owner", url=stream.url, context=context)]
        tabs[0].locator(".badge.live").wait_for()
        for _ in range(6):
            page = console.page(context, stream.url)
            page.goto(stream.url + "/")
            page.wait_for_selector(".card")
            page.locator(".badge.live").wait_for()
            tabs.append(page)
        assert len(stream.opened) == 1, stream.opened
        device = gateway.call("GET", f"/devices/{gateway.locks['Gate']}")["device"]
        push = lambda state: stream.push("change", {"names": ["device"], "type": "device", "object": device | {"state": state}})
        push("JAMMED")
        for page in tabs:
            has(page, ".tile.bad", 1)
        tabs[0].close()
        until(tabs[1], lambda: len(stream.opened) > 1 and stream.streams)
        assert len(stream.opened) == 2
        tabs[1].wait_for_timeout(300)
        push("LOCKED")
        for page in tabs[1:]:
            has(page, ".tile.bad", 0)
        console.clean("seven tabs")
    finally:
        stream.close()


# --- The whole ----------------------------------------------------------------------------------------------------------


def weight(console, gateway):
    """Prints what the first load takes. It comes from the gateway alone, and the files are cached for ever."""
    page = console.sign_in("owner")
    page.wait_for_selector(".card")
    context = console.context()
    context.add_cookies(page.context.cookies())
    page.context.close()
    page = console.page(context)
    responses = []
    page.on("response", lambda response: response.url.startswith("data:") or responses.append(response))
    page.goto(gateway.url + "/")
    page.wait_for_selector(".card")
    size = lambda body: len(gzip.compress(body, 6))
    bodies = [response.body() for response in responses if response.status == 200 and "/stream" not in response.url]
    total, plain = sum(map(size, bodies)), sum(map(len, bodies))
    print(f"        first load: {len(responses)} requests, {total / 1000:.1f} kB gzip, {plain / 1000:.1f} kB as sent", flush=True)
    assert total < 120_000 and len(responses) <= 20
    for response in responses:
        if "/console/" in response.url and not FILES:
            assert "immutable" in response.headers["cache-control"], response.url
    status, _, _ = gateway.request("GET", "/console/0000000000000000/app.js")
    assert status == 404
    console.clean("weight")


# Each half runs with a gateway of its own, so that two processes can share the work.
HALVES = {
    "first": [
        sign_in, first_visit, sign_out, recovery_code, two_people, doors, blocks, permissions, keyboard, unlock, failures, lockdown, property_lockdown, guest_window, lost_right, late_permissions,
        unknown_door, settings, away, guests, guests_of_tenant, guest_names, *GUESTS, *DOOR, log, *PEOPLE[::2], access_check, account, live, live_recovers, seven_tabs, weight,
    ],
    "second": [*MANAGEMENT, *PEOPLE[1::2], *PLACES, *RIGHTS, *PICKER, *INTERACTIONS],
}


if __name__ == "__main__":
    for half in sys.argv[4:]:
        if half in HALVES:
            sys.argv[4:] = [test.__name__ for test in HALVES[half]]
    run([test for half in HALVES.values() for test in half], Building, Console)
