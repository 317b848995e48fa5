"""People who are invited again and by a file, and saved as one; the log with its filters, the last opening, and downloads."""
import csv, io, json, pathlib, urllib.parse

from console_driver import HOSTILE, PHONE, WIDE, button, focused, has, open_door, text, until
from console_guests import opened
from console_interactions import Keyboard, Touch
from test_pages import PASSWORD


def invite(gateway, email, role="MAINTENANCE"):
    return gateway.call("POST", f"/properties/{gateway.property}/managers", {"email": email, "role": role})["invitation"]


def accepts(gateway, token):
    """The status of an attempt to accept an invitation."""
    body = {"token": token, "firstName": "A", "lastName": "B", "password": PASSWORD}
    return gateway.request("POST", "/api/v1/auth/accept-invitation", {"Content-Type": "application/json"}, json.dumps(body).encode())[0]


def pending(gateway, email):
    return [one for one in gateway.call("GET", "/invitations?limit=200")["invitations"] if one["email"] == email]


def saved(page, press):
    """The rows of a file that the page saves."""
    with page.expect_download() as download:
        press()
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf") and data.endswith(b"\r\n"), data[:20]
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def choose_file(page, data, name="people.csv"):
    page.set_input_files("#import-file", files=[{"name": name, "mimeType": "text/csv", "buffer": data}])


def withdraw_all(gateway, ending):
    for one in gateway.call("GET", "/invitations?limit=200")["invitations"]:
        if one["email"].endswith(ending):
            gateway.call("DELETE", f"/invitations/{one['id']}")


def invitation_again(console, gateway):
    """An invitation is sent again with the keyboard alone and by touch: the old link ends, the new one is shown once and passed on."""
    for hand_type in [Keyboard, Touch]:
        email = f"again-{hand_type.__name__.lower()}@example.org"
        old = invite(gateway, email)
        page = opened(console, "owner", "#/people", hand_type.size)
        hand = hand_type(page)
        hand.press(page.get_by_role("button", name=f"Send the invitation of {email} again"))
        page.locator("dialog", has_text="stops working").wait_for()
        assert "Maintenance, Quay 1" in text(page, "dialog")
        console.check(page, f"people-again-{hand_type.__name__.lower()}")
        # The gateway is away: it is said, and nothing is sent by itself.
        asked = []
        page.route("**/managers", lambda route: (asked.append(1), route.abort()))
        hand.press(button(page, "Make a new link"))
        page.locator("dialog .notice.bad", has_text="sent again only when you press").wait_for()
        page.unroute("**/managers")
        assert asked == [1] and [one["id"] for one in pending(gateway, email)] == [old["id"]]
        hand.press(button(page, "Make a new link"))
        page.wait_for_selector("#secret")
        link = page.input_value("#secret")
        hand.press(button(page, "Share"))
        until(page, lambda: page.evaluate("taken.shared"))
        shared = page.evaluate("taken.shared")
        assert link in shared["text"] and "Maintenance, Quay 1" in shared["text"], shared
        mail = urllib.parse.urlsplit(page.get_attribute("#mail", "href"))
        assert mail.scheme == "mailto" and urllib.parse.unquote(mail.path) == email and link in urllib.parse.parse_qs(mail.query)["body"][0]
        console.check(page, f"people-again-link-{hand_type.__name__.lower()}")
        hand.press(button(page, "Print"))
        assert page.evaluate("taken.printed")
        page.emulate_media(media="print")
        assert link in text(page, ".sheet") and not page.locator("#done").is_visible()
        page.emulate_media(media="screen")
        hand.press(button(page, "Done"))
        has(page, "dialog", 0)
        assert link not in page.content()
        assert accepts(gateway, old["token"]) == 401 and len(pending(gateway, email)) == 1
        assert accepts(gateway, link.split("token=")[1]) == 201
        page.context.close()
    # Who may not give the role does not see the button.
    left = invite(gateway, "again-manager@example.org", "PROPERTY_MANAGER")
    page = console.sign_in("manager", "#/people")
    page.locator(".row", has_text="Max").first.wait_for()
    assert page.locator("button", has_text="Send again").count() == 0
    gateway.call("DELETE", f"/invitations/{left['id']}")
    console.clean("invitation again")


TABLE = """\
E-Mail;Place;Role
one@file.example.org;"Flat 1A, Quay 1";Tenant
two@file.example.org;quay 1;PROPERTY_MANAGER

ONE@file.example.org;Flat 1A;tenant
=cmd|' /C calc'!A0;Quay 1;Maintenance
three@file.example.org;Nowhere;Maintenance
four@file.example.org;Quay 1;King
five@file.example.org;Quay 1;Tenant
six@file.example.org;Yard 7;"Property
manager"
<img src=x onerror=alert(1)>@@;Quay 1;Auditor
"seven@file.example.org;Quay 1;Auditor
"""


def people_import(console, gateway):
    """Each line of a file says what it does or what is wrong with it; nothing is sent before it is said; outcomes and links are kept."""
    for hand_type in [Keyboard, Touch]:
        page = opened(console, "owner", "#/people", hand_type.size)
        hand = hand_type(page)
        page.emulate_media(color_scheme="dark" if hand_type is Touch else "light")
        sent = []
        page.on("request", lambda request: request.method == "POST" and "/auth/" not in request.url and sent.append(request))
        hand.press(button(page, "Invite by a file"))
        page.wait_for_selector("#import-file")
        label = hand_type.__name__.lower()
        console.check(page, f"people-import-{label}")
        for data, problem in [
            (b"", "The file is empty."), (b"email,role\n\xe4@example.org,x\n", "no text in UTF-8"), (b"PK\x03\x04\x00\x00", "no text in UTF-8"),
            (b"name,phone\nAnn,1\n", "names no column"), (b"x" * (8 * 1024 * 1024 + 1), "larger than 8 MB")]:
            choose_file(page, data)
            page.locator(".notice.bad", has_text=problem).wait_for()
        console.check(page, f"people-import-refused-{label}")
        choose_file(page, b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode())
        page.locator("#import-summary", has_text="3 people can be invited. 7 lines cannot be sent.").wait_for()
        for line, words in [
            (2, "Tenant, Flat 1A, Quay 1."), (3, "Property manager, Quay 1."), (5, "It is the same as line 2."), (6, "begins like a formula"),
            (7, "No place that you can see is “Nowhere”."), (8, "“King” is no role"), (9, "Tenant is a role at a unit, and “Quay 1” is a property."),
            (10, "Property manager, Yard 7."), (12, "is no email address"), (13, "A quote is not closed.")]:
            assert words in page.locator(".import-line", has_text=f"Line {line}").filter(has=page.locator(f".record-sub:text-matches('^Line {line}( ·|$)')")).inner_text(), line
        assert page.locator("main img").count() == 0 and not sent, sent
        console.check(page, f"people-import-lines-{label}")
        hand.choose("#import-shown", "Lines with a mistake (7)")
        has(page, ".import-line", 7)
        hand.press(button(page, "Invite 3 people"))
        page.locator("#import-summary", has_text="3 people are invited.").wait_for()
        assert len(sent) == 3 and len({one.headers["idempotency-key"] for one in sent}) == 3
        console.check(page, f"people-import-done-{label}")
        # The links are shown only here: closing asks.
        hand.press(button(page, "Close"))
        page.locator(".notice.warn", has_text="are not saved").wait_for()
        assert focused(page) == "close-import"
        links = saved(page, lambda: hand.press(button(page, "Save the links")))
        assert links[0] == ["email", "invitation", "link", "valid until"] and [row[0][:3] for row in links[1:]] == ["one", "two", "six"]
        assert all(row[2].startswith(gateway.url + "/invitation#token=") for row in links[1:])
        rest = saved(page, lambda: hand.press(button(page, "Save the lines that are not invited")))
        assert rest[0][-1] == "problem" and len(rest) == 8 and rest[2][0].startswith("'=cmd"), rest
        hand.press(button(page.locator("#main"), "Close"))
        page.locator(".row", has_text="two@file.example.org").wait_for()
        assert focused(page) == "H1", focused(page)
        assert links[1][2] not in page.content()
        # The same file again ends the invitations that are pending.
        if hand_type is Keyboard:
            hand.press(button(page, "Invite by a file"))
            page.wait_for_selector("#import-file")
            choose_file(page, TABLE.encode())
            page.locator(".import-line", has_text="The invitation that is pending ends.").first.wait_for()
            page.context.close()
        withdraw_all(gateway, "@file.example.org")
    console.clean("people import")


def import_stops(console, gateway):
    """Sending stops when it is asked to, and when the gateway is away; it goes on only when asked, with the same keys; failures are told."""
    page = console.sign_in("owner", "#/people", PHONE)
    button(page, "Invite by a file").click()
    page.wait_for_selector("#import-file")
    choose_file(page, ("email,role,place\n" + "".join(f"p{number}@stop.example.org,Maintenance,Quay 1\n" for number in range(1, 121))).encode())
    button(page, "Invite 120 people").wait_for()
    has(page, ".import-line", 50)
    held, keys = [], []

    def answer(route):
        keys.append((json.loads(route.request.post_data)["email"][:-len("@stop.example.org")], route.request.headers["idempotency-key"]))
        if len(keys) == 3:
            held.append(route)
        elif len(keys) == 6:
            route.abort()
        elif keys[-1][0] == "p7":
            route.fulfill(status=403, content_type="application/json", body='{"code": "limit_reached", "details": {"limit": 5, "count": 5}}')
        elif keys[-1][0] == "p9" and len(keys) == 10:
            route.fulfill(status=429, content_type="application/json", headers={"Retry-After": "7"}, body='{"code": "rate_limited"}')
        else:
            route.continue_()

    page.route("**/managers", answer)
    button(page, "Invite 120 people").click()
    until(page, lambda: held, "the third line has not been sent")
    page.locator("#import-summary", has_text="2 of 120 lines sent.").wait_for()
    assert page.locator("progress").evaluate("one => [one.value, one.max]") == [2, 120]
    console.check(page, "people-import-running")
    button(page, "Stop").click()
    held[0].continue_()
    page.locator(".notice.warn", has_text="Stopped.").wait_for()
    page.locator("#import-summary", has_text="3 people are invited. 117 people can be invited.").wait_for()
    # The gateway goes away in the sixth request, which is sent again with its key.
    button(page, "Go on: invite 117 people").click()
    page.locator(".notice.warn", has_text="Line 7 is sent again then").wait_for()
    page.locator(".import-line", has_text="It is not known whether this person is invited.").wait_for()
    console.check(page, "people-import-away")
    assert len(keys) == 6
    button(page, "Go on: invite 115 people").click()
    page.locator(".notice.warn", has_text="Try again in 7 s.").wait_for()
    assert keys[5] == keys[6] and len({key for _, key in keys}) == len(keys) - 1, keys
    page.locator("#import-summary", has_text="7 people are invited. 1 line failed. 112 people can be invited.").wait_for()
    page.select_option("#import-shown", label="Failed (1)")
    page.locator(".import-line", has_text="The subscription's limit is reached (5 of 5).").wait_for()
    rest = saved(page, lambda: button(page, "Save the lines that are not invited").click())
    assert len(rest) == 114 and [row[-1] for row in rest[1:3]] == ["The subscription's limit is reached (5 of 5).", "Not sent."], rest[:4]
    # Another page stops it, too; what has become of the lines is kept, and offered again.
    page.goto(gateway.url + "/#/guests")
    page.locator("h1", has_text="Guests").wait_for()
    page.goto(gateway.url + "/#/people")
    page.locator(".notice", has_text="The file with 120 lines is kept").wait_for()
    assert page.locator("#discard-import").count() == 0, "links that are not saved would be lost"
    console.check(page, "people-import-kept")
    # Nothing is sent by the places that an earlier page has known.
    page.route("**/api/v1/units?**", lambda route: route.abort())
    button(page, "Continue").click()
    page.locator(".notice.bad", has_text="The places could not be read.").wait_for()
    assert page.locator("#run-import").count() == 0
    page.unroute("**/api/v1/units?**")
    button(page, "Read the places again").click()
    page.locator("#import-summary", has_text="7 people are invited. 1 line failed. 112 people can be invited.").wait_for()
    links = saved(page, lambda: button(page, "Save the links").click())
    assert len(links) == 8
    button(page, "Close").click()
    page.locator("h1", has_text="People").wait_for()
    assert page.locator("#continue-import").count() == 0
    withdraw_all(gateway, "@stop.example.org")
    console.clean("import stops")


def import_of_lost_right(console, gateway):
    """A right that ends stops an import: nothing more is sent, and what the file asks for there is a mistake from then on."""
    gateway.add("importer", "Imp", f"/properties/{gateway.property}/managers", "PROPERTY_MANAGER")
    gateway.call("POST", f"/properties/{gateway.yard}/managers", {"userId": gateway.importer, "role": "PROPERTY_MANAGER"})
    console.has_stream = True
    try:
        page = console.sign_in("importer", "#/people", PHONE)
    finally:
        console.has_stream = False
    page.locator(".badge.live").wait_for()
    button(page, "Invite by a file").click()
    page.wait_for_selector("#import-file")
    choose_file(page, b"email,role,place\n" + b"".join(b"r%d@lost.example.org,Maintenance,%s\n" % (number, [b"Yard 7", b"Quay 1"][number % 2]) for number in range(6)))
    held = []
    page.route("**/managers", lambda route: route.continue_() if len(held) == 1 else held.append(route))
    button(page, "Invite 6 people").click()
    until(page, lambda: held, "nothing has been sent")
    gateway.call("DELETE", f"/properties/{gateway.yard}/managers/{gateway.importer}")
    page.locator(".notice", has_text="The file with 6 lines is kept").wait_for()
    held[0].continue_()
    page.unroute("**/managers")
    button(page, "Continue").click()
    page.locator("#import-summary", has_text="3 people can be invited.").wait_for()
    assert page.locator(".import-line", has_text="No place that you can see is “Yard 7”.").count() >= 2
    console.check(page, "people-import-lost-right")
    gateway.call("DELETE", f"/properties/{gateway.property}/managers/{gateway.importer}")
    page.locator("main", has_text="None of your roles includes this page").wait_for()
    assert "lost.example.org" not in page.content()
    withdraw_all(gateway, "@lost.example.org")
    console.clean("import of lost right")


def people_export(console, gateway):
    """People are saved for spreadsheets, without formulas; a failure saves nothing, and says so."""
    gateway.add("formula", "=1+1", f"/units/{gateway.flat}/tenants", "TENANT")
    page = console.sign_in("owner", "#/people", PHONE)
    button(page, "Save as CSV").click()
    page.wait_for_selector("#save-people")
    console.check(page, "people-export")
    page.route("**/api/v1/users?**", lambda route: route.fulfill(status=503, content_type="application/json", body='{"code": "unavailable", "message": "Not now."}'))
    button(page, "Save").click()
    page.locator("dialog .notice.bad", has_text="nothing is saved").wait_for()
    page.unroute("**/api/v1/users?**")
    rows = saved(page, lambda: button(page, "Save").click())
    page.locator(".note", has_text="is saved").wait_for()
    assert rows[0] == ["email", "firstName", "lastName", "role", "place", "placeId", "state"]
    assert ["formula@example.org", "'=1+1", "Example", "Tenant", "Flat 1A, Quay 1", gateway.flat, ""] in rows, rows
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    # The file is one that the import reads.
    button(page, "Invite by a file").click()
    page.wait_for_selector("#import-file")
    choose_file(page, "\r\n".join(",".join(f'"{cell}"' for cell in row) for row in rows).encode())
    page.locator(".import-line", has_text="Tenant, Flat 1A, Quay 1.").first.wait_for()
    button(page, "Close").click()
    gateway.call("DELETE", f"/units/{gateway.flat}/tenants/{gateway.formula}")
    # Who may invite nobody has no file to choose.
    page = console.sign_in("auditor", "#/people")
    page.locator("main h1").wait_for()
    page.wait_for_selector("#main :is(.empty, .row)")
    assert page.locator("#import").count() == 0
    console.clean("people export")


def log_searches(console, gateway):
    """Records by person, property, reason and the text of a stated reason; the filters are a link; the last opening is a sentence."""
    tenant = gateway.sign_in(gateway.people["tenant"])
    flat, gate = gateway.locks["Flat door"], gateway.locks["Gate"]
    gateway.call("POST", f"/devices/{flat}/unlock", {"reason": "Water LEAK in the bath"}, tenant)
    gateway.call("POST", f"/devices/{gate}/unlock", {"reason": "Parcel"})
    gateway.request("POST", f"/api/v1/devices/{gate}/unlock", {"Authorization": f"Bearer {tenant}", "Content-Type": "application/json"}, b"{}")
    page = opened(console, "owner", "#/log", PHONE)
    page.locator(".record").first.wait_for()
    page.locator("#log-person option", has_text="Tom Example").wait_for(state="attached")
    page.select_option("#log-person", label="Tom Example")
    page.locator(".record-title", has_text="Unlocked Flat door").first.wait_for()
    until(page, lambda: page.locator(".record-sub", has_text="Olga").count() == 0)
    page.fill("#log-text", "water leak")
    page.locator("#search-hint", has_text="1 record with this text among the").wait_for()
    has(page, ".record", 1)
    assert "The gateway has no search in stated reasons." in text(page, "#search-hint")
    console.check(page, "log-search")
    link = page.url
    assert f"userId={gateway.tenant}" in link and "text=water+leak" in link, link
    page.goto("about:blank")
    page.goto(link)
    has(page, ".record", 1)
    assert page.input_value("#log-text") == "water leak" and page.locator("#log-person").evaluate("one => one.selectedOptions[0].text") == "Tom Example"
    page.fill("#log-text", "no such text")
    page.locator(".empty", has_text="No record that is shown here has this text").wait_for()
    page.fill("#log-text", "")
    page.select_option("#log-person", "")
    page.locator("#log-propertyId option", has_text="Yard 7").wait_for(state="attached")
    page.select_option("#log-propertyId", label="Yard 7")
    until(page, lambda: page.locator("#log-door option", has_text="Cellar").count() == 0)
    page.locator(".record-title", has_text="Unlocked Gate").first.wait_for()
    until(page, lambda: page.locator(".record-title", has_text="Flat door").count() == 0)
    page.select_option("#log-kind", "DENIAL")
    page.select_option("#log-reason", "no_association")
    page.locator(".record-title", has_text="Unlock denied Gate").first.wait_for()
    page.select_option("#log-reason", "lockdown_active")
    page.locator("h2", has_text="No records").wait_for()
    console.check(page, "log-reason")
    # An address with what there is not opens with what there is; an address of an object out of reach without it.
    page.goto(gateway.url + "/#/log?kind=NONE&reason=none&span=no&userId=nobody&deviceId=nothing")
    page.locator(".record").first.wait_for()
    until(page, lambda: page.locator("#log-door").evaluate("one => one.value") == "")
    # Who opened a door last.
    page.locator("#log-door option", has_text="Gate").wait_for(state="attached")
    page.select_option("#log-door", label="Gate")
    page.locator("#last-opening", has_text="Olga Example unlocked Gate through the API, ").wait_for()
    assert "The lock confirmed it." in text(page, "#last-opening")
    console.check(page, "log-last-opening")
    page.locator("#last-opening a").click()
    page.locator(".one .record-facts", has_text="Gate").wait_for()
    page = console.sign_in("owner", "", WIDE)
    open_door(page, "Flat door")
    page.locator("#last-opening", has_text="Tom Example unlocked Flat door through the API, ").wait_for()
    console.check(page, "door-last-opening")
    button(page, "Unlock").click()
    page.locator("#last-opening", has_text="Olga Example unlocked Flat door from the console, ").wait_for()
    # A door that nobody has opened, a lock that does not confirm, and a person who may not see the history.
    page.goto(gateway.url + f"/#/doors/{gateway.locks[HOSTILE]}")
    page.locator("#last-opening", has_text="nobody has opened <img src=x").wait_for()
    assert page.locator("main img").count() == 0
    page = console.sign_in("maintenance", f"#/doors/{gateway.locks['Cellar']}")
    page.wait_for_selector(".hero")
    assert page.locator("#last-opening").count() == 0
    for door in [flat, gate]:
        gateway.call("POST", f"/devices/{door}/lock", {})
    console.clean("log searches")


# A gateway that sends an export in parts, as the test feeds them, and a browser that writes to the disk while they arrive.
PARTS = """
    const original = window.fetch;
    window.fetch = async (address, options) => {
        if (!String(address).includes('/access-records/export')) return original(address, options);
        window.asked = String(address);
        const body = new ReadableStream({start(controller) { window.feed = controller; }});
        return new Response(body, {headers: {'Content-Type': 'text/csv; charset=utf-8'}});
    };
    window.send = text => feed.enqueue(new TextEncoder().encode(text));
    window.file = {text: '', state: 'open'};
"""
DISK = """
    window.showSaveFilePicker = async ({suggestedName}) => {
        file.name = suggestedName;
        if (window.declines) throw new DOMException('closed', 'AbortError');
        return {createWritable: async () => ({
            write: async bytes => { file.text += new TextDecoder().decode(bytes); },
            close: async () => { file.state = 'closed'; }, abort: async () => { file.state = 'aborted'; }})};
    };
"""


def log_downloads(console, gateway):
    """An export is written while it arrives, says how much has come, is cancelled, and one that ends before its end is not saved."""
    for disk, hand_type in [(DISK, Keyboard), ("", Touch)]:
        context = console.context(hand_type.size)
        context.add_init_script(PARTS + disk)
        page = console.sign_in("owner", "#/log?kind=DENIAL&reason=no_association", context=context)
        hand = hand_type(page)
        label = hand_type.__name__.lower()
        hand.press(button(page, "Export"))
        page.wait_for_selector("#export-csv")
        if disk:
            # Nothing is asked for, and so nothing recorded, if no file is chosen.
            page.evaluate("window.declines = true")
            hand.press(button(page, "CSV"))
            until(page, lambda: page.locator("#export-csv").get_attribute("aria-busy") is None)
            assert page.evaluate("window.asked") is None
            page.evaluate("window.declines = false")
        begun = lambda: page.evaluate("Boolean(window.feed)")
        hand.press(button(page, "CSV"))
        until(page, begun, "the export has not begun")
        asked = page.evaluate("asked")
        assert "kind=DENIAL" in asked and "reason=no_association" in asked and "format=csv" in asked, asked
        page.evaluate("send('seq,id\\r\\n1,\"a\\nb\"\\r\\n2,c\\r\\n')")
        page.locator("#export-progress", has_text="2 records, 22 bytes so far.").wait_for()
        if disk:
            assert page.evaluate("file.text.length") == 22 and page.evaluate("file.name") == "doorward-log.csv"
        console.check(page, f"log-export-running-{label}")
        page.evaluate("feed.error(new TypeError('network'))")
        page.locator("dialog .notice.bad", has_text="The export ended before its end after 2 records, 22 bytes. The file would be incomplete, so nothing is saved.").wait_for()
        console.check(page, f"log-export-broken-{label}")
        assert not disk or page.evaluate("file.state") == "aborted"
        page.evaluate("window.feed = null")
        hand.press(button(page, "CSV"))
        until(page, begun, "the export has not begun again")
        page.evaluate("send('seq,id\\r\\n')")
        page.locator("#export-progress", has_text="0 records, 8 bytes so far.").wait_for()
        hand.press(button(page, "Cancel the export"))
        page.locator("dialog .notice.bad", has_text="The export was cancelled after 0 records, 8 bytes.").wait_for()
        page.evaluate("window.feed = null; file.text = ''")
        hand.press(button(page, "CSV"))
        until(page, begun, "the export has not begun for the third time")
        finish = lambda: page.evaluate("send('seq,id\\r\\n1,x\\r\\n'); feed.close()")
        if disk:
            finish()
        else:
            with page.expect_download() as download:
                finish()
            assert pathlib.Path(download.value.path()).read_bytes() == b"seq,id\r\n1,x\r\n"
        page.locator(".note", has_text="The export is saved: 1 record, 13 bytes.").wait_for()
        assert not disk or page.evaluate("[file.state, file.text]") == ["closed", "seq,id\r\n1,x\r\n"]
        has(page, "dialog", 0)
        page.context.close()
    # A text that is searched for is no filter of the file, and the dialog says so; a refusal is told.
    page = console.sign_in("owner", "#/log?text=leak", PHONE)
    button(page, "Export").click()
    page.locator("dialog .notice.info", has_text="does not search in stated reasons").wait_for()
    page.route("**/access-records/export**", lambda route: route.fulfill(status=403, content_type="application/json", body='{"code": "feature_unavailable", "details": {"module": "accessLogExport"}}'))
    button(page, "CSV").click()
    page.locator("dialog .notice.bad", has_text="The subscription does not include export of the log.").wait_for()
    console.check(page, "log-export-refused")
    console.clean("log downloads")


PEOPLE = [invitation_again, people_import, import_stops, import_of_lost_right, people_export, log_searches, log_downloads]
