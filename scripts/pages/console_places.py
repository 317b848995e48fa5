"""A door that is tested, moved, replaced and detached; properties, units and portfolios that are changed; and what is to be done."""
import datetime, json

from console_driver import PHONE, button, each_look, focused, has, look, text
from console_interactions import Keyboard, Touch
from scripted_stream import ScriptedStream
from test_pages import PASSWORD

BERLIN_HOURS = {"periods": [{"days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "from": "09:00", "until": "17:00"}]}


def new_door(gateway, name, **more):
    gateway.locks[name] = gateway.create("/devices", {"name": name, "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": gateway.property} | more)
    return gateway.locks[name]


def ago(**more):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**more)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def commands(gateway, door):
    return [one["operation"] for one in reversed(gateway.call("GET", f"/commands?deviceId={door}&limit=50")["commands"])]


def open_settings(page, name):
    page.locator("h1", has_text=name).wait_for()
    page.get_by_role("tab", name="Settings").click()
    page.wait_for_selector("#name")


# --- A door -------------------------------------------------------------------------------------------------------------


def door_test(console, gateway):
    """The test asks first, then unlocks and locks, and says what was confirmed in how many seconds; by keyboard and by touch."""
    door = new_door(gateway, "Lab")
    for hand_type in [Keyboard, Touch]:
        page = console.sign_in("owner", f"#/doors/{door}", hand_type.size)
        hand = hand_type(page)
        before = len(commands(gateway, door))
        hand.press(button(page, "Test"))
        page.wait_for_selector("dialog #start-test")
        console.check(page, f"door-test-asks-{hand_type.__name__.lower()}")
        hand.press(button(page.locator("dialog"), "Cancel"))
        has(page, "dialog", 0)
        assert len(commands(gateway, door)) == before and focused(page) == "test"
        hand.press(button(page, "Test"))
        hand.press(button(page.locator("dialog"), "Unlock and lock again"))
        page.locator(".test.ok", has_text="The door works").wait_for()
        shown = text(page, ".test")
        for part in ["Unlock: Unlocked. The lock confirmed it in ", "Lock: Locked. The lock confirmed it in ", " s."]:
            assert part in shown, (part, shown)
        assert commands(gateway, door)[before:] == ["UNLOCK", "LOCK"]
        console.check(page, f"door-test-done-{hand_type.__name__.lower()}")
        hand.press(button(page, "Close"))
        has(page, ".test", 0)
        button(page, "Test").wait_for()
        page.context.close()
    # Only those who may do both have it; one that is not possible now says why.
    page = console.sign_in("auditor", f"#/doors/{door}")
    page.locator("h1", has_text="Lab").wait_for()
    page.locator(".record").first.wait_for()
    assert button(page, "Test").count() == 0
    gateway.call("POST", f"/properties/{gateway.property}/lockdown", {})
    try:
        page = console.sign_in("manager", f"#/doors/{door}")
        page.wait_for_selector("#test[aria-disabled=true]")
        button(page, "Test").click(force=True)
        page.locator(".why", has_text="locked down").wait_for()
        has(page, "dialog", 0)
    finally:
        gateway.call("DELETE", f"/properties/{gateway.property}/lockdown")
    gateway.call("DELETE", f"/devices/{door}")
    console.clean("door test")


def door_test_fails(console, gateway):
    """What is not confirmed stops the test: the lock command is offered, and never sent by itself; without a connection it says what is not known."""
    door = new_door(gateway, "Lab")
    page = console.sign_in("owner", f"#/doors/{door}", PHONE)

    def begin():
        button(page, "Test").click()
        page.locator("#start-test").click()

    gateway.trigger("Lab", "lose_confirmations")
    begin()
    page.locator(".test.bad", has_text="did not confirm in time").wait_for()
    page.locator(".test", has_text="nothing more was sent").wait_for()
    assert commands(gateway, door) == ["UNLOCK"]
    console.check(page, "door-test-unconfirmed")
    button(page, "Close").click()
    gateway.trigger("Lab", "clear")
    gateway.trigger("Lab", "jam")
    begin()
    page.locator(".test.bad", has_text="reports a jam").wait_for()
    assert commands(gateway, door) == ["UNLOCK", "UNLOCK"]
    gateway.trigger("Lab", "clear")
    page.locator("#test-lock").click()
    page.locator(".test", has_text="The door is locked. Unlocking was not confirmed.").wait_for()
    assert commands(gateway, door) == ["UNLOCK", "UNLOCK", "LOCK"]
    button(page, "Close").click()
    # The connection breaks before the unlock is answered; asking again carries it out once, and the lock is only offered.
    page.route("**/unlock", lambda route: (route.fetch(), route.abort()), times=1)
    begin()
    page.locator(".test.bad", has_text="It is not known whether the command to unlock was sent").wait_for()
    page.locator(".test", has_text="It is not known how the door is").wait_for()
    console.check(page, "door-test-away")
    page.locator("#test-again").click()
    page.locator(".test", has_text="The door is unlocked.").wait_for()
    assert commands(gateway, door)[3:] == ["UNLOCK"]
    page.locator("#test-lock").click()
    page.locator(".test.ok", has_text="The door works").wait_for()
    assert commands(gateway, door)[3:] == ["UNLOCK", "LOCK"]
    gateway.call("DELETE", f"/devices/{door}")
    console.clean("door test fails")


def door_moves(console, gateway):
    """Before a door is moved, what ends with it is shown; what others have moved meanwhile is told; history stays."""
    door = new_door(gateway, "Gym")
    gateway.call("PUT", f"/units/{gateway.flat}", {"commonAreaAccessIds": [door]})
    alone = gateway.grant(label="Trainer", locks=("Gym",), guestUserId=None)
    other = gateway.grant(label="Cleaner", locks=("Gym", "Cellar"), guestUserId=None)
    page = console.sign_in("owner", f"#/doors/{door}", PHONE)
    open_settings(page, "Gym")
    button(page, "Move").click()
    page.wait_for_selector("#move-property")
    page.select_option("#move-property", label="Yard 7")
    page.locator("dialog .effects", has_text="1 guest access to this door only, revoked: Trainer.").wait_for()
    shown = text(page, "dialog .effects")
    assert "1 guest access to other doors, too, without this one: Cleaner." in shown and "shared door by Flat 1A" in shown, shown
    console.check(page, "door-move")
    gateway.call("PUT", f"/devices/{door}", {"name": "Gym hall"})
    button(page.locator("dialog"), "Move").click()
    page.locator("dialog .notice", has_text="There is a newer version.").wait_for()
    assert page.locator("#move-property").evaluate("one => one.selectedOptions[0].text") == "Yard 7"
    button(page.locator("dialog"), "Move again").click()
    page.locator(".note", has_text="Gym hall is moved: Yard 7.").wait_for()
    page.locator(".subtitle", has_text="Yard 7").wait_for()
    read = lambda access: gateway.call("GET", f"/guest-access/{access}")["guestAccess"]
    assert read(alone)["revokedAt"] and read(other)["deviceIds"] == [gateway.locks["Cellar"]] and read(other)["revokedAt"] is None
    assert gateway.call("GET", f"/units/{gateway.flat}")["unit"]["commonAreaAccessIds"] == []
    # A manager moves within the own property only; maintenance not at all.
    gateway.call("PUT", f"/devices/{door}", {"propertyId": gateway.property})
    page = console.sign_in("manager", f"#/doors/{door}")
    open_settings(page, "Gym hall")
    button(page, "Move").click()
    page.wait_for_selector("#move-unit")
    assert page.locator("#move-property option").all_inner_texts() == ["Quay 1"]
    page.select_option("#move-unit", label="Flat 1A")
    page.locator("dialog .effects", has_text="Nothing ends with it.").wait_for()
    button(page.locator("dialog"), "Move").click()
    page.locator(".subtitle", has_text="Quay 1 › Flat 1A").wait_for()
    page = console.sign_in("maintenance", f"#/doors/{door}")
    page.locator("h1", has_text="Gym hall").wait_for()
    assert page.get_by_role("tab", name="Settings").count() == 0
    gateway.call("DELETE", f"/devices/{door}")
    gateway.call("DELETE", f"/guest-access/{other}")
    console.clean("door moves")


def door_replaced_and_detached(console, gateway):
    """Another lock behind a door, by its typed name, keeps the history; a code is stored and never shown; the door is detached after a preview."""
    door = new_door(gateway, "Shed")
    gateway.call("POST", f"/devices/{door}/unlock", {})
    page = console.sign_in("owner", f"#/doors/{door}", PHONE)
    open_settings(page, "Shed")
    page.fill("#code", "secret 1234")
    button(page, "Store the code").click()
    page.locator(".notice.ok", has_text="The code is stored.").wait_for()
    assert page.input_value("#code") == "" and "secret 1234" not in page.content()
    page.locator("#remove-code").scroll_into_view_if_needed()
    console.check(page, "door-code")
    assert gateway.call("GET", f"/devices/{door}")["device"]["settings"]["hasCode"]
    found = {
        "id": "found-1", "name": "New bolt", "manufacturer": "Example", "model": "Bolt 4", "adapter": "simulator", "address": {"latencyMs": 1}, "capabilities": None,
        "problem": None, "firstSeenAt": "2026-11-25T08:00:00.000Z", "lastSeenAt": "2026-11-25T08:10:00.000Z"}
    answer = {"data": {"discoveredDevices": [found], "pagination": {"totalItems": 1, "totalPages": 1, "currentPage": 1, "pageSize": 200}}}
    page.route("**/api/v1/devices/discovered**", lambda route: route.fulfill(status=200, content_type="application/json", body=json.dumps(answer)))
    button(page, "Replace the lock").click()
    page.select_option("#replace-found", label="New bolt, Example Bolt 4")
    assert page.locator("dialog [id='replace-address.latencyMs']").input_value() == "1" and page.input_value("#replace-model") == "Bolt 4"
    button(page.locator("dialog"), "Replace the lock").click()
    page.locator("dialog .error", has_text="This is not the name.").wait_for()
    console.check(page, "door-replace")
    page.locator("dialog [id='replace-address.latencyMs']").fill("many")
    page.fill("#replace-typed", "Shed")
    button(page.locator("dialog"), "Replace the lock").click()
    page.locator("dialog .notice.bad", has_text="latencyMs").wait_for()
    page.locator("dialog [id='replace-address.latencyMs']").fill("2")
    button(page.locator("dialog"), "Replace the lock").click()
    page.locator(".note", has_text="Shed has another lock.").wait_for()
    now = gateway.call("GET", f"/devices/{door}")["device"]
    assert (now["address"], now["model"], now["settings"]["hasCode"]) == ({"latencyMs": 2}, "Bolt 4", False), now
    page.get_by_role("tab", name="History").click()
    page.locator(".record", has_text="Unlocked").first.wait_for()
    access = gateway.grant(label="Gardener", locks=("Shed",), guestUserId=None)
    page.get_by_role("tab", name="Settings").click()
    button(page, "Detach").click()
    page.locator("dialog .effects", has_text="Shed (door)").wait_for()
    assert "1 guest access" in text(page, "dialog .effects")
    console.check(page, "door-detach")
    page.keyboard.press("Escape")
    has(page, "dialog", 0)
    button(page, "Detach").click()
    page.locator("dialog #confirm").click()
    page.locator(".note", has_text="Shed is detached.").wait_for()
    assert gateway.call("GET", f"/guest-access/{access}")["guestAccess"]["revokedAt"]
    each_look(console, "owner", f"#/doors/{gateway.locks['Cellar']}", "#test", "door-tested")
    console.clean("door replaced and detached")


# --- Places -------------------------------------------------------------------------------------------------------------


def property_changes(console, gateway):
    """All fields of a property, and its people; what others have changed meanwhile is told, and what was typed is kept."""
    page = console.sign_in("owner", "#/portfolios")
    button(page, "Add a property").click()
    for field, value in [("name", "Mill 3"), ("street", "Mill Lane 3"), ("postalCode", "10115"), ("city", "Berlin"), ("country", "Germany")]:
        page.fill(f"#new-{field}", value)
    page.select_option("#new-zone", "Europe/Berlin")
    button(page.locator("dialog"), "Create").click()
    page.locator("a.row", has_text="Mill 3").click()
    page.locator(".subtitle", has_text="Mill Lane 3, 10115 Berlin, Germany").wait_for()
    mill = page.url.rsplit("/", 1)[1]
    page.context.close()
    page = console.sign_in("owner", f"#/properties/{mill}", PHONE)
    button(page, "Change").click()
    page.wait_for_selector("#property-name")
    page.fill("#property-city", "Potsdam")
    page.fill("#property-name", "<b>Mill</b> 3")
    console.check(page, "property-change")
    gateway.call("PUT", f"/properties/{mill}", {"name": "Old mill", "address": {"street": "Mill Lane 4", "city": "Berlin"}})
    button(page.locator("dialog"), "Save").click()
    page.locator("dialog .differences", has_text="It was: Mill 3. It is now: Old mill. You typed: <b>Mill</b> 3.").wait_for()
    assert "It was: Mill Lane 3. It is now: Mill Lane 4." in text(page, "dialog .differences")
    assert page.input_value("#property-city") == "Potsdam" and page.input_value("#property-street") == "Mill Lane 4"
    console.check(page, "property-meanwhile")
    button(page.locator("dialog"), "Save again").click()
    page.locator("h1", has_text="<b>Mill</b> 3").wait_for()
    now = gateway.call("GET", f"/properties/{mill}")["property"]
    assert (now["name"], now["address"]["street"], now["address"]["city"]) == ("<b>Mill</b> 3", "Mill Lane 4", "Potsdam"), now
    # The gateway is away: what was typed is kept, and sent again only when it is saved again.
    button(page, "Change").click()
    page.wait_for_selector("#property-name")
    page.fill("#property-name", "Mill 3")
    page.route(f"**/api/v1/properties/{mill}", lambda route: route.abort() if route.request.method == "PUT" else route.fallback(), times=1)
    button(page.locator("dialog"), "Save").click()
    page.locator("dialog .notice.bad", has_text="What you have typed is kept").wait_for()
    button(page.locator("dialog"), "Save again").click()
    page.locator("h1", has_text="Mill 3").wait_for()
    gateway.call("POST", f"/properties/{mill}/managers", {"userId": gateway.manager, "role": "PROPERTY_MANAGER"})
    page.reload()
    page.locator(".row", has_text="Mia Example").wait_for()
    page.get_by_role("button", name="Remove Mia Example").click()
    page.locator("dialog .effects", has_text="1 role").wait_for()
    page.locator("dialog #confirm").click()
    page.locator(".note", has_text="Mia Example is removed").wait_for()
    button(page, "Delete").click()
    page.fill("#removal-name", "Mill 3")
    page.locator("dialog #confirm").click()
    page.locator(".note", has_text="Mill 3 is deleted").wait_for()
    page = console.sign_in("maintenance", f"#/properties/{gateway.property}")
    page.locator("h1", has_text="Quay 1").wait_for()
    assert button(page, "Change").count() == 0 and button(page, "Delete").count() == 0 and page.locator("h2", has_text="Managers").count() == 0
    console.clean("property changes")


def zone_changes(console, gateway):
    """A change of the time zone shows which guest accesses move, with both instants, before it is saved; the gateway then does what was shown."""
    place = gateway.create("/properties", {"name": "Harbour", "portfolioId": gateway.portfolio, "defaultTimeZone": "Europe/Berlin"})
    new_door(gateway, "Quay door", propertyId=place)
    # From midnight on, in a winter to come, so that the next opening is a whole one at any time of the day and of the year.
    year = datetime.date.today().year + 1
    window = {"validFrom": f"{year}-01-04T00:00:00+01:00", "validUntil": f"{year}-02-01T00:00:00+01:00"}
    grant = lambda label, **more: gateway.grant(label=label, locks=("Quay door",), guestUserId=None, **window, **more)
    moved = grant("Porter", schedule=BERLIN_HOURS)
    grant("Own clock", schedule=BERLIN_HOURS | {"timeZone": "Europe/Rome"})
    grant("No hours")
    page = console.sign_in("owner", f"#/properties/{place}", PHONE)
    button(page, "Change").click()
    page.wait_for_selector("#property-zone")
    page.select_option("#property-zone", "America/New_York")
    page.locator("#zone-effects", has_text="1 guest access").wait_for()
    shown = text(page, "#zone-effects")
    assert "Porter" in shown and "No hours" not in shown and "2 other accesses" in shown and "do not move" in shown, shown
    assert "09:00 CET (08:00 UTC) until" in shown and "09:00 GMT-5 (14:00 UTC) until" in shown, shown
    page.locator("#zone-effects .row").scroll_into_view_if_needed()
    console.check(page, "property-zone")
    interval = lambda: gateway.call("GET", f"/guest-access/{moved}?preview=1")["intervals"][0]
    assert interval()["from"].endswith("T08:00:00.000Z"), interval()
    button(page.locator("dialog"), "Save").click()
    page.locator(".subtitle", has_text="America/New_York").wait_for()
    assert interval()["from"].endswith("T14:00:00.000Z"), interval()
    # Without a zone, hours without a zone are open at no time.
    button(page, "Change").click()
    page.wait_for_selector("#property-zone")
    page.select_option("#property-zone", "")
    page.locator("#zone-effects", has_text="are open at no time").wait_for()
    page.select_option("#property-zone", "America/New_York")
    has(page, "#zone-effects", 0)
    # What it changes is read first: a zone is not saved unseen.
    page.route("**/api/v1/guest-access?**", lambda route: route.abort())
    page.select_option("#property-zone", "Europe/London")
    page.locator("dialog .notice.bad", has_text="could not be read").wait_for()
    button(page.locator("dialog"), "Save").click()
    page.locator("dialog .notice.bad", has_text="See first what the time zone changes").wait_for()
    assert gateway.call("GET", f"/properties/{place}")["property"]["defaultTimeZone"] == "America/New_York"
    page.context.close()
    gateway.call("DELETE", f"/properties/{place}?cascade=true")
    console.errors.clear()
    console.clean("zone changes")


def unit_and_portfolio_change(console, gateway):
    """The shared doors of a unit and the names of units and portfolios are changed over nothing that others have changed."""
    page = console.sign_in("owner", f"#/units/{gateway.flat}", PHONE)
    button(page, "Change").click()
    page.wait_for_selector("#unit-name")
    page.get_by_label("Cellar", exact=True).check()
    console.check(page, "unit-change")
    gateway.call("PUT", f"/units/{gateway.flat}", {"name": "Flat 1B"})
    button(page.locator("dialog"), "Save").click()
    page.locator("dialog .differences", has_text="It was: Flat 1A. It is now: Flat 1B.").wait_for()
    assert page.get_by_label("Cellar", exact=True).is_checked() and page.input_value("#unit-name") == "Flat 1B"
    button(page.locator("dialog"), "Save again").click()
    page.locator("h1", has_text="Flat 1B").wait_for()
    has(page, "dialog", 0)
    assert gateway.call("GET", f"/units/{gateway.flat}")["unit"]["commonAreaAccessIds"] == [gateway.locks["Cellar"]]
    gateway.call("PUT", f"/units/{gateway.flat}", {"name": "Flat 1A", "commonAreaAccessIds": []})
    page = console.sign_in("owner", "#/portfolios", PHONE)
    button(page, "Rename").click()
    page.fill("#portfolio-name", "Homes")
    gateway.call("PUT", f"/portfolios/{gateway.portfolio}", {"name": "Houses, too"})
    page.keyboard.press("Enter")
    page.locator("dialog .differences", has_text="It was: Houses. It is now: Houses, too. You typed: Homes.").wait_for()
    console.check(page, "portfolio-meanwhile")
    button(page.locator("dialog"), "Save again").click()
    page.locator("h1", has_text="Homes").wait_for()
    gateway.call("PUT", f"/portfolios/{gateway.portfolio}", {"name": "Houses"})
    page = console.sign_in("admin", "#/portfolios")
    button(page, "Rename").wait_for()
    assert button(page, "Delete").count() == 0
    console.clean("unit and portfolio change")


def to_do(console, gateway):
    """What is to be done is counted live, each with its list; only of what the person may see."""
    console.has_stream = True
    try:
        page = console.sign_in("owner", size=PHONE)
    finally:
        console.has_stream = False
    page.locator(".badge.live").wait_for()
    page.wait_for_selector(".card")
    access = gateway.grant(label="Soon", ends=86_400, guestUserId=None)
    later = gateway.grant(label="Later", ends=30 * 86_400, guestUserId=None)
    page.locator("#todo-ending", has_text="1 access ends this week").wait_for()
    Keyboard(page).press(page.locator("#todo-ending"))
    page.locator(".guest", has_text="Soon").wait_for()
    assert page.input_value("#guest-show") == "ending" and page.locator(".guest").count() == 1
    console.check(page, "guests-ending")
    page.go_back()
    page.locator("#todo-ending").wait_for()
    gateway.call("DELETE", f"/guest-access/{access}")
    has(page, "#todo-ending", 0)
    gateway.call("DELETE", f"/guest-access/{later}")
    page.context.close()
    stream = ScriptedStream(gateway)
    try:
        page = console.sign_in("owner", url=stream.url, size=PHONE)
        page.locator(".badge.live").wait_for()
        gate = gateway.call("GET", f"/devices/{gateway.locks['Gate']}")["device"]
        push = lambda device, **more: stream.push("change", {"names": ["device"], "type": "device", "object": device | more})
        push(gate, state="UNLOCKED", stateAt=ago(minutes=59), batteryLow=True, batteryLevel=7)
        page.locator("#todo-battery", has_text="1 door with a low battery").wait_for()
        assert page.locator("#todo-open-long").count() == 0
        push(gate, state="UNLOCKED", stateAt=ago(hours=2))
        page.locator("#todo-open-long", has_text="1 door unlocked for an hour").wait_for()
        has(page, "#todo-battery", 0)
        cellar = gateway.call("GET", f"/devices/{gateway.locks['Cellar']}")["device"]
        push(cellar, state="JAMMED", isOnline=False, lastSeen=ago(hours=3))
        page.locator("#todo-offline-long", has_text="1 door offline for an hour").wait_for()
        page.locator("#todo-jammed", has_text="1 door jammed").wait_for()
        console.check(page, "doors-to-do")
        for width, scheme in [(1280, "dark"), (768, "light"), (320, "dark")]:
            look(page, width, scheme)
            console.check(page, f"doors-to-do-{width}-{scheme}")
        look(page, 320, "light")
        Touch(page).press(page.locator("#todo-offline-long"))
        has(page, ".card", 1)
        assert "show=offline-long" in page.url and "Cellar" in text(page, ".card")
        console.check(page, "doors-to-do-filtered")
        push(cellar)
        page.locator("h2", has_text="No door matches").wait_for()
        Keyboard(page).press(page.locator("#todo-open-long"))
        has(page, ".card", 1)
        assert "Gate" in text(page, ".card")
        page.context.close()
    finally:
        stream.close()
    # What a person may not see is not asked for, and does not count.
    asked = []
    page = console.page(console.context())
    page.on("request", lambda request: asked.append(request.url))
    page.goto(gateway.url + "/#/doors?show=battery")
    page.fill("#email", gateway.people["maintenance"])
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.locator("#show-battery").wait_for()
    assert not any("/guest-access" in one for one in asked), asked
    console.clean("to do")


DOOR = [door_test, door_test_fails, door_moves, door_replaced_and_detached]
PLACES = [property_changes, zone_changes, unit_and_portfolio_change, to_do]
