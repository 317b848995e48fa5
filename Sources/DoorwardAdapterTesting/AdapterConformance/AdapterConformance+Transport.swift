internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let transportChecks: [ConformanceCheck] = [
        ConformanceCheck("A command sent while the transport is disconnected is rejected, and never sent later", locks: 2) {
            run in
            try await run.disconnectTransport()
            for number in 0..<2 { try await run.requireRefusal(of: run.opening, by: number) }
            try await run.reconnectTransport()
            try await run.pass(settlingTime)
            for number in 0..<2 { try await run.requireCommands([], at: number, "after the transport has reconnected") }
        },
        ConformanceCheck("A lock executes commands again when its transport has reconnected", locks: 2) { run in
            try await run.disconnectTransport()
            try await run.reconnectTransport()
            for number in 0..<2 { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("Health is not `ok` while the transport is disconnected, and `ok` when it has reconnected", locks: 1) {
            run in
            try await run.disconnectTransport()
            try require(run.adapter.health != .ok, "the health is `ok` without a transport")
            try await run.reconnectTransport()
            try require(run.adapter.health, is: .ok, "the health when the transport has reconnected")
        },
        ConformanceCheck("While its transport is disconnected, a lock is not available and reports no live state", locks: 1) {
            run in
            try await run.disconnectTransport()
            let isUnavailable = run.recorder.availabilities(of: 0).last.map { $0 != true }
            try require(isUnavailable, is: true, "whether it is reported as unavailable")
            run.recorder.forget()
            try await run.tryStimulus(.manualTurn, at: 0)
            try require(run.recorder.states(of: 0).isEmpty, "a live state is reported while the transport is disconnected")
        },
        ConformanceCheck("A command that was in flight when the transport disconnected is not sent again", locks: 1) { run in
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass()
            try await run.disconnectTransport()
            try await run.reconnectTransport()
            try await run.pass(settlingTime)
            try await run.requireReceived([run.opening], at: 0, "the commands received by the lock")
        },
        ConformanceCheck("When the transport has reconnected, a retained report is not reported as live", locks: 1) { run in
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass()
            try await run.disconnectTransport()
            run.recorder.forget()
            try await run.reconnectTransport()
            try await run.requireStimulus(.retainedReport, at: 0)
            try require(
                !run.recorder.restingStates(of: 0).contains(run.opening.resultingState), "a retained report is reported as live")
        },
        ConformanceCheck("An adapter stopped while its transport is disconnected sends nothing when it reconnects", locks: 1) {
            run in
            try await run.disconnectTransport()
            _ = run.failure(of: run.opening, to: 0)
            await run.adapter.stop()
            run.recorder.forget()
            _ = try await run.harness.setTransport(isConnected: true)
            try await run.pass(settlingTime)
            try await run.requireReceived([], at: 0, "the commands received by the lock")
            try require(run.recorder.reports, is: [], "the reports after the stop")
        },
        ConformanceCheck("Locks can be attached and detached while the transport is disconnected", locks: 2) { run in
            try await run.disconnectTransport()
            run.detach(1)
            run.attach(2)
            try await run.reconnectTransport()
            try await run.requireConfirmation(of: run.opening, by: 2)
            try require(run.failure(of: .lock, to: 1), is: .notAttached, "the error of a command for the detached lock")
        },
        ConformanceCheck("An adapter starts without its transport; its locks execute commands once it is connected") { harness in
            guard try await harness.setTransport(isConnected: false) else { throw NotApplicable.transport }
            let run = try await ConformanceRun(harness)
            try await run.requireRefusal(of: run.opening, by: 0)
            try await run.reconnectTransport()
            try await run.requireCommands([], at: 0, "after the transport has connected")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
    ]
}

extension ConformanceRun {
    /// Disconnects the transport, and waits until the adapter has detected this.
    ///
    /// - Throws: `NotApplicable` if the adapter has no transport.
    func disconnectTransport() async throws {
        guard try await harness.setTransport(isConnected: false) else { throw NotApplicable.transport }
        try await pass()
    }

    /// Reconnects the transport, and waits until the adapter has detected this.
    func reconnectTransport() async throws {
        _ = try await harness.setTransport(isConnected: true)
        try await pass(harness.lateTime)
    }
}

extension AdapterConformance {
    static let endpointChecks: [ConformanceCheck] = [
        ConformanceCheck("`check` returns the lock that is attached at an address, or none if there is none", locks: 2) { run in
            for number in 0..<2 { try run.requireAttached(number, at: number, "the lock attached at address \(number)") }
            try run.requireAttached(nil, at: 5, "the lock attached at a free address")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("An address is free again when its lock is detached or attached with another address", locks: 2) { run in
            run.detach(0)
            run.attach(1, as: run.harness.address(of: 6))
            for number in 0..<2 { try run.requireAttached(nil, at: number, "the lock attached at address \(number)") }
            try run.requireAttached(1, at: 6, "the lock attached at the new address")
        },
        ConformanceCheck("The owner of a transport is returned, and none for a transport that does not exist") { harness in
            let adapter = harness.adapter
            guard let addresses = harness.transportAddresses else {
                return try require(adapter.owner(of: harness.address(of: 0)), is: .shared, "the owner of the transport")
            }
            for (address, owner) in addresses.owned {
                try require(adapter.owner(of: address), is: owner, "the owner of the transport of \(address)")
            }
            try require(adapter.owner(of: addresses.missing), is: nil, "the owner of a transport that does not exist")
            _ = try await ConformanceRun(harness)
            for (address, owner) in addresses.owned {
                try require(adapter.owner(of: address), is: owner, "the owner while the adapter runs")
            }
        },
        ConformanceCheck("A transport outside the caller's scope gives the same result as one that does not exist") { harness in
            guard let addresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            _ = try await ConformanceRun(harness)
            for (address, owner) in addresses.owned where owner != .shared {
                for extra in [[:], ["noSuchKey": .null]] as [[String: JSONValue]] {
                    let hidden = checkResult(on: address.merging(extra) { $1 }, harness, within: .of([]))
                    let missing = checkResult(on: addresses.missing.merging(extra) { $1 }, harness)
                    try require(hidden, is: missing, "the result for another owner's transport")
                }
                let isFound = checkResult(on: addresses.missing, harness) != checkResult(on: address, harness)
                try require(isFound, "the transport is not found")
            }
        },
        ConformanceCheck("A portfolio's transport is accepted within its owner's scope, and only for locks in that portfolio") {
            harness in
            guard let addresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            let other = PortfolioID(high: 0xFEED, low: 1)
            for case (let address, .portfolio(let id)) in addresses.owned {
                let (open, missing) = (checkResult(on: address, harness), checkResult(on: addresses.missing, harness))
                for (scope, expected, what) in [
                    (TransportScope.of([id]), open, "the result in the owner's scope"),
                    (.everything.restricted(to: id), open, "the result in the portfolio"),
                    (.everything.restricted(to: other), missing, "the result in another portfolio"),
                ] {
                    try require(checkResult(on: address, harness, within: scope), is: expected, what)
                }
            }
        },
    ]
}

extension AdapterConformance {
    static let discoveryChecks: [ConformanceCheck] = [
        ConformanceCheck("A discovered lock is listed once, and can be attached with the listed address", locks: 0) { run in
            guard try await run.announce(3) else {
                try require(run.adapter.discovered, is: [], "the discovered locks, although no lock can be discovered")
                throw NotApplicable.discovery
            }
            let found = run.adapter.discovered
            try require(found.count, is: 1, "the number of discovered locks")
            let lock = found[0]
            try require(lock.problem == nil, "it cannot be attached: \(lock.problem ?? "")")
            try require(run.adapter.owner(of: lock.address), is: lock.owner, "the owner of its transport")
            let checked = try run.adapter.check(address: lock.address)
            if let listed = lock.capabilities { try require(checked.capabilities, is: listed, "its capabilities") }
            run.attach(3, as: lock.address)
            try await run.pass()
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 3)
        },
        ConformanceCheck("A discovered lock is not listed while it is attached, and is listed again when detached", locks: 0) {
            run in
            let lock = try await run.discovered(3)
            run.attach(3, as: lock.address)
            try await run.pass()
            try require(run.adapter.discovered, is: [], "the discovered locks while it is attached")
            run.detach(3)
            try await run.pass()
            try require(run.adapter.discovered.map(\.id), is: [lock.id], "the discovered locks when it is detached")
        },
        ConformanceCheck("A lock removed from its own system is no longer listed, and is listed again when it is back", locks: 0)
        { run in
            let lock = try await run.discovered(3)
            _ = try await run.announce(3, isPresent: false)
            try require(run.adapter.discovered, is: [], "the discovered locks when it is removed")
            _ = try await run.announce(3)
            try require(run.adapter.discovered.map(\.id), is: [lock.id], "the discovered locks when it is back")
        },
        ConformanceCheck(
            "Discovered locks have different ids and a stable order, and were first seen no later than last seen", locks: 0
        ) { run in
            for number in 0..<5 { guard try await run.announce(number) else { throw NotApplicable.discovery } }
            let found = run.adapter.discovered
            try require(Set(found.map(\.id)).count, is: 5, "the number of ids")
            for _ in 0..<3 { try require(run.adapter.discovered.map(\.id), is: found.map(\.id), "the order") }
            try require(found.allSatisfy { $0.firstSeenAt <= $0.lastSeenAt }, "a lock was last seen before it was first seen")
            try require(Set(found.map(\.address)).count, is: 5, "the number of addresses")
        },
        ConformanceCheck("Discovery moves no lock, and nothing is reported for locks that are not attached", locks: 1) { run in
            guard try await run.announce(3) else { throw NotApplicable.discovery }
            _ = run.adapter.discovered
            try await run.pass(settlingTime)
            try require(run.recorder.reports.filter { $0.deviceID != ConformanceRun.id(0) }, is: [], "the reports of other locks")
            try await run.requireCommands([], at: 0, "after other locks were discovered")
            run.attach(3, as: run.adapter.discovered[0].address)
            try await run.pass()
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
        try await pass()
        return true
    }

    /// Makes a lock discoverable.
    ///
    /// - Returns: the discovered lock.
    /// - Throws: `NotApplicable` if locks of this kind cannot be discovered.
    func discovered(_ number: Int) async throws -> DiscoveredLock {
        guard try await announce(number) else { throw NotApplicable.discovery }
        guard let lock = adapter.discovered.first else { throw ConformanceFailure("a discovered lock is not listed") }
        return lock
    }
}
