internal import DoorwardDomain
import Synchronization

/// Rate limits the records of a lock's availability: the first changes are recorded individually, further ones as one summary
/// per minute with their number. The last availability is always recorded.
final class AvailabilityRateLimit: Sendable {
    /// The maximum number of changes in a window that are recorded individually, enough for two restarts of a lock.
    static let burst = 4
    static let window = Duration.seconds(60)

    private struct Device {
        var windowEnd: MonotonicInstant
        /// How many more changes are recorded individually before `windowEnd`.
        var left: Int
        /// The last change that was counted but not recorded, and the number of such changes.
        var counted: (last: RecordBody, changes: Int)?
    }

    /// What to do with a change.
    struct Admission {
        /// Records to write now.
        var records: [RecordBody] = []
        /// When to call `summary`; set if this change is the first that was only counted.
        var summaryDue: MonotonicInstant?
    }

    private let devices = Mutex<[DeviceID: Device]>([:])

    /// Decides how to record a change of a device's availability.
    func admit(_ change: RecordBody, of id: DeviceID, at now: MonotonicInstant) -> Admission {
        devices.withLock { devices in
            var admission = Admission()
            var device = devices[id]
            if let counted = device?.counted, counted.last.log != change.log {
                // The device has moved to another portfolio; the new log does not cover the time before the move.
                admission.records.append(Self.summary(counted, at: change.at))
                device = nil
            }
            var known = device ?? Device(windowEnd: now.advanced(by: Self.window), left: Self.burst)
            if known.counted == nil, now >= known.windowEnd {
                known = Device(windowEnd: now.advanced(by: Self.window), left: Self.burst)
            }
            if let counted = known.counted {
                known.counted = (change, counted.changes + 1)
            } else if known.left > 0 {
                known.left -= 1
                admission.records.append(change)
            } else {
                known.counted = (change, 1)
                admission.summaryDue = known.windowEnd
            }
            devices[id] = known
            return admission
        }
    }

    /// The summary of a device's counted changes; `nil` if there are none. In the window that follows, every change is only
    /// counted.
    func summary(of id: DeviceID, at now: MonotonicInstant, _ instant: Timestamp) -> RecordBody? {
        devices.withLock { devices in
            guard let counted = devices[id]?.counted else { return nil }
            devices[id] = Device(windowEnd: now.advanced(by: Self.window), left: 0)
            return Self.summary(counted, at: instant)
        }
    }

    /// The summaries of all changes that were counted but not recorded, for the shutdown of the gateway.
    func summaries(at instant: Timestamp) -> [RecordBody] {
        devices.withLock { devices in
            let counted = devices.sorted { $0.key < $1.key }.compactMap(\.value.counted)
            devices = [:]
            return counted.map { Self.summary($0, at: instant) }
        }
    }

    private static func summary(_ counted: (last: RecordBody, changes: Int), at instant: Timestamp) -> RecordBody {
        var record = counted.last
        record.details["changes"] = .integer(Int64(counted.changes))
        record.details["lastChangeAt"] = .string(record.at.description)
        record.at = max(record.at, instant)
        return record
    }
}
