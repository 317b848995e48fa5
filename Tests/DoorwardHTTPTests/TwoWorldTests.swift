import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Two databases that differ only in one portfolio give the people of another portfolio equal responses, byte for byte.
@Suite struct TwoWorldTests {
    /// What ends the session of all further requests, or makes them wait: sent last.
    private static let ending = [
        "/api/v1/users/me/password", "/api/v1/users/me/recovery-codes", "/api/v1/users/me/sessions/{id}", "/api/v1/auth/logout",
    ]
    /// The order of methods in which objects are created before they are read, and removed last.
    private static let order = ["POST", "PUT", "GET", "DELETE"]

    /// Paths outside the API that need no sign-in.
    private static let pages = ["/healthz", "/readyz", "/docs", "/g/{token}"].map {
        PublishedDocument.Operation(method: "GET", path: $0, json: .null)
    }

    /// The responses of a run.
    private struct Tally {
        var steps = 0
        var differences = 0
        var statuses: [Int: Int] = [:]
        /// The operations that succeeded at least once.
        var succeeded: Set<String> = []
        /// The operations that a caller has sent once more.
        var repeated: Set<String> = []

        mutating func note(_ step: TwoWorlds.Step, _ operation: PublishedDocument.Operation, _ full: Reply, _ bare: Reply) {
            steps += 1
            statuses[full.status, default: 0] += 1
            if full.status < 300 { succeeded.insert("\(operation.method) \(operation.path)") }
            let (one, other) = (TwoWorlds.shown(full), TwoWorlds.shown(bare))
            #expect(full.status != 500 && one == other, "\(step)\n--- with the other portfolio\n\(one)\n--- without it\n\(other)")
            if one != other { differences += 1 }
        }

        func report(_ name: String, of operations: [PublishedDocument.Operation]) {
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            print(
                "two worlds, \(name): \(steps) steps, \(differences) differences (\(counts));",
                "\(succeeded.count) of \(operations.count) operations succeeded at least once")
        }
    }

    private func document(_ worlds: TwoWorlds) async throws -> PublishedDocument {
        PublishedDocument(json: try await worlds.bare.call(.get, "/openapi.json").json)
    }

    @Test("Every operation, sent by every kind of caller with ids of the own portfolio and with ids of the other one")
    func everyOperation() async throws {
        let worlds = try await TwoWorlds()
        let document = try await document(worlds)
        for number in 0..<13 { try await worlds.happenElsewhere(number) }
        var requests = TwoWorldRequests(document, worlds, seed: 3)
        var tally = Tally()
        func rank(_ operation: PublishedDocument.Operation) -> (Int, Int, String) {
            (Self.ending.firstIndex(of: operation.path) ?? -1, Self.order.firstIndex(of: operation.method) ?? 0, operation.path)
        }
        let operations = (document.operations + Self.pages).sorted { rank($0) < rank($1) }
        for operation in operations {
            for caller in TwoWorlds.Caller.allCases {
                var sources: [TwoWorldRequests.Source] = [.own, .foreign]
                while let source = sources.popLast() {
                    guard let step = requests.step(operation, as: caller, ids: source) else {
                        Issue.record("\(operation.method) is no method")
                        continue
                    }
                    let (full, bare) = try await worlds.send(step)
                    tally.note(step, operation, full, bare)
                    requests.collect(full)
                    // Try another request once if this one was invalid.
                    if full.status == 400, source == .own,
                        tally.repeated.insert("\(caller) \(step.method) \(operation.path)").inserted
                    {
                        sources.append(.own)
                    }
                }
            }
        }
        tally.report("every operation", of: operations)
        #expect(tally.steps > 1_700)
        #expect(tally.succeeded.count > 70)
        try await worlds.close()
    }

    @Test("Reads and writes in any order, beside changes in the other portfolio", arguments: [11, 12, 13] as [UInt64])
    func mixed(seed: UInt64) async throws {
        let worlds = try await TwoWorlds()
        let document = try await document(worlds)
        let operations = (document.operations + Self.pages).filter { !Self.ending.contains($0.path) }.sorted {
            ($0.path, $0.method) < ($1.path, $1.method)
        }
        var requests = TwoWorldRequests(document, worlds, seed: seed)
        var random = SeededGenerator(seed: seed)
        var tally = Tally()
        for number in 0..<600 {
            if number.isMultiple(of: 5) {
                try await worlds.happenElsewhere(number / 5)
                requests.foreign = worlds.foreign.value
            }
            if number.isMultiple(of: 9) { worlds.pass(.seconds(61)) }
            guard let operation = operations.randomElement(using: &random),
                let caller = TwoWorlds.Caller.allCases.randomElement(using: &random),
                let step = requests.step(operation, as: caller, ids: .mixed)
            else { continue }
            let (full, bare) = try await worlds.send(step)
            tally.note(step, operation, full, bare)
            requests.collect(full)
        }
        tally.report("seed \(seed)", of: operations)
        #expect(tally.statuses.filter { $0.key < 300 }.values.reduce(0, +) > 100, "too few requests were valid")
        #expect(tally.succeeded.count > 30)
        // The other portfolio is still there: no request of the first one has reached it.
        let kept = try await worlds.full.call(.get, "/devices/\(worlds.full.ids.foreignDoor)", as: .stranger)
        #expect(kept.data["device"]["name"].text == "Elsewhere")
        try await worlds.close()
    }
}
