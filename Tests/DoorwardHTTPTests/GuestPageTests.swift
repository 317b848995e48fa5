import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Guest links: the calls of the API, the page and its buttons.
@Suite struct GuestPageTests {
    // MARK: - The API

    @Test("A link has a URL of 256 random bits, ends with the access, comes with a QR code, and is recorded without its token")
    func create() async throws {
        let house = try await House()
        let path = "/guest-access/\(house.ids.guestAccess)"
        let reply = try await house.call(.post, path + "/link", as: .manager)
        #expect(reply.status == 201)
        let link = reply.data["link"]
        let token = try #require(link["url"].text?.split(separator: "/").last)
        #expect(token.count == 43 && link["qr"].text?.hasPrefix("<svg ") == true)
        let access = try await house.call(.get, path, as: .manager).data["guestAccess"]
        #expect(link["expiresAt"] == access["validUntil"])
        let record = try await house.call(.get, "/access-records?kind=ADMIN_CHANGE&limit=1", as: .owner)
        let newest = record.data["accessRecords"][0]
        #expect(newest["action"].text == "UPDATE" && newest["targetId"].text == "\(house.ids.guestAccess)")
        #expect(newest["details"]["after"]["link"].text == "created" && !record.text.contains(token))
        for name in ["url", "qr"] { #expect(!access.keys.contains(name)) }
    }

    @Test("A new link replaces the earlier one, ending it takes it away, and both are idempotent for the caller")
    func replace() async throws {
        let first = try await GuestLinkHouse()
        let second = try await GuestLinkHouse(first.house)
        #expect(try await first.page().status == 404)
        #expect(try await second.page().status == 200)
        let path = "/guest-access/\(first.house.ids.guestAccess)/link"
        for _ in 0..<2 { #expect(try await first.house.call(.delete, path, as: .tenant).status == 204) }
        #expect(try await second.page().status == 404)
    }

    @Test("Without the module guestLinks there is no new link, and an existing one works on")
    func module() async throws {
        let link = try await GuestLinkHouse()
        let house = link.house
        _ = try await house.call(
            .put, "/portfolios/\(house.ids.portfolio)/subscription", as: .superAdmin, #"{"modules":{"guestLinks":false}}"#)
        let reply = try await house.call(.post, "/guest-access/\(house.ids.guestAccess)/link", as: .tenant)
        #expect(reply.status == 403 && reply.code == "feature_unavailable" && reply.details["module"].text == "guestLinks")
        #expect(try await link.page().status == 200)
        #expect(try await link.tap("unlock", json: true).status == 200)
    }

    @Test("An access that has ended gets no link")
    func ended() async throws {
        let house = try await House()
        let path = "/guest-access/\(house.ids.guestAccess)"
        _ = try await house.call(.delete, path, as: .tenant)
        let reply = try await house.call(.post, path + "/link", as: .tenant)
        #expect(reply.status == 409 && reply.code == "conflict")
    }

    // MARK: - The page

    @Test("The page has the headers of the contract, nothing of third parties, and neither script nor style in it")
    func headers() async throws {
        let reply = try await GuestLinkHouse().page()
        #expect(reply.status == 200 && reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[.cacheControl] == "no-store" && reply.headers[.referrerPolicy] == "no-referrer")
        #expect(reply.headers[.robots] == "noindex" && reply.headers[.xContentTypeOptions] == "nosniff")
        let policy = try #require(reply.headers[.contentSecurityPolicy])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';") && !policy.contains("unsafe"))
        for forbidden in ["http:", "https:", "<style", " style=", " onclick", "<script>", "<img", "<iframe"] {
            #expect(!reply.text.contains(forbidden), "\(forbidden)")
        }
        #expect(reply.text.utf8.count < 6000)
    }

    @Test("The page names the property, the guest, the locks and the window in the property's time, and offers what is granted")
    func content() async throws {
        let link = try await GuestLinkHouse()
        let html = try await link.page().text
        for text in ["No. 5", "For Guest", "Flat door", "Europe/Berlin", "UTC+01:00"] { #expect(html.contains(text), "\(text)") }
        let access = try #require(link.house.control.directory.current.guestAccess(link.house.ids.guestAccess))
        for (operation, word) in [(LockOperation.lock, "lock"), (.unlock, "unlock"), (.unlatch, "unlatch")] {
            let nonce = GuestLinkHouse.nonce(of: link.action(word), in: html)
            #expect((nonce != nil) == access.operations.contains(operation), "\(word)")
        }
    }

    @Test("The page shows the uses that are left of a limited number, and offers no opening when none is left")
    func uses() async throws {
        let link = try await GuestLinkHouse()
        #expect(try await !link.page().text.contains("uses"))
        let path = "/guest-access/\(link.house.ids.guestAccess)"
        #expect(try await link.house.call(.put, path, as: .tenant, #"{"maxUses":2}"#).status == 200)
        for left in ["2", "1"] {
            #expect(try await link.page().text.contains(#"<dd id="uses">\#(left) left</dd>"#), "\(left)")
            #expect(try await link.tap("unlock", json: true).status == 200)
        }
        let html = try await link.page().text
        #expect(html.contains(#"<dd id="uses">0 left</dd>"#) && html.contains("No uses are left."))
        #expect(GuestLinkHouse.nonce(of: link.action("unlock"), in: html) == nil)
    }

    @Test("A reason that disables all buttons of a lock is on the page once, and describes each of them")
    func sharedReason() async throws {
        let link = try await GuestLinkHouse()
        let (path, door) = ("/guest-access/\(link.house.ids.guestAccess)", link.house.ids.door)
        let closed = #"{"schedule":{"periods":[]},"operations":["LOCK","UNLOCK"]}"#
        let reply = try await link.house.call(.put, path, as: .tenant, closed)
        #expect(reply.status == 200, "\(reply.text)")
        let html = try await link.page().text
        #expect(html.ranges(of: "Not open at this time.").count == 1 && html.contains(#"id="why-\#(door)""#))
        #expect(html.ranges(of: #"disabled aria-describedby="why-\#(door)""#).count == 2)
    }

    @Test("Names are escaped")
    func escaping() async throws {
        let link = try await GuestLinkHouse()
        let name = #"<script>alert("x")</script>&'"#
        let body = #"{"name":"<script>alert(\"x\")</script>&'"}"#
        for path in ["/devices/\(link.house.ids.door)", "/properties/\(link.house.ids.property)"] {
            #expect(try await link.house.call(.put, path, as: .owner, body).status == 200)
        }
        let html = try await link.page().text
        #expect(html.contains("<title>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;"))
        #expect(!html.contains(name) && html.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;"))
    }

    @Test("Revoked, ended, replaced, unknown and malformed links get the same 404")
    func gone() async throws {
        let link = try await GuestLinkHouse()
        let house = link.house
        let unknown = try await house.send(.get, "/g/" + String(repeating: "A", count: 43))
        #expect(unknown.status == 404 && unknown.headers[.referrerPolicy] == "no-referrer")
        let action = link.action("unlock")
        let nonce = try #require(GuestLinkHouse.nonce(of: action, in: try await link.page().text))
        var replies = [
            try await house.send(.get, "/g/x"), try await house.send(.get, "/g/%00"),
            try await house.send(.get, "/g/" + String(repeating: "x", count: 2000)),
            try await link.post("/g/x/devices/\(house.ids.door)/unlock", "nonce=\(nonce)"),
        ]
        house.clock.advance(by: .seconds(25 * 3600))
        replies += [try await link.page(), try await link.post(action, "nonce=\(nonce)")]
        _ = try await house.call(.delete, "/guest-access/\(house.ids.guestAccess)", as: .tenant)
        replies += [try await link.page()]
        for reply in replies { #expect(reply.withoutRequestID == unknown.withoutRequestID) }
        #expect(link.sent == 0)
    }

    @Test("A link ends with its grantor's right")
    func grantor() async throws {
        let link = try await GuestLinkHouse()
        let ids = link.house.ids
        let reply = try await link.house.call(.delete, "/units/\(ids.unit)/tenants/\(ids[.tenant])", as: .owner)
        #expect(reply.status == 204)
        #expect(try await link.page().status == 404)
    }

    // MARK: - Buttons

    @Test("GET and HEAD move no lock, whatever the query says")
    func reading() async throws {
        let link = try await GuestLinkHouse()
        for method in [HTTPRequest.Method.get, .head] {
            for query in ["", "?command=x", "?nonce=x&operation=unlock", "?utm_source=mail"] {
                #expect(try await link.house.send(method, link.path + query).status == 200)
            }
            let reply = try await link.house.send(method, link.action("unlock"))
            #expect(reply.status == 405)
        }
        #expect(link.sent == 0)
    }

    @Test("Without a script a button answers 303 to the progress of its command, which the lock confirms")
    func form() async throws {
        let link = try await GuestLinkHouse()
        let reply = try await link.tap("unlock")
        #expect(reply.status == 303)
        let location = try #require(reply.headers[.location])
        #expect(location.hasPrefix(link.path + "?command="))
        let html = try await link.house.send(.get, location).text
        #expect(html.contains("Confirmed by the lock.") || html.contains("has not confirmed it yet"))
        #expect(link.sent == 1)
    }

    @Test("With Accept: application/json a button answers with the envelope of a command, recorded for the link")
    func json() async throws {
        let link = try await GuestLinkHouse()
        let reply = try await link.tap("unlock", json: true)
        #expect(reply.status == 200, "\(reply.text)")
        let command = reply.data["command"]
        #expect(command["state"].text == "CONFIRMED" && command["source"].text == "GUEST_LINK")
        #expect(command["actor"]["kind"].text == "GUEST_LINK")
        #expect(command["rule"]["kind"].text == "GUEST_ACCESS" && command["rule"]["id"].text == "\(link.house.ids.guestAccess)")
        #expect(reply.data["device"]["viewLevel"].text == "PUBLIC")
        let again = try await link.page("?command=\(command["id"].text ?? "")", [.accept: "application/json"])
        #expect(again.data["command"]["id"] == command["id"])
    }

    @Test("A second tap answers with the first one's command")
    func twice() async throws {
        let link = try await GuestLinkHouse()
        let action = link.action("unlock")
        let nonce = try #require(GuestLinkHouse.nonce(of: action, in: try await link.page().text))
        let first = try await link.post(action, "nonce=\(nonce)", json: true)
        let second = try await link.post(action, "nonce=\(nonce)", json: true)
        #expect(second.status == 200 && second.data["command"]["id"] == first.data["command"]["id"])
        #expect(second.headers[.idempotentReplayed] == "true" && link.sent == 1)
    }

    @Test("A nonce that is missing, forged, expired, or of another button or link sends nothing, and the page asks to tap again")
    func nonces() async throws {
        let link = try await GuestLinkHouse()
        let html = try await link.page().text
        let unlock = try #require(GuestLinkHouse.nonce(of: link.action("unlock"), in: html))
        let lock = try #require(GuestLinkHouse.nonce(of: link.action("lock"), in: html))
        let replaced = try await GuestLinkHouse(link.house)
        for form in [
            "", "nonce=", "nonce=x", "nonce=\(lock)", "nonce=\(unlock)", "other=1", "nonce=\(String(repeating: "A", count: 48))",
        ] {
            let reply = try await replaced.post(replaced.action("unlock"), form)
            #expect(reply.status == 400 && reply.text.contains("Tap the button again"), "\(form)")
            #expect(GuestLinkHouse.nonce(of: replaced.action("unlock"), in: reply.text) != nil)
        }
        let own = try #require(GuestLinkHouse.nonce(of: replaced.action("unlock"), in: try await replaced.page().text))
        link.house.clock.advance(by: GuestNonces.lifetime)
        #expect(try await replaced.post(replaced.action("unlock"), "nonce=\(own)", json: true).status == 400)
        #expect(link.sent == 0)
    }

    @Test("A device outside the access and an operation that is not granted are denied and recorded as in the API")
    func denied() async throws {
        let link = try await GuestLinkHouse()
        let foreign = try await link.post(link.action("unlock", on: link.house.ids.frontDoor), "nonce=x", json: true)
        #expect(foreign.status == 403 && foreign.code == "forbidden" && foreign.details == .object([:]))
        let missing = try await link.post(link.action("unlock", on: DeviceID(high: 1, low: 1)), "nonce=x", json: true)
        #expect(missing.status == 403 && missing.code == "forbidden")
        let records = try await link.house.call(.get, "/access-records?kind=DENIAL", as: .owner).data["accessRecords"].elements
        #expect(records.contains { $0["actorKind"].text == "OUTSIDE" })
        #expect(link.sent == 0)
    }

    @Test("A body that is no form is 415, a large one 413, and both are pages for a browser")
    func bodies() async throws {
        let link = try await GuestLinkHouse()
        let action = link.action("unlock")
        let json = try await link.post(action, "{}", headers: [.contentType: "application/json"])
        #expect(json.status == 415 && json.text.hasPrefix("<!doctype html>"))
        let large = try await link.post(action, "nonce=" + String(repeating: "x", count: 70_000), json: true)
        #expect(large.status == 413 && large.code == "payload_too_large")
    }

    @Test("The link acts as the link, also in the hands of a signed-in user")
    func signedIn() async throws {
        let link = try await GuestLinkHouse()
        let fields: HTTPFields = [.authorization: "Bearer \(try await link.house.token(of: .owner))", .cookie: "refresh=x"]
        let reply = try await link.tap("unlock", json: true, headers: fields)
        #expect(reply.data["command"]["actor"]["kind"].text == "GUEST_LINK")
    }

    @Test("A command that waits is not sent once its link was ended or replaced", arguments: [HTTPRequest.Method.delete, .post])
    func waiting(_ change: HTTPRequest.Method) async throws {
        let link = try await GuestLinkHouse(House(behaviour: .silent))
        let (house, action) = (link.house, link.action("unlock"))
        let nonce = try #require(GuestLinkHouse.nonce(of: action, in: try await link.page().text))
        // The first command of the device is in flight for a second, so that of the link waits.
        let first = try await house.command(as: .tenant, #"{"timeoutMs":1000}"#, headers: [.prefer: "respond-async"])
        #expect(first.status == 202)
        let begun = try await link.post(action, "nonce=\(nonce)", json: true, headers: [.prefer: "respond-async"])
        #expect(begun.status == 202 && begun.headers[.location] == nil)
        let changed = try await house.call(change, "/guest-access/\(house.ids.guestAccess)/link", as: .tenant)
        #expect(changed.status < 300)
        house.clock.advance(by: .seconds(1))
        let id = try #require(begun.data["command"]["id"].text.flatMap { CommandID($0) })
        var command: Command?
        for _ in 0..<10_000 where command?.state.isEnd != true {
            command = try await house.control.guestLinks.command(id, of: house.ids.guestAccess)?.command
            await Task.yield()
        }
        #expect(command?.state == .denied && command?.outcomeDetail == "guest_access_revoked" && command?.sent == false)
        #expect(link.sent == 1)
    }

    @Test("Guesses of tokens from one address are limited and recorded, and a valid link is not limited by them")
    func guesses() async throws {
        let link = try await GuestLinkHouse()
        let (links, origin) = (link.house.control.guestLinks, RequestOrigin(clientAddress: "203.0.113.9"))
        let guess = String(repeating: "A", count: 43)
        for _ in 0..<20 { #expect(try await links.holder(of: Secret(guess), origin)?.access == nil) }
        await #expect(throws: GatewayError.self) { _ = try await links.holder(of: Secret(guess), origin) }
        let holder = try await links.holder(of: Secret(link.token), origin)
        #expect(holder?.access.id == link.house.ids.guestAccess && holder?.caller.origin.source == .guestLink)
    }

    @Test("Another link's command, and a command of the API, is not shown")
    func otherCommands() async throws {
        let link = try await GuestLinkHouse()
        let id = try #require(try await link.house.command(as: .tenant).data["command"]["id"].text)
        let json = try await link.page("?command=\(id)", [.accept: "application/json"])
        #expect(json.status == 404 && json.code == "not_found")
        let page = try await link.page("?command=\(id)")
        #expect(page.status == 200 && !page.text.contains("Confirmed by the lock"))
    }

    @Test("No log line contains a token")
    func logs() async throws {
        let link = try await GuestLinkHouse()
        _ = try await link.tap("unlock")
        _ = try await link.post(link.action("unlock"), "nonce=x")
        _ = try await link.page("?command=x")
        _ = try await link.house.send(.put, link.path)
        #expect(!link.house.logs.text.contains(link.token) && link.house.logs.text.contains("/g/:token"))
        let metrics = try await link.house.send(.get, "/metrics").text
        #expect(!metrics.contains(link.token))
    }

    @Test("The style and the script are served for ever under the hash of their content", arguments: ["css", "js"])
    func assets(_ name: String) async throws {
        let asset = name == "css" ? GuestPageAssets.style : GuestPageAssets.script
        let reply = try await House().send(.get, asset.path)
        #expect(reply.status == 200 && reply.headers[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(reply.headers[.contentType]?.contains(name == "css" ? "text/css" : "text/javascript") == true)
        #expect(asset.path.hasSuffix(".\(name)") && !reply.text.contains("innerHTML"))
    }
}
