import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import GRDB
import Testing

@testable import DoorwardStore

/// The columns that are stored with a record for the indexes: its place, its actor and its decision.
@Suite struct EntryColumnTests {
    /// The place of a record's event.
    enum Place: CaseIterable, Sendable {
        case nowhere, device, deviceOfProperty, deviceOfNobody, unit, property, deviceAndPlace
    }

    @Test(
        "The columns of a record hold the ids of its place, but no unit or property in the gateway's log",
        arguments: Place.allCases,
        [false, true])
    func places(place: Place, isGateway: Bool) async throws {
        let (database, ids) = (try TemporaryDatabase(), FullTenancy(seed: 1))
        let store = try database.open()
        var script = StoreScript(seed: 1)
        var body = script.gatewayEvent()
        body.log = isGateway ? .gateway : .portfolio(script.portfolio)
        let hung = DeviceSnapshot(
            deviceID: ids.device.id, unitID: ids.unit.id, propertyID: ids.property.id, portfolioID: script.portfolio)
        var expected: (device: DeviceID?, unit: UnitID?, property: PropertyID?) = (ids.device.id, ids.unit.id, ids.property.id)
        switch place {
        case .nowhere: expected = (nil, nil, nil)
        case .device: body.device = hung
        case .deviceOfProperty:
            body.device = hung
            body.device?.unitID = nil
            expected.unit = nil
        case .deviceOfNobody:
            body.device = DeviceSnapshot(deviceID: ids.device.id)
            (expected.unit, expected.property) = (nil, nil)
        case .unit:
            body.path = EntityPathIDs(unitID: ids.unit.id, propertyID: ids.property.id, portfolioID: script.portfolio)
            expected.device = nil
        case .property:
            body.path = EntityPathIDs(propertyID: ids.property.id, portfolioID: script.portfolio)
            (expected.device, expected.unit) = (nil, nil)
        case .deviceAndPlace:
            // The device's place has precedence over the record's.
            body.device = hung
            body.path = EntityPathIDs(unitID: EntityID(high: 9, low: 9), propertyID: EntityID(high: 9, low: 8))
        }
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
        let found = try row(of: body, in: database)
        #expect(found["device_id"] == blob(expected.device))
        #expect(found["unit_id"] == (isGateway ? .null : blob(expected.unit)))
        #expect(found["property_id"] == (isGateway ? .null : blob(expected.property)))
        try await expectFound(body, expected.unit, expected.property, isGateway, store)
        try await store.close()
    }

    @Test("The columns of a record hold the acting user and whether access was denied; NULL if there is none")
    func actors() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        for kind in ActorKind.allCases {
            for user in [nil, script.user] {
                for decision in [nil, RecordDecision.allowed, .denied] {
                    var body = script.event(on: script.door)
                    body.actor = RecordActor(kind: kind, id: "somebody", name: "Somebody", userID: user)
                    (body.kind, body.operation, body.event, body.method) = (.denial, .unlock, nil, nil)
                    (body.decision, body.reason) = (decision, decision == .denied ? .noAssociation : nil)
                    _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
                    let found = try row(of: body, in: database)
                    #expect(found["actor_user_id"] == blob(user))
                    #expect(found["is_denied"] == (decision.map { ($0 == .denied).databaseValue } ?? .null))
                    #expect(found["record_id"] == blob(body.id))
                    #expect(found["at"] == body.at.milliseconds.databaseValue)
                }
            }
        }
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test(
        "A record that exceeds the maximum size is written truncated instead of being lost, and passes a check",
        arguments: [66_000, 70_000, 1_000_000])
    func large(count: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        var body = script.event(on: script.door)
        body.details = ["text": .string(String(repeating: "x", count: count))]
        body.statedReason = String(repeating: "\u{1F511}", count: 5000)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(body), PendingRecord(script.gatewayEvent())]))
        let found = try #require(try await store.record(body.id))
        #expect(found.body.device == body.device)
        #expect(found.body.event == body.event)
        #expect(found.body.details["shortened"] != nil)
        #expect(found.body != body)
        try await store.close()
        #expect(try StoreCheck.run(path: database.path).isWhole)
    }

    @Test("Thousands of records in one transaction are numbered in their order, separately for each log")
    func manyAtOnce() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: 4), SeededGenerator(seed: 4))
        let devices = [script.door, script.otherDoor]
        let bodies = (0..<3000).map { _ in
            Int.random(in: 0..<3, using: &random) == 0
                ? script.gatewayEvent() : script.event(on: devices.randomElement(using: &random) ?? script.door)
        }
        let places = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
        var next: [LogID: UInt64] = [:]
        for (body, place) in zip(bodies, places) {
            #expect(place == RecordPosition(log: body.log, seq: next[body.log, default: 0], at: body.at))
            next[body.log, default: 0] += 1
        }
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == next.mapValues { Int($0) })
        #expect(logs.faults.isEmpty)
    }

    /// Expects that the record is found in the scopes of its log and, unless it is in the gateway's
    /// log, in the scopes of its unit and its property.
    private func expectFound(
        _ body: RecordBody, _ unit: UnitID?, _ property: PropertyID?, _ isGateway: Bool, _ store: SQLiteStore
    ) async throws {
        let ids = FullTenancy(seed: 1)
        let portfolio = StoreScript(seed: 1).portfolio
        let scopes: [(RecordScope, Bool)] = [
            (.gatewayLog, isGateway), (.portfolioLog(portfolio), !isGateway),
            (.unit(ids.unit.id, in: portfolio), !isGateway && unit != nil),
            (.property(ids.property.id, in: portfolio), !isGateway && property != nil),
            (.unit(EntityID(high: 9, low: 9), in: portfolio), false),
            (.property(EntityID(high: 9, low: 8), in: portfolio), false),
            (.property(ids.property.id, in: EntityID(high: 9, low: 7)), false),
        ]
        for (scope, isFound) in scopes {
            for device in [nil, body.device?.deviceID] {
                let found = try await store.records(RecordQuery(scopes: [scope], deviceID: device, limit: 9))
                #expect(found.count == (isFound ? 1 : 0), "\(scope)")
            }
        }
    }

    /// The record's row, with each value as stored in the database.
    private func row(of body: RecordBody, in database: TemporaryDatabase) throws -> [String: DatabaseValue] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: database.path, configuration: configuration)
        defer { try? queue.close() }
        let row = try queue.read {
            try Row.fetchOne($0, sql: "SELECT * FROM entries WHERE record_id = ?", arguments: [body.id.blob])
        }
        return try Dictionary(uniqueKeysWithValues: #require(row).map { ($0, $1) })
    }

    private func blob<Entity>(_ id: EntityID<Entity>?) -> DatabaseValue { id?.blob.databaseValue ?? .null }
}
