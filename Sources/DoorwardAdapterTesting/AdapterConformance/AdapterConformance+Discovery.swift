internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let discoveryPromises: [ConformanceCheck] = [
        ConformanceCheck("A lock that makes itself known is listed once, and can be attached as it is listed") { harness in
            let bench = try await ConformanceRun(harness, locks: 0)
            guard try await bench.announce(3) else {
                try require(harness.adapter.discovered, is: [], "what is found where nothing makes itself known")
                throw NotApplicable.discovery
            }
            let found = harness.adapter.discovered
            try require(found.count, is: 1, "how many are listed")
            let lock = found[0]
            try require(lock.problem == nil, "it cannot be attached: \(lock.problem ?? "")")
            try require(harness.adapter.owner(of: lock.address), is: lock.owner, "whose the way to it is")
            let checked = try harness.adapter.check(address: lock.address)
            if let told = lock.capabilities { try require(checked.capabilities, is: told, "what it can do") }
            bench.attach(3, as: lock.address)
            try await bench.pass(harness.promptTime)
            bench.heard.forget()
            try await bench.carryOut(bench.opening, by: 3)
        },
        ConformanceCheck("A lock is not listed while it is attached, and is again when it is detached") { harness in
            let bench = try await ConformanceRun(harness, locks: 0)
            let lock = try await bench.discovered(3)
            bench.attach(3, as: lock.address)
            try await bench.pass(harness.promptTime)
            try require(harness.adapter.discovered, is: [], "what is listed while it is attached")
            bench.detach(3)
            try await bench.pass(harness.promptTime)
            try require(harness.adapter.discovered.map(\.id), is: [lock.id], "what is listed when it is detached")
        },
        ConformanceCheck("A lock that its own system has taken away is no longer listed, and is again when it is back") {
            harness in
            let bench = try await ConformanceRun(harness, locks: 0)
            let lock = try await bench.discovered(3)
            _ = try await bench.announce(3, isThere: false)
            try require(harness.adapter.discovered, is: [], "what is listed when it is taken away")
            _ = try await bench.announce(3)
            try require(harness.adapter.discovered.map(\.id), is: [lock.id], "what is listed when it is back")
        },
        ConformanceCheck("What is listed has ids of its own in an order that stays, and was seen first before it was seen last") {
            harness in
            let bench = try await ConformanceRun(harness, locks: 0)
            for number in 0..<5 { guard try await bench.announce(number) else { throw NotApplicable.discovery } }
            let found = harness.adapter.discovered
            try require(Set(found.map(\.id)).count, is: 5, "the number of ids")
            for _ in 0..<3 { try require(harness.adapter.discovered.map(\.id), is: found.map(\.id), "the order") }
            try require(found.allSatisfy { $0.firstSeenAt <= $0.lastSeenAt }, "one was seen last before it was seen first")
            try require(Set(found.map(\.address)).count, is: 5, "the number of addresses")
        },
        ConformanceCheck("Looking for locks moves none, and what was found and not attached is not heard") { harness in
            let bench = try await ConformanceRun(harness, locks: 1)
            guard try await bench.announce(3) else { throw NotApplicable.discovery }
            _ = harness.adapter.discovered
            try await bench.pass(settlingTime)
            try require(bench.heard.reports.filter { $0.deviceID != ConformanceRun.id(0) }, is: [], "what is heard of others")
            try await bench.requireOrders([], at: 0, "after others were found")
            bench.attach(3, as: harness.adapter.discovered[0].address)
            try await bench.pass(harness.promptTime)
            try await bench.requireOrders([], at: 3, "after it was found and attached")
        },
    ]
}

extension ConformanceRun {
    /// Lets a lock make itself known, or be taken away, and lets that arrive.
    ///
    /// - Returns: false where locks of this kind have no such thing.
    func announce(_ number: Int, isThere: Bool = true) async throws -> Bool {
        guard try await harness.announce(number, isThere: isThere) else { return false }
        try await pass(harness.promptTime)
        return true
    }

    /// Lets a lock make itself known.
    ///
    /// - Returns: the lock as it is listed.
    /// - Throws: `NotApplicable` where locks of this kind have no such thing.
    func discovered(_ number: Int) async throws -> DiscoveredLock {
        guard try await announce(number) else { throw NotApplicable.discovery }
        guard let lock = adapter.discovered.first else {
            throw ConformanceFailure("a lock that makes itself known is not listed")
        }
        return lock
    }
}
