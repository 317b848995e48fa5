/// The profiles that are part of the program, from `adapters/mqtt/Sources/Profiles`.
enum ShippedProfiles {
    /// By id. One that could not be read is missing; a test reads them all.
    static let all: [String: Profile] = Dictionary(
        files.compactMap { name, bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return (try? Profile(yaml: text, file: "\(name).yaml")).map { (name, $0) }
        }, uniquingKeysWith: { first, _ in first })

    static let files: [(name: String, bytes: [UInt8])] = [
        ("nuki-native", PackageResources.nuki_native_yaml),
        ("zigbee2mqtt", PackageResources.zigbee2mqtt_yaml),
    ]
}
