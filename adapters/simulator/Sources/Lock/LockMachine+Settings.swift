internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A change of the settings by a command. It does not interrupt a movement.
extension LockMachine {
    /// Schedules the change, in place of one in progress. Its faults are those of a movement: refusal, lost or late confirmation.
    mutating func change(to new: LockSettings?) throws(AdapterError) {
        guard let seconds = new?.autoRelockSeconds, SimulatorSettings.autoRelockRange.contains(Int64(seconds)),
            settings.capabilities.contains(.settings)
        else { throw .unsupported }
        if isUnreachable { throw .offline }
        let outcome = Movement.Outcome(settings, faults, &random)
        let time = settings.latency + .milliseconds(outcome.jitterMs)
        settingsChange = SettingsChange(due: now.advanced(by: time), seconds: seconds, outcome: outcome)
        advance(to: now)
    }

    mutating func finish(_ change: SettingsChange) {
        if change.outcome.isRefused { return report(.refusal(.other)) }
        if !change.isApplied { apply(change) }
        switch change.outcome.confirmation {
        case .lost: break
        case .late where !change.isApplied && settings.lateConfirmation > .zero:
            settingsChange = SettingsChange(
                due: now.advanced(by: settings.lateConfirmation), seconds: change.seconds, outcome: change.outcome,
                isApplied: true)
        case .late, .prompt: report(.settings(LockSettings(autoRelockSeconds: change.seconds)))
        }
    }

    /// An unlocked bolt relocks after the new time, counted from now.
    private mutating func apply(_ change: SettingsChange) {
        settings.setAutoRelock(seconds: change.seconds)
        relockAt = nil
        if movement == nil, !isStuck { scheduleAutoRelock() }
    }
}

/// A scheduled change of the settings of a simulated lock.
struct SettingsChange: Hashable {
    let due: MonotonicInstant
    /// The new auto-relock time; 0 for none.
    let seconds: Int
    let outcome: Movement.Outcome
    /// Whether only the delayed confirmation is still to be reported at `due`.
    var isApplied = false
}
