import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes

@testable import DoorwardHTTP

/// Generates requests from the document of the API, with ids of the caller's portfolio, of another one, and of none.
struct TwoWorldRequests {
    typealias Kind = TwoWorlds.Kind

    private let document: PublishedDocument
    private var random: SeededGenerator
    private let people: [String: String]
    /// The ids that existed before the first request. They are not deleted, so that all roles stay as they are.
    private let initial: [Kind: [String]]
    /// The ids of the callers' portfolio.
    var own: [Kind: [String]]
    /// The ids of the other portfolio.
    var foreign: [Kind: [String]]
    /// A user that only the first world has. A path or a filter may contain the id. A body may not: any existing user can be given a
    /// role or a guest access, and the response shows whether the user exists.
    private let newcomer: String
    /// Whether a body is being generated.
    private var isBody = false
    /// Whether a body contains all optional fields.
    private var isComplete = false
    /// Tokens and codes of earlier responses, by the field of a request that takes them.
    private var secrets: [String: [String]] = [:]

    init(_ document: PublishedDocument, _ worlds: TwoWorlds, seed: UInt64) {
        (self.document, random) = (document, SeededGenerator(seed: seed))
        (initial, own, foreign) = (worlds.own, worlds.own, worlds.foreign.value)
        newcomer = worlds.newcomer.value
        people = Dictionary(uniqueKeysWithValues: House.Person.allCases.map { ($0.rawValue, "\(worlds.full.ids[$0])") })
    }

    /// Keeps the ids, tokens and codes of a response for further requests.
    mutating func collect(_ reply: Reply) {
        TwoWorlds.collect(reply, into: &own)
        guard reply.status < 300 else { return }
        let invitation = reply.data["invitation"]
        // An invitation of the newcomer is accepted by a sign-in in the first world, and with a new account in the second.
        let token = invitation["email"].text?.lowercased() == TwoWorlds.newcomerEmail ? nil : invitation["token"].text
        let link = reply.data["link"]["url"].text?.split(separator: "/").last.map(String.init)
        for (field, secret) in [
            ("link", link),
            ("token", token), ("refreshToken", reply.data["refreshToken"].text),
            ("recoveryCode", reply.data["recoveryCodes"][0].text),
        ] {
            if let secret { secrets[field, default: []].append(secret) }
        }
    }

    // MARK: - Requests

    /// Which ids a request contains.
    enum Source { case own, foreign, mixed }

    mutating func step(
        _ operation: PublishedDocument.Operation, as caller: TwoWorlds.Caller, ids source: Source
    ) -> TwoWorlds.Step? {
        guard let method = HTTPRequest.Method(operation.method) else { return nil }
        var path = operation.path
        let kinds = Self.kinds(inPath: path)
        var touchesInitial = false
        for (placeholder, kind) in kinds {
            let id = id(kind, source)
            touchesInitial = touchesInitial || initial[kind, default: []].contains(id)
            if let range = path.range(of: placeholder) { path.replaceSubrange(range, with: id) }
        }
        if let range = path.range(of: "{token}") {
            path.replaceSubrange(range, with: any(secrets["link", default: []].suffix(3) + ["text"]))
        }
        var query = self.query(of: operation, source)
        let isDeletion = method == .delete && Self.names(of: operation, in: "query").contains("dryRun")
        if isDeletion, touchesInitial { query = query.filter { !$0.hasPrefix("dryRun=") } + ["dryRun=true"] }
        let body = body(of: operation, source)
        var step = TwoWorlds.Step(
            caller: caller, method: method, path: path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), body: body)
        if Self.names(of: operation, in: "header").contains("Idempotency-Key"), one(in: 4) {
            step.headers[.idempotencyKey] = "key-\(number(6))"
        }
        return step
    }

    /// The placeholders of a path, with the kind of object that each names.
    static func kinds(inPath path: String) -> [(String, Kind)] {
        let parts = path.split(separator: "/").map(String.init)
        return parts.indices.compactMap { index in
            guard parts[index].hasPrefix("{") else { return nil }
            if let kind = Kind(field: String(parts[index].dropFirst().dropLast())) { return (parts[index], kind) }
            return Kind(collection: parts[index - 1]).map { (parts[index], $0) }
        }
    }

    private static func names(of operation: PublishedDocument.Operation, in place: String) -> [String] {
        operation.json["parameters"].elements.filter { $0["in"].text == place }.compactMap { $0["name"].text }
    }

    private mutating func query(of operation: PublishedDocument.Operation, _ source: Source) -> [String] {
        var query: [String] = []
        for parameter in operation.json["parameters"].elements where parameter["in"].text == "query" && one(in: 3) {
            guard let name = parameter["name"].text else { continue }
            let text = value(name, parameter["schema"], source)
            let plain = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
            guard plain != "null" else { continue }
            query.append("\(name)=\(plain.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")")
        }
        return query
    }

    private mutating func body(of operation: PublishedDocument.Operation, _ source: Source) -> String? {
        let schema = operation.json["requestBody"]["content"]["application/json"]["schema"]
        guard schema != .null else { return nil }
        isBody = true
        isComplete = operation.path.hasSuffix("/accept-invitation") && one(in: 2)
        defer { (isBody, isComplete) = (false, false) }
        let body = one(in: 20) ? #"{"surprise":1}"# : value("", schema, source)
        // A person with roles in the other portfolio may sign in, and then receives data of that portfolio.
        let isOfOthers = Self.othersEmails.contains { body.lowercased().contains("\"\($0.lowercased())\"") }
        return isOfOthers ? body.replacing("\"\(House.password)\"", with: "\"a wrong password\"") : body
    }

    /// The addresses of the people with a role in the other portfolio.
    private static let othersEmails =
        [House.Person.stranger, .nobody, .neighbour, .coTenant].map { "\($0.rawValue)@example.com" } + [TwoWorlds.newcomerEmail]

    // MARK: - Values

    private mutating func number(_ count: Int) -> Int { Int(random.next() >> 1) % count }
    private mutating func one(in count: Int) -> Bool { number(count) == 0 }
    private mutating func any<Element>(_ elements: [Element]) -> Element { elements[number(elements.count)] }

    private mutating func id(_ kind: Kind, _ source: Source) -> String {
        let unknown = "01a1fd86-0000-7000-8000-000000000000"
        let own = own[kind, default: []]
        let foreign = foreign[kind, default: []] + (kind == .user && !isBody ? [newcomer] : [])
        switch source {
        case .own: return own.isEmpty ? unknown : any(own)
        case .foreign: return foreign.isEmpty ? unknown : any(foreign)
        case .mixed:
            let roll = number(20)
            if roll < 12, !own.isEmpty { return any(own) }
            if roll < 18, !foreign.isEmpty { return any(foreign) }
            return roll == 19 ? "x" : unknown
        }
    }

    /// A value of a schema as JSON. Values of fields with a known name are such that many requests are valid.
    private mutating func value(_ name: String, _ schema: JSONValue, _ source: Source) -> String {
        let schema = document.resolved(schema)
        for keyword in ["oneOf", "anyOf"] where schema[keyword] != .null {
            return value(name, any(schema[keyword].elements), source)
        }
        if let known = known(name, source) { return known }
        let choices = schema["enum"].elements
        if !choices.isEmpty { return Self.json(any(choices)) }
        let types = schema["type"].text.map { [$0] } ?? schema["type"].elements.compactMap(\.text)
        switch types.first(where: { $0 != "null" }) {
        case "object": return object(schema, source)
        case "array":
            let item = name.hasSuffix("s") ? String(name.dropLast()) : name
            return "[" + (0..<1 + number(2)).map { _ in value(item, schema["items"], source) }.joined(separator: ",") + "]"
        case "boolean": return one(in: 2) ? "true" : "false"
        case "integer":
            let least = schema["minimum"].number ?? 0
            return "\(min(least + Int64(number(5)), schema["maximum"].number ?? .max))"
        case "string": return schema["format"].text == "date-time" ? #""2026-11-22T08:00:00Z""# : #""text""#
        default: return "null"
        }
    }

    private mutating func object(_ schema: JSONValue, _ source: Source) -> String {
        let required = Set(schema["required"].elements.compactMap(\.text))
        var members: [String] = []
        for (name, property) in schema["properties"].members.sorted(by: { $0.key < $1.key }) {
            if required.contains(name) || one(in: 3) || isComplete {
                members.append("\"\(name)\":\(value(name, property, source))")
            }
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func known(_ name: String, _ source: Source) -> String? {
        if let kind = Kind(field: name) { return "\"\(id(kind, source))\"" }
        func list(_ kind: Kind, with kept: [String], _ requests: inout Self) -> String {
            let more = requests.one(in: 2) ? [requests.id(kind, source)] : []
            return "[" + Set(kept + more).sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
        switch name {
        // Keep those who have the roles: the lists replace.
        case "administratorUserIds": return list(.user, with: ["owner", "admin"].compactMap { people[$0] }, &self)
        case "managerUserIds": return list(.user, with: ["manager"].compactMap { people[$0] }, &self)
        case "tenantUserIds": return list(.user, with: ["tenant", "coTenant"].compactMap { people[$0] }, &self)
        case "operations": return any([#"["UNLOCK"]"#, #"["LOCK","UNLOCK"]"#, #"["UNLOCK","VIEW_STATUS"]"#, #"["LOCKDOWN"]"#])
        case "deviceIds": return list(.device, with: [], &self)
        case "commonAreaAccessIds": return list(.device, with: [], &self)
        case "email":
            let email = any(Self.othersEmails + ["tenant@example.com", "new@example.com"])
            return "\"\(one(in: 4) ? email.uppercased() : email)\""
        // By a guest access, as by the id of a user, the caller learns whether a user with the address exists.
        case "guestEmail": return "\"\(any(["stranger@example.com", "coTenant@example.com", "new@example.com"]))\""
        case "token", "refreshToken", "recoveryCode": return "\"\(any(secrets[name, default: []].suffix(3) + ["text"]))\""
        case "name", "firstName", "label", "q": return "\"\(any(["Oak", "Elm", "No. 5", "2B", "Front door", "K"]))\""
        case "defaultTimeZone", "timeZone": return "\"\(any(["Europe/Rome", "Nowhere"]))\""
        case "address": return #"{"broker":"\#(any(["oak", "oak", "elm", "ash"]))","topic":"t\#(number(9))"}"#
        case "adapter": return #""scripted""#
        case "from" where isBody: return #""08:00""#
        case "until" where isBody: return #""20:00""#
        case "date": return #""2026-12-24""#
        case "validFrom", "from": return #""2026-11-21T08:00:00Z""#
        case "validUntil", "expiresAt": return #""2026-12-22T08:00:00Z""#
        case "password", "currentPassword", "newPassword": return "\"\(any([House.password, "another long password"]))\""
        case "page": return "\(1 + number(2))"
        case "limit": return "\(any([1, 5, 50]))"
        case "file": return #""a.db""#
        default: return nil
        }
    }

    private static func json(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): "\"\(text)\""
        case .integer(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: "null"
        }
    }
}

extension TwoWorlds.Kind {
    /// The kind of object that a field or a parameter with this name refers to.
    fileprivate init?(field name: String) {
        switch name {
        case "portfolioId", "defaultPortfolioId", "logId": self = .portfolio
        case "propertyId", "defaultPropertyId", "entityId": self = .property
        case "unitId", "defaultUnitId": self = .unit
        case "deviceId": self = .device
        case "userId", "guestUserId": self = .user
        default: return nil
        }
    }

    /// The kind of object that a part of a path lists.
    fileprivate init?(collection name: String) {
        switch name {
        case "portfolios": self = .portfolio
        case "properties": self = .property
        case "units": self = .unit
        case "devices": self = .device
        case "users": self = .user
        case "guest-access": self = .guestAccess
        case "commands": self = .command
        case "invitations": self = .invitation
        case "api-keys": self = .apiKey
        case "sessions": self = .session
        default: return nil
        }
    }
}
