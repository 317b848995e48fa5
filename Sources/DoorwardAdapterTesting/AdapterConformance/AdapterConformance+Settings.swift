internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let settingsChecks: [ConformanceCheck] = [
        ConformanceCheck("A change of the settings is confirmed with the new settings, and moves nothing") { harness in
            let run = try await settingsRun(harness)
            for (number, seconds) in [30, 30, 0, 3600].enumerated() {
                let (settings, command) = (LockSettings(autoRelockSeconds: seconds), CommandID(high: 0x5E, low: UInt64(number)))
                run.recorder.forget()
                try run.send(.changeSettings, to: 0, settings: settings, command: command)
                try await run.pass(harness.promptTime)
                let found = run.recorder.settings(of: 0)
                try require(found.map(\.settings), is: [settings], "the settings that the lock confirms")
                try require(found.map(\.after), is: [command], "the command that the confirmation follows")
                try require(run.recorder.states(of: 0).isEmpty, "a change of the settings moves the lock")
            }
        },
        ConformanceCheck("A change of the settings of an unavailable lock is rejected, and not made later") { harness in
            let run = try await settingsRun(harness)
            try await run.set(.offline, of: 0)
            try await run.pass(harness.promptTime)
            let refusals = run.recorder.refusals(of: 0)
            if let failure = run.failure(of: .changeSettings, to: 0, settings: LockSettings(autoRelockSeconds: 30)) {
                try require(failure == .offline || failure == .transportBusy, "a change of the settings throws \(failure)")
            } else {
                try await run.pass(harness.promptTime)
                try require(run.recorder.refusals(of: 0), is: refusals + 1, "the refusals of a change that cannot reach its lock")
            }
            try await run.set(.prompt, of: 0)
            try await run.pass(settlingTime)
            try require(run.recorder.settings(of: 0).isEmpty, "the settings are changed when the lock is available again")
        },
    ]

    private static func settingsRun(_ harness: any AdapterHarness) async throws -> ConformanceRun {
        guard harness.capabilities.contains(.settings) else { throw NotApplicable.settings }
        return try await ConformanceRun(harness)
    }
}
