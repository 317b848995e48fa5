internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The progress of a guest's command in words: what is known, and nothing more.
struct GuestProgress {
    let view: GuestPageView.Progress

    /// - Parameter lock: the lock's name; `nil` if the lock was detached meanwhile.
    init(_ command: Command, lock: String?) {
        let lock = lock ?? "The lock"
        let (title, text): (String, String) =
            switch command.state {
            case .accepted: ("\(lock): waiting", "The command waits until the lock is free.")
            case .dispatched: ("\(lock): sent", "The command was sent. The lock has not confirmed it yet.")
            case .confirmed: ("\(lock): \(command.operation.participle)", "Confirmed by the lock.")
            case .timedOut, .unknown: (lock, "No confirmation: check the door.")
            case .denied, .failed: ("\(lock): not done", Self.message(of: command))
            }
        view = GuestPageView.Progress(
            title: title, text: text, isRunning: !command.state.isEnd, isGood: command.state == .confirmed,
            isBad: command.state.isEnd && command.state != .confirmed)
    }

    /// The reason why a command was not accepted.
    init(_ error: GatewayError) {
        let text =
            switch error {
            case .invalid: "This page was open for too long, or the button was not from this page. Tap the button again."
            default: ErrorResponse(error) { $1.null() }.message
            }
        view = GuestPageView.Progress(
            title: error.isStaleButton ? "Tap again" : "Nothing was sent", text: text, isRunning: false, isGood: false,
            isBad: true)
    }

    private static func message(of command: Command) -> String {
        ErrorResponse(FinishedCommand(command: command, status: DeviceStatus())) { $1.null() }.message
    }
}

extension GatewayError {
    fileprivate var isStaleButton: Bool { if case .invalid = self { true } else { false } }
}

extension LockOperation {
    fileprivate var participle: String {
        switch self {
        case .lock: "locked"
        case .unlatch: "unlocked and open"
        default: "unlocked"
        }
    }
}
