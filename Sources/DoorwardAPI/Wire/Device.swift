extension Wire {
    /// A lock.
    package struct Device: Decodable, Equatable, Sendable {
        package var id: String
        package var name: String
        /// The kind of adapter, such as `simulator`.
        package var adapter: String?
        package var manufacturer: String?
        package var model: String?
        package var firmwareVersion: String?
        package var portfolioId: String?
        /// `nil` of one that was detached from its property.
        package var propertyId: String?
        package var propertyName: String?
        package var unitId: String?
        /// `nil` of one that hangs on no unit: a front door, a bicycle cellar.
        package var unitName: String?
        package var isRemoteOperationEnabled: Bool?
        /// `nil` while nobody knows.
        package var isOnline: Bool?
        package var lastSeen: String?
        /// `LOCKED UNLOCKED LOCKING UNLOCKING UNLATCHED JAMMED UNKNOWN`; only `LOCKED` is secure.
        package var state: String?
        /// How good the knowledge of the state is: `CONFIRMED RETAINED ASSUMED STALE`.
        package var stateQuality: String?
        package var stateAt: String?
        /// `OPEN CLOSED UNKNOWN`.
        package var doorState: String?
        /// Percent.
        package var batteryLevel: Int?
        package var batteryLow: Bool?
        package var faults: [String]?
        /// What the lock can do, such as `UNLATCH`.
        package var capabilities: [String]?
    }

    /// `data` of an answer about one lock.
    package struct DeviceAnswer: Decodable, Sendable {
        package var device: Device
    }

    /// `data` of a page of locks.
    package struct DevicePage: Decodable, Sendable {
        package var devices: [Device]
        package var pagination: Pagination
    }
}
