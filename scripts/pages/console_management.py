"""Tests of the console's pages for people, units, portfolios, found locks and the gateway, and of who sees which page."""
import itertools, json, pathlib, signal, subprocess

from console_driver import HOSTILE, LOOKS, PHONE, button, each_look, focused, has, look, open_door, text, until, visit
from scripted_stream import ScriptedStream
from test_pages import PASSWORD, PROGRAM

REFUSED = "None of your roles includes this page"


def labelled(page, name):
    return page.get_by_role("button", name=name, exact=True)


def secret(page):
    """The link or key that a dialog shows once."""
    page.wait_for_selector("#secret")
    return page.input_value("#secret")


def post(gateway, path, body):
    """Sends a request without a sign-in; returns the status and `data`."""
    status, _, answer = gateway.request("POST", "/api/v1" + path, {"Content-Type": "application/json"}, json.dumps(body).encode())
    return status, json.loads(answer).get("data") if answer else None


# --- People -------------------------------------------------------------------------------------------------------------


def people(console, gateway):
    """Someone is invited to a unit: the link is shown once, the invitation is pending, is withdrawn, and another one is accepted."""
    gateway.add("hostile", HOSTILE, f"/properties/{gateway.property}/managers", "MAINTENANCE")
    page = console.sign_in("owner", "#/people")
    page.locator(".row", has_text="Tom Example").locator("text=Tenant, Flat 1A, Quay 1").wait_for()
    assert "<img src=x" in text(page) and page.locator("main img").count() == 0 and page.title() == "People - Doorward"
    page.fill("#people-search", "no such person")
    page.locator("h2", has_text="No one matches").wait_for()
    console.check(page, "people-none")
    page.fill("#people-search", "")
    page.locator(".row", has_text="Tom Example").wait_for()
    for attempt in ["withdrawn", "accepted"]:
        button(page, "Invite").click()
        page.wait_for_selector("dialog")
        options = lambda: page.locator("#invite-role option").all_inner_texts()
        button(page.locator("dialog"), "Invite").click()
        page.locator("dialog .notice.bad", has_text="The email address is missing.").wait_for()
        page.fill("#invite-email", f"{attempt}@example.org")
        page.select_option("#invite-type", "UNIT")
        until(page, lambda: options() == ["Tenant"])
        page.select_option("#invite-type", "PORTFOLIO")
        until(page, lambda: options() == ["Owner", "Portfolio admin", "Auditor"])
        page.select_option("#invite-type", "PROPERTY")
        page.select_option("#invite-entity", label="Quay 1")
        page.select_option("#invite-role", "MAINTENANCE")
        if attempt == "withdrawn":
            console.check(page, "people-invite")
        page.keyboard.press("Tab")
        button(page.locator("dialog"), "Invite").click()
        link = secret(page)
        assert link.startswith(gateway.url + "/invitation#token="), link
        if attempt == "withdrawn":
            console.check(page, "people-invited")
        page.keyboard.press("Escape")
        has(page, "dialog", 0)
        assert focused(page) == "invite" and link not in page.content()
        token = link.split("token=")[1]
        row = page.locator(".row", has_text=f"{attempt}@example.org")
        row.locator("text=Maintenance, Quay 1").wait_for()
        if attempt == "withdrawn":
            # It is there after a reload, too.
            page.reload()
            row.wait_for()
            console.check(page, "people-pending")
            row.get_by_text("Withdraw", exact=True).click()
            page.locator("dialog .effects", has_text="1 invitation").wait_for()
            page.locator("#confirm").click()
            page.locator(".note", has_text="withdrawn").wait_for()
            until(page, lambda: row.count() == 0)
            assert post(gateway, "/auth/accept-invitation", {"token": token, "firstName": "A", "lastName": "B", "password": PASSWORD})[0] == 401
    status, _ = post(gateway, "/auth/accept-invitation", {"token": token, "firstName": "Ina", "lastName": "Vited", "password": PASSWORD})
    assert status == 201
    button(page, "Read again").click()
    page.locator(".row", has_text="Ina Vited").wait_for()
    until(page, lambda: page.locator("button", has_text="Withdraw").count() == 0, "the accepted invitation is still pending")
    each_look(console, "owner", "#/people", ".row", "people")


def person(console, gateway):
    """A role is removed after a preview of what ends with it, and the tab of the person whose role it was follows."""
    gateway.add("leaver", "Lea", f"/units/{gateway.flat}/tenants", "TENANT")
    leaver = gateway.sign_in(gateway.people["leaver"])
    door = gateway.locks["Flat door"]
    gateway.call("POST", "/guest-access", {
        "label": "Aunt", "deviceIds": [door], "operations": ["UNLOCK"], "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2029-01-01T00:00:00Z"}, leaver)
    other = console.sign_in("leaver")
    has(other, ".card", 1)
    page = console.sign_in("owner", f"#/people/{gateway.leaver}", PHONE)
    page.locator("h1", has_text="Lea Example").wait_for()
    console.check(page, "person-phone")
    labelled(page, "Remove Tenant, Flat 1A, Quay 1").focus()
    page.keyboard.press("Enter")
    page.locator("dialog .effects", has_text="1 guest access").wait_for()
    assert "1 role" in text(page, ".effects")
    console.check(page, "person-preview")
    page.keyboard.press("Escape")
    has(page, "dialog", 0)
    assert focused(page) == f"remove-{gateway.flat}"
    page.keyboard.press("Enter")
    page.locator("#confirm").wait_for()
    page.locator("#confirm").click()
    page.locator("main", has_text="Not found, or no access").wait_for()
    assert focused(page) == "H1", focused(page)
    button(other, "Read again").click()
    other.locator("h2", has_text="No doors yet").wait_for()
    # The last owner stays.
    page = console.sign_in("owner", "#/people")
    page.get_by_role("link", name="Olga Example", exact=True).click()
    page.get_by_role("button", name="Remove Owner, Houses").click()
    page.locator("dialog .notice.bad", has_text="last owner").wait_for()
    assert page.locator("#confirm").count() == 0
    console.check(page, "person-refused")
    # A manager sees the people of the property, removes staff, and gives no role of the portfolio.
    page = console.sign_in("manager", "#/people")
    page.locator(".row", has_text="Max").wait_for()
    assert page.locator(".row", has_text="Olga").count() == 0
    button(page, "Invite").click()
    page.wait_for_selector("dialog")
    assert page.locator("#invite-type option").all_inner_texts() == ["Property", "Unit"]
    page.select_option("#invite-type", "PROPERTY")
    until(page, lambda: page.locator("#invite-role option").all_inner_texts() == ["Maintenance", "Auditor"])
    console.clean("person")


def accounts(console, gateway):
    """A super admin creates a user and a password link, disables, enables and deletes; without a right to open a door."""
    page = console.sign_in("root", "#/people")
    button(page, "Create a user").click()
    for field, value in [("#user-email", "temporary@example.org"), ("#user-first", "Tem"), ("#user-last", "Porary")]:
        page.fill(field, value)
    button(page, "Create").click()
    token = secret(page).split("token=")[1]
    assert post(gateway, "/auth/accept-invitation", {"token": token, "firstName": "Tem", "lastName": "Porary", "password": PASSWORD})[0] == 201
    button(page, "Done").click()
    page.fill("#people-search", "porary")
    page.get_by_role("link", name="Tem Porary", exact=True).click()
    button(page, "Create a password link").click()
    link, new = secret(page), PASSWORD + ", by a link"
    console.check(page, "person-account")
    assert post(gateway, "/auth/reset-password", {"token": link.split("token=")[1], "newPassword": new})[0] == 204
    gateway.sign_in("temporary@example.org", new)
    button(page, "Disable").click()
    page.locator(".pill", has_text="Disabled").wait_for()
    assert post(gateway, "/auth/login", {"email": "temporary@example.org", "password": new})[0] == 401
    button(page, "Enable").click()
    button(page, "Disable").wait_for()
    gateway.sign_in("temporary@example.org", new)
    button(page, "Delete").click()
    page.locator("dialog .effects", has_text="Tem Porary").wait_for()
    page.fill("#removal-name", "Tem")
    page.keyboard.press("Enter")
    page.locator("dialog .error", has_text="not the name").wait_for()
    page.fill("#removal-name", "Tem Porary")
    page.keyboard.press("Enter")
    page.locator(".note", has_text="is deleted").wait_for()
    assert page.url.endswith("#/people")
    assert link not in page.content()
    console.clean("accounts")


# --- Units, portfolios, found locks, the gateway ----------------------------------------------------------------------------


def unit(console, gateway):
    """A unit with its doors, tenants and guests; its name may be hostile; it is added, renamed and deleted."""
    page = console.sign_in("owner", f"#/properties/{gateway.property}")
    button(page, "Add a unit").click()
    page.fill("#unit-name", "Flat 9Z")
    page.keyboard.press("Enter")
    page.locator(".note", has_text="Flat 9Z is added").wait_for()
    page.locator("a.row", has_text="Flat 9Z").click()
    page.locator("h1", has_text="Flat 9Z").wait_for()
    page.locator(".hint", has_text="no door of its own").wait_for()
    page.locator(".hint", has_text="No tenant yet").wait_for()
    console.check(page, "unit-empty")
    button(page, "Change").click()
    page.fill("#unit-name", HOSTILE)
    page.keyboard.press("Enter")
    page.locator("h1", has_text="<img src=x").wait_for()
    assert page.locator("main img").count() == 0 and page.title().startswith("<img")
    button(page, "Invite a tenant").click()
    assert page.input_value("#invite-type") == "UNIT" and page.input_value("#invite-role") == "TENANT"
    page.keyboard.press("Escape")
    button(page, "Delete").click()
    page.locator("dialog .effects", has_text="<img src=x").wait_for()
    console.check(page, "unit-delete")
    page.fill("#removal-name", HOSTILE)
    page.keyboard.press("Enter")
    page.locator(".note", has_text="is deleted").wait_for()
    access = gateway.grant(locks=("Flat door",), label="Plumber")
    page = console.sign_in("owner")
    open_door(page, "Flat door")
    page.get_by_role("link", name="Flat 1A").click()
    page.locator(".row", has_text="Flat door").wait_for()
    page.locator(".row", has_text="Tom Example").wait_for()
    page.locator(".row", has_text="Plumber").wait_for()
    page = console.sign_in("tenant", f"#/units/{gateway.flat}")
    page.locator(".row", has_text="Flat door").wait_for()
    assert page.locator("h2", has_text="Tenants").count() == 0 and page.locator("button", has_text="Change").count() == 0
    page.goto(gateway.url + "/#/units/nothing")
    page.locator("h2", has_text="Not found, or no access").wait_for()
    console.check(page, "unit-unknown")
    each_look(console, "owner", f"#/units/{gateway.flat}", ".panel-card .row", "unit")
    gateway.call("DELETE", f"/guest-access/{access}")


def portfolio(console, gateway):
    """A portfolio's properties, usage, retention, name and report; what someone else has changed meanwhile is not overwritten."""
    path = f"/portfolios/{gateway.portfolio}"
    page = console.sign_in("root", "#/portfolios")
    button(page, "Create a portfolio").click()
    page.fill("#new-name", "Empty")
    page.keyboard.press("Enter")
    page.locator(".note", has_text="Empty is created").wait_for()
    console.check(page, "portfolios")
    page.locator("a.row", has_text="Houses").click()
    page.locator("summary", has_text="Change the subscription").click()
    page.fill("#tier", "gold-2031")
    page.fill("#maxDevices", "8")
    page.get_by_label("Recurring hours").uncheck()
    page.get_by_label("Compliance report").check()
    button(page, "Save the subscription").click()
    page.locator(".notice.ok", has_text="in force at once").wait_for()
    assert "gold-2031" in text(page) and "6 of 8" in text(page)
    console.check(page, "portfolio-subscription")
    # Every tier behaves by its modules and limits.
    before = {name: value for name, value in gateway.call("GET", path + "/subscription", None, gateway.root)["subscription"].items() if name in ("tier", "modules", "limits")}
    assert before["modules"].pop("recurringSchedules") is False
    before["modules"]["recurringSchedules"] = True
    for tier, modules in [("free 1", {"guestAccess": False}), ("standard 1", {}), ("pro 1", {"guestLinks": False}), ("enterprise 1", {"accessLogExport": False})]:
        own = gateway.call("PUT", path + "/subscription", before | {"tier": tier, "modules": before["modules"] | modules}, gateway.root)["subscription"]
        button(page, "Read again").click()
        page.locator("main", has_text=tier).wait_for()
        on = [one.inner_text() for one in page.locator(".modules li.on").all()]
        assert len(on) == sum(own["modules"].values()), (tier, on)
        assert any("Guest access" in one for one in on) == own["modules"]["guestAccess"], tier
    gateway.call("PUT", path + "/subscription", before, gateway.root)
    page = console.sign_in("owner", "#/portfolios")
    page.locator("h1", has_text="Houses").wait_for()
    assert "6 of 8" in text(page) and page.locator("summary").count() == 0
    page.fill("#days", "400")
    button(page, "Save the retention").click()
    page.locator(".notice.ok", has_text="Saved.").wait_for()
    assert gateway.call("GET", path + "/retention")["retention"] == {"days": 400, "legalHold": False}
    gateway.call("PUT", path + "/retention", {"days": 500})
    page.fill("#days", "10")
    button(page, "Save the retention").click()
    page.locator(".notice.bad", has_text="Someone else has changed this").wait_for()
    assert gateway.call("GET", path + "/retention")["retention"]["days"] == 500
    console.check(page, "portfolio-conflict")
    gateway.call("PUT", path + "/retention", {"days": None})
    button(page, "Add a property").click()
    page.fill("#new-name", "Mill Lane 7")
    page.select_option("#new-zone", "Europe/London")
    console.check(page, "portfolio-property")
    button(page.locator("dialog"), "Create").click()
    page.locator("a.row", has_text="Mill Lane 7").wait_for()
    found = next(one for one in gateway.call("GET", "/properties")["properties"] if one["name"] == "Mill Lane 7")
    assert found["defaultTimeZone"] == "Europe/London"
    gateway.call("DELETE", f"/properties/{found['id']}")
    button(page, "Read again").click()
    has(page, "a.row:has-text('Mill Lane 7')", 0)
    button(page, "Rename").click()
    page.fill("#portfolio-name", "Houses & Yards")
    button(page, "Save").click()
    page.locator("h1", has_text="Houses & Yards").wait_for()
    gateway.call("PUT", path, {"name": "Houses"})
    with page.expect_download() as download:
        button(page, "Save the report").click()
    assert "<html" in pathlib.Path(download.value.path()).read_text()
    # An auditor sees no subscription, and changes nothing.
    page = console.sign_in("auditor", "#/portfolios")
    page.locator("h1", has_text="Houses").wait_for()
    assert page.locator("h2", has_text="Subscription").count() == 0 and button(page, "Rename").count() == 0
    each_look(console, "owner", "#/portfolios", ".usage", "portfolio")


def found_locks(console, gateway):
    """A found lock is attached to a unit, and tried from the page that opens."""
    page = console.sign_in("owner", "#/found")
    page.locator("h2", has_text="No found locks").wait_for()
    console.check(page, "found-empty")
    page.context.close()
    lock = {
        "id": "found-1", "name": HOSTILE, "manufacturer": "Example", "model": "Latch 3", "adapter": "simulator", "address": {"latencyMs": 0}, "capabilities": None,
        "problem": None, "firstSeenAt": "2026-11-25T08:00:00.000Z", "lastSeenAt": "2026-11-25T08:10:00.000Z"}
    console.answers["**/api/v1/devices/discovered**"] = {
        "discoveredDevices": [lock, lock | {"id": "found-2", "name": None, "problem": "Another portfolio has a lock at this address."}],
        "pagination": {"totalItems": 2, "totalPages": 1, "currentPage": 1, "pageSize": 30}}
    each_look(console, "owner", "#/found", ".row", "found")
    page = console.sign_in("owner", "#/found", PHONE)
    page.locator("#attach-found-1").click()
    page.fill("#lock-name", "New door")
    page.select_option("#lock-property", label="Quay 1")
    page.locator("#lock-unit option", has_text="Flat 1A").wait_for(state="attached")
    page.select_option("#lock-unit", label="Flat 1A")
    console.check(page, "found-attach")
    button(page.locator("dialog"), "Attach").click()
    page.locator("h1", has_text="New door").wait_for()
    page.locator(".subtitle", has_text="Quay 1 › Flat 1A").wait_for()
    button(page, "Unlock").click()
    page.locator(".progress-panel.ok", has_text="Unlocked").wait_for()
    console.answers.clear()
    door = page.url.rsplit("/", 1)[1]
    gateway.call("DELETE", f"/devices/{door}")
    console.clean("found locks")


def gateway_page(console, gateway):
    """A super admin sees adapters, clock and logs, and writes a backup; a file that exists is refused in words."""
    page = console.sign_in("root", "#/gateway")
    page.locator(".row", has_text="simulator").wait_for()
    assert "Ready for commands" in text(page) and "Trusted" in text(page) and "Log of the gateway" in text(page)
    file = pathlib.Path(gateway.folder) / "copy.db"
    page.fill("#backup-file", str(file))
    button(page, "Write a backup").click()
    page.locator(".notice.ok", has_text="copy.db").wait_for()
    assert file.stat().st_size > 10_000
    button(page, "Write a backup").click()
    page.locator(".notice.bad").wait_for()
    console.check(page, "gateway-backup")
    # A clock that is not trusted is accepted after a question.
    clock = gateway.call("GET", "/clock", None, gateway.sign_in("root@example.org"))["clock"] | {"isTrusted": False, "reason": "stepped_forward"}
    console.answers["**/api/v1/clock"] = {"clock": clock}
    page = console.sign_in("root", "#/gateway", PHONE)
    button(page, "Accept this time").click()
    page.wait_for_selector("dialog")
    console.check(page, "gateway-clock")
    page.keyboard.press("Escape")
    has(page, "dialog", 0)
    assert focused(page) == "accept-clock"
    console.answers.clear()
    each_look(console, "root", "#/gateway", ".row", "gateway")


def own_keys(console, gateway):
    """An API key is created, shown once, works, and is removed after a preview; the first property is chosen."""
    page = console.sign_in("owner", "#/account")
    button(page, "Create an API key").click()
    page.fill("#key-name", "Cleaning robot")
    page.select_option("#key-type", "PROPERTY")
    page.select_option("#key-entity", label="Quay 1")
    page.select_option("#key-role", "MAINTENANCE")
    console.check(page, "account-key")
    button(page, "Create").click()
    key = secret(page)
    console.check(page, "account-key-shown")
    button(page, "Done").click()
    assert {one["name"] for one in gateway.call("GET", "/devices", None, key)["devices"]} >= {"Cellar", "Flat door"}
    has(page, "dialog", 0)
    assert key not in page.content()
    labelled(page, "Remove Cleaning robot").click()
    page.locator("dialog .effects", has_text="Cleaning robot (API key)").wait_for()
    page.locator("#confirm").click()
    page.locator(".note", has_text="Cleaning robot is removed").wait_for()
    assert gateway.request("GET", "/api/v1/devices", {"Authorization": f"Bearer {key}"})[0] == 401
    page.select_option("#defaultPropertyId", label="Yard 7")
    button(page, "Save the choices").click()
    page.locator(".notice.ok", has_text="Saved.").wait_for()
    page.get_by_role("link", name="Doorward", exact=True).click()
    has(page, ".card", 2)
    gateway.call("PUT", "/users/me", {"defaultPropertyId": None})
    console.clean("own keys")


def elements(console, gateway):
    """Random descriptions, new ones and ones that were shown before, are shown as if they were built anew; an element that stays where it was is never
    moved, and keeps the focus."""
    page = console.sign_in("tenant")
    page.wait_for_selector(".card")
    found = page.evaluate(r"""async () => {
        const { h, show } = await import(document.querySelector('script[src$="/app.js"]').src.replace('app.js', 'view.js'));
        let seed = 11;
        const random = (count) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % count; };
        const child = (key) => [null, 'text ' + random(3), h('button', { key, type: 'button', title: String(random(3)) }, key), h('p', null, String(random(9)))][random(4)];
        const root = document.createElement('section');
        document.body.append(root);
        let before = [], kept = 0;
        for (let round = 0; round < 3000; round++) {
            // Keys are in the same order in every description, so no button is ever out of place.
            const children = ['a', 'b', 'c', 'd', 'e', 'f'].map(child);
            const buttons = [...root.querySelectorAll('button')];
            const focused = buttons[random(buttons.length || 1)];
            focused?.focus();
            show(root, h('div', null, children));
            const other = document.createElement('section');
            show(other, h('div', null, children.map((one) => one && one.tag ? h(one.tag, { ...one.props, key: one.key }, one.children.map(({ text }) => text)) : one)));
            if (root.innerHTML !== other.innerHTML) return [round, root.innerHTML, other.innerHTML];
            if (focused?.isConnected) { kept++; if (document.activeElement !== focused) return [round, 'the focus is lost', focused.outerHTML]; }
        }
        root.remove();
        return kept;
    }""")
    assert isinstance(found, int) and found > 500, found
    found = page.evaluate(r"""async () => {
        const { h, show } = await import(document.querySelector('script[src$="/app.js"]').src.replace('app.js', 'view.js'));
        let seed = 12;
        const random = (count) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % count; };
        const fresh = (one) => 'text' in one ? one.text : h(one.tag, { ...one.props, key: one.key }, one.children.map(fresh));
        const row = (key) => h('li', { key, title: String(random(3)) }, h('b', null, key), ' ' + random(5), random(2) ? h('i', null, String(random(3))) : null);
        const keys = [...'abcdefghijklmn'];
        const rows = new Map(keys.map((key) => [key, []])), blocks = new Map();
        const root = document.createElement('section');
        document.body.append(root);
        let again = 0;
        for (let round = 0; round < 3000; round++) {
            const described = keys.filter(() => random(4) > 0).map((key) => {
                const known = rows.get(key);
                // Mostly the last description, sometimes a new one or one that others have replaced.
                const one = known.length === 0 || random(6) === 0 ? row(key) : known[random(5) ? known.length - 1 : random(known.length)];
                if (!known.includes(one)) known.push(one);
                return one;
            });
            const list = [];
            for (let first = 0; first < described.length; first += 3) {
                const some = described.slice(first, first + 3);
                let block = blocks.get(some[0]);
                if (block?.key === first && block.children.length === some.length && some.every((one, index) => one === block.children[index])) again++;
                else blocks.set(some[0], block = h('ul', { key: first }, some));
                list.push(block);
            }
            const description = h('div', null, random(5) ? list : h('p', { key: 'none' }, 'No door matches'));
            show(root, description);
            const other = document.createElement('section');
            show(other, fresh(description));
            if (root.innerHTML !== other.innerHTML) return [round, root.innerHTML, other.innerHTML];
        }
        root.remove();
        return again;
    }""")
    assert isinstance(found, int) and found > 300, found


# --- Who sees what ---------------------------------------------------------------------------------------------------------

PLACES = {
    "doors": "#/doors", "guests": "#/guests", "log": "#/log", "check": "#/check", "people": "#/people", "portfolios": "#/portfolios", "found": "#/found",
    "gateway": "#/gateway", "properties": "#/properties/{property}", "units": "#/units/{flat}", "account": "#/account", "more": "#/more"}
LINKED = ["doors", "guests", "log", "check", "people", "portfolios", "found", "gateway"]
HEADINGS = {
    "doors": ["Doors"], "guests": ["Guests"], "log": ["Log"], "check": ["Access check"], "people": ["People"], "portfolios": ["Portfolio", "Portfolios", "Houses"],
    "found": ["Found locks"], "gateway": ["Gateway"], "properties": ["Property", "Quay 1"], "units": ["Unit", "Flat 1A"], "account": ["My account"], "more": ["More"]}
ALWAYS = {"doors", "account", "more"}
MANAGES = ALWAYS | {"guests", "log", "check", "people", "found", "properties", "units"}
SEES = {
    "owner": MANAGES | {"portfolios"}, "admin": MANAGES | {"portfolios"}, "manager": MANAGES,
    "maintenance": ALWAYS | {"check", "properties", "units"}, "auditor": ALWAYS | {"log", "check", "portfolios", "properties", "units"},
    "tenant": ALWAYS | {"guests", "log", "check", "properties", "units"}, "guest": ALWAYS, "visitor": ALWAYS | {"check"},
    "root": ALWAYS | {"log", "check", "people", "portfolios", "found", "gateway", "properties", "units"}}


def every_page(console, gateway):
    """Each person × each page: shown and linked, or refused and not linked; a page that is shown gets no refusal of the gateway.

    Each page is audited for each person in one of the six looks, in turn, so that the nine persons see it in all six.
    """
    gateway.add("visitor", "Vic")
    now = {"validFrom": "2026-01-01T00:00:00Z", "validUntil": "2029-01-01T00:00:00Z"}
    access = gateway.create("/guest-access", {"guestUserId": gateway.visitor, "deviceIds": [gateway.locks["Cellar"]], "operations": ["UNLOCK", "VIEW_STATUS"]} | now)
    places = {name: path.format(property=gateway.property, flat=gateway.flat) for name, path in PLACES.items()}
    for turn, (person, seen) in enumerate(SEES.items()):
        page = console.sign_in(person)
        page.wait_for_selector("h1")
        refused = []
        page.on("response", lambda response: response.status in (401, 403, 404) and "/stream" not in response.url and "/invitations/" not in response.url and refused.append((response.status, response.url)))
        linked = [one.get_attribute("href") for one in page.locator(".places a:not(.phone-only)").all()]
        assert linked == [places[name] for name in LINKED if name in seen], (person, linked)
        for number, (name, path) in enumerate(places.items()):
            look(page, *LOOKS[(turn + number) % len(LOOKS)])
            visit(page, path, HEADINGS[name])
            shown = text(page)
            assert (REFUSED in shown) == (name not in seen), (person, name)
            assert "Not found, or no access" not in shown, (person, name)
            console.audit(page, f"{person} {name}")
        assert not refused, (person, refused)
        console.clean(person)
        page.context.close()
    # On a phone, what has no room in the bar is behind More.
    page = console.sign_in("owner", "#/more", PHONE)
    assert page.locator(".places a:visible").count() == 5
    assert [one.get_attribute("href") for one in page.locator("main a.row").all()] == ["#/people", "#/portfolios", "#/found", "#/account"]
    console.check(page, "more-phone")
    page.locator("main a.row", has_text="People").click()
    page.locator(".row", has_text="Tom Example").wait_for()
    page = console.sign_in("visitor", "", PHONE)
    assert page.locator(".places a", has_text="More").count() == 0
    gateway.call("DELETE", f"/guest-access/{access}")


def states(console, gateway):
    """Each page loading, failed, stale and empty; each of these states in all looks in turn."""
    places = {name: path.format(property=gateway.property, flat=gateway.flat) for name, path in PLACES.items() if name in SEES["owner"]}
    looks = itertools.cycle(LOOKS)

    def visit_all(page, state, headings=HEADINGS, places=places):
        for name, path in places.items():
            look(page, *next(looks))
            if state == "loading":
                page.evaluate("path => { location.hash = path; }", path)
                page.locator("#main h1").wait_for()
                page.locator(f".places a[aria-current=page], header a[aria-current=page]").first.wait_for(state="attached")
            else:
                visit(page, path, headings[name])
            console.audit(page, f"{name} {state}")
            texts.append(text(page))
        next(looks)

    texts, waiting = [], []
    page = console.sign_in("owner", "#/more")
    page.route("**/api/v1/**", lambda route: waiting.append(route))
    visit_all(page, "loading")
    assert sum("Loading" in one for one in texts) >= 6, texts
    for route in waiting:
        route.abort()
    page.context.close()
    texts.clear()
    page = console.sign_in("owner", "#/more")
    page.route("**/api/v1/**", lambda route: route.fulfill(status=503, content_type="application/json", body='{"status": "error", "code": "unavailable", "message": "Not now."}'))
    visit_all(page, "failed")
    assert sum("This could not be loaded" in one for one in texts) >= 6, texts
    page.context.close()
    # A portfolio without anything in it.
    user = gateway.call("POST", "/users", {"email": "eve@example.org", "firstName": "Eve", "lastName": "Example", "password": PASSWORD}, gateway.root)["user"]
    gateway.call("POST", "/portfolios", {"name": "Houses", "administratorUserIds": [user["id"]]}, gateway.root)
    gateway.people["eve"] = "eve@example.org"
    page = console.sign_in("eve")
    visit_all(page, "empty", places={name: path for name, path in places.items() if name not in ("properties", "units", "guests", "log", "check")})
    page.context.close()
    stream = ScriptedStream(gateway)
    try:
        page = console.sign_in("owner", url=stream.url)
        page.locator(".badge.live").wait_for()
        stream.refusals = [503] * 100
        stream.end_streams()
        page.locator(".badge.stale").wait_for()
        visit_all(page, "stale")
        assert page.locator(".badge.stale").count() == 1
    finally:
        stream.close()


def stale_management(console, gateway):
    """A tab whose right is gone: what it sends is refused and explained, and the page leaves."""
    gateway.add("former", "Flo", f"/properties/{gateway.property}/managers", "PROPERTY_MANAGER")
    page = console.sign_in("former", "#/people")
    page.locator(".row", has_text="Tom Example").wait_for()
    button(page, "Invite").click()
    page.fill("#invite-email", "friend@example.org")
    gateway.call("DELETE", f"/properties/{gateway.property}/managers/{gateway.former}")
    button(page.locator("dialog"), "Invite").click()
    page.locator("main", has_text=REFUSED).wait_for()
    has(page, "dialog", 0)
    assert "Tom Example" not in page.content() and page.locator(".places a", has_text="People").count() == 0 and focused(page) == "H1", focused(page)
    console.check(page, "people-lost")
    # A request that the console would not send gets the gateway's refusal.
    status = page.evaluate("""async ([path, token]) => (await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json', Authorization: 'Bearer ' + token},
        body: JSON.stringify({email: 'friend@example.org', role: 'MAINTENANCE'})})).status""", [f"/api/v1/properties/{gateway.property}/managers", gateway.sign_in(gateway.people["former"])])
    assert status == 403


def signed_out_management(console, gateway):
    """After signing out, neither the back button nor the addresses show people, links or invitations."""
    page = console.sign_in("owner", "#/people")
    page.locator(".row", has_text="Tom Example").wait_for()
    button(page, "Invite").click()
    page.fill("#invite-email", "never@example.org")
    button(page.locator("dialog"), "Invite").click()
    link = secret(page)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Tom Example", exact=True).click()
    page.locator("h1", has_text="Tom Example").wait_for()
    page.goto(gateway.url + "/#/account")
    button(page, "Sign out").click()
    page.wait_for_selector("#email")
    for _ in range(2):
        page.go_back()
        page.wait_for_selector("#email")
        content = page.content()
        assert "Tom Example" not in content and "never@example.org" not in content and link not in content
    assert page.evaluate("document.cookie + localStorage.length + sessionStorage.length") == "00"
    # Another person who signs in in the same tab sees nothing of it.
    page.fill("#email", gateway.people["tenant"])
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("header.top")
    assert "never@example.org" not in page.content()
    console.clean("signed out")


def demo_links(console, gateway):
    """A link of the demo signs in with one click and once, and its secret leaves the address; other gateways have no such links."""
    demo = subprocess.Popen([PROGRAM, "demo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=gateway.folder, env=gateway.environment | {"TMPDIR": gateway.folder})
    try:
        links, url = {}, None
        for line in demo.stdout:
            words = line.split()
            if line.startswith("listening on "):
                url = words[2]
            if len(words) == 2 and "/#sign-in=" in words[1]:
                links[words[0]] = words[1]
            if "noel" in links:
                break
        context = console.context()
        page = console.page(context, url)
        sent = []
        page.on("request", lambda request: sent.append(request.url))
        page.goto(links["tom"])
        page.locator(".person-name", has_text="Tom Tenant").wait_for()
        page.wait_for_selector(".card")
        secret = links["tom"].split("=")[1]
        assert page.url == url + "/#/doors" and page.evaluate("history.length") <= 2, page.url
        page.go_back()
        page.go_forward()
        page.wait_for_selector(".card")
        assert secret not in page.url + page.content() and not any(secret in one for one in sent)
        # In a page that is open already, another person's link replaces the person.
        page.goto(links["olga"])
        page.locator(".person-name", has_text="Olga Owner").wait_for()
        page.locator(".places a", has_text="Portfolio").wait_for()
        # A used link signs nobody in.
        other = console.page(console.context(), url)
        other.goto(links["tom"])
        other.locator(".notice", has_text="has been used or has expired").wait_for()
        assert other.locator("#email").count() == 1 and secret not in other.url
        console.check(other, "demo-used")
        # Neither does one in the page of somebody who is signed in.
        page.goto(links["tom"])
        page.locator(".note", has_text="has been used or has expired").wait_for()
        assert "Olga Owner" in text(page, "header") and secret not in page.url
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=20)
    page = console.page(console.context())
    page.goto(gateway.url + "/#sign-in=" + secret)
    page.locator(".notice", has_text="has been used or has expired").wait_for()
    assert secret not in page.url and secret not in gateway.log()
    console.clean("demo links")


MANAGEMENT = [
    elements, people, person, accounts, unit, portfolio, found_locks, gateway_page, own_keys, every_page, states, stale_management, signed_out_management, demo_links,
]
