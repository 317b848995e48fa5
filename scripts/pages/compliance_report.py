"""The compliance report of a gateway in Chromium: on a screen, on a phone, as a saved file, and printed to PDF."""
import datetime, json, pathlib, re

HOSTILE = "</td><script>document.title='hostile'</script><img src=x onerror=alert(1)>"


def period():
    """From now on, so that what other tests did in the same property is not counted."""
    now = datetime.datetime.now(datetime.timezone.utc)
    until = now + datetime.timedelta(hours=1)
    return f"from={now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z&until={until:%Y-%m-%dT%H:%M:%SZ}"


def live(gateway):
    """A short life of a property: people come and go, commands are confirmed, fail and are denied, and locks jam."""
    call, root = gateway.call, gateway.root
    password = "another long password here"
    people = {}
    for name in ["tom", "mia", "ada"]:
        body = {"email": f"{name}@example.org", "firstName": name.title(), "lastName": "Weber", "password": password}
        people[name] = call("POST", "/users", body, root)["user"]["id"]
    unit = call("POST", f"/properties/{gateway.property}/units", {"name": "Flat 2"})["unit"]["id"]
    call("POST", f"/units/{unit}/tenants", {"userId": people["tom"], "role": "TENANT"})
    call("POST", f"/properties/{gateway.property}/managers", {"userId": people["mia"], "role": "PROPERTY_MANAGER"})
    call("POST", f"/properties/{gateway.property}/managers", {"userId": people["ada"], "role": "AUDITOR"})
    device = {"name": HOSTILE, "adapter": "simulator", "address": {"latencyMs": 0}, "propertyId": gateway.property, "unitId": unit}
    flat = call("POST", "/devices", device)["device"]["id"]
    cellar = gateway.locks["Cellar"]
    tom, mia, ada = (gateway.sign_in(f"{name}@example.org", password) for name in ["tom", "mia", "ada"])

    def command(token, lock, word, body=None):
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        data = None if body is None else json.dumps(body).encode()
        return gateway.request("POST", f"/api/v1/devices/{lock}/{word}", headers, data)[0]

    for _ in range(3):
        assert command(tom, flat, "unlock") == 200 and command(tom, flat, "lock") == 200
    assert command(mia, cellar, "unlock", {"reason": HOSTILE}) == 200
    assert command(ada, cellar, "unlock") == 403 and command(tom, cellar, "unlock") == 403
    call("POST", f"/properties/{gateway.property}/lockdown", {"reason": "Drill"})
    assert command(tom, flat, "unlock") == 403
    assert command(gateway.token, flat, "unlock", {"override": {"reason": "Fire brigade"}}) == 200
    call("DELETE", f"/properties/{gateway.property}/lockdown")
    for event in ["jam", "clear", "offline"]:
        gateway.trigger("Cellar", event)
    assert command(mia, cellar, "lock") == 503
    gateway.trigger("Cellar", "online")
    access, _ = gateway.link(["Cellar"], label=f"Cleaner {HOSTILE}")
    call("DELETE", f"/guest-access/{access}")
    call("DELETE", f"/units/{unit}/tenants/{people['tom']}")


def compliance_report(pages, gateway):
    path = f"/api/v1/reports/compliance?propertyId={gateway.property}&{period()}"
    headers = {"Authorization": f"Bearer {gateway.token}"}
    status, _, text = gateway.request("GET", path, headers)
    assert status == 403 and "feature_unavailable" in text, text
    subscription = f"/portfolios/{gateway.portfolio}/subscription"
    gateway.call("PUT", subscription, {"modules": {"complianceReport": True}}, gateway.root)
    live(gateway)

    page = pages.open(path, script=True, extra_http_headers=headers)
    assert pages.response.status == 200 and "default-src 'none'" in pages.response.headers["content-security-policy"]
    assert page.title().startswith("Compliance report"), page.title()
    assert page.locator("script, img, iframe, [style], [onerror]").count() == 0
    assert page.locator("bdi", has_text=HOSTILE).count() > 0
    figures = {one.get_attribute("data-figure"): one.inner_text() for one in page.locator("[data-figure]").all()}
    assert figures["opened"] == "5" and figures["overrides"] == "1" and int(figures["denied"]) >= 3, figures
    assert figures["outages"] == "1" and figures["jams"] == "1", figures
    # The style sheet is in force although the policy allows nothing but its hash.
    assert page.locator("h1").evaluate("one => getComputedStyle(one).fontSize") == "30.4px"
    check(pages, page, "report-phone")
    page.set_viewport_size({"width": 1280, "height": 900})
    check(pages, page, "report")

    page.emulate_media(media="print")
    pdf = pages.pictures / "report.pdf"
    page.pdf(path=pdf, prefer_css_page_size=True)
    assert pdf.read_bytes().startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b", pdf.read_bytes())) >= 2

    # The same document as a file, without the headers of the gateway.
    status, _, text = gateway.request("GET", path, headers)
    file = pathlib.Path(gateway.folder) / "report.html"
    file.write_text(text)
    pages.keep("report", text)
    context = pages.browser.new_context(viewport={"width": 1280, "height": 900})
    pages.contexts.append(context)
    saved, errors = context.new_page(), []
    saved.on("console", lambda line: line.type == "error" and errors.append(line.text))
    saved.goto(f"file://{file}")
    assert saved.locator("h2").count() >= 6 and not errors, errors
    found = pages.axe.run(saved)
    assert found.violations_count == 0, found.generate_report()


def check(pages, page, name):
    page.screenshot(path=pages.pictures / f"{name}.png", full_page=True)
    assert not pages.foreign and not pages.errors, (pages.foreign, pages.errors)
    # Wide tables scroll in themselves.
    width, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= screen, f"{name}: {width} pixels wide"
    found = pages.axe.run(page)
    assert found.violations_count == 0, f"{name}: {found.generate_report()}"
