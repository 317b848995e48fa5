package import DoorwardDomain

/// A timer on the injected clock. It is part of a state that a mutex protects, and is set, changed and cancelled together with that
/// state.
///
/// When the timer is changed, the previous setting may already be waking up. So `onDue` receives the setting that it belongs to,
/// and MUST call `expire` under the mutex to find out whether that setting is still the current one.
package struct DeadlineTimer: Sendable {
    /// Identifies one setting of one timer.
    package struct Setting: Hashable, Sendable { fileprivate let number: UInt64 }

    /// When the timer is due; `nil` while it is not set.
    package private(set) var due: MonotonicInstant?
    private var task: Task<Void, Never>?
    private var settings: UInt64 = 0

    /// Creates a timer that is not set.
    package init() {}

    /// Sets the timer to another instant, or cancels it. Does nothing if it is already set to that instant.
    ///
    /// - Parameters:
    ///   - due: the instant; `nil` cancels.
    ///   - executor: runs the wait and `onDue`; `nil` for the global executor.
    ///   - onDue: called without the mutex, at `due` or as soon as possible afterwards.
    package mutating func set(
        _ due: MonotonicInstant?, clock: any GatewayClock, executor: (any TaskExecutor)?,
        onDue: @escaping @Sendable (Setting) -> Void
    ) {
        guard due != self.due else { return }
        cancel()
        guard let due else { return }
        self.due = due
        let setting = Setting(number: settings)
        task = Task(executorPreference: executor) {
            do { try await clock.sleep(until: due) } catch { return }
            onDue(setting)
        }
    }

    /// Cancels the timer. `expire` then returns false for a setting that is already waking up.
    package mutating func cancel() {
        task?.cancel()
        (task, due) = (nil, nil)
        settings += 1
    }

    /// Ends the setting that is due.
    ///
    /// - Returns: false, without any change, if the timer was changed or cancelled in the meantime.
    package mutating func expire(_ setting: Setting) -> Bool {
        guard setting.number == settings, due != nil else { return false }
        (task, due) = (nil, nil)
        return true
    }
}
