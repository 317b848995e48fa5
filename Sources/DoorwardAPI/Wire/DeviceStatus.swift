extension Wire {
    /// The status of a lock; the fields are those of `Device`.
    package struct DeviceStatus: Decodable, Equatable, Sendable {
        /// The id of the lock.
        package var deviceId: String
        /// The bolt state, as in `Device.state`.
        package var state: String?
        /// The quality of the state, as in `Device.stateQuality`.
        package var stateQuality: String?
        /// When the lock reported `state`, as in `Device.stateAt`.
        package var stateAt: String?
        /// The state of the door contact, as in `Device.doorState`.
        package var doorState: String?
        /// The charge in percent.
        package var batteryLevel: Int?
        /// Whether the lock reports a low battery; `nil` if it does not report this.
        package var batteryLow: Bool?
        /// Whether the lock is online; `nil` if this is unknown.
        package var isOnline: Bool?
        /// When the lock last reported; `nil` if it never did.
        package var lastSeen: String?
        /// The lock's faults; empty if there are none.
        package var faults: [String]?
    }

    /// `data` of a response about a lock's status.
    package struct DeviceStatusAnswer: Decodable, Sendable {
        /// The status that the gateway knows, without a new state request to the lock.
        package var status: DeviceStatus
    }
}
