"""Guest accesses that are changed, extended, shared and repeated, and links that are passed on: to a check, and to a record."""
import io, urllib.parse

import zxingcpp
from PIL import Image

from console_driver import PHONE, PICTURES, button, each_look, focused, has, open_door, text, until
from console_interactions import Keyboard, Touch

# What the browser of the test does not have: a clipboard that pages may use, a system sheet, and a printer.
DEVICE = """
    window.taken = {};
    Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => { taken.copied = text; }}});
    Object.defineProperty(navigator, 'share', {configurable: true, value: async data => {
        if (taken.closes) throw new DOMException('closed', 'AbortError');
        taken.shared = data;
    }});
    window.print = () => { taken.printed = true; };
"""


def opened(console, person, path, size=PHONE):
    context = console.context(size)
    context.add_init_script(DEVICE)
    return console.sign_in(person, path, context=context)


def stored(gateway, access):
    return gateway.call("GET", f"/guest-access/{access}")["guestAccess"]


def to_change(page, name):
    button(page, f"Details of {name}").click()
    page.locator("#to-change").click()
    page.wait_for_selector("dialog #save")


def guest_changes(console, gateway):
    """The window, the hours, the uses and the doors of an access are changed on a phone; the instants are shown before and after."""
    access = gateway.grant(label="Plumber", maxUses=5, unitId=gateway.flat, locks=("Flat door",))
    page = console.sign_in("owner", f"#/units/{gateway.flat}", PHONE)
    page.get_by_role("link", name="Plumber", exact=True).click()
    page.locator("#to-change").click()
    page.wait_for_selector("dialog #save")
    console.check(page, "guests-change")
    page.fill("#label", "The plumber")
    page.fill("#valid-until", "2027-03-28T02:30")
    # The gateway says what it would store, with what the clock makes of it, and stores nothing.
    preview = page.locator("dialog .preview:not(.old)", has_text="03:00 CEST (01:00 UTC)")
    preview.locator(".hint", has_text="This local time does not exist").wait_for()
    preview.scroll_into_view_if_needed()
    console.check(page, "guests-preview")
    page.fill("#valid-from", "2027-04-01T10:00")
    page.locator("dialog .preview .notice", has_text="The end must be after the start.").wait_for()
    page.fill("#valid-from", "2026-11-25T10:00")
    preview.wait_for()
    assert stored(gateway, access)["label"] == "Plumber"
    page.fill("#uses", "7")
    page.get_by_label("Unlatch", exact=True).check()
    page.get_by_label("Only at certain hours").check()
    button(page, "Add hours").click()
    page.locator(".hours >> nth=1").get_by_label("Sat").check()
    page.locator(".hours >> nth=1").get_by_label("Until").fill("00:00")
    button(page, "Add a special day").click()
    button(page, "Save").click()
    page.locator("dialog .notice.bad", has_text="The date of a special day is missing.").wait_for()
    page.get_by_label("Special day", exact=True).fill("2026-12-25")
    page.locator("dialog .preview:not(.old) li >> nth=2").wait_for()
    page.locator(".hours >> nth=2").scroll_into_view_if_needed()
    console.check(page, "guests-hours")
    button(page, "Save").click()
    page.locator("dialog .details", has_text="Open next").wait_for()
    shown = text(page, "dialog")
    for part in ["03:00 CEST (01:00 UTC)", "does not exist on that day", "Mon–Fri: 09:00–17:00", "Sat: 09:00–24:00", "Fri, 25 Dec 2026: closed", "7 of 7 left", "unlock, lock, unlatch"]:
        assert part in shown, (part, shown)
    console.check(page, "guests-changed")
    now = stored(gateway, access)
    assert (now["label"], now["validUntil"], now["maxUses"], len(now["schedule"]["periods"])) == ("The plumber", "2027-03-28T01:00:00.000Z", 7, 2), now
    # What is not changed is not sent, and hours are removed again.
    page.locator("#to-change").click()
    page.wait_for_selector("#save")
    button(page, "Save").click()
    page.locator("dialog .notice.bad", has_text="Nothing has been changed.").wait_for()
    page.get_by_role("button", name="Remove hours 2", exact=True).click()
    page.get_by_role("button", name="Remove special day 1").click()
    button(page, "Save").click()
    page.locator("dialog .details", has_text="Hours").wait_for()
    assert "Sat" not in text(page, "dialog .details dd:has(ul)") and len(stored(gateway, access)["schedule"]["periods"]) == 1
    button(page, "Done").click()
    has(page, "dialog", 0)
    gateway.call("DELETE", f"/guest-access/{access}")
    # A tenant changes what the tenant has granted; the action is hidden from those who may not.
    held = gateway.grant(label="Manager's guest")
    page = console.sign_in("tenant", "#/guests")
    page.locator("h2", has_text="No guests").wait_for()
    page.goto(gateway.url + f"/#/guests?access={held}")
    page.locator(".note", has_text="could not be opened").wait_for()
    assert "Manager's guest" not in page.content()
    gateway.call("DELETE", f"/guest-access/{held}")
    console.clean("guest changes")


def guest_extends(console, gateway):
    """An access ends later, by an hour, a day, a week or at a typed time: with the keyboard alone, and by touch at 320 pixels."""
    for hand_type, step, seconds in [(Keyboard, "1 hour later", 3600), (Touch, "1 week later", 604_800)]:
        access = gateway.grant(label="Painter")
        before = stored(gateway, access)["validUntil"]
        page = console.sign_in("owner", "#/guests", hand_type.size)
        hand = hand_type(page)
        hand.press(page.get_by_role("button", name="Extend Painter"))
        page.wait_for_selector("dialog #extend")
        if hand_type is Keyboard:
            # Radio buttons are chosen with the arrows.
            hand.reach(page.get_by_label("1 day later"))
            page.keyboard.press("ArrowUp")
        else:
            hand.press(page.get_by_label(step))
        assert page.get_by_label(step).is_checked()
        page.locator("dialog .preview:not(.old) dl", has_text="Ends").wait_for()
        console.check(page, f"guests-extend-{hand_type.__name__.lower()}")
        hand.press(button(page.locator("dialog"), "Extend"))
        page.locator("dialog .details").wait_for()
        after = stored(gateway, access)["validUntil"]
        moved = page.evaluate("([a, b]) => (new Date(b) - new Date(a)) / 1000", [before, after])
        # A week later ends at the same time of the day, in whole minutes.
        assert abs(moved - seconds) < 3_700, (before, after)
        hand.press(button(page.locator("dialog"), "Done"))
        has(page, "dialog", 0)
        assert focused(page) == f"extend-{access}", focused(page)
        page.keyboard.press("Enter")
        page.get_by_label("At another time").check()
        page.fill("#extend-until", "2027-10-31T02:30")
        page.locator("dialog", has_text="exists twice on that day").wait_for()
        # Someone else has changed it meanwhile: the choice is kept, and counts for the new version when it is sent again.
        gateway.call("PUT", f"/guest-access/{access}", {"label": "Painter", "maxUses": 9})
        button(page.locator("dialog"), "Extend").click()
        page.locator("dialog .notice.warn", has_text="It was: no limit. It is now: 9.").wait_for()
        console.check(page, f"guests-extend-meanwhile-{hand_type.__name__.lower()}")
        button(page.locator("dialog"), "Extend again").click()
        page.locator("dialog .details", has_text="9 of 9 left").wait_for()
        assert stored(gateway, access)["validUntil"] == "2027-10-31T00:30:00.000Z"
        page.context.close()
        gateway.call("DELETE", f"/guest-access/{access}")
    console.clean("guest extends")


def guest_changed_meanwhile(console, gateway):
    """What was typed is kept: over the change of another person, over a gateway that is away, and over a revocation; never sent by itself."""
    access = gateway.grant(label="Cleaner", guestUserId=None)
    console.has_stream = True
    try:
        page = console.sign_in("owner", "#/guests", PHONE)
    finally:
        console.has_stream = False
    page.locator(".badge.live").wait_for()
    to_change(page, "Cleaner")
    page.fill("#uses", "3")
    page.get_by_label("Front door", exact=True).check()
    gateway.call("PUT", f"/guest-access/{access}", {"label": "Night cleaner", "maxUses": 8})
    page.locator("dialog .notice.warn", has_text="Changed meanwhile by someone else.").wait_for()
    button(page, "Save").click()
    page.locator("dialog .differences", has_text="It was: no limit. It is now: 8. You typed: 3.").wait_for()
    assert page.input_value("#uses") == "3" and page.input_value("#label") == "Night cleaner" and page.get_by_label("Front door", exact=True).is_checked()
    assert stored(gateway, access)["maxUses"] == 8
    page.locator("#main dialog").evaluate("one => { one.scrollTop = 0; }")
    console.check(page, "guests-meanwhile")
    button(page, "Save again").click()
    page.locator("dialog .details", has_text="3 of 3 left").wait_for()
    now = stored(gateway, access)
    assert (now["label"], now["maxUses"], len(now["deviceIds"])) == ("Night cleaner", 3, 2), now
    # The gateway is away.
    page.locator("#to-change").click()
    page.wait_for_selector("#save")
    page.fill("#label", "Day cleaner")
    gateway.end()
    button(page, "Save").click()
    page.locator("dialog .notice.bad", has_text="What you have typed is kept, and is sent again only when you save again.").wait_for()
    console.check(page, "guests-away")
    gateway.start(gateway.url.rsplit(":", 1)[1])
    page.locator(".badge.live").wait_for(timeout=40_000)
    assert stored(gateway, access)["label"] == "Night cleaner" and page.input_value("#label") == "Day cleaner"
    button(page, "Save again").click()
    page.locator("#dialog-title", has_text="Day cleaner").wait_for()
    # It is revoked by someone else.
    page.locator("#to-change").click()
    page.wait_for_selector("#save")
    page.fill("#label", "Old cleaner")
    gateway.call("DELETE", f"/guest-access/{access}")
    page.locator("dialog .notice.bad", has_text="has been revoked meanwhile").wait_for()
    console.check(page, "guests-revoked-meanwhile")
    button(page, "Grant it as a new access").click()
    assert page.input_value("#label") == "Old cleaner"
    button(page.locator("dialog"), "Let in").click()
    page.wait_for_selector("#link")
    button(page, "Done").click()
    page.locator(".guest", has_text="Old cleaner").locator(".danger").click()
    page.locator("#confirm").click()
    page.locator(".note", has_text="revoked").wait_for()
    console.clean("guest changed meanwhile")


def guest_form_of_lost_right(console, gateway):
    """A right that ends begins the page anew; what was typed is offered again, and lost only with the access itself."""
    gateway.add("helper2", "Hal", f"/properties/{gateway.property}/managers", "PROPERTY_MANAGER")
    gateway.call("POST", f"/properties/{gateway.yard}/managers", {"userId": gateway.helper2, "role": "PROPERTY_MANAGER"})
    access = gateway.grant(label="Gardener")
    console.has_stream = True
    try:
        page = console.sign_in("helper2", "#/guests", PHONE)
    finally:
        console.has_stream = False
    page.locator(".badge.live").wait_for()
    to_change(page, "Gardener")
    page.fill("#uses", "4")
    gateway.call("DELETE", f"/properties/{gateway.yard}/managers/{gateway.helper2}")
    page.locator(".notice", has_text="What you have typed about a guest is kept.").wait_for()
    has(page, "dialog", 0)
    console.check(page, "guests-kept")
    button(page, "Continue").click()
    page.wait_for_selector("#save")
    assert page.input_value("#uses") == "4" and page.input_value("#label") == "Gardener"
    button(page, "Save").click()
    page.locator("dialog .details", has_text="4 of 4 left").wait_for()
    page.locator("#to-change").click()
    page.wait_for_selector("#save")
    page.fill("#uses", "5")
    gateway.call("DELETE", f"/properties/{gateway.property}/managers/{gateway.helper2}")
    page.locator("main", has_text="None of your roles includes this page").wait_for()
    assert "Gardener" not in page.content()
    # The next person in this browser finds nothing of it.
    page.goto(gateway.url + "/#/account")
    button(page, "Sign out").click()
    page.wait_for_selector("#email")
    page.fill("#email", gateway.people["owner"])
    page.fill("#password", "a long password for the pages")
    page.keyboard.press("Enter")
    page.wait_for_selector("header.top")
    page.goto(gateway.url + "/#/guests")
    page.locator(".guest", has_text="Gardener").wait_for()
    assert page.locator("#continue").count() == 0
    gateway.call("DELETE", f"/guest-access/{access}")
    console.clean("guest form of lost right")


def guest_shares(console, gateway):
    """A link is shared by the system, by mail and on paper, only while it is known; closing the sheet is no failure."""
    access = gateway.grant(guestUserId=None, label="Courier", schedule={"periods": [{"days": ["MON", "TUE", "WED"], "from": "08:00", "until": "18:00"}]})
    page = opened(console, "owner", "#/guests")
    button(page, "Details of Courier").click()
    assert page.locator("#mail").count() == 0 and page.locator(".sheet").count() == 0
    button(page, "Create a link").click()
    page.wait_for_selector("#link")
    link = page.input_value("#link")
    gateway.paths.append(link[len(gateway.url):])
    button(page, "Share").click()
    until(page, lambda: page.evaluate("taken.shared"))
    shared = page.evaluate("taken.shared")
    for part in [link, "Hello Courier,", "unlock and lock Cellar at Quay 1", "Hours: Mon–Wed: 08:00–18:00", " UTC)"]:
        assert part in shared["text"], (part, shared)
    page.evaluate("taken.closes = true")
    button(page, "Share").click()
    page.wait_for_timeout(200)
    assert page.locator(".link-view .notice.bad").count() == 0
    mail = urllib.parse.urlsplit(page.get_attribute("#mail", "href"))
    body = urllib.parse.parse_qs(mail.query)["body"][0]
    assert mail.scheme == "mailto" and link in body and "Quay 1" in body, mail
    button(page, "Print").click()
    assert page.evaluate("taken.printed")
    page.locator("#mail").scroll_into_view_if_needed()
    console.check(page, "guests-share")
    page.emulate_media(media="print")
    assert not page.locator("header.top").is_visible() and not page.locator("#done").is_visible()
    sheet = text(page, ".sheet")
    for part in ["Access for Courier", "Quay 1", "Cellar", "Mon–Wed: 08:00–18:00", link]:
        assert part in sheet, (part, sheet)
    page.screenshot(path=PICTURES / "console-guests-sheet.png", full_page=True)
    image = Image.open(io.BytesIO(page.locator(".sheet-code").screenshot()))
    assert [one.text for one in zxingcpp.read_barcodes(image)] == [link]
    page.emulate_media(media="screen")
    button(page, "Done").click()
    button(page, "Details of Courier").click()
    page.locator("dialog .details").wait_for()
    assert page.locator("#mail").count() == 0 and link not in page.content()
    gateway.call("DELETE", f"/guest-access/{access}")
    console.clean("guest shares")


def guest_repeats(console, gateway):
    """A past access is let in again with what it had, and new times to be typed."""
    access = gateway.grant(label="Tuner", maxUses=2, schedule={"periods": [{"days": ["FRI"], "from": "22:00", "until": "06:00"}]}, operations=["UNLOCK"], guestUserId=None)
    gateway.call("DELETE", f"/guest-access/{access}")
    page = console.sign_in("owner", "#/guests", PHONE)
    page.select_option("#guest-show", "all")
    button(page, "Repeat Tuner").click()
    page.wait_for_selector("dialog #grant")
    assert page.inner_text("#dialog-title") == "Let Tuner in again"
    assert (page.input_value("#label"), page.input_value("#uses"), page.input_value("#valid-from")) == ("Tuner", "2", "")
    assert page.get_by_label("Cellar", exact=True).is_checked() and page.get_by_label("Unlock", exact=True).is_checked()
    assert not page.get_by_label("Lock", exact=True).is_checked() and page.get_by_label("Fri").is_checked()
    button(page.locator("dialog"), "Let in").click()
    page.locator("dialog .notice.bad", has_text="The start or the end is missing.").wait_for()
    console.check(page, "guests-repeat")
    page.fill("#valid-from", "2027-01-08T10:00")
    page.fill("#valid-until", "2027-01-18T10:00")
    button(page.locator("dialog"), "Let in").click()
    page.wait_for_selector("#link")
    assert "Fri: 22:00–06:00" in text(page, "dialog .details") and "2 of 2 left" in text(page, "dialog .details")
    gateway.paths.append(page.input_value("#link")[len(gateway.url):])
    button(page, "Done").click()
    has(page, "dialog", 0)
    page.locator("[id^=revoke-]").first.click()
    page.locator("#confirm").click()
    page.locator(".note", has_text="revoked").wait_for()
    console.clean("guest repeats")


def links_to_pass_on(console, gateway):
    """A check is one click from a door and from a person, and its answer a sentence to copy; a record has a link of its own."""
    page = opened(console, "owner", "")
    open_door(page, "Cellar")
    page.get_by_role("link", name="Check access", exact=True).click()
    page.locator("#answer-sentence", has_text="Olga Example can unlock Cellar (Quay 1) at").wait_for()
    button(page, "Copy the answer").click()
    button(page, "Copied").wait_for()
    assert page.evaluate("taken.copied") == text(page, "#answer-sentence")
    console.check(page, "check-answer")
    page.select_option("#check-person", label="Tom Example")
    asked = page.url
    assert "door=" in asked and f"person={gateway.tenant}" in asked, asked
    page.goto(gateway.url + f"/#/people/{gateway.tenant}")
    page.get_by_role("link", name="Check access", exact=True).click()
    page.wait_for_selector("#check-person")
    assert page.locator("#check-person").evaluate("one => one.selectedOptions[0].text") == "Tom Example" and page.locator(".answer").count() == 0
    page.goto(asked)
    page.locator("#answer-sentence", has_text="Tom Example cannot unlock Cellar (Quay 1) at").wait_for()
    page.goto(gateway.url + "/#/check?door=nothing&person=nobody")
    page.wait_for_selector("#check-door")
    assert page.locator(".answer").count() == 0
    gateway.call("POST", f"/devices/{gateway.locks['Cellar']}/unlock", {})
    page.goto(gateway.url + "/#/log")
    page.locator(".record-row", has_text="Unlocked").first.click()
    button(page, "Copy the link to this record").click()
    until(page, lambda: "#/log?record=" in page.evaluate("taken.copied"))
    link = page.evaluate("taken.copied")
    page.goto("about:blank")
    page.goto(link)
    page.locator(".one .record-facts", has_text="Cellar").wait_for()
    console.check(page, "log-record")
    button(page, "Close").click()
    has(page, ".one", 0)
    assert page.url.endswith("#/log")
    # A record out of reach looks as one that does not exist.
    for address in [link, gateway.url + "/#/log?record=nothing"]:
        other = console.sign_in("tenant", address[len(gateway.url) + 1:], PHONE)
        other.locator(".one", has_text="Not found, or no access").wait_for()
    console.check(other, "log-record-unknown")
    each_look(console, "owner", f"#/doors/{gateway.locks['Cellar']}", ".hero", "door-check")
    console.clean("links to pass on")


GUESTS = [guest_changes, guest_extends, guest_changed_meanwhile, guest_form_of_lost_right, guest_shares, guest_repeats, links_to_pass_on]
