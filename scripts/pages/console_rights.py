"""Rights that end and come back while pages of the console are open: nothing of what was lost stays, and each page opens again by itself."""

from console_driver import WIDE, button, has, text, until

#: What a page has: its texts, its title, and what is in its fields.
EVERYTHING = """document.title + document.documentElement.outerHTML
    + [...document.querySelectorAll('input, textarea, select')].map(one => one.value + (one.selectedOptions?.[0]?.text ?? '')).join()"""


class House:
    """A property with a unit, a tenant, a door and a guest, each with the name of the house in its own."""

    def __init__(self, gateway, name):
        self.gateway, self.name = gateway, name
        self.property = gateway.create("/properties", {"name": f"{name} House", "portfolioId": gateway.portfolio, "defaultTimeZone": "Europe/Berlin"})
        self.unit = gateway.create("/units", {"name": f"{name} Attic", "propertyId": self.property})
        self.door = gateway.create("/devices", {
            "name": f"{name} Gate", "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": self.property, "unitId": self.unit})
        gateway.locks[f"{name} Gate"] = self.door
        gateway.add(f"tenant-{name.lower()}", f"{name}-Tenant", f"/units/{self.unit}/tenants", "TENANT")
        self.tenant = getattr(gateway, f"tenant-{name.lower()}")
        self.guest = gateway.grant(locks=[f"{name} Gate"], guestUserId=None, label=f"{name} Guest")
        gateway.call("POST", f"/devices/{self.door}/lock", {})

    def give(self, user):
        self.gateway.call("POST", f"/properties/{self.property}/managers", {"userId": user, "role": "PROPERTY_MANAGER"})

    def take(self, user):
        self.gateway.call("DELETE", f"/properties/{self.property}/managers/{user}")

    def clear(self):
        self.gateway.call("DELETE", f"/guest-access/{self.guest}")
        self.gateway.call("DELETE", f"/devices/{self.door}")
        self.gateway.call("DELETE", f"/properties/{self.property}?cascade=true")
        del self.gateway.locks[f"{self.name} Gate"]


def open_tabs(console, gateway, person, addresses):
    """Opens each page in a tab of one browser, which share a stream; returns the tabs by their titles."""
    context = console.context(WIDE)
    tabs = {}
    for title, path in addresses.items():
        if tabs:
            tabs[title] = console.page(context)
            tabs[title].goto(gateway.url + "/" + path)
        else:
            tabs[title] = console.sign_in(person, path, context=context)
        tabs[title].wait_for_selector("#main h1")
        tabs[title].locator(".badge.live").wait_for()
    return tabs


def shows(tabs, words):
    for title, page in tabs.items():
        until(page, lambda: words in page.evaluate(EVERYTHING), f"{title} does not show {words}: {text(page)}")


def forgets(console, tabs, words, name):
    """Requires that nothing of a name is left on the pages, and that each says what has ended; takes pictures."""
    for title, page in tabs.items():
        until(page, lambda: words not in page.evaluate(EVERYTHING), f"{title} still shows {words}: {text(page)}")
        until(page, lambda: page.locator(".note", has_text="ended").count() == 1, f"{title} does not say what has ended")
        until(page, lambda: page.locator("#main [aria-busy=true], #main .skeleton").count() == 0, f"{title} does not end to load")
        assert words not in page.evaluate(EVERYTHING), f"{title} shows {words} again: {text(page)}"
        assert page.locator("dialog").count() == 0, f"the dialog of {title} is open"
        console.check(page, f"{name}-{title}")


def rights_of_places(console, gateway):
    """Doors, guests, log, access check, people, account, property, unit, door and person, when one of two properties is lost, then both, and when they return."""
    console.has_stream = True
    lost, kept = House(gateway, "Linden"), House(gateway, "Kastanie")
    gateway.add("keeper", "Kim")
    for house in [lost, kept]:
        house.give(gateway.keeper)
    lists = {
        "doors": f"#/doors?property={lost.property}", "guests": "#/guests", "log": f"#/log?deviceId={lost.door}", "check": "#/check",
        "people": "#/people?q=Linden", "account": "#/account"}
    objects = {"property": f"#/properties/{lost.property}", "unit": f"#/units/{lost.unit}", "door": f"#/doors/{lost.door}", "person": f"#/people/{lost.tenant}"}
    try:
        tabs = open_tabs(console, gateway, "keeper", lists | objects)
        of_objects = {title: tabs[title] for title in objects}
        tabs["check"].select_option("#check-door", label="Linden Gate – Linden Attic")
        button(tabs["check"], "Who can?").click()
        button(tabs["guests"], "Details of Linden Guest").click()
        tabs["guests"].wait_for_selector("dialog .details")
        shows(tabs, "Linden")
        # A part of the rights.
        lost.take(gateway.keeper)
        forgets(console, tabs, "Linden", "part")
        for page in tabs.values():
            assert "Your access to a property has ended" in text(page, ".note"), text(page)
        for page in of_objects.values():
            page.locator("h2", has_text="Not found, or no access").wait_for()
        # The account page has a choice of properties only where there are several.
        shows({title: tabs[title] for title in lists if title != "account"}, "Kastanie")
        # It returns.
        lost.give(gateway.keeper)
        shows(tabs, "Linden")
        for page in tabs.values():
            has(page, ".note", 0)
        # It can be chosen again, too.
        for choice in ["#log-door", "#check-door"]:
            page = tabs[choice[1:].split("-")[0]]
            until(page, lambda: "Linden Gate" in page.locator(choice).inner_text(), f"{choice} has no such door")
        button(tabs["guests"], "Let a guest in").click()
        tabs["guests"].locator("#guest-property option", has_text="Linden House").wait_for(state="attached")
        # The whole.
        for house in [lost, kept]:
            house.take(gateway.keeper)
        for words in ["Linden", "Kastanie"]:
            forgets(console, tabs, words, "whole")
        for title in ["guests", "log", "check", "people", "property", "unit"]:
            tabs[title].locator("main", has_text="None of your roles includes this page").wait_for()
        for house in [lost, kept]:
            house.give(gateway.keeper)
        shows(tabs, "Linden")
        for title, page in tabs.items():
            console.check(page, f"back-{title}")
    finally:
        for house in [lost, kept]:
            house.clear()


def rights_of_portfolios(console, gateway):
    """The list of portfolios and the page of one, when one of two is lost, then both, and when they return."""
    console.has_stream = True
    names = {"Linden": None, "Kastanie": None}
    gateway.add("keeper-of-all", "Ken")
    user = getattr(gateway, "keeper-of-all")
    for name in names:
        names[name] = gateway.call("POST", "/portfolios", {"name": f"{name} Estate", "administratorUserIds": [gateway.owner_id()]}, gateway.root)["portfolio"]["id"]
    path = lambda name: f"/portfolios/{names[name]}/admins"
    give = lambda name: gateway.call("POST", path(name), {"userId": user, "role": "PORTFOLIO_ADMIN"})
    take = lambda name: gateway.call("DELETE", f"{path(name)}/{user}")
    try:
        for name in names:
            give(name)
        tabs = open_tabs(console, gateway, "keeper-of-all", {"portfolios": "#/portfolios", "portfolio": f"#/portfolios/{names['Linden']}"})
        shows(tabs, "Linden")
        take("Linden")
        forgets(console, tabs, "Linden", "part")
        shows({"portfolios": tabs["portfolios"]}, "Kastanie")
        give("Linden")
        shows(tabs, "Linden")
        for name in names:
            take(name)
        for name in names:
            forgets(console, tabs, name, "whole")
        for name in names:
            give(name)
        shows(tabs, "Linden")
    finally:
        for portfolio in names.values():
            gateway.call("DELETE", f"/portfolios/{portfolio}?cascade=true", token=gateway.root)


RIGHTS = [rights_of_places, rights_of_portfolios]
