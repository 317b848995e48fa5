extension Wire {
    /// What is known of a lock's condition; the fields are those of `Device`.
    package struct DeviceStatus: Decodable, Equatable, Sendable {
        package var deviceId: String
        package var state: String?
        package var stateQuality: String?
        package var stateAt: String?
        package var doorState: String?
        /// Percent.
        package var batteryLevel: Int?
        package var batteryLow: Bool?
        /// `nil` while nobody knows.
        package var isOnline: Bool?
        package var lastSeen: String?
        package var faults: [String]?
    }

    /// `data` of an answer about a lock's condition.
    package struct DeviceStatusAnswer: Decodable, Sendable {
        package var status: DeviceStatus
    }
}
