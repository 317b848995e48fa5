package import DoorwardDomain

/// A timer on the injected clock, kept in a state that a mutex protects: set, set anew and cancelled with that state.
///
/// A timer that was set anew may already be waking up. So `onDue` gets the setting that it belongs to, and MUST ask `expire` under the
/// mutex whether that is still the current one.
package struct DeadlineTimer: Sendable {
    /// Identifies one setting of one timer.
    package struct Setting: Hashable, Sendable { fileprivate let number: UInt64 }

    /// When it is due; `nil` while it is not set.
    package private(set) var due: MonotonicInstant?
    private var task: Task<Void, Never>?
    private var settings: UInt64 = 0

    /// Not set.
    package init() {}

    /// Sets the timer to another instant, or cancels it. Keeps a timer that is set to that instant already.
    ///
    /// - Parameters:
    ///   - due: the instant; `nil` cancels.
    ///   - executor: where the timer waits and `onDue` is called; `nil` for the global one.
    ///   - onDue: called without the mutex, at `due` or as soon as that has passed.
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

    /// Cancels the timer. `expire` refuses a setting that is waking up already.
    package mutating func cancel() {
        task?.cancel()
        (task, due) = (nil, nil)
        settings += 1
    }

    /// Ends the setting that has become due.
    ///
    /// - Returns: false, and nothing changes, where the timer was set anew or cancelled meanwhile.
    package mutating func expire(_ setting: Setting) -> Bool {
        guard setting.number == settings, due != nil else { return false }
        (task, due) = (nil, nil)
        return true
    }
}
