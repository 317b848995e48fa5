/// Zigbee2MQTT's list of devices, as far as it speaks of locks (`<base>/bridge/devices`). What one device says wrongly makes that
/// device nothing, and not the list.
struct BridgeDevices: Decodable {
    var devices: [Device]

    init(from decoder: any Decoder) throws {
        devices = try decoder.singleValueContainer().decode([Lenient<Device>].self).compactMap(\.value)
    }

    /// A device of the Zigbee network.
    struct Device: Decodable {
        /// `0x` and hexadecimal digits.
        var ieeeAddress: String
        /// Its topic after the base. May hold slashes and spaces.
        var friendlyName: String
        /// It is there, and must not be used.
        var isDisabled: Bool
        /// Whether the bridge has learnt all of what it can.
        var isInterviewed: Bool
        /// What the bridge knows of its model; `nil` while it does not know the model.
        var definition: Definition?

        private enum CodingKeys: String, CodingKey {
            case ieeeAddress = "ieee_address"
            case friendlyName = "friendly_name"
            case disabled, definition
            case interviewCompleted = "interview_completed"
            case interviewState = "interview_state"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            ieeeAddress = try fields.decode(String.self, forKey: .ieeeAddress)
            friendlyName = try fields.decode(String.self, forKey: .friendlyName)
            isDisabled = (try? fields.decode(Bool.self, forKey: .disabled)) ?? false
            let completed = try? fields.decode(Bool.self, forKey: .interviewCompleted)
            let state = try? fields.decode(String.self, forKey: .interviewState)
            isInterviewed = state.map { $0 == "SUCCESSFUL" } ?? completed ?? true
            definition = try? fields.decodeIfPresent(Definition.self, forKey: .definition)
        }
    }

    /// A model.
    struct Definition: Decodable {
        var model: String?
        var vendor: String?
        var exposes: [Expose]

        private enum CodingKeys: String, CodingKey { case model, vendor, exposes }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            model = try? fields.decode(String.self, forKey: .model)
            vendor = try? fields.decode(String.self, forKey: .vendor)
            exposes = ((try? fields.decode([Lenient<Expose>].self, forKey: .exposes)) ?? []).compactMap(\.value)
        }
    }

    /// Something that a device has; a lock where `type` says so.
    struct Expose: Decodable {
        var type: String
        /// The part of the device, where it has several alike.
        var endpoint: String?
        var features: [Feature]

        private enum CodingKeys: String, CodingKey { case type, endpoint, features }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            type = try fields.decode(String.self, forKey: .type)
            endpoint = try? fields.decode(String.self, forKey: .endpoint)
            // Only a lock's are looked at: a list has hundreds of others.
            let features = type == "lock" ? try? fields.decode([Lenient<Feature>].self, forKey: .features) : nil
            self.features = (features ?? []).compactMap(\.value)
        }
    }

    /// One value of a lock.
    struct Feature: Decodable {
        var name: String
        /// The key that it has in payloads.
        var property: String
        /// For a value of two words, the one for locked; `nil` where it is no text.
        var on: String?
        /// The one for unlocked.
        var off: String?

        private enum CodingKeys: String, CodingKey {
            case name, property
            case on = "value_on"
            case off = "value_off"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            name = try fields.decode(String.self, forKey: .name)
            property = try fields.decode(String.self, forKey: .property)
            on = try? fields.decode(String.self, forKey: .on)
            off = try? fields.decode(String.self, forKey: .off)
        }
    }
}

/// An element of a list that may be something else.
struct Lenient<Value: Decodable>: Decodable {
    /// `nil` where it is something else.
    var value: Value?

    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}
