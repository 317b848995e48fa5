/// The profiles that are compiled into the program, from `adapters/mqtt/Sources/Profiles`.
enum ShippedProfiles {
    /// The profiles by id. A profile that could not be read is missing; a test reads all of them.
    static let all: [String: Profile] = Dictionary(
        files.compactMap { name, bytes in
            // The text is stream-safe, as the file is shipped with the program.
            let text = String(decoding: bytes, as: UTF8.self)
            return (try? Profile(yaml: text, file: "\(name).yaml")).map { (name, $0) }
        }, uniquingKeysWith: { first, _ in first })

    static let files: [(name: String, bytes: [UInt8])] = [
        ("esphome", PackageResources.esphome_yaml),
        ("homeassistant", PackageResources.homeassistant_yaml),
        ("homekey-esp32", PackageResources.homekey_esp32_yaml),
        ("homie", PackageResources.homie_yaml),
        ("nuki-hub", PackageResources.nuki_hub_yaml),
        ("nuki-native", PackageResources.nuki_native_yaml),
        ("ring-mqtt", PackageResources.ring_mqtt_yaml),
        ("tasmota", PackageResources.tasmota_yaml),
        ("zigbee2mqtt", PackageResources.zigbee2mqtt_yaml),
        ("zwave-js-ui", PackageResources.zwave_js_ui_yaml),
    ]
}
