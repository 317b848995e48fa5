internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let recordChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A record is read back with all fields, including the personal values") { store in
            var script = StoreScript(seed: 41)
            let body = fullRecord(&script)
            let place = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))[0]
            try require(place, is: RecordPosition(log: body.log, seq: 0, at: body.at), "the place")
            try require(try await store.record(body.id), is: AccessRecord(seq: 0, body: body), "the record")
            try require(try await store.record(script.fixture.id()), is: nil, "an unknown record")
        },
        StoreConformanceCheck("Each log numbers its records from 0; refused transactions leave no gaps") { store in
            var script = StoreScript(seed: 42)
            _ = try await store.commit(script.tenancy)
            var expected: [LogID: UInt64] = [:]
            for index in 0..<30 {
                let bodies = [script.event(on: script.door), script.gatewayEvent(), script.event(on: script.otherDoor)]
                let records = bodies.prefix(1 + index % 3).map { PendingRecord($0) }
                if index % 4 == 3 {
                    let unknown = script.confirmed(script.command(on: script.door))
                    let refused = StoreTransaction(commands: [.end(unknown)], records: records)
                    try await requireRefusal(.commandUnknown(unknown.id), of: refused, by: store)
                    continue
                }
                for (place, record) in zip(try await store.commit(StoreTransaction(records: records)), records) {
                    try require(place.log, is: record.body.log, "the log")
                    try require(place.seq, is: expected[place.log, default: 0], "the seq in \(place.log)")
                    expected[place.log, default: 0] += 1
                }
            }
        },
        StoreConformanceCheck("A record earlier than its predecessor gets the predecessor's time, and a note of it") { store in
            var script = StoreScript(seed: 43)
            let first = script.event(on: script.door)
            script.now = script.now.advanced(by: .seconds(-5))
            let (held, elsewhere) = (script.event(on: script.door), script.event(on: script.otherDoor))
            let records = [first, held, elsewhere].map { PendingRecord($0) }
            let places = try await store.commit(StoreTransaction(records: records))
            try require(places.map(\.at), is: [first.at, first.at, elsewhere.at], "the instants")
            let read = try await store.record(held.id)
            try require(read?.body.at, is: first.at, "the instant of the record")
            try require(read?.body.details["clock"], is: .string("held"), "the note about the clock")
            try require(try await store.record(first.id)?.body.details, is: [:], "the details of the record before")
        },
        StoreConformanceCheck("A record can refer to an earlier record of its transaction by log and seq") { store in
            var script = StoreScript(seed: 44)
            let (inside, outside) = (script.event(on: script.door), script.gatewayEvent())
            let records = [PendingRecord(inside), PendingRecord(outside, counterpart: 0)]
            _ = try await store.commit(StoreTransaction(records: records))
            let counterpart = RecordValue.object(["logId": .string(script.portfolio.description), "seq": .integer(0)])
            try require(try await store.record(outside.id)?.body.details, is: ["counterpart": counterpart], "the details")
            let forward = StoreTransaction(records: [PendingRecord(script.gatewayEvent(), counterpart: 0)])
            try await requireRefusal(.parentUnknown, of: forward, by: store)
        },
        StoreConformanceCheck("A second record with the same id is refused") { store in
            var script = StoreScript(seed: 45)
            let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
            _ = try await store.commit(transaction)
            try await requireRefusal(.duplicate, of: transaction, by: store)
        },
    ]

    /// Returns a record with a value in every field.
    private static func fullRecord(_ script: inout StoreScript) -> RecordBody {
        RecordBody(
            log: .portfolio(script.portfolio), id: script.fixture.id(), at: script.now, kind: .denial, actor: script.actor,
            source: .console,
            operation: .unlock, decision: .denied, reason: .guestWindowEnded, rule: .guestAccess(script.fixture.id()),
            clientAddress: "192.0.2.7", requestID: "request-1", device: script.snapshot(script.door),
            commandID: script.fixture.id(),
            outcome: .denied, outcomeDetail: "guest_window_ended", stateBefore: .locked, stateAfter: .unknown, latencyMs: 7,
            statedReason: "parcel", override: "fire", event: .attemptFailed, method: .app, action: .update,
            target: RecordTarget(type: "Portfolio", id: script.portfolio.description),
            details: [
                "before": .object(["name": .personal("Ada", person: script.user), "count": .integer(3)]),
                "names": .array([.personal("Somebody", person: nil), .null, .bool(true)]),
            ])
    }
}
