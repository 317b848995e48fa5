internal import DoorwardDomain

/// A device of Zigbee2MQTT's list (`<base>/bridge/devices`), with the properties that matter for locks.
struct BridgeDevice {
    /// `0x` and hexadecimal digits.
    var ieeeAddress: String
    /// The device's topic without the base topic (Zigbee2MQTT's friendly name). May contain slashes and spaces.
    var friendlyName: String
    /// Whether the device is in the list, but disabled.
    var isDisabled: Bool
    /// Whether the bridge has completed the interview of the device.
    var isInterviewed: Bool
    /// The model as the bridge knows it, and the firmware that the device reports as its "software build".
    var product: LockProduct
    /// The locks of the device; empty while the bridge has not identified its model.
    var locks: [Lock]

    /// - Returns: `nil` if it is no device.
    init?(_ text: JSONText) {
        guard let fields = text.object, let address = fields["ieee_address"]?.string, address.isZigbeeAddress,
            let name = fields["friendly_name"]?.string
        else { return nil }
        (ieeeAddress, friendlyName) = (address, name)
        isDisabled = fields["disabled"]?.bool ?? false
        // `interview_state` exists since version 2, and is more precise.
        isInterviewed =
            fields["interview_state"]?.string.map { $0 == "SUCCESSFUL" } ?? fields["interview_completed"]?.bool ?? true
        let definition = fields["definition"]?.object ?? [:]
        product = LockProduct(
            manufacturer: definition["vendor"]?.string, model: definition["model"]?.string,
            firmwareVersion: fields["software_build_id"]?.string)
        locks = (definition["exposes"]?.array ?? []).compactMap { Lock($0) }
    }

    /// A lock of the device.
    struct Lock {
        /// The endpoint of the device, if it has several locks.
        var endpoint: String?
        /// The values of `state`; `nil` if they are not strings.
        var locked: String?
        var unlocked: String?

        /// - Returns: `nil` if the entry is not a bolt: a thermostat's child lock is also exposed
        ///   as a lock, but under another key than a bolt's `state`.
        init?(_ expose: JSONText) {
            guard let fields = expose.object, fields["type"] == .string("lock") else { return nil }
            endpoint = fields["endpoint"]?.string
            let property = "state" + (endpoint.map { "_\($0)" } ?? "")
            let features = (fields["features"]?.array ?? []).compactMap(\.object)
            guard let state = features.first(where: { $0["name"] == .string("state") && $0["property"] == .string(property) })
            else { return nil }
            (locked, unlocked) = (state["value_on"]?.string, state["value_off"]?.string)
        }
    }
}

extension String {
    fileprivate var isZigbeeAddress: Bool {
        hasPrefix("0x") && (3...18).contains(utf8.count) && dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}
