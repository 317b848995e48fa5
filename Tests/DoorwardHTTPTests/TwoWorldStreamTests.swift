import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP
@testable import DoorwardLocks
@testable import DoorwardStreams

/// Two databases that differ only in one portfolio send the people of another portfolio equal events, byte for byte and in equal
/// batches, apart from the sealed ids of the events, which have one length.
@Suite struct TwoWorldStreamTests {
    private typealias Person = House.Person

    /// Those whose rights are the same in both worlds.
    private static let people: [Person] = [.owner, .admin, .manager, .maintenance, .auditor, .tenant, .coTenant, .guest]

    /// What ends sessions, or changes the password.
    private static let excluded = [
        "/api/v1/users/me/password", "/api/v1/users/me/recovery-codes", "/api/v1/users/me/sessions/{id}", "/api/v1/auth/logout",
        "/api/v1/stream",
    ]

    /// A stream of one person in one world, with all events that were sent on it.
    private final class Transcript {
        private let house: House
        private let lease: LiveStreams.Lease
        private(set) var lines: [String] = []
        private(set) var batches = 0

        init(_ person: Person, _ house: House) throws {
            self.house = house
            let errors = FieldErrors()
            var query = QueryReader(
                StreamType.allCases.map { "subscribe=\($0.rawValue):\($0.rawValue)" }.joined(separator: "&"), errors: errors)
            let caller = Caller(userID: house.ids[person], sessionID: House.session(of: person))
            lease = try house.control.streams.open(
                caller, StreamRequest.names(&query, adapters: []), from: nil, wasSent: false, maxStreams: 1000)
        }

        /// Takes everything that is waiting.
        ///
        /// - Returns: the number of batches.
        @discardableResult
        func drain() async -> Int {
            house.control.streams.distributePending()
            let before = batches
            while let batch = await lease.stream.pendingBatch() {
                for event in batch.events {
                    var writer = JSONWriter()
                    writer.object { event.content.write(into: &$0) }
                    lines.append("\(event.content.word) \(String(decoding: writer.bytes, as: UTF8.self))")
                }
                lease.stream.written()
                batches += 1
            }
            return batches - before
        }
    }

    @Test(
        "Any sequence of changes sends equal events, and changes in the other portfolio send none",
        arguments: [21, 22] as [UInt64])
    func events(seed: UInt64) async throws {
        let worlds = try await TwoWorlds()
        let document = PublishedDocument(json: try await worlds.bare.call(.get, "/openapi.json").json)
        let operations = document.operations.filter { operation in
            !Self.excluded.contains { operation.path.hasPrefix($0) } && operation.method != "GET"
        }.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
        var transcripts: [(person: Person, full: Transcript, bare: Transcript)] = []
        for person in Self.people {
            let (full, bare) = try await worlds.both { try Transcript(person, $0) }
            transcripts.append((person, full, bare))
        }
        func compare(_ step: String) async throws {
            for (person, full, bare) in transcripts {
                await full.drain()
                await bare.drain()
                let difference = zip(full.lines, bare.lines).first { $0 != $1 }
                try #require(
                    full.lines == bare.lines,
                    "\(person), after \(step): \(difference?.0 ?? "\(full.lines.count)") \(difference?.1 ?? "\(bare.lines.count)")"
                )
                try #require(full.batches == bare.batches, "\(person), after \(step)")
            }
        }
        try await compare("the opening")
        var requests = TwoWorldRequests(document, worlds, seed: seed)
        var random = SeededGenerator(seed: seed)
        var changes = 0
        for number in 0..<200 {
            if number.isMultiple(of: 3) {
                try await worlds.happenElsewhere(number / 3)
                requests.foreign = worlds.foreign.value
                for (person, full, _) in transcripts {
                    let sent = await full.drain()
                    #expect(sent == 0, "\(person) receives something of the other portfolio: \(full.lines.suffix(3))")
                }
            }
            guard let operation = operations.randomElement(using: &random),
                let caller = TwoWorlds.Caller.allCases.randomElement(using: &random),
                let step = requests.step(operation, as: caller, ids: number.isMultiple(of: 4) ? .mixed : .own)
            else { continue }
            let (full, bare) = try await worlds.send(step)
            if full.status < 300 { changes += 1 }
            #expect(TwoWorlds.shown(full) == TwoWorlds.shown(bare), "\(step)")
            requests.collect(full)
            try await compare("\(step)")
        }
        let count = transcripts.reduce(0) { $0 + $1.full.lines.count }
        print("two worlds, streams, seed \(seed): \(changes) changes, \(count) events, 0 differences")
        #expect(changes > 10 && count > 300, "\(changes) changes, \(count) events")
        transcripts = []
        try await worlds.close()
    }
}
