internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let discoveryChecks: [ConformanceCheck] = [
        ConformanceCheck("A discovered lock is listed once, and can be attached with the listed address") { harness in
            let run = try await ConformanceRun(harness, locks: 0)
            guard try await run.announce(3) else {
                try require(harness.adapter.discovered, is: [], "the discovered locks, although no lock can be discovered")
                throw NotApplicable.discovery
            }
            let found = harness.adapter.discovered
            try require(found.count, is: 1, "the number of discovered locks")
            let lock = found[0]
            try require(lock.problem == nil, "it cannot be attached: \(lock.problem ?? "")")
            try require(harness.adapter.owner(of: lock.address), is: lock.owner, "the owner of its transport")
            let checked = try harness.adapter.check(address: lock.address)
            if let listed = lock.capabilities { try require(checked.capabilities, is: listed, "its capabilities") }
            run.attach(3, as: lock.address)
            try await run.pass(harness.promptTime)
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 3)
        },
        ConformanceCheck("A discovered lock is not listed while it is attached, and is listed again when detached") { harness in
            let run = try await ConformanceRun(harness, locks: 0)
            let lock = try await run.discovered(3)
            run.attach(3, as: lock.address)
            try await run.pass(harness.promptTime)
            try require(harness.adapter.discovered, is: [], "the discovered locks while it is attached")
            run.detach(3)
            try await run.pass(harness.promptTime)
            try require(harness.adapter.discovered.map(\.id), is: [lock.id], "the discovered locks when it is detached")
        },
        ConformanceCheck("A lock removed from its own system is no longer listed, and is listed again when it is back") {
            harness in
            let run = try await ConformanceRun(harness, locks: 0)
            let lock = try await run.discovered(3)
            _ = try await run.announce(3, isPresent: false)
            try require(harness.adapter.discovered, is: [], "the discovered locks when it is removed")
            _ = try await run.announce(3)
            try require(harness.adapter.discovered.map(\.id), is: [lock.id], "the discovered locks when it is back")
        },
        ConformanceCheck("Discovered locks have different ids and a stable order, and were first seen no later than last seen") {
            harness in
            let run = try await ConformanceRun(harness, locks: 0)
            for number in 0..<5 { guard try await run.announce(number) else { throw NotApplicable.discovery } }
            let found = harness.adapter.discovered
            try require(Set(found.map(\.id)).count, is: 5, "the number of ids")
            for _ in 0..<3 { try require(harness.adapter.discovered.map(\.id), is: found.map(\.id), "the order") }
            try require(found.allSatisfy { $0.firstSeenAt <= $0.lastSeenAt }, "a lock was last seen before it was first seen")
            try require(Set(found.map(\.address)).count, is: 5, "the number of addresses")
        },
        ConformanceCheck("Discovery moves no lock, and nothing is reported for locks that are not attached") { harness in
            let run = try await ConformanceRun(harness, locks: 1)
            guard try await run.announce(3) else { throw NotApplicable.discovery }
            _ = harness.adapter.discovered
            try await run.pass(settlingTime)
            try require(run.recorder.reports.filter { $0.deviceID != ConformanceRun.id(0) }, is: [], "the reports of other locks")
            try await run.requireCommands([], at: 0, "after other locks were discovered")
            run.attach(3, as: harness.adapter.discovered[0].address)
            try await run.pass(harness.promptTime)
            try await run.requireCommands([], at: 3, "after it was discovered and attached")
        },
    ]
}

extension ConformanceRun {
    /// Makes a lock discoverable, or removes it from its own system, and waits until the adapter has detected the change.
    ///
    /// - Returns: false if locks of this kind cannot be discovered.
    func announce(_ number: Int, isPresent: Bool = true) async throws -> Bool {
        guard try await harness.announce(number, isPresent: isPresent) else { return false }
        try await pass(harness.promptTime)
        return true
    }

    /// Makes a lock discoverable.
    ///
    /// - Returns: the discovered lock.
    /// - Throws: `NotApplicable` if locks of this kind cannot be discovered.
    func discovered(_ number: Int) async throws -> DiscoveredLock {
        guard try await announce(number) else { throw NotApplicable.discovery }
        guard let lock = adapter.discovered.first else {
            throw ConformanceFailure("a discovered lock is not listed")
        }
        return lock
    }
}
