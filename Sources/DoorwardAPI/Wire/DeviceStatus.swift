extension Wire {
    /// What is known of a lock's condition; the fields are those of `Device`.
    package struct DeviceStatus: Decodable, Equatable, Sendable {
        /// The lock that it is of.
        package var deviceId: String
        /// As `Device.state`.
        package var state: String?
        /// As `Device.stateQuality`.
        package var stateQuality: String?
        /// Since when the state is known.
        package var stateAt: String?
        /// As `Device.doorState`.
        package var doorState: String?
        /// Percent.
        package var batteryLevel: Int?
        /// By its own judgement; `nil` where it says nothing of it.
        package var batteryLow: Bool?
        /// `nil` while nobody knows.
        package var isOnline: Bool?
        /// When it was heard of last; `nil` if never.
        package var lastSeen: String?
        /// What is wrong with it; empty if nothing is.
        package var faults: [String]?
    }

    /// `data` of an answer about a lock's condition.
    package struct DeviceStatusAnswer: Decodable, Sendable {
        /// What the gateway knows without asking the lock.
        package var status: DeviceStatus
    }
}
