"""The twelve interactions of the console with a mouse, with the keyboard alone, and by touch on a phone of 320 pixels."""

from playwright.sync_api import expect

from console_driver import PHONE, WIDE, button, has, text


class Mouse:
    size = WIDE

    def __init__(self, page):
        self.page = page

    def press(self, one, force=False):
        """A button that is shown as not available is pressed by force: the driver would wait until it is."""
        one.click(force=force)

    def reach(self, one):
        one.click()

    def fill(self, selector, value):
        self.reach(self.page.locator(selector))
        self.page.locator(selector).fill(value)

    def choose(self, selector, label):
        """The list of a select belongs to the system, so it is not driven."""
        option = self.page.locator(f"{selector} option", has_text=label)
        option.first.wait_for(state="attached")
        self.page.select_option(selector, label=option.first.inner_text())


class Touch(Mouse):
    size = PHONE

    def press(self, one, force=False):
        one.tap(force=force)

    def reach(self, one):
        one.tap()


class Keyboard(Mouse):
    """Goes from field to field with Tab, as the elements follow each other, and never moves the focus otherwise."""

    def reach(self, one):
        one.wait_for()
        for _ in range(400):
            if one.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {one}")

    def press(self, one, force=False):
        """Keys reach a button at work, too, which ignores them: unless by force, the button is waited for, as the driver's click does."""
        self.reach(one)
        if not force:
            expect(one).to_be_enabled(timeout=30_000)
        is_choice = one.evaluate("one => one.matches('input[type=checkbox], input[type=radio]')")
        self.page.keyboard.press("Space" if is_choice else "Enter")

    def fill(self, selector, value):
        one = self.page.locator(selector)
        self.reach(one)
        # A field of a date has parts of its own, whose order is the system's.
        if one.get_attribute("type") == "datetime-local":
            one.fill(value)
        else:
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(value)

    def choose(self, selector, label):
        option = self.page.locator(f"{selector} option", has_text=label)
        option.first.wait_for(state="attached")
        self.reach(self.page.locator(selector))
        text = option.first.inner_text()
        for key in ["ArrowUp"] * 12 + ["ArrowDown"] * 12:
            if self.page.locator(selector).evaluate("one => one.selectedOptions[0]?.text") == text:
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"The keys do not reach {label}")


def page_of(console, hand_type, path=""):
    page = console.sign_in("owner", path, hand_type.size)
    return page, hand_type(page)


def doors_and_why(console, gateway, hand_type):
    """1 to 4: a door is found, unlocked and locked again; the property is changed; a button and a record say why."""
    page, hand = page_of(console, hand_type)
    hand.fill("#search", "Cellar")
    has(page, ".card", 1)
    hand.press(page.locator("#show-locked"))
    has(page, ".card", 1)
    hand.press(page.get_by_role("link", name="Cellar", exact=True))
    page.wait_for_selector(".hero")
    hand.press(button(page, "Unlock"))
    page.locator(".progress-panel.ok", has_text="Unlocked. The lock confirmed it.").wait_for()
    hand.press(button(page, "Lock again"))
    page.locator(".progress-panel.ok", has_text="Locked. The lock confirmed it.").wait_for()
    hand.press(page.locator(".places a", has_text="Doors"))
    has(page, ".card", 6)
    hand.choose("#property", "Yard 7")
    has(page, ".card", 2)
    hand.choose("#property", "Quay 1")
    has(page, ".card", 4)
    hand.press(page.get_by_role("link", name="Quay 1", exact=True))
    page.locator("h1", has_text="Quay 1").wait_for()
    hand.press(page.locator("a.row", has_text="Flat 1A"))
    page.locator("h1", has_text="Flat 1A").wait_for()
    gateway.call("POST", f"/properties/{gateway.property}/lockdown", {"reason": "a drill"})
    try:
        hand.press(page.locator(".places a", has_text="Doors"))
        card = page.locator(".card", has_text="Cellar")
        card.locator("[aria-disabled=true]").first.wait_for()
        hand.press(card.get_by_role("button", name="Unlock Cellar"), force=True)
        page.locator(".card .why", has_text="locked down").wait_for()
        tenant = gateway.sign_in(gateway.people["tenant"])
        gateway.request("POST", f"/api/v1/devices/{gateway.locks['Flat door']}/unlock", {"Authorization": f"Bearer {tenant}", "Content-Type": "application/json"}, b"{}")
        hand.press(page.locator(".places a", has_text="Log"))
        row = page.locator(".record-row", has_text="Unlock denied").first
        hand.press(row)
        page.locator(".record-facts .denial", has_text="locked down").wait_for()
    finally:
        gateway.call("DELETE", f"/properties/{gateway.property}/lockdown")
    page.context.close()


def questions_and_log(console, gateway, hand_type):
    """5, 6 and 10: who can open a door at a time, and whether a person can; the log is filtered, opened and exported."""
    page, hand = page_of(console, hand_type, "#/check")
    hand.choose("#check-door", "Cellar")
    hand.press(button(page, "Who can?"))
    page.locator(".row", has_text="Mia Example").wait_for()
    hand.choose("#check-person", "Tom Example")
    hand.fill("#check-at", "2030-12-24T18:00")
    hand.press(button(page, "Can this person?"))
    page.locator(".answer", has_text="no role or guest access").wait_for()
    hand.press(page.locator(".places a", has_text="Log"))
    page.locator(".record").first.wait_for()
    hand.choose("#log-kind", "Denials")
    page.locator(".record-title", has_text="denied").first.wait_for()
    hand.choose("#log-kind", "Everything")
    hand.press(page.locator(".record-row").first)
    page.locator(".record-facts").first.wait_for()
    hand.press(button(page, "Export"))
    page.wait_for_selector("#export-csv")
    with page.expect_download() as download:
        hand.press(button(page, "CSV"))
    assert download.value.suggested_filename.endswith(".csv")
    page.context.close()


def guests_and_people(console, gateway, hand_type):
    """7, 8 and 11: a guest is let in and revoked; a person is invited, and removed after a preview."""
    page, hand = page_of(console, hand_type, "#/guests")
    hand.press(button(page, "Let a guest in"))
    page.wait_for_selector("dialog")
    hand.fill("#label", "Plumber")
    hand.choose("#guest-property", "Quay 1")
    hand.press(page.get_by_label("Cellar", exact=True))
    hand.press(button(page.locator("dialog"), "Let in"))
    page.wait_for_selector("#link")
    assert page.locator(".qr").count() == 1 and "UTC" in text(page, "dialog")
    hand.press(button(page.locator("dialog"), "Done"))
    has(page, "dialog", 0)
    hand.press(page.locator(".guest", has_text="Plumber").locator(".danger"))
    page.locator("#confirm").wait_for()
    hand.press(page.locator("#confirm"))
    page.locator(".note", has_text="revoked").wait_for()
    name = hand_type.__name__.lower()
    gateway.add(f"leaver-{name}", f"Lea-{name}", f"/units/{gateway.flat}/tenants", "TENANT")
    if hand_type is Touch:
        hand.press(page.locator(".places a", has_text="More"))
        hand.press(page.locator("main a.row", has_text="People"))
    else:
        hand.press(page.locator(".places a", has_text="People"))
    page.locator(".row", has_text=f"Lea-{name}").wait_for()
    hand.press(button(page, "Invite"))
    page.wait_for_selector("#invite-email")
    hand.fill("#invite-email", f"{name}@example.org")
    hand.choose("#invite-type", "Unit")
    hand.choose("#invite-role", "Tenant")
    hand.press(button(page.locator("dialog"), "Invite"))
    page.wait_for_selector("#secret")
    hand.press(button(page.locator("dialog"), "Done"))
    has(page, "dialog", 0)
    hand.press(page.get_by_role("link", name=f"Lea-{name} Example", exact=True))
    hand.press(page.get_by_role("button", name="Remove Tenant, Flat 1A, Quay 1"))
    page.locator("dialog .effects", has_text="1 role").wait_for()
    hand.press(page.locator("#confirm"))
    page.locator("main", has_text="Not found, or no access").wait_for()
    page.context.close()


def lockdown_and_found(console, gateway, hand_type):
    """9 and 12: a lockdown is started, watched and lifted; a found lock is attached and tried."""
    page, hand = page_of(console, hand_type, f"#/properties/{gateway.yard}")
    hand.press(button(page, "Start a lockdown"))
    hand.fill("#lockdown-reason", "a drill")
    hand.fill("#lockdown-name", "Yard 7")
    hand.press(page.locator("dialog button[type=submit]"))
    page.locator(".lockdown.active").wait_for()
    hand.press(button(page, "Lift the lockdown"))
    button(page, "Start a lockdown").wait_for()
    page.context.close()
    console.answers["**/api/v1/devices/discovered**"] = {
        "discoveredDevices": [{
            "id": "found-1", "name": "Latch", "manufacturer": "Example", "model": "Latch 3", "adapter": "simulator", "address": {"latencyMs": 0}, "capabilities": None,
            "problem": None, "firstSeenAt": "2026-11-25T08:00:00.000Z", "lastSeenAt": "2026-11-25T08:10:00.000Z"}],
        "pagination": {"totalItems": 1, "totalPages": 1, "currentPage": 1, "pageSize": 30}}
    page, hand = page_of(console, hand_type, "#/found")
    console.answers.clear()
    hand.press(page.locator("#attach-found-1"))
    page.wait_for_selector("#lock-name")
    hand.fill("#lock-name", "New door")
    hand.choose("#lock-property", "Quay 1")
    hand.choose("#lock-unit", "Flat 1A")
    hand.press(button(page.locator("dialog"), "Attach"))
    page.locator("h1", has_text="New door").wait_for()
    hand.press(button(page, "Unlock"))
    page.locator(".progress-panel.ok", has_text="Unlocked").wait_for()
    gateway.call("DELETE", f"/devices/{page.url.rsplit('/', 1)[1]}")
    page.context.close()


def twelve(console, gateway, hand_type):
    # A lockdown that begins disables buttons of an open page.
    console.has_stream = True
    for part in [doors_and_why, questions_and_log, guests_and_people, lockdown_and_found]:
        part(console, gateway, hand_type)
    console.clean(hand_type.__name__)


def twelve_by_mouse(console, gateway):
    twelve(console, gateway, Mouse)


def twelve_by_keyboard(console, gateway):
    twelve(console, gateway, Keyboard)


def twelve_by_touch(console, gateway):
    twelve(console, gateway, Touch)


INTERACTIONS = [twelve_by_mouse, twelve_by_keyboard, twelve_by_touch]
