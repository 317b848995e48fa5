extension Wire {
    /// `data` of the start of a lockdown.
    package struct LockdownAnswer: Decodable, Sendable {
        /// The property, with its lockdown.
        package var property: Property
        /// One result for each device that was to be locked.
        package var results: [LockdownResult]
    }

    /// The LOCK of one device in a lockdown. Neither `command` nor `decision` has a value if the command was not begun yet.
    package struct LockdownResult: Decodable, Sendable {
        /// The device.
        package var deviceId: String
        /// The command, in its state at the time of the response.
        package var command: Command?
        /// The decision, if the command was denied.
        package var decision: Permission?
    }
}
