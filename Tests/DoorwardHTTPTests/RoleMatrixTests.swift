import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Who may call what: every operation of the OpenAPI document, called by every kind of caller.
@Suite struct RoleMatrixTests {
    @Test("Every operation of the document is in the matrix, and no other")
    func complete() async throws {
        let document = PublishedDocument(json: try await House().call(.get, "/openapi.json").json)
        let operations = document.operations.map { "\($0.method) \($0.path.replacing("/api/v1", with: ""))" }
        #expect(Set(operations) == Set(MatrixRow.all.map(\.operation)))
        #expect(MatrixRow.all.count == operations.count)
        #expect(MatrixRow.all.allSatisfy { $0.expected.count == MatrixCaller.allCases.count })
        print("role matrix: \(MatrixRow.all.count) operations, \(MatrixRow.all.count * MatrixCaller.allCases.count) cells")
    }

    @Test("Each caller may do what the permission matrix allows, and is refused everything else", arguments: MatrixRow.all)
    func cells(row: MatrixRow) async throws {
        var world = try await MatrixWorld()
        for (caller, expected) in zip(MatrixCaller.allCases, row.expected) {
            let reply = try await world.call(row, as: caller)
            #expect(MatrixResult(reply) == expected, "\(row.operation) as \(caller): \(reply.status) \(reply.text)")
            // A request that has changed something may change what the next caller sees, who gets a new house.
            if reply.status < 300, !row.operation.hasPrefix("GET ") { world = try await MatrixWorld() }
        }
    }
}

/// The callers, in the order of the columns of `MatrixRow`.
enum MatrixCaller: String, CaseIterable, Sendable {
    case superAdmin, owner, admin, manager, maintenance, auditor, tenant, neighbour, guest, stranger, nobody
    /// An owner's API key with the role MAINTENANCE on the property.
    case key
    /// A co-tenant who was disabled after the sign-in.
    case disabled
    /// A request without a sign-in.
    case anonymous
}

/// The class of a response.
enum MatrixResult: Character, Sendable {
    case allowed = "+"
    /// 403 with the reason of a denial: the caller may know the object.
    case denied = "-"
    /// 403 `forbidden`: the same as for an object that does not exist.
    case hidden = "."
    case unauthenticated = "0"
    /// Any other response.
    case other = "?"

    init(_ reply: Reply) {
        self =
            switch (reply.status, reply.code) {
            case (200..<300, _): .allowed
            case (403, "forbidden"): .hidden
            case (403, _): .denied
            case (401, _): .unauthenticated
            default: .other
            }
    }
}

/// A house with an object of each kind, and the callers of the matrix.
struct MatrixWorld: Sendable {
    let house: House
    let command: String
    /// The record of the command's intent.
    let record: RecordID
    let invitation: String
    let key: (id: String, secret: String)
    let resetToken: String
    /// A checkpoint with the cosignature of a witness.
    let cosigned: String
    let invitationToken: String

    init() async throws {
        house = try await House(withPasswords: true, settings: TestAppStore.shared.get().settings(), deniedPerMinute: 100_000)
        let ids = house.ids
        command = try await house.command(as: .tenant).data["command"]["id"].text ?? ""
        record = try #require(house.store.log(.portfolio(ids.portfolio)).first { $0.body.kind == .commandIntent }).body.id
        let invited = try await house.call(
            .post, "/units/\(ids.unit)/tenants", as: .manager, #"{"email":"eve@example.com","role":"TENANT"}"#
        ).data["invitation"]
        (invitation, invitationToken) = (invited["id"].text ?? "", invited["token"].text ?? "")
        let tomorrow = house.clock.now().advanced(by: .seconds(86_400))
        let made = try await house.call(
            .post, "/api-keys", as: .owner,
            """
            {"name":"Robot","entityType":"PROPERTY","entityId":"\(ids.property)","role":"MAINTENANCE","expiresAt":"\(tomorrow)"}
            """
        ).data
        key = (made["apiKey"]["id"].text ?? "", made["secret"].text ?? "")
        cosigned = try await house.cosigned(house.call(.get, "/audit/logs/\(ids.portfolio)/checkpoint", as: .owner).text)
        resetToken =
            try await house.call(.post, "/users/\(ids[.guest])/password-reset", as: .superAdmin).data["reset"]["token"].text ?? ""
        let subscription = "/portfolios/\(ids.portfolio)/subscription"
        _ = try await house.call(.put, subscription, as: .superAdmin, #"{"modules":{"complianceReport":true}}"#)
        _ = try await house.call(.put, "/users/\(ids[.coTenant])", as: .superAdmin, #"{"isEnabled":false}"#)
    }

    func call(_ row: MatrixRow, as caller: MatrixCaller) async throws -> Reply {
        let method = try #require(HTTPRequest.Method(row.operation.split(separator: " ").first.map(String.init) ?? ""))
        let query = row.query?.replacing("{portfolio}", with: "\(house.ids.portfolio)")
        let path = row.path(self, caller) + (query.map { "?\($0)" } ?? "")
        let body = row.body?(self, caller)
        switch caller {
        case .key: return try await house.call(method, path, body, headers: [.authorization: "Bearer \(key.secret)"])
        case .anonymous: return try await house.call(method, path, body)
        case .disabled: return try await house.call(method, path, as: .coTenant, body)
        default: return try await house.call(method, path, as: House.Person(rawValue: caller.rawValue), body)
        }
    }

    /// A session of the caller; for a caller without one, that of the owner.
    func session(of caller: MatrixCaller) -> SessionID {
        House.session(of: House.Person(rawValue: caller.rawValue) ?? .owner)
    }
}

/// An operation with a request that is valid for every caller, and the expected results.
struct MatrixRow: Sendable, CustomTestStringConvertible {
    /// Method and path, as in the document, without `/api/v1`.
    let operation: String
    let expected: [MatrixResult]
    var query: String?
    var body: (@Sendable (MatrixWorld, MatrixCaller) -> String)?

    var testDescription: String { operation }

    init(_ expected: String, _ operation: String, query: String? = nil, _ body: (@Sendable (House.IDs) -> String)? = nil) {
        var request: (@Sendable (MatrixWorld, MatrixCaller) -> String)?
        if let body { request = { world, _ in body(world.house.ids) } }
        self.init(expected, operation, query: query, of: request)
    }

    init(
        _ expected: String, _ operation: String, query: String? = nil,
        of body: (@Sendable (MatrixWorld, MatrixCaller) -> String)?
    ) {
        self.expected = expected.compactMap { MatrixResult(rawValue: $0) }
        (self.operation, self.query, self.body) = (operation, query, body)
    }

    /// The path with ids of the house.
    func path(_ world: MatrixWorld, _ caller: MatrixCaller) -> String {
        let ids = world.house.ids
        let path = String(operation.split(separator: " ")[1])
        let kind = path.split(separator: "/").first.map(String.init) ?? ""
        let id: String =
            switch kind {
            case "portfolios": "\(ids.portfolio)"
            case "properties": "\(ids.property)"
            case "units": "\(ids.unit)"
            case "devices": "\(ids.door)"
            case "simulator": "\(ids.simulated)"
            case "guest-access": "\(ids.guestAccess)"
            case "commands": world.command
            case "access-records": "\(world.record)"
            case "invitations": world.invitation
            case "api-keys": world.key.id
            case "users" where path.contains("/sessions/"): "\(world.session(of: caller))"
            default: "\(ids[.tenant])"
            }
        let holder: UserID =
            switch kind {
            case "portfolios": ids[.admin]
            case "properties": ids[.maintenance]
            default: ids[.tenant]
            }
        return path.replacing("/simulator/devices/{id}", with: "/simulator/devices/\(ids.simulated)").replacing("{id}", with: id)
            .replacing("{streamId}", with: "\(ids.unit)").replacing("{name}", with: "doors")
            .replacing("{deviceId}", with: "\(ids.door)").replacing("{userId}", with: "\(holder)").replacing(
                "{logId}", with: "\(ids.portfolio)")
    }
}

extension MatrixRow {
    static let all: [MatrixRow] = signIn + people + tenancy + roles + devices + others

    // The columns: super admin, owner, portfolio admin, property manager, maintenance, auditor, tenant, neighbour, guest, owner of
    // another portfolio, user without a role, API key, disabled user, no sign-in.

    private static let signIn: [MatrixRow] = [
        MatrixRow("++++++++++++++", "POST /auth/login") { _ in #"{"email":"owner@example.com","password":"\#(House.password)"}"#
        },
        MatrixRow("00000000000000", "POST /auth/refresh") { _ in #"{"refreshToken":"unknown"}"# },
        MatrixRow("+++++++++++.00", "POST /auth/logout"),
        MatrixRow(
            "++++++++++++++", "POST /auth/reset-password",
            of: { world, _ in
                #"{"token":"\#(world.resetToken)","newPassword":"another long password"}"#
            }),
        MatrixRow(
            "++++++++++++++", "POST /auth/accept-invitation",
            of: { world, _ in
                #"{"token":"\#(world.invitationToken)","firstName":"E","lastName":"A","password":"another long password"}"#
            }),
    ]

    private static let people: [MatrixRow] = [
        // On a gateway with a super admin nobody sets anything up, whoever signs in.
        MatrixRow("00000000000000", "GET /setup"),
        MatrixRow("00000000000000", "PUT /setup") { _ in "{\(SetupRouteTests.person)}" },
        MatrixRow("+++++++++++.00", "GET /users/me"),
        MatrixRow("+++++++++++.00", "PUT /users/me") { _ in #"{"firstName":"New"}"# },
        MatrixRow("+++++++++++.00", "GET /users/me/permissions"),
        MatrixRow("+++++++++++.00", "GET /users/me/sessions"),
        MatrixRow("+++++++++++.00", "DELETE /users/me/sessions/{id}"),
        MatrixRow("+++++++++++.00", "POST /users/me/password") { _ in
            #"{"currentPassword":"\#(House.password)","newPassword":"another long password"}"#
        },
        MatrixRow("+++++++++++.00", "POST /users/me/recovery-codes") { _ in
            #"{"currentPassword":"\#(House.password)"}"#
        },
        MatrixRow("++++-----+--00", "GET /users"),
        MatrixRow("+-----------00", "POST /users") { _ in
            #"{"email":"n@example.com","firstName":"N","lastName":"M","password":"a long new password"}"#
        },
        // A tenant's flatmates see each other; here the caller `tenant` is the user.
        MatrixRow("++++..+.....00", "GET /users/{id}"),
        MatrixRow("+---..-.....00", "PUT /users/{id}") { _ in #"{"isEnabled":false}"# },
        MatrixRow("+---..-.....00", "DELETE /users/{id}", query: "dryRun=true"),
        MatrixRow("+---..-.....00", "DELETE /users/{id}/personal-data"),
        MatrixRow("+---..-.....00", "POST /users/{id}/password-reset"),
        MatrixRow("++++++++++++00", "GET /api-keys"),
        MatrixRow(
            "++++----...-00", "POST /api-keys",
            of: { world, _ in
                let tomorrow = world.house.clock.now().advanced(by: .seconds(86_400))
                return """
                    {"name":"K","entityType":"PROPERTY","entityId":"\(world.house.ids.property)","role":"MAINTENANCE",
                    "expiresAt":"\(tomorrow)"}
                    """
            }),
        MatrixRow("++++........00", "DELETE /api-keys/{id}"),
        MatrixRow("++++++++++++00", "GET /invitations"),
        MatrixRow("-+++........00", "GET /invitations/{id}"),
        MatrixRow("-+++........00", "DELETE /invitations/{id}"),
    ]

    private static let tenancy: [MatrixRow] = [
        MatrixRow("++++++++++++00", "GET /portfolios"),
        MatrixRow("+-----------00", "POST /portfolios") { _ in #"{"name":"New"}"# },
        MatrixRow("+++..+......00", "GET /portfolios/{id}"),
        MatrixRow("+++..-......00", "PUT /portfolios/{id}") { _ in #"{"name":"New"}"# },
        MatrixRow("++-..-......00", "DELETE /portfolios/{id}", query: "cascade=true&dryRun=true"),
        MatrixRow("+++..-......00", "GET /portfolios/{id}/subscription"),
        MatrixRow("+--..-......00", "PUT /portfolios/{id}/subscription") { _ in #"{"tier":"free"}"# },
        MatrixRow("+++..-......00", "GET /portfolios/{id}/retention"),
        MatrixRow("-+-..-......00", "PUT /portfolios/{id}/retention") { _ in #"{"days":365}"# },
        MatrixRow("++++++++++++00", "GET /properties"),
        MatrixRow("-++..-......00", "POST /properties") { #"{"name":"New","portfolioId":"\#($0.portfolio)"}"# },
        MatrixRow("+++..+......00", "GET /portfolios/{id}/properties"),
        MatrixRow("-++..-......00", "POST /portfolios/{id}/properties") { _ in #"{"name":"New"}"# },
        MatrixRow("++++++++...+00", "GET /properties/{id}"),
        MatrixRow("-+++----...-00", "PUT /properties/{id}") { _ in #"{"name":"New"}"# },
        MatrixRow("-++-----...-00", "DELETE /properties/{id}", query: "cascade=true&dryRun=true"),
        MatrixRow("-+++----...-00", "POST /properties/{id}/lockdown") { _ in #"{"reason":"Alarm"}"# },
        MatrixRow("-+++----...-00", "DELETE /properties/{id}/lockdown"),
        MatrixRow("++++++++++++00", "GET /units"),
        MatrixRow("-+++----...-00", "POST /units") { #"{"name":"New","propertyId":"\#($0.property)"}"# },
        MatrixRow("++++++++...+00", "GET /properties/{id}/units"),
        MatrixRow("-+++----...-00", "POST /properties/{id}/units") { _ in #"{"name":"New"}"# },
        MatrixRow("+++++++....+00", "GET /units/{id}"),
        MatrixRow("-+++---....-00", "PUT /units/{id}") { _ in #"{"name":"New"}"# },
        MatrixRow("-+++---....-00", "DELETE /units/{id}", query: "cascade=true&dryRun=true"),
    ]

    private static let roles: [MatrixRow] = [
        MatrixRow("+++..-......00", "GET /portfolios/{id}/admins"),
        MatrixRow("++-..-......00", "POST /portfolios/{id}/admins") { #"{"userId":"\#($0[.nobody])","role":"PORTFOLIO_ADMIN"}"# },
        MatrixRow("++-..-......00", "DELETE /portfolios/{id}/admins/{userId}"),
        MatrixRow("++++----...-00", "GET /properties/{id}/managers"),
        MatrixRow("-+++----...-00", "POST /properties/{id}/managers") { #"{"userId":"\#($0[.nobody])","role":"MAINTENANCE"}"# },
        MatrixRow("-+++----...-00", "DELETE /properties/{id}/managers/{userId}"),
        MatrixRow("++++---....-00", "GET /units/{id}/tenants"),
        MatrixRow("-+++---....-00", "POST /units/{id}/tenants") { #"{"userId":"\#($0[.nobody])","role":"TENANT"}"# },
        MatrixRow("-+++---....-00", "DELETE /units/{id}/tenants/{userId}"),
    ]

    private static let devices: [MatrixRow] = [
        MatrixRow("++++++++++++00", "GET /devices"),
        MatrixRow("++++----...-00", "POST /devices") {
            #"{"name":"N","adapter":"scripted","address":{"topic":"n"},"propertyId":"\#($0.property)"}"#
        },
        MatrixRow("+++++++.+..+00", "GET /devices/{id}"),
        MatrixRow("-+++---.-..-00", "PUT /devices/{id}") { _ in #"{"name":"New"}"# },
        MatrixRow("-+++---.-..-00", "PUT /devices/{id}/settings") { _ in #"{"code":"1234"}"# },
        MatrixRow("-+++---.-..-00", "DELETE /devices/{id}", query: "dryRun=true"),
        MatrixRow("+++++++.+..+00", "GET /devices/{id}/status"),
        MatrixRow("+++++++.+..+00", "GET /devices/{id}/permissions"),
        MatrixRow("-+++-++.-..-00", "GET /devices/{id}/who-can", query: "operation=UNLOCK"),
        MatrixRow("+++++++.+..+00", "POST /authorize") { #"{"deviceId":"\#($0.door)","operation":"UNLOCK"}"# },
        MatrixRow("-+++-++.-..-00", "GET /devices/{id}/access-records"),
        MatrixRow("-++++-+.+..+00", "POST /devices/{id}/lock"),
        MatrixRow("-++++-+.+..+00", "POST /devices/{id}/unlock"),
        MatrixRow("-++++-+.-..+00", "POST /devices/{id}/unlatch"),
        MatrixRow("+++++++....+00", "GET /units/{id}/devices"),
        MatrixRow("-+++---....-00", "POST /units/{id}/devices") { #"{"deviceId":"\#($0.frontDoor)"}"# },
        MatrixRow("-+++---....-00", "DELETE /units/{id}/devices/{deviceId}", query: "dryRun=true"),
        MatrixRow("++++++++++++00", "GET /devices/discovered"),
        // Everybody may send one: each of its requests is decided by itself.
        MatrixRow("++++++++++++00", "POST /bulk") { #"{"requests":[{"method":"POST","path":"/devices/\#($0.door)/lock"}]}"# },
        MatrixRow("-+++--.....-00", "POST /simulator/devices/{id}/events") { _ in #"{"event":"jam"}"# },
    ]

    private static let others: [MatrixRow] = [
        MatrixRow("++++++++++++00", "GET /access-records"),
        MatrixRow(
            "++++++++++++00", "GET /access-records/summary",
            query: "by=day&from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"),
        MatrixRow("-+++.++.....00", "GET /access-records/{id}"),
        MatrixRow("++++-+---+--00", "GET /access-records/export", query: "format=csv"),
        MatrixRow(
            "-++..+......00", "GET /reports/compliance",
            query: "portfolioId={portfolio}&from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"),
        MatrixRow(
            "+++++++++++.00", "POST /iap/validate-receipt",
            of: { _, caller in
                let receipt = try? TestAppStore.shared.get().transaction(TestAppStore.claims("\(caller)"))
                return PurchaseRouteTests.body(receipt ?? "")
            }),
        MatrixRow("++++++++++++00", "GET /audit/logs"),
        MatrixRow("++++++++++++00", "GET /audit/public-key"),
        MatrixRow("-++..+......00", "GET /audit/logs/{logId}/checkpoint"),
        MatrixRow(
            "-++..+......00", "POST /audit/logs/{logId}/cosignatures",
            of: { world, _ in #"{"note":"\#(world.cosigned.replacing("\n", with: "\\n"))"}"# }),
        MatrixRow("-++..+......00", "GET /audit/logs/{logId}/proof/inclusion", query: "seq=0&size=1"),
        MatrixRow("-++..+......00", "GET /audit/logs/{logId}/proof/consistency", query: "from=0&to=1"),
        MatrixRow("+-----------00", "POST /audit/key-rotation"),
        MatrixRow("++++-----+--00", "GET /adapters"),
        MatrixRow("++++++++++++00", "GET /commands"),
        MatrixRow("-+++.++.....00", "GET /commands/{id}"),
        MatrixRow("++++++++++++00", "GET /guest-access"),
        MatrixRow(
            "-+++--+.-..-00", "POST /guest-access",
            of: { world, _ in
                let now = world.house.clock.now()
                return """
                    {"guestUserId":"\(world.house.ids[.nobody])","deviceIds":["\(world.house.ids.door)"],"operations":["UNLOCK"],
                    "validFrom":"\(now)","validUntil":"\(now.advanced(by: .seconds(3600)))"}
                    """
            }),
        MatrixRow("-+++..+.+...00", "GET /guest-access/{id}"),
        MatrixRow("-+++..+.-...00", "PUT /guest-access/{id}") { _ in #"{"label":"New"}"# },
        MatrixRow("-+++..+.-...00", "DELETE /guest-access/{id}"),
        MatrixRow("-+++..+.-...00", "POST /guest-access/{id}/link"),
        MatrixRow("-+++..+.-...00", "DELETE /guest-access/{id}/link"),
        MatrixRow("++++++++++++00", "GET /permission-matrix"),
        MatrixRow("+-----------00", "GET /clock"), MatrixRow("+-----------00", "POST /clock/accept"),
        MatrixRow("++++++++++++00", "GET /stream", query: "subscribe=doors:device"),
        MatrixRow("++++++++++++00", "POST /stream") { _ in #"{"subscriptions":{"doors":{"type":"device"}}}"# },
        // There is no stream with this id, for anybody.
        MatrixRow("????????????00", "PUT /stream/{streamId}/subscriptions/{name}") { _ in #"{"type":"device"}"# },
        MatrixRow("????????????00", "DELETE /stream/{streamId}/subscriptions/{name}"),
        MatrixRow("+-----------00", "POST /store/backup") { _ in
            #"{"file":"\#(FileManager.default.temporaryDirectory.path)/doorward-\#(UUID().uuidString).db"}"#
        },
    ]
}
