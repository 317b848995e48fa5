"""Doors and people beyond the first 200 are chosen for a guest, in the log and in the access check, with the keyboard and on a phone."""
import json, urllib.parse

from console_driver import PHONE, WIDE, button, has, text
from console_interactions import Keyboard, Touch

COUNT = 450


def many_doors(gateway, name):
    """Answers lists of doors as a gateway with many does; the last of them is a real one."""
    real = gateway.call("GET", f"/devices/{gateway.locks[name]}")["device"]
    doors = [real | {"id": f"door-{number}", "name": f"Aisle {number:03}"} for number in range(COUNT)] + [real]
    return answer_from("devices", doors, lambda door: door["name"])


def many_people(gateway, user):
    """Answers lists of people as a gateway with many does; the last of them is a real one."""
    real = gateway.call("GET", f"/users/{user}")["user"]
    people = [real | {"id": f"user-{number}", "firstName": "Resident", "lastName": f"{number:03}"} for number in range(COUNT)] + [real]
    return answer_from("users", people, lambda person: f"{person['firstName']} {person['lastName']}")


def answer_from(name, items, name_of):
    """Answers the queries of a list from these items."""
    def answer(route):
        query = {key: values[0] for key, values in urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query).items()}
        page, limit = int(query["page"]) if "page" in query else 1, int(query["limit"])
        found = [one for one in items if query.get("q", "").lower() in name_of(one).lower() and query.get("propertyId") in [None, one.get("propertyId")]]
        data = {name: found[(page - 1) * limit : page * limit], "pagination": {
            "totalItems": len(found), "totalPages": -(-len(found) // limit), "currentPage": page, "pageSize": limit}}
        route.fulfill(status=200, content_type="application/json", body=json.dumps({"data": data}))

    return answer


def pick_a_door(console, gateway, hand_type):
    name = hand_type.__name__.lower()
    context = console.context(hand_type.size)
    context.route("**/api/v1/devices?**", many_doors(gateway, "Cellar"))
    page = console.sign_in("owner", "#/check", context=context)
    hand = hand_type(page)
    hand.fill("#check-door-search", "cellar")
    page.locator("#check-door option", has_text="Cellar – Quay 1").wait_for(state="attached")
    hand.choose("#check-door", "Cellar")
    console.check(page, f"picker-check-{name}")
    hand.press(page.locator("#ask"))
    page.locator(".answer", has_text="It is allowed").wait_for()
    page.goto(gateway.url + "/#/log")
    page.wait_for_selector("#log-door-search")
    has(page, "#log-door option", 201)
    hand.press(button(page, "Show more doors"))
    has(page, "#log-door option", 401)
    hand.fill("#log-door-search", "CELLAR")
    has(page, "#log-door option", 2)
    hand.choose("#log-door", "Cellar")
    page.wait_for_function("location.hash.includes('deviceId=')")
    console.check(page, f"picker-log-{name}")
    # The door of the address has its name also when it is not among the first ones.
    page.reload()
    page.locator("#log-door option", has_text="Cellar").wait_for(state="attached")
    assert page.locator("#log-door").evaluate("one => one.selectedOptions[0].text") == "Cellar"
    page.goto(gateway.url + "/#/guests")
    hand.press(button(page, "Let a guest in"))
    hand.fill("#label", f"Guest of {name}")
    hand.fill("#guest-doors-search", "cellar")
    has(page, ".choices[role=group] input", 1)
    hand.press(page.get_by_label("Cellar", exact=True))
    hand.fill("#guest-doors-search", "no such door")
    page.locator("dialog .hint", has_text="No door has this name.").wait_for()
    console.check(page, f"picker-guests-{name}")
    assert page.get_by_label("Cellar", exact=True).is_checked(), "the choice is lost"
    hand.press(button(page.locator("dialog"), "Let in"))
    page.wait_for_selector("#link")
    assert "Cellar" in text(page, "dialog .details")
    hand.press(button(page.locator("dialog"), "Done"))
    has(page, "dialog", 0)
    page.context.close()
    for access in gateway.call("GET", "/guest-access?active=true")["guestAccesses"]:
        if access["label"] == f"Guest of {name}":
            gateway.call("DELETE", f"/guest-access/{access['id']}")


def doors_after_the_first(console, gateway):
    """A door after the 200th is found, chosen and used, with the keyboard alone and by touch on a phone."""
    assert (Keyboard.size, Touch.size) == (WIDE, PHONE)
    for hand_type in [Keyboard, Touch]:
        pick_a_door(console, gateway, hand_type)
    console.clean("picker")


def people_after_the_first(console, gateway):
    """A person after the 200th is found and asked about, with the keyboard alone and by touch on a phone."""
    for hand_type in [Keyboard, Touch]:
        context = console.context(hand_type.size)
        context.route("**/api/v1/users?**", many_people(gateway, gateway.tenant))
        page = console.sign_in("owner", "#/check", context=context)
        hand = hand_type(page)
        page.wait_for_selector("#check-person-search")
        has(page, "#check-person option", 201)
        assert "200 of 451 people are listed" in text(page, "form")
        hand.press(button(page, "Show more people"))
        has(page, "#check-person option", 401)
        hand.fill("#check-person-search", "tom")
        has(page, "#check-person option", 2)
        hand.choose("#check-person", "Tom Example")
        # The choice stays when another search does not find it.
        hand.fill("#check-person-search", "no such person")
        page.locator(".hint", has_text="No person has this name.").wait_for()
        console.check(page, f"picker-people-{hand_type.__name__.lower()}")
        hand.choose("#check-door", "Flat door – Flat 1A")
        hand.press(button(page, "Can this person?"))
        page.locator(".answer", has_text="Role Tenant").wait_for()
        page.context.close()
    console.clean("picker-people")


PICKER = [doors_after_the_first, people_after_the_first]
