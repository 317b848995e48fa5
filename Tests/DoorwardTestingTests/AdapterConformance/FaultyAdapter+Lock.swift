import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

extension FaultyAdapter {
    /// A lock in memory.
    struct Lock {
        var bolt = LockState.locked
        var behavior = LockBehavior.prompt
        var commands: [LockOperation] = []
        var lastCommand: CommandID?
        var isLimited = false
        var isAddressInvalid = false
        /// The number of this attachment, counted over all locks.
        var attachment = 0
        /// How often each of its reports is delivered.
        var deliveries = 1
        /// Whether it no longer executes commands.
        var isUnresponsive = false
        var delayedReport: LockReport.Fact?
        var address: [String: JSONValue] = [:]
    }
}
