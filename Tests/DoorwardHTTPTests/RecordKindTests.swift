import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Which records a request writes, and into which logs: each is in the gateway's log or in that of the portfolio where it happened,
/// and a change of rights in both.
@Suite struct RecordKindTests {
    @Test("a request writes exactly its records, into each log that it concerns and into no other", arguments: RecordStep.all)
    func step(step: RecordStep) async throws {
        let house = try await House(behaviour: step.behaviour, withPasswords: step.needsPasswords)
        for request in step.before {
            let reply = try await step.send(request, house)
            try #require(reply.status < 300, "\(request): \(reply.text)")
        }
        let logs = [LogID.gateway, .portfolio(house.ids.portfolio), .portfolio(house.ids.otherPortfolio)]
        let sizes = logs.map { house.store.log($0).count }
        _ = try await step.send(step.request, house)
        let written = zip(logs, sizes).map { log, size in
            house.store.log(log).dropFirst(size).map { RecordStep.words(of: $0.body) }.sorted()
        }
        #expect(written[0] == step.gateway.sorted(), "the gateway's log")
        #expect(written[1] == step.portfolio.sorted(), "the portfolio's log")
        #expect(written[2] == step.other.sorted(), "the log of the other portfolio")
    }

    @Test("every kind, decision, action and event of the gateway itself is among the records of these requests")
    func complete() {
        let records = RecordStep.all.map { $0.gateway + $0.portfolio }.joined()
        let words = Set(records.map { $0.split(separator: " ").map(String.init) }.joined())
        for kind in RecordKind.allCases where kind != .deviceEvent { #expect(words.contains(kind.rawValue), "\(kind)") }
        for decision in RecordDecision.allCases { #expect(words.contains(decision.rawValue), "\(decision)") }
        for action in ChangeAction.allCases { #expect(words.contains(action.rawValue), "\(action)") }
        for event in [RecordEvent.signedIn, .signedOut, .signInFailed, .checkpoint, .keyRotated, .erasure] {
            #expect(words.contains(event.rawValue), "\(event)")
        }
    }
}

/// A request with the records that it writes.
struct RecordStep: Sendable, CustomTestStringConvertible {
    struct Request: Sendable, CustomStringConvertible {
        let method: HTTPRequest.Method
        /// The path, in which `{door}` and other names in braces stand for ids of the house.
        let path: String
        let person: House.Person?
        let body: String?

        var description: String { "\(method) \(path)" }

        init(_ method: HTTPRequest.Method, _ path: String, as person: House.Person? = .owner, _ body: String? = nil) {
            (self.method, self.path, self.person, self.body) = (method, path, person, body)
        }
    }

    let request: Request
    var before: [Request] = []
    var behaviour = ScriptedAdapter.Behaviour.confirmAtOnce
    /// The records as `words(of:)` writes them, in any order.
    let gateway: [String]
    let portfolio: [String]
    var other: [String] = []

    var testDescription: String { request.description }
    var needsPasswords: Bool { ([request] + before).contains { $0.body?.contains("assword") == true } }

    /// A step whose records are in both logs.
    static func change(_ request: Request, after before: [Request] = [], _ records: String...) -> RecordStep {
        RecordStep(
            request: request, before: before, gateway: records.map { "ADMIN_CHANGE \($0)" },
            portfolio: records.map { "ADMIN_CHANGE \($0)" })
    }

    /// Kind, decision, outcome, event, action and the type of the target.
    static func words(of body: RecordBody) -> String {
        [
            body.kind.rawValue, body.decision?.rawValue, body.outcome?.rawValue, body.event?.rawValue, body.action?.rawValue,
            body.target?.type,
        ].compactMap(\.self).joined(separator: " ")
    }

    func send(_ request: Request, _ house: House) async throws -> Reply {
        let ids = house.ids
        var names = [
            "portfolio": "\(ids.portfolio)", "otherPortfolio": "\(ids.otherPortfolio)", "property": "\(ids.property)",
            "otherProperty": "\(ids.otherProperty)", "unit": "\(ids.unit)", "otherUnit": "\(ids.otherUnit)",
            "door": "\(ids.door)",
            "frontDoor": "\(ids.frontDoor)", "access": "\(ids.guestAccess)",
            "session": "\(request.person.map(House.session(of:)) ?? House.session(of: .owner))",
            "now": "\(house.clock.now())",
            "tomorrow": "\(house.clock.now().advanced(by: .seconds(86_400)))",
        ]
        for person in House.Person.allCases { names[person.rawValue] = "\(ids[person])" }
        let tenancy = house.control.directory.current
        names["newKey"] = tenancy.apiKeyIDs.first?.description
        names["invitation"] = tenancy.invitationIDs.first?.description
        func filled(_ text: String) -> String {
            names.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        return try await house.call(request.method, filled(request.path), as: request.person, request.body.map(filled))
    }

    static let all = commands + tenancy + people + accounts + proofs

    private static let commands: [RecordStep] = [
        RecordStep(
            request: Request(.post, "/devices/{door}/unlock", as: .tenant), gateway: [],
            portfolio: ["COMMAND_INTENT ALLOWED", "COMMAND_OUTCOME CONFIRMED"]),
        RecordStep(
            request: Request(.post, "/devices/{door}/unlock", as: .tenant), behaviour: .fail(.offline), gateway: [],
            portfolio: ["COMMAND_INTENT ALLOWED", "COMMAND_OUTCOME FAILED"]),
        RecordStep(request: Request(.post, "/devices/{door}/unlock", as: .auditor), gateway: [], portfolio: ["DENIAL DENIED"]),
        RecordStep(
            request: Request(.post, "/devices/{door}/unlock", as: .stranger), gateway: ["DENIAL DENIED"],
            portfolio: ["DENIAL DENIED"]),
        RecordStep(request: Request(.post, "/devices/nonsense/unlock", as: .owner), gateway: ["DENIAL DENIED"], portfolio: []),
        RecordStep(
            request: Request(.post, "/properties/{property}/lockdown", as: .manager),
            gateway: ["ADMIN_CHANGE UPDATE Property"],
            portfolio: ["ADMIN_CHANGE UPDATE Property"]
                + Array(repeating: ["COMMAND_INTENT ALLOWED", "COMMAND_OUTCOME CONFIRMED"], count: 3).flatMap(\.self)),
        .change(
            Request(.delete, "/properties/{property}/lockdown"), after: [Request(.post, "/properties/{property}/lockdown")],
            "UPDATE Property"),
    ]

    private static let tenancy: [RecordStep] = [
        RecordStep(
            request: Request(.post, "/portfolios", as: .superAdmin, #"{"name":"New"}"#),
            gateway: ["ADMIN_CHANGE CREATE Portfolio"], portfolio: []),
        .change(Request(.put, "/portfolios/{portfolio}", #"{"name":"New"}"#), "UPDATE Portfolio"),
        .change(Request(.put, "/portfolios/{portfolio}/subscription", as: .superAdmin, #"{"tier":"free"}"#), "UPDATE Portfolio"),
        .change(Request(.put, "/portfolios/{portfolio}/retention", #"{"days":365}"#), "UPDATE Portfolio"),
        .change(
            Request(.post, "/properties", #"{"name":"New","portfolioId":"{portfolio}","defaultTimeZone":"UTC"}"#),
            "CREATE Property"),
        .change(Request(.put, "/properties/{property}", #"{"name":"New"}"#), "UPDATE Property"),
        .change(Request(.post, "/units", #"{"name":"New","propertyId":"{property}"}"#), "CREATE Unit"),
        .change(Request(.put, "/units/{unit}", #"{"name":"New"}"#), "UPDATE Unit"),
        .change(Request(.put, "/units/{otherUnit}", #"{"commonAreaAccessIds":["{frontDoor}"]}"#), "UPDATE Unit"),
        .change(Request(.delete, "/units/{otherUnit}"), "DELETE Unit", "REMOVE UserRoleAssociation"),
        .change(
            Request(.post, "/devices", #"{"name":"N","adapter":"scripted","address":{"topic":"n"},"propertyId":"{property}"}"#),
            "CREATE LockDevice"),
        .change(Request(.put, "/devices/{door}", #"{"isRemoteOperationEnabled":false}"#), "UPDATE LockDevice"),
        .change(Request(.post, "/units/{otherUnit}/devices", #"{"deviceId":"{frontDoor}"}"#), "MOVE LockDevice", "UPDATE Unit"),
        .change(Request(.delete, "/devices/{frontDoor}"), "DELETE LockDevice", "UPDATE Unit"),
        RecordStep(
            request: Request(.put, "/devices/{frontDoor}", #"{"propertyId":"{otherProperty}"}"#),
            before: [
                Request(.post, "/portfolios/{otherPortfolio}/admins", as: .superAdmin, #"{"userId":"{owner}","role":"OWNER"}"#)
            ],
            gateway: ["ADMIN_CHANGE MOVE LockDevice", "ADMIN_CHANGE UPDATE Unit"],
            portfolio: ["ADMIN_CHANGE MOVE LockDevice", "ADMIN_CHANGE UPDATE Unit"], other: ["ADMIN_CHANGE MOVE LockDevice"]),
    ]

    private static let people: [RecordStep] = [
        .change(
            Request(.post, "/portfolios/{portfolio}/admins", #"{"userId":"{nobody}","role":"AUDITOR"}"#),
            "ASSIGN UserRoleAssociation"),
        .change(Request(.delete, "/portfolios/{portfolio}/admins/{admin}"), "REMOVE UserRoleAssociation"),
        .change(Request(.post, "/units/{unit}/tenants", #"{"email":"eve@example.com","role":"TENANT"}"#), "CREATE Invitation"),
        .change(
            Request(.delete, "/invitations/{invitation}"),
            after: [Request(.post, "/units/{unit}/tenants", #"{"email":"eve@example.com","role":"TENANT"}"#)],
            "DELETE Invitation"),
        .change(
            Request(
                .post, "/guest-access", as: .tenant,
                #"{"label":"Dog walker","deviceIds":["{door}"],"operations":["UNLOCK"],"validFrom":"{now}","validUntil":"{tomorrow}"}"#
            ),
            "GRANT GuestAccess"),
        .change(Request(.put, "/guest-access/{access}", as: .tenant, #"{"label":"Cleaner"}"#), "UPDATE GuestAccess"),
        .change(Request(.post, "/guest-access/{access}/link", as: .tenant), "UPDATE GuestAccess"),
        .change(
            Request(.delete, "/guest-access/{access}/link", as: .tenant),
            after: [Request(.post, "/guest-access/{access}/link", as: .tenant)], "UPDATE GuestAccess"),
        .change(Request(.delete, "/guest-access/{access}", as: .tenant), "REVOKE GuestAccess"),
        .change(Self.newKey, "CREATE APIKey"),
        .change(Request(.delete, "/api-keys/{newKey}"), after: [Self.newKey], "DELETE APIKey"),
    ]

    private static let newKey = Request(
        .post, "/api-keys",
        #"{"name":"N","entityType":"PROPERTY","entityId":"{property}","role":"MAINTENANCE","expiresAt":"{tomorrow}"}"#)

    private static let accounts: [RecordStep] = [
        RecordStep(
            request: Request(
                .post, "/users", as: .superAdmin, #"{"email":"eve@example.com","firstName":"Eve","lastName":"Last"}"#),
            gateway: ["ADMIN_CHANGE CREATE Invitation", "ADMIN_CHANGE CREATE User"], portfolio: []),
        RecordStep(
            request: Request(.put, "/users/me", as: .tenant, #"{"firstName":"New"}"#), gateway: ["ADMIN_CHANGE UPDATE User"],
            portfolio: []),
        .change(Request(.put, "/users/{tenant}", as: .superAdmin, #"{"isEnabled":false}"#), "DISABLE User"),
        .change(
            Request(.put, "/users/{tenant}", as: .superAdmin, #"{"isEnabled":true}"#),
            after: [Request(.put, "/users/{tenant}", as: .superAdmin, #"{"isEnabled":false}"#)], "ENABLE User"),
        // The manager has a role in both portfolios.
        RecordStep(
            request: Request(.delete, "/users/{manager}", as: .superAdmin),
            gateway: ["ADMIN_CHANGE DELETE User"]
                + Array(repeating: "ADMIN_CHANGE REMOVE UserRoleAssociation", count: 2),
            portfolio: ["ADMIN_CHANGE DELETE User", "ADMIN_CHANGE REMOVE UserRoleAssociation"],
            other: ["ADMIN_CHANGE DELETE User", "ADMIN_CHANGE REMOVE UserRoleAssociation"]),
        RecordStep(
            request: Request(.delete, "/users/{tenant}/personal-data", as: .superAdmin),
            before: [Request(.post, "/devices/{door}/unlock", as: .tenant)], gateway: ["GATEWAY ERASURE User"],
            portfolio: ["GATEWAY ERASURE User"]),
        .change(Request(.post, "/users/{tenant}/password-reset", as: .superAdmin), "CREATE PasswordReset"),
        RecordStep(
            request: Request(.post, "/users/me/recovery-codes", as: .tenant, #"{"currentPassword":"\#(House.password)"}"#),
            gateway: ["ADMIN_CHANGE UPDATE User"],
            portfolio: []),
        RecordStep(
            request: Request(
                .post, "/auth/login", as: nil, #"{"email":"tenant@example.com","password":"\#(House.password)"}"#),
            gateway: ["SESSION SIGNED_IN Session"], portfolio: []),
        RecordStep(
            request: Request(.post, "/auth/login", as: nil, #"{"email":"tenant@example.com","password":"wrong"}"#),
            gateway: ["SESSION SIGN_IN_FAILED User"], portfolio: []),
        RecordStep(
            request: Request(.delete, "/users/me/sessions/{session}", as: .tenant), gateway: ["SESSION SIGNED_OUT Session"],
            portfolio: []),
    ]

    private static let proofs: [RecordStep] = [
        RecordStep(
            request: Request(
                .get, "/reports/compliance?propertyId={property}&from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z"),
            before: [
                Request(
                    .put, "/portfolios/{portfolio}/subscription", as: .superAdmin, #"{"modules":{"complianceReport":true}}"#)
            ], gateway: ["GATEWAY CHECKPOINT"], portfolio: ["GATEWAY EXPORT"]),
        RecordStep(
            request: Request(.get, "/audit/logs/{portfolio}/checkpoint"),
            before: [Request(.post, "/devices/{door}/unlock", as: .tenant)], gateway: ["GATEWAY CHECKPOINT"], portfolio: []),
        // First the checkpoints of the old key are completed.
        RecordStep(
            request: Request(.post, "/audit/key-rotation", as: .superAdmin), gateway: ["GATEWAY KEY_ROTATED"], portfolio: []),
    ]
}
