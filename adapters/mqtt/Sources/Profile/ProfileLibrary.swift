internal import DoorwardDomain
internal import DoorwardYAML
internal import FoundationEssentials
internal import Synchronization

/// The available profiles: the shipped ones, and those in folders. A file with the id of a shipped profile replaces it.
package final class ProfileLibrary: Sendable {
    /// The library of the shipped profiles alone.
    package static let shipped = ProfileLibrary(directories: [])

    let directories: [String]
    private let content: Mutex<Content>

    private struct Content {
        var profiles: [String: Profile] = [:]
        var replaced: Set<String> = []
        /// The profile id of each file, by the file's path, from the last time that the file was read without a mistake.
        var ids: [String: String] = [:]
    }

    /// - Parameter directories: folders whose `*.yaml` and `*.yml` files are profiles; they are read by `reload()`.
    package init(directories: [String]) {
        self.directories = directories
        content = Mutex(Content(profiles: ShippedProfiles.all))
    }

    /// The profile with this id; `nil` if there is none.
    package subscript(id: String) -> Profile? { content.withLock { $0.profiles[id] } }

    /// All ids, sorted.
    package var ids: [String] { content.withLock { $0.profiles.keys.sorted() } }

    /// The shipped ids that a file in a folder replaces, sorted.
    package var replaced: [String] { content.withLock { $0.replaced.sorted() } }

    /// Reads the folders again. A file with a mistake, or a folder that cannot be read, leaves its former profiles in place.
    ///
    /// - Returns: a sentence for each mistake, with file and line.
    package func reload() -> [String] {
        var errors: [String] = []
        var found: [String: (profile: Profile, file: String)] = [:]
        // Files with a mistake, and folders that cannot be listed.
        var failed: Set<String> = []
        for file in files(&errors, &failed) {
            do {
                let profile = try Profile(path: file)
                if let other = found[profile.id] {
                    errors.append("\(file):1: `\(profile.id)` is the name of \(other.file) too, which is kept")
                } else {
                    found[profile.id] = (profile, file)
                }
            } catch {
                errors += error.description.split(separator: "\n").map(String.init)
                failed.insert(file)
            }
        }
        content.withLock { content in
            let before = content
            content.profiles = ShippedProfiles.all.merging(found.mapValues(\.profile)) { $1 }
            content.ids = Dictionary(found.map { ($1.file, $0) }) { one, _ in one }
            for (file, id) in before.ids where failed.contains(where: { file == $0 || file.hasPrefix($0 + "/") }) {
                content.ids[file] = id
                if found[id] == nil { content.profiles[id] = before.profiles[id] }
            }
            content.replaced = Set(ShippedProfiles.all.filter { content.profiles[$0.key] != $0.value }.keys)
        }
        return errors
    }

    private func files(_ errors: inout [String], _ failed: inout Set<String>) -> [String] {
        var files: [String] = []
        for directory in directories {
            do {
                let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                files += names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { "\(directory)/\($0)" }
            } catch {
                errors.append("\(directory): the folder of profiles cannot be read")
                failed.insert(directory)
            }
        }
        return files
    }
}

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

/// What shows that a file of a profile folder has changed.
struct FileFingerprint: Hashable {
    let path: String
    let modified: Date?
    let size: Int?

    /// Reads names, modification times and sizes, not the contents.
    static func all(in directories: [String]) -> [FileFingerprint] {
        directories.flatMap { directory in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return names.sorted().map { name in
                let path = "\(directory)/\(name)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                return Self(path: path, modified: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int)
            }
        }
    }
}
