internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let transportChecks: [ConformanceCheck] = [
        ConformanceCheck("A command sent while the transport is disconnected is rejected, and never sent later") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            for number in 0..<2 { try await run.requireRefusal(of: run.opening, by: number) }
            try await run.reconnectTransport()
            try await run.pass(settlingTime)
            for number in 0..<2 { try await run.requireCommands([], at: number, "after the transport has reconnected") }
        },
        ConformanceCheck("A lock executes commands again when its transport has reconnected") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            try await run.reconnectTransport()
            for number in 0..<2 { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("Health is not `ok` while the transport is disconnected, and `ok` when it has reconnected") { harness in
            let run = try await ConformanceRun(harness)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            try require(harness.adapter.health != .ok, "the health is `ok` without a transport")
            try await run.reconnectTransport()
            try require(harness.adapter.health, is: .ok, "the health when the transport has reconnected")
        },
        ConformanceCheck("While its transport is disconnected, a lock is not available and reports no live state") { harness in
            let run = try await ConformanceRun(harness)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            let isUnavailable = run.recorder.availabilities(of: 0).last.map { $0 != true }
            try require(isUnavailable, is: true, "whether it is reported as unavailable")
            run.recorder.forget()
            _ = try? await run.trigger(.manualTurn, at: 0)
            try await run.pass(harness.promptTime)
            try require(run.recorder.states(of: 0).isEmpty, "a live state is reported while the transport is disconnected")
        },
        ConformanceCheck("A command that was in flight when the transport disconnected is not sent again") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            try await run.reconnectTransport()
            try await run.pass(settlingTime)
            let found = await harness.receivedCommands(at: ConformanceRun.id(0)) ?? [run.opening]
            try require(found, is: [run.opening], "the commands received by the lock")
        },
        ConformanceCheck("When the transport has reconnected, a retained report is not reported as live") { harness in
            let run = try await ConformanceRun(harness)
            try await run.set(.silent, of: 0)
            try run.send(run.opening, to: 0)
            try await run.pass(harness.promptTime)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            run.recorder.forget()
            try await run.reconnectTransport()
            guard try await run.trigger(.retainedReport, at: 0) else { throw NotApplicable.retained }
            try await run.pass(harness.promptTime)
            try require(
                !run.recorder.restingStates(of: 0).contains(run.opening.resultingState), "a retained report is reported as live")
        },
        ConformanceCheck("An adapter stopped while its transport is disconnected sends nothing when it reconnects") { harness in
            let run = try await ConformanceRun(harness)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
            _ = run.failure(of: run.opening, to: 0)
            await harness.adapter.stop()
            run.recorder.forget()
            _ = try await harness.setTransport(isConnected: true)
            try await run.pass(settlingTime)
            try require(
                await harness.receivedCommands(at: ConformanceRun.id(0)) ?? [], is: [], "the commands received by the lock")
            try require(run.recorder.reports, is: [], "the reports after the stop")
        },
        ConformanceCheck("Locks can be attached and detached while the transport is disconnected") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            guard try await run.disconnectTransport() else { throw NotApplicable.transport }
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
    /// - Returns: false if the adapter has no transport.
    func disconnectTransport() async throws -> Bool {
        guard try await harness.setTransport(isConnected: false) else { return false }
        try await pass(harness.promptTime)
        return true
    }

    /// Reconnects the transport, and waits until the adapter has detected this.
    func reconnectTransport() async throws {
        _ = try await harness.setTransport(isConnected: true)
        try await pass(harness.lateTime)
    }
}
