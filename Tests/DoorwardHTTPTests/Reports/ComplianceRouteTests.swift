import Crypto
import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// `GET /reports/compliance`.
@Suite struct ComplianceRouteTests {
    static let path = "/reports/compliance"

    /// A house whose portfolio has the module.
    static func house(seed: UInt64 = 1, settings: HTTPSettings = HTTPSettings()) async throws -> House {
        let house = try await House(seed: seed, settings: settings)
        try await set("true", in: house)
        return house
    }

    private static func set(_ module: String, in house: House) async throws {
        let path = "/portfolios/\(house.ids.portfolio)/subscription"
        let reply = try await house.call(.put, path, as: .superAdmin, #"{"modules":{"complianceReport":\#(module)}}"#)
        #expect(reply.status == 200)
    }

    /// The query of a period of days around now.
    static func period(_ house: House, before: Double = 1, after: Double = 1) -> String {
        let now = house.clock.now()
        let (from, until) = (now.advanced(by: .seconds(-86_400 * before)), now.advanced(by: .seconds(86_400 * after)))
        return "from=\(from)&until=\(until)"
    }

    static func report(
        _ house: House, as person: House.Person = .owner, ofProperty: Bool = false, _ period: String? = nil
    ) async throws -> ReportDocument {
        let place = ofProperty ? "propertyId=\(house.ids.property)" : "portfolioId=\(house.ids.portfolio)"
        return try ReportDocument(try await house.call(.get, "\(path)?\(place)&\(period ?? Self.period(house))", as: person))
    }

    @Test("the permission matrix decides who reads the report of a portfolio and of a property")
    func rights() async throws {
        let house = try await Self.house()
        let period = Self.period(house)
        let (portfolio, property) = ("portfolioId=\(house.ids.portfolio)", "propertyId=\(house.ids.property)")
        let cases: [(House.Person, String, Int, String?)] = [
            (.owner, portfolio, 200, nil), (.owner, property, 200, nil), (.admin, portfolio, 200, nil),
            (.admin, property, 200, nil), (.auditor, portfolio, 200, nil), (.auditor, property, 200, nil),
            (.manager, property, 200, nil), (.manager, portfolio, 403, "forbidden"),
            (.maintenance, property, 403, "role_insufficient"), (.tenant, property, 403, "role_insufficient"),
            (.superAdmin, portfolio, 403, "role_insufficient"), (.superAdmin, property, 403, "role_insufficient"),
            (.stranger, portfolio, 403, "forbidden"), (.stranger, property, 403, "forbidden"),
            (.nobody, property, 403, "forbidden"),
        ]
        for (person, place, status, code) in cases {
            let reply = try await house.call(.get, "\(Self.path)?\(place)&\(period)", as: person)
            #expect(reply.status == status && reply.code == code, "\(person) \(place): \(reply.text.prefix(200))")
        }
        // An id out of reach answers as one that does not exist.
        for place in ["portfolioId=\(house.ids.otherPortfolio)", "propertyId=\(house.ids.otherProperty)"] {
            let foreign = try await house.call(.get, "\(Self.path)?\(place)&\(period)", as: .owner)
            let unknown = place.prefix { $0 != "=" } + "=\(UUID().uuidString.lowercased())"
            let absent = try await house.call(.get, "\(Self.path)?\(unknown)&\(period)", as: .owner)
            #expect(foreign.status == 403 && foreign.withoutRequestID == absent.withoutRequestID)
        }
        #expect(try await house.call(.get, "\(Self.path)?portfolioId=x&\(period)", as: .superAdmin).status == 404)
        #expect(try await house.call(.get, "\(Self.path)?\(portfolio)&\(period)").status == 401)
    }

    @Test("without the module the report needs the caller's pack, and nothing is recorded without either")
    func moduleAndPack() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        let query = "\(Self.path)?propertyId=\(house.ids.property)&\(Self.period(house))"
        let size = house.store.log(.portfolio(house.ids.portfolio)).count
        for person in [House.Person.owner, .manager] {
            let reply = try await house.call(.get, query, as: person)
            #expect(reply.status == 403 && reply.code == "feature_unavailable")
            #expect(reply.details["module"].text == "complianceReport")
        }
        #expect(house.store.log(.portfolio(house.ids.portfolio)).count == size)
        #expect(try await PurchaseRouteTests.redeem(appStore.transaction(), as: .manager, in: house).status == 200)
        #expect(try await house.call(.get, query, as: .manager).status == 200)
        // The pack is the manager's alone, and gives no right that the role does not give.
        #expect(try await house.call(.get, query, as: .owner).code == "feature_unavailable")
        let ofPortfolio = "\(Self.path)?portfolioId=\(house.ids.portfolio)&\(Self.period(house))"
        #expect(try await house.call(.get, ofPortfolio, as: .manager).code == "forbidden")
        try await Self.set("true", in: house)
        #expect(try await house.call(.get, query, as: .owner).status == 200)
    }

    @Test("exactly one place and a period are required")
    func queries() async throws {
        let house = try await Self.house()
        let (portfolio, property) = ("portfolioId=\(house.ids.portfolio)", "propertyId=\(house.ids.property)")
        let period = Self.period(house)
        let cases = [
            ("", ["from: required", "portfolioId: required", "until: required"]), (period, ["portfolioId: required"]),
            ("\(portfolio)&\(property)&\(period)", ["propertyId: exclusive"]),
            ("\(portfolio)&from=2026-01-01T00:00:00Z", ["until: required"]),
            ("\(portfolio)&from=2026-01-01&until=2026-01-02T00:00:00Z", ["from: bad_time"]),
            ("\(portfolio)&from=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z", ["until: end_not_after_start"]),
            ("\(portfolio)&\(period)&format=pdf", ["format: unknown_key"]),
        ]
        for (query, problems) in cases {
            let reply = try await house.call(.get, "\(Self.path)?\(query)", as: .owner)
            #expect(reply.status == 400 && reply.problems.sorted() == problems, "\(query): \(reply.text)")
        }
    }

    @Test("a report is recorded before it is sent, and a request for its headers is not")
    func recorded() async throws {
        let house = try await Self.house()
        let log = LogID.portfolio(house.ids.portfolio)
        let size = house.store.log(log).count
        let (from, until) = (house.clock.now().advanced(by: .seconds(-60)), house.clock.now().advanced(by: .seconds(60)))
        let query = "\(Self.path)?propertyId=\(house.ids.property)&from=\(from)&until=\(until)"
        let head = try await house.unchecked(
            .head, "/api/v1\(query)", [.authorization: "Bearer \(try await house.token(of: .manager))"], nil)
        #expect(head.status == 200 && head.text.isEmpty && head.headers[.contentType] == "text/html; charset=utf-8")
        #expect(house.store.log(log).count == size)
        let forbidden = try await house.unchecked(
            .head, "/api/v1\(query)", [.authorization: "Bearer \(try await house.token(of: .tenant))"], nil)
        #expect(forbidden.status == 403)
        let reply = try await house.call(.get, query, as: .manager)
        let record = try #require(house.store.log(log).last).body
        #expect(house.store.log(log).count == size + 1)
        #expect(record.kind == .gateway && record.event == .export && record.actor.userID == house.ids[.manager])
        #expect(record.propertyID == house.ids.property)
        #expect(
            record.details == [
                "what": .string("complianceReport"), "from": .string(from.description), "until": .string(until.description),
            ])
        #expect(reply.text.contains("record \(size)"))
    }

    @Test("the document allows no script and no foreign source, in its headers and in itself, and is not cached")
    func policy() async throws {
        let house = try await Self.house()
        let reply = try await house.call(
            .get, "\(Self.path)?portfolioId=\(house.ids.portfolio)&\(Self.period(house))", as: .owner)
        #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[.contentDisposition]?.hasPrefix("inline; filename=\"doorward-compliance-") == true)
        #expect(reply.headers[.cacheControl] == "no-store" && reply.headers[.referrerPolicy] == "no-referrer")
        let style = try #require(reply.text.firstMatch(of: /<style>([^<]*)<\/style>/)).1
        let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        let policy = "default-src 'none'; style-src 'sha256-\(hash)'; form-action 'none'; base-uri 'none'"
        #expect(reply.headers[.contentSecurityPolicy] == "\(policy); frame-ancestors 'none'")
        let inside = policy.replacing("'", with: "&#39;")
        #expect(reply.text.contains("content=\"\(inside)\"") || reply.text.contains("content=\"\(policy)\""))
        for part in ["src=", "href=", "style=\"", "onload", "url(", "@import"] { #expect(!reply.text.contains(part), "\(part)") }
    }

    @Test("hostile names and reasons are texts of the document")
    func hostile() async throws {
        let house = try await Self.house()
        let attack = #"</td><script>alert(1)</script><img src=x onerror='a'>&amp;{{{style}}}"#
        let text = String(decoding: try JSONSerialization.data(withJSONObject: ["name": attack]), as: UTF8.self)
        #expect(try await house.call(.put, "/portfolios/\(house.ids.portfolio)", as: .owner, text).status == 200)
        #expect(try await house.call(.put, "/devices/\(house.ids.door)", as: .owner, text).status == 200)
        #expect(try await house.call(.put, "/users/me", as: .tenant, text.replacing("name", with: "firstName")).status == 200)
        #expect(try await house.command(as: .tenant, text.replacing("name", with: "reason")).status == 200)
        #expect(try await house.command(as: .auditor).status == 403)
        let reply = try await house.call(
            .get, "\(Self.path)?portfolioId=\(house.ids.portfolio)&\(Self.period(house))", as: .owner)
        let lowered = reply.text.lowercased()
        #expect(!lowered.contains("<script") && !lowered.contains("<img"))
        #expect(reply.text.contains("{{{style}}}"))
        let locks = try reply.text.contains("data-table") ? ReportDocumentRows(reply.text).names("locks") : []
        #expect(locks.contains(attack))
    }

    @Test("the checkpoint of the report proves an export of the log that has the report's record")
    func proof() async throws {
        let house = try await Self.house()
        for _ in 0..<3 { _ = try await house.command(as: .tenant) }
        let report = try await Self.report(house)
        let log = LogID.portfolio(house.ids.portfolio)
        let size = house.store.log(log).count
        let export = try await house.call(.get, "/access-records/export?format=ndjson", as: .owner)
        let origin = try report.proof("origin")
        #expect(origin == "doorward.test/logs/\(house.ids.portfolio)")
        let note = try #require(SignedNote(parsing: try report.proof("checkpoint")))
        let checkpoint = try #require(Checkpoint(parsing: note.text))
        #expect(checkpoint.size == UInt64(size))
        let key = try #require(VerifierKey(parsing: try report.proof("publicKey")))
        #expect(note.isSigned(by: key) == true)
        var verifier = ExportVerifier(origin: origin, keys: [key], comparingWith: [checkpoint])
        try await verifier.add(Array(export.text.utf8))
        #expect(try await verifier.finish().count == UInt64(size + 1))
    }

    @Test("times are local times of the property, also on both sides of a change of the clock")
    func zones() async throws {
        let house = try await Self.house()
        #expect(try await house.command(as: .auditor).status == 403)
        let report = try await Self.report(house, ofProperty: true)
        let now = house.clock.now()
        let local = Timestamp(milliseconds: now.milliseconds + 3_600_000).description
        let row = try #require(try report.table("denials").first)
        #expect(row[0] == "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)) +01:00")
        #expect(report.html.contains("local times of the property (Europe/Berlin)"))
        let summer = try await Self.report(house, ofProperty: true, "from=2026-03-29T00:30:00Z&until=2026-10-25T01:30:00Z")
        #expect(summer.html.contains("2026-03-29 01:30:00 +01:00 up to, not including, 2026-10-25 02:30:00 +01:00"))
    }

    @Test("a reader of one property gets nothing of other properties, and of the portfolio's roles only the present ones")
    func scope() async throws {
        let house = try await Self.house()
        let body = #"{"name":"Secret place","portfolioId":"\#(house.ids.portfolio)","defaultTimeZone":"Europe/Rome"}"#
        let made = try await house.call(.post, "/properties", as: .owner, body)
        let other = try #require(made.data["property"]["id"].text)
        let former = #"{"userId":"\#(house.ids[.nobody])","role":"PORTFOLIO_ADMIN"}"#
        let admins = "/portfolios/\(house.ids.portfolio)/admins"
        #expect(try await house.call(.post, admins, as: .owner, former).status == 200)
        house.clock.advance(by: .seconds(60))
        #expect(try await house.call(.delete, "\(admins)/\(house.ids[.nobody])", as: .owner).status == 204)
        #expect(
            try await house.call(
                .post, "/properties/\(other)/managers", as: .owner, #"{"userId":"\#(house.ids[.guest])","role":"MAINTENANCE"}"#
            ).status == 200)
        let ofManager = try await Self.report(house, as: .manager, ofProperty: true)
        for text in ["Secret place", other, "\(house.ids[.nobody])", "Nobody", "Oak Street", "Europe/Rome"] {
            #expect(!ofManager.html.contains(text), "\(text)")
        }
        let rights = try ofManager.table("access")
        let owner = try #require(rights.first { $0[1] == "Owner" })
        #expect(owner[0] == "Owner Last" && owner[3] == "–" && owner[5] == "recorded outside the property")
        #expect(ofManager.html.contains("made for a reader of one property"))
        // The owner's report of the same property has the history of the portfolio's roles, and nothing of the other property.
        let ofOwner = try await Self.report(house, ofProperty: true)
        #expect(!ofOwner.html.contains(other) && !ofOwner.html.contains("made for a reader of one property"))
        let admin = try #require(try ofOwner.table("access").first { $0[6].contains("record") && $0[1] == "Portfolio admin" })
        #expect(admin[5].contains("by Owner Last, record") && admin[6].contains("by Owner Last, record"))
        let ofPortfolio = try await Self.report(house)
        #expect(ofPortfolio.html.contains("Secret place") && ofPortfolio.html.contains("Oak Street"))
    }

    @Test("a report ends when somebody is erased after its pages were read, before any of it is sent")
    func erased() async throws {
        let house = try await Self.house()
        let now = house.clock.now()
        let request = ComplianceRequest(
            place: .property(house.ids.property), period: now.advanced(by: .seconds(-60))..<now.advanced(by: .seconds(60)))
        let owner = Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner))
        var running = try await house.control.complianceReports.begin(request, for: owner)
        while try await running.readPage() {}
        try running.check()
        #expect(try await house.call(.delete, "/users/\(house.ids[.tenant])/personal-data", as: .superAdmin).status == 204)
        let failure = #expect(throws: (any Error).self) { try running.check() }
        #expect("\(failure.map { "\($0)" } ?? "none")" == "erased")
    }

    @Test("a caller who loses the right gets no more of a report")
    func lostRight() async throws {
        let house = try await Self.house()
        let now = house.clock.now()
        let request = ComplianceRequest(
            place: .property(house.ids.property), period: now.advanced(by: .seconds(-60))..<now.advanced(by: .seconds(60)))
        let caller = Caller(userID: house.ids[.manager], sessionID: House.session(of: .manager))
        var running = try await house.control.complianceReports.begin(request, for: caller)
        #expect(try await running.readPage())
        let path = "/properties/\(house.ids.property)/managers/\(house.ids[.manager])"
        #expect(try await house.call(.delete, path, as: .owner).status == 204)
        await #expect(throws: GatewayError.self) { while try await running.readPage() {} }
        // Reports in progress are limited for each person.
        var open: [RunningComplianceReport] = []
        let owner = Caller(userID: house.ids[.owner], sessionID: House.session(of: .owner))
        for _ in 0..<4 { open.append(try await house.control.complianceReports.begin(request, for: owner)) }
        let query = "\(Self.path)?propertyId=\(house.ids.property)&\(Self.period(house))"
        #expect(try await house.call(.get, query, as: .owner).code == "rate_limited")
        #expect(try await house.call(.get, query, as: .admin).status == 200)
        open = []
        #expect(try await house.call(.get, query, as: .owner).status == 200)
    }
}

/// The first cells of a table's rows, for documents that contain markup as text.
private struct ReportDocumentRows {
    let html: String

    init(_ html: String) { self.html = html }

    func names(_ table: String) throws -> [String] {
        let start = try #require(html.range(of: "data-table=\"\(table)\""))
        let end = try #require(html.range(of: "</table>", range: start.upperBound..<html.endIndex))
        return html[start.upperBound..<end.lowerBound].matches(of: /<bdi>([^<]*)<\/bdi>/).map { match in
            var text = String(match.1)
            for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                text = text.replacing(entity, with: character)
            }
            return text
        }
    }
}
