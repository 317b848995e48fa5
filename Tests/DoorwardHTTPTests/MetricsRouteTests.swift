import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct MetricsRouteTests {
    private func scrape(_ house: House) async throws -> MetricsScrape {
        let reply = try await house.call(.get, "//metrics", as: .superAdmin)
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        return try MetricsScrape(reply.text)
    }

    /// Signs in, sends allowed and denied requests of every user, and requests missing pages.
    private func traffic(_ house: House) async throws {
        for password in [House.password, "wrong"] {
            _ = try await house.call(.post, "/auth/login", #"{"email":"tenant@example.com","password":"\#(password)"}"#)
        }
        for person in House.Person.allCases {
            _ = try await house.command(as: person)
            _ = try await house.call(.get, "/devices/\(house.ids.door)", as: person)
            _ = try await house.call(.get, "/users/\(house.ids[.tenant])", as: person)
        }
        _ = try await house.send(.get, "/nothing/\(house.ids.door)")
        _ = try await house.call(.delete, "/users/me", as: .owner)
        house.adapter.report(.battery(level: 3, low: true), from: house.ids.door)
    }

    @Test("An adapter's counter is shown with its current value, however often the page is read, and never decreases")
    func adapterCounts() async throws {
        let house = try await House()
        let labels = ["adapter": "scripted", "event": "odd_frames"]
        for (count, shown) in [(0, nil), (3, 3), (3, 3), (5, 5), (2, 5)] as [(Int, Double?)] {
            house.adapter.set(counter: count)
            #expect(try await scrape(house)["doorward_adapter_events_total", labels] == shown)
        }
    }

    @Test("Only the series of the adapter's present health is 1", arguments: [AdapterHealth.ok, .degraded, .down])
    func adapterHealth(_ health: AdapterHealth) async throws {
        let house = try await House()
        house.adapter.set(health: health)
        let scrape = try await scrape(house)
        for (word, its) in [("ok", AdapterHealth.ok), ("degraded", .degraded), ("down", .down)] {
            let series = ["adapter": "scripted", "health": word]
            #expect(scrape["doorward_adapter_health", series] == (its == health ? 1 : 0), "\(word)")
        }
    }

    @Test("The page is well formed and counts the requests, decisions and commands")
    func counts() async throws {
        let house = try await House(withPasswords: true)
        try await traffic(house)
        let scrape = try await scrape(house)
        let unlock = "/api/v1/devices/:id/unlock"
        #expect(scrape["doorward_http_requests_total", ["method": "POST", "route": unlock, "status": "2xx"]] == 7)
        #expect(scrape["doorward_http_requests_total", ["method": "POST", "route": unlock, "status": "4xx"]] == 5)
        #expect(scrape["doorward_http_request_duration_seconds_count", ["method": "POST"]] == 14)
        #expect(scrape["doorward_http_requests_total", ["method": "other", "route": "unknown", "status": "4xx"]] == 1)
        #expect(scrape["doorward_http_requests_total", ["method": "other", "route": "/api/v1/users/me", "status": "4xx"]] == 1)
        #expect(scrape["doorward_decisions_total", ["decision": "ALLOWED", "reason": ""]] == 7)
        #expect(scrape["doorward_decisions_total", ["decision": "DENIED", "reason": "no_association"]] == 3)
        #expect(scrape["doorward_decisions_total", ["decision": "DENIED", "reason": "role_insufficient"]] == 2)
        #expect(scrape["doorward_commands_total", ["operation": "UNLOCK", "end": "CONFIRMED"]] == 7)
        #expect(scrape["doorward_command_confirmation_seconds_count", ["operation": "UNLOCK"]] == 7)
        #expect(scrape["doorward_command_queue_wait_seconds_count"] == 7)
        #expect(scrape["doorward_sign_ins_total", ["outcome": "succeeded"]] == 1)
        #expect(scrape["doorward_sign_ins_total", ["outcome": "failed"]] == 1)
        #expect(scrape["doorward_sessions"] == Double(House.Person.allCases.count + 1))
        #expect(scrape["doorward_adapter_health", ["adapter": "scripted", "health": "ok"]] == 1)
        #expect(scrape["doorward_adapter_health", ["adapter": "scripted", "health": "down"]] == 0)
        #expect(scrape["doorward_accepting_commands"] == 1)
        #expect(scrape["doorward_clock_trusted"] == 1)
        #expect(scrape["doorward_build_info", ["version": "test"]] == 1)
        #expect((scrape["process_resident_memory_bytes"] ?? 0) > 1_000_000)
        #expect((scrape["process_start_time_seconds"] ?? 0) > 1_600_000_000)
        #expect(scrape["process_open_fds"] ?? 0 > 2)
    }

    @Test("Every histogram is consistent: buckets never decrease, the last one equals the count, and each has a sum")
    func histograms() async throws {
        let house = try await House()
        try await traffic(house)
        let scrape = try await scrape(house)
        for (metric, _) in scrape.types.filter({ $0.value == "histogram" }) {
            let series = Dictionary(grouping: scrape.samples.filter { $0.name == metric + "_bucket" }) { sample in
                sample.labels.filter { $0.key != "le" }
            }
            for (labels, buckets) in series {
                #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
                #expect(buckets.last?.labels["le"] == "+Inf")
                #expect(buckets.last?.value == scrape[metric + "_count", labels])
                #expect(scrape[metric + "_sum", labels] != nil)
            }
        }
        #expect(scrape.types.keys.allSatisfy { scrape.helps[$0] != nil })
    }

    @Test("The page contains no id and no name of a tenant, user or device")
    func namesNobody() async throws {
        let house = try await House(withPasswords: true)
        try await traffic(house)
        let text = try await house.call(.get, "//metrics", as: .superAdmin).text
        let tenancy = house.control.directory.current
        var secrets = ["Oak Street", "Elm Street", "No. 5", "2B", "Flat door", "Cellar", "@", "192.0.2"]
        for (person, id) in house.ids.people {
            secrets += [id.description, person.name, tenancy.user(id)?.email ?? "?"]
        }
        for id in [house.ids.door, house.ids.frontDoor, house.ids.foreignDoor] { secrets.append(id.description) }
        secrets += [house.ids.portfolio.description, house.ids.property.description, house.ids.unit.description]
        // Only the samples: the help texts are constant.
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        for secret in secrets { #expect(!samples.contains(secret), "\(secret)") }
        #expect(samples.firstMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}/) == nil)
    }

    @Test(
        "If the peer is not on the loopback interface, the page requires a super admin's token",
        arguments: [
            (House.Person?.none, 401), (.tenant, 403), (.owner, 403), (.superAdmin, 200),
        ])
    func rights(_ person: House.Person?, _ status: Int) async throws {
        let house = try await House()
        let reply = try await house.call(.get, "//metrics", as: person)
        #expect(reply.status == status)
        if status != 200 { #expect(!reply.text.contains("doorward_")) }
    }

    @Test(
        "A request is local if its peer is a loopback address and not a trusted proxy, and it has no header of a forwarding proxy",
        arguments: [
            ("127.0.0.1", [:], true), ("127.9.9.9", [:], true), ("::1", [:], true), ("::ffff:127.0.0.1", [:], true),
            ("192.0.2.1", [:], false), ("::2", [:], false), ("0.0.0.0", [:], false), (nil, [:], false),
            ("127.0.0.1", ["X-Forwarded-For": "192.0.2.1"], false), ("127.0.0.1", ["X-Forwarded-For": "127.0.0.1"], false),
            ("127.0.0.1", ["Forwarded": "for=127.0.0.1"], false), ("127.0.0.1", ["X-Real-IP": "127.0.0.1"], false),
            ("192.0.2.1", ["X-Forwarded-For": "127.0.0.1"], false),
        ] as [(String?, [String: String], Bool)])
    func thisMachine(_ peer: String?, _ headers: [String: String], _ expected: Bool) throws {
        for proxies in try [[], ["127.0.0.0/8", "192.0.2.0/24"]].map({ try TrustedProxies($0) }) {
            var head = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/metrics")
            for (name, value) in headers { head.headerFields[try #require(HTTPField.Name(name))] = value }
            let metadata = RequestMetadata(
                head, peer: PeerAddress(peer, proxies: proxies), proxies: proxies, random: RandomSource())
            #expect(metadata.isOfThisMachine == (expected && !metadata.peer.isTrustedProxy))
        }
    }

    @Test("A request is local only with the `Host` of the machine itself, so that no name of an attacker's stands for it")
    func host() throws {
        let proxies = try TrustedProxies([])
        for (authority, expected) in [
            ("127.0.0.1", true), ("127.0.0.1:8080", true), ("localhost", true), ("LocalHost:8080", true), ("[::1]:8080", true),
            ("[::1]", true), ("doors.example", false), ("localhost.doors.example:8080", false), ("192.0.2.1:8080", false),
            ("[::2]:8080", false), ("127.0.0.1.doors.example", false), ("", false), (nil, false), ("[::1].doors.example", false),
            ("[::1].doors.example:8080", false), ("[::1]8080", false), ("[::1", false), ("[]", false),
        ] as [(String?, Bool)] {
            let head = HTTPRequest(method: .get, scheme: nil, authority: authority, path: "/metrics")
            let metadata = RequestMetadata(
                head, peer: PeerAddress("127.0.0.1", proxies: proxies), proxies: proxies, random: RandomSource())
            #expect(metadata.isOfThisMachine == expected, "\(authority ?? "none")")
        }
    }

    @Test("A program on another machine reads the page with the configured token, and with no other")
    func token() async throws {
        var settings = HTTPSettings()
        settings.metricsToken = Secret("a token for Prometheus")
        let house = try await House(settings: settings)
        for (header, status) in [
            ("Bearer a token for Prometheus", 200), ("bearer a token for Prometheus", 200), ("Bearer a token for Prometheu", 401),
            ("Bearer a token for Prometheus 2", 401), ("Basic a token for Prometheus", 401), ("Bearer ", 401),
        ] {
            let reply = try await house.send(.get, "/metrics", [.authorization: header])
            #expect(reply.status == status, "\(header)")
            #expect(reply.text.contains("doorward_") == (status == 200))
        }
        // The token has no other right.
        let headers: HTTPFields = [.authorization: "Bearer a token for Prometheus"]
        #expect(try await house.send(.get, "/api/v1/devices", headers).status == 401)
        #expect(try await House().send(.get, "/metrics", headers).status == 401)
    }

    @Test("The page of a gateway that is used in every way has less than 20 kB, and that of a new one less than a third of it")
    func size() async throws {
        let house = try await House(withPasswords: true)
        let new = try await house.call(.get, "//metrics", as: .superAdmin).text
        #expect(new.utf8.count < 20_000 / 3, "\(new.utf8.count)")
        #expect(!new.contains("route="))
        try await traffic(house)
        for route in RouteTable.routes where route.method == .get {
            let path = route.path.replacing(/:[A-Za-z]+/) { _ in house.ids.door.description }
            _ = try await house.call(route.method, "/" + path, as: .owner)
        }
        let scrape = try await scrape(house)
        let routes = Set(scrape.samples.compactMap { $0.labels["route"] })
        #expect(routes.filter { $0.hasPrefix("/console/") } == ["/console/:file"])
        let used = try await house.call(.get, "//metrics", as: .superAdmin).text
        #expect(used.utf8.count < 20_000, "\(used.utf8.count)")
    }

    @Test("A value that is not a number or is too large is not recorded")
    func noNumber() {
        let series = HistogramSeries(bounds: [1, 2])
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] { series.record(value) }
        series.record(1.4)
        #expect(series.cumulativeCounts == [1, 1, 1])
        #expect(series.sum == 1)
    }

    @Test("Without metrics the page responds with unavailable")
    func nothing() async throws {
        let house = try await House(measures: false)
        #expect(try await house.call(.get, "//metrics", as: .superAdmin).code == "unavailable")
        #expect(try await house.command(as: .tenant).status == 200)
    }
}
