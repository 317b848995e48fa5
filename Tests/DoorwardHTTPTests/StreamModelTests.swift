import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import DoorwardHTTP
@testable import DoorwardStreams
@testable import DoorwardTenancy

/// What a client of a stream keeps: the objects of each name, and the records in the order in which they came.
struct StreamCopy: Sendable {
    private(set) var objects: [String: [String: JSONValue]] = [:]
    private(set) var ready: Set<String> = []
    private(set) var records: [String: [JSONValue]] = [:]
    /// How many records of each name were compared with the log.
    var verified: [String: Int] = [:]
    /// The events since the last call of `takeWords`.
    private var words: [String] = []
    /// Rules of the protocol that an event has broken.
    private(set) var errors: [String] = []
    private(set) var closing: String?
    /// Whether a name was to begin anew, and no snapshot has come yet.
    private(set) var wasReset: Set<String> = []

    mutating func takeWords() -> [String] {
        defer { words = [] }
        return words
    }

    mutating func apply(_ content: StreamEvent.Content) throws {
        switch content {
        case .stream: words.append("stream")
        case .position: words.append("position")
        case .closing(let reason, _):
            words.append("closing")
            closing = reason.rawValue
        case .snapshot(let name, let type, let values, _):
            words.append("snapshot \(name)")
            if ready.contains(name), objects[name]?.isEmpty == false {
                errors.append("a snapshot of the complete name \(name)")
            }
            for value in values { put(try JSONValue.parse(value), type, [name]) }
        case .ready(let name):
            words.append("ready \(name)")
            ready.insert(name)
        case .change(let names, let type, let value):
            words.append("change \(names.joined(separator: ","))")
            put(try JSONValue.parse(value), type, names)
        case .removed(let names, let type, let id):
            words.append("removed \(names.joined(separator: ","))")
            for name in names where objects[name]?.removeValue(forKey: id) == nil {
                // After a resumption an object can be removed that the client has removed already.
                if type == .accessRecord { errors.append("a record was removed") }
            }
        case .revoked(let name), .reset(let name):
            words.append("reset \(name)")
            (objects[name], records[name], verified[name]) = (nil, nil, nil)
            ready.remove(name)
        case .refused(let name, _): words.append("refused \(name)")
        }
    }

    private mutating func put(_ value: JSONValue, _ type: StreamType, _ names: [String]) {
        guard type != .accessRecord else {
            for name in names { records[name, default: []].append(value) }
            return
        }
        let key = value["id"].text ?? value["portfolioId"].text ?? "permissions"
        for name in names { objects[name, default: [:]][key] = value }
    }
}

/// A client with one stream, which it loses and resumes.
private final class StreamClient {
    let person: House.Person
    private let house: House
    private let names: [StreamName]
    private var lease: LiveStreams.Lease?
    private(set) var copy = StreamCopy()
    var stream: LiveStream? { lease?.stream }
    /// Notes that the records of a name were compared with the log.
    func noteVerified(_ name: String) { copy.verified[name] = copy.records[name]?.count }
    /// The copies after the last events, with the positions of the events.
    private var history: [(position: StreamPosition, copy: StreamCopy)] = []

    init(_ person: House.Person, _ house: House, _ subscriptions: [String: String]) throws {
        (self.person, self.house) = (person, house)
        let errors = FieldErrors()
        let items = subscriptions.sorted { $0.key < $1.key }.map { name, query in
            "subscribe=\(name):\(query.replacing("=", with: "%3D").replacing("&", with: "%26"))"
        }
        var reader = QueryReader(items.joined(separator: "&"), errors: errors)
        names = StreamRequest.names(&reader, adapters: house.services.adapterKinds)
        try errors.finish()
        try open(from: nil, wasSent: false)
    }

    private func open(from position: StreamPosition?, wasSent: Bool) throws {
        let caller = Caller(userID: house.ids[person], sessionID: House.session(of: person))
        lease = try house.control.streams.open(caller, names, from: position, wasSent: wasSent, maxStreams: 1000)
    }

    /// Takes everything that is waiting.
    func drain() async throws {
        guard let stream = lease?.stream else { return }
        while let batch = await stream.pendingBatch() {
            for event in batch.events {
                try copy.apply(event.content)
                history.append((event.position, copy))
            }
            stream.written()
        }
        history.removeFirst(max(0, history.count - 40))
    }

    /// Loses the connection and the last events, and resumes.
    ///
    /// - Parameter isOtherRun: whether the gateway was restarted meanwhile.
    func reconnect(losing count: Int, isOtherRun: Bool) throws {
        guard let last = history.dropLast(count).last else { return }
        (copy, history) = (last.copy, [last])
        lease = nil
        let position = last.position
        let generation = isOtherRun ? position.generation &+ 1 : position.generation
        try open(
            from: StreamPosition(
                generation: generation, stream: position.stream, number: position.number, createdAt: position.createdAt,
                records: position.records), wasSent: true)
    }
}

/// After `ready`, the copy of each client equals what the lists of the API answer to the client, whatever has happened; and the
/// records are complete and in order.
///
/// Two seeds run at a time. Most checks look at a few clients, and at the records that they
/// have received since their last check; every 25th check and the last one of a seed compare all clients completely.
@Suite(.timeLimit(.minutes(600))) struct StreamModelTests {
    private static let steps = 40
    private static let seeds = 2 * TestRounds.factor

    /// The names of each client, and the list that each of them equals.
    private static let lists: [(name: String, query: String, path: String, key: String)] = [
        ("doors", "device", "/devices", "devices"),
        ("locked", "device:state=LOCKED", "/devices?state=LOCKED", "devices"),
        ("units", "unit", "/units", "units"), ("properties", "property", "/properties", "properties"),
        ("portfolios", "portfolio", "/portfolios", "portfolios"),
        ("guests", "guestAccess", "/guest-access", "guestAccesses"),
        ("active", "guestAccess:active=true", "/guest-access?active=true", "guestAccesses"),
    ]

    private static let people: [House.Person] = [
        .superAdmin, .owner, .manager, .maintenance, .tenant, .coTenant, .guest, .stranger, .nobody,
    ]

    private static let subscriptions = Dictionary(uniqueKeysWithValues: lists.map { ($0.name, $0.query) })
        .merging(["rights": "permissions", "plans": "subscription", "log": "accessRecord", "commands": "command"]) { $1 }

    @Test("a stream that has missed changes compares everything, also the caller's own commands")
    func missed() async throws {
        let house = try await House()
        let client = try StreamClient(.tenant, house, Self.subscriptions)
        #expect(try await settled(client, house, isComplete: true) == nil)
        #expect(try await house.command("unlock", as: .tenant).status == 200)
        // Longer than changes are kept for streams; the next change removes the older ones.
        house.clock.advance(by: .seconds(86_400))
        house.adapter.report(.jammed, from: house.ids.frontDoor)
        #expect(try await settled(client, house, isComplete: true) == nil)
        #expect(client.copy.objects["commands"]?.count == 1 && client.copy.errors.isEmpty)
    }

    @Test("a stream whose subscription of commands has ended has nothing to do for them", arguments: [false, true])
    func unfollowed(hasMissed: Bool) async throws {
        let house = try await House()
        let client = try StreamClient(.tenant, house, ["commands": "command"])
        let stream = try #require(client.stream)
        try await client.drain()
        if hasMissed {
            stream.markAllChanged()
        } else {
            #expect(try await house.command("unlock", as: .tenant).status == 200)
            house.control.streams.distributePending()
        }
        #expect(stream.state.withLock { $0.hasWork })
        #expect(try stream.unsubscribe("commands", isDryRun: false) == nil)
        try await client.drain()
        #expect(!stream.state.withLock { $0.hasWork })
    }

    @Test("records whose snapshot is to be repeated are sent, too, after the gateway has restarted meanwhile")
    func lostTwice() async throws {
        let house = try await House()
        #expect(try await house.command("unlock", as: .tenant).status == 200)
        let client = try StreamClient(.owner, house, ["log": "accessRecord"])
        try await drainAll(client)
        #expect(client.copy.records["log"]?.isEmpty == false)
        // Without `ready`, the snapshot begins anew; the client receives that, and not the snapshot.
        try client.reconnect(losing: 1, isOtherRun: false)
        try await drainAll(client)
        try client.reconnect(losing: 2, isOtherRun: true)
        #expect(client.copy.records["log"] == nil)
        try await drainAll(client)
        #expect(client.copy.ready.contains("log"))
        #expect(try await recordDifference(client, house, isComplete: true) == nil)
        #expect(client.copy.records["log"]?.isEmpty == false)
    }

    /// Takes everything that the client is sent; some steps of a stream send nothing.
    private func drainAll(_ client: StreamClient) async throws {
        repeat { try await client.drain() } while client.stream?.state.withLock { $0.hasWork } == true
    }

    @Test("each local copy equals the lists, and no record is lost, sent twice or out of order")
    func model() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in TestRounds.first..<TestRounds.first + Self.seeds {
                if seed >= TestRounds.first + 2 { try await group.next() }
                group.addTask {
                    let difference = try await self.firstDifference(seed: UInt64(seed))
                    #expect(difference == nil, "seed \(seed)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// Takes all steps of a seed. Returns the first difference that a check finds.
    private func firstDifference(seed: UInt64) async throws -> String? {
        var generator = SeededGenerator(seed: seed)
        let house = try await House(seed: seed + 1, deniedPerMinute: 1_000_000)
        let clients = try Self.people.map { try StreamClient($0, house, Self.subscriptions) }
        var steps = StreamSteps(house)
        var checks = 0
        for step in 0..<Self.steps {
            let text = try await steps.next(using: &generator)
            for client in clients where Int.random(in: 0..<12, using: &generator) == 0 {
                try await client.drain()
                try client.reconnect(
                    losing: Int.random(in: 0..<6, using: &generator), isOtherRun: Int.random(in: 0..<4, using: &generator) == 0)
            }
            // Some steps happen while the clients have not read the events of the earlier ones.
            let isLast = step == Self.steps - 1
            guard Int.random(in: 0..<3, using: &generator) == 0 || isLast else { continue }
            checks += 1
            let isComplete = isLast || checks.isMultiple(of: 25)
            for client in clients where isComplete || Int.random(in: 0..<4, using: &generator) == 0 {
                let difference = try await settled(client, house, isComplete: isComplete) ?? client.copy.errors.first
                if let difference { return "step \(step), \(text): \(client.person): \(difference)" }
            }
        }
        return nil
    }

    /// The first difference between the copy and the lists, once nothing is waiting any more; `nil` if there is none.
    private func settled(_ client: StreamClient, _ house: House, isComplete: Bool) async throws -> String? {
        var difference: String?
        // The timer of windows runs on another thread.
        for _ in 0..<200 {
            house.control.streams.distributePending()
            try await client.drain()
            difference = try await self.difference(client, house, isComplete: isComplete)
            if difference == nil { return nil }
            for _ in 0..<50 { await Task.yield() }
        }
        return difference
    }

    private func difference(_ client: StreamClient, _ house: House, isComplete: Bool) async throws -> String? {
        let copy = client.copy
        for list in Self.lists {
            guard copy.ready.contains(list.name) || copy.objects[list.name] == nil else { return "\(list.name) is not ready" }
            let items = try await items(of: list.path, list.key, client, house)
            let expected = Dictionary(uniqueKeysWithValues: items.map { ($0["id"].text ?? "", $0) })
            if expected != copy.objects[list.name] ?? [:] { return "\(list.name): \(expected) \(copy.objects[list.name] ?? [:])" }
        }
        let rights = try await read("/users/me/permissions", client, house)
        let sent = copy.objects["rights"]?["permissions"] ?? .null
        guard sent["rules"] == rights.data["rules"], sent["packedRules"] == rights.data["packedRules"],
            sent["nextChangeAt"] == rights.data["nextChangeAt"], sent["etag"].text == rights.headers[.eTag]
        else { return "rights" }
        for portfolio in [house.ids.portfolio, house.ids.otherPortfolio] {
            let reply = try await read("/portfolios/\(portfolio)/subscription", client, house)
            let sent = copy.objects["plans"]?["\(portfolio)"]
            guard (reply.status == 200) == (sent != nil) else { return "the subscription of \(portfolio)" }
            for key in ["tier", "modules", "limits", "usage"]
            where sent.map({ $0[key] != reply.data["subscription"][key] }) == true {
                return "\(key) of the subscription"
            }
        }
        // What the tenant sees of a command does not change. Older commands are sent only as far as the client was there.
        if client.person == .tenant {
            let commands = try await read("/commands?limit=50", client, house).data["commands"].elements
            // The list also has the commands of others on the tenant's door.
            for command in commands where command["actor"]["id"].text == "\(house.ids[client.person])" {
                let sent = copy.objects["commands"]?[command["id"].text ?? ""]
                if sent != command { return "the command \(command), sent as \(sent ?? .null)" }
            }
        }
        return try await recordDifference(client, house, isComplete: isComplete)
    }

    /// What the client reads. Other tests compare the form of these responses with the document of the API.
    private func read(_ path: String, _ client: StreamClient, _ house: House) async throws -> Reply {
        try await house.unchecked(.get, "/api/v1\(path)", [.authorization: "Bearer \(house.token(of: client.person))"], nil)
    }

    /// All pages of a list.
    private func items(of path: String, _ key: String, _ client: StreamClient, _ house: House) async throws -> [JSONValue] {
        let start = path.contains("?") ? "\(path)&" : "\(path)?"
        var items: [JSONValue] = []
        while true {
            let reply = try await read("\(start)limit=200&page=\(items.count / 200 + 1)", client, house)
            items += reply.data[key].elements
            guard reply.data[key].elements.count == 200 else { return items }
        }
    }

    /// The rights of the owner and the super admin to the logs do not change, so their records are complete; those of the others are
    /// in order.
    ///
    /// - Parameter isComplete: whether records are compared that were compared before.
    private func recordDifference(_ client: StreamClient, _ house: House, isComplete: Bool) async throws -> String? {
        let records = client.copy.records["log"] ?? []
        let verified = isComplete ? 0 : client.copy.verified["log"] ?? 0
        // Together with some earlier ones, one of which is sent twice if one is.
        let recent = records.dropFirst(max(0, verified - 50))
        let numbers = Dictionary(grouping: recent) { $0["logId"].text ?? "" }.mapValues { $0.map { $0["seq"].number ?? -1 } }
        for (log, numbers) in numbers where log != "" && numbers != numbers.sorted() { return "the order of \(log)" }
        guard Set(recent.map { $0["id"] }).count == recent.count else { return "a record was sent twice" }
        defer { client.noteVerified("log") }
        guard client.person == .owner || client.person == .superAdmin else { return nil }
        // The records from the last verified instant on, which some of the verified ones have, too.
        let before = records.prefix(verified)
        let from = before.compactMap { $0["at"].text }.max().map { "&from=\($0)" } ?? ""
        let known = Set(before.map { $0["id"] })
        var all: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try await read(
                "/access-records?order=asc&limit=500\(from)\(cursor.map { "&cursor=\($0)" } ?? "")", client, house)
            all += page.data["accessRecords"].elements
            cursor = page.data["nextCursor"].text
        } while cursor != nil
        let new = records.dropFirst(verified)
        // A client that has begun with a snapshot has only the newest records, and none before them, even of the same instant.
        let first = all.firstIndex { known.contains($0["id"]) } ?? 0
        let expected = verified == 0 ? all.suffix(new.count) : all[first...].filter { !known.contains($0["id"]) }[...]
        if expected.elementsEqual(new) { return records.isEmpty && !all.isEmpty ? "no records" : nil }
        return "the records: \(new.count) new ones, \(expected.count) of \(all.count) expected"
    }
}

/// What happens in the house, chosen at random.
private struct StreamSteps {
    private let house: House
    private var units: [String] = []
    private var accesses: [String] = []
    private var count = 0

    init(_ house: House) { self.house = house }

    /// - Returns: what has happened.
    mutating func next(using generator: inout SeededGenerator) async throws -> String {
        count += 1
        let ids = house.ids
        let doors = [ids.door, ids.frontDoor, ids.simulated]
        let door = doors[Int.random(in: 0..<3, using: &generator)]
        let person = [House.Person.maintenance, .coTenant, .nobody][Int.random(in: 0..<3, using: &generator)]
        switch Int.random(in: 0..<17, using: &generator) {
        case 0:
            return try await call(.post, "/units/\(ids.unit)/tenants", #"{"userId":"\#(ids[person])","role":"TENANT"}"#)
        case 1: return try await call(.delete, "/units/\(ids.unit)/tenants/\(ids[person])")
        case 2:
            return try await call(
                .post, "/properties/\(ids.property)/managers", #"{"userId":"\#(ids[person])","role":"MAINTENANCE"}"#)
        case 3: return try await call(.delete, "/properties/\(ids.property)/managers/\(ids[person])")
        case 4:
            let reply = try await house.call(
                .post, "/units", as: .owner, #"{"name":"U\#(count)","propertyId":"\#(ids.property)"}"#)
            units.append(reply.data["unit"]["id"].text ?? "")
            return "a unit"
        case 5:
            guard let unit = units.randomElement(using: &generator) else { return "nothing" }
            return try await call(.put, "/devices/\(door)", #"{"unitId":"\#(unit)"}"#)
        case 6: return try await call(.put, "/devices/\(door)", #"{"unitId":null,"name":"Door \#(count)"}"#)
        case 7:
            guard let unit = units.popLast() else { return "nothing" }
            return try await call(.delete, "/units/\(unit)?cascade=true")
        case 8: return try await call(.put, "/properties/\(ids.property)", #"{"name":"No. \#(count)"}"#)
        case 9: return try await grant(&generator)
        case 10:
            guard let access = accesses.randomElement(using: &generator) else { return "nothing" }
            return try await call(.delete, "/guest-access/\(access)")
        case 11:
            house.clock.advance(by: .seconds(Int.random(in: 1..<1200, using: &generator)))
            return "time"
        case 12:
            let state: LockState = [.locked, .unlocked, .jammed][Int.random(in: 0..<3, using: &generator)]
            house.adapter.report(state, from: door)
            return "\(state) \(door)"
        case 13:
            let caller = [House.Person.tenant, .tenant, .guest, .nobody][Int.random(in: 0..<4, using: &generator)]
            let reply = try await house.command("unlock", as: caller, on: ids.door)
            return "unlock as \(caller) \(reply.status)"
        case 14:
            let list = Bool.random(using: &generator) ? #""\#(ids.frontDoor)""# : ""
            return try await call(.put, "/units/\(ids.unit)", #"{"commonAreaAccessIds":[\#(list)]}"#)
        case 15:
            let module = Bool.random(using: &generator)
            return try await call(
                .put, "/portfolios/\(ids.portfolio)/subscription", #"{"modules":{"guestAccess":\#(module)}}"#, as: .superAdmin)
        default:
            return try await call(.post, "/units", #"{"name":"F\#(count)","propertyId":"\#(ids.otherProperty)"}"#, as: .stranger)
        }
    }

    private mutating func grant(_ generator: inout SeededGenerator) async throws -> String {
        let from = house.clock.now().advanced(by: .seconds(Int.random(in: 0..<900, using: &generator)))
        let until = from.advanced(by: .seconds(Int.random(in: 60..<1800, using: &generator)))
        let guest = [House.Person.guest, .nobody, .stranger][Int.random(in: 0..<3, using: &generator)]
        let uses = Bool.random(using: &generator) ? #""maxUses":\#(Int.random(in: 1..<4, using: &generator)),"# : ""
        let reply = try await house.call(
            .post, "/guest-access", as: Bool.random(using: &generator) ? .owner : .tenant,
            """
            {"guestUserId":"\(house.ids[guest])","deviceIds":["\(house.ids.door)"],"operations":["UNLOCK"],
            \(uses)"validFrom":"\(from)","validUntil":"\(until)"}
            """)
        if let id = reply.data["guestAccess"]["id"].text { accesses.append(id) }
        return "grant \(reply.status)"
    }

    private func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, as person: House.Person = .owner
    ) async throws -> String {
        let reply = try await house.call(method, path, as: person, body)
        return "\(method) \(path) \(body ?? "") \(reply.status)"
    }
}
