/// The simulated dialects.
enum Profile: String, CaseIterable, Hashable, Sendable {
    case homeassistant, zigbee2mqtt
    case nukiNative = "nuki-native"
    case nukiHub = "nuki-hub"
    case zwave = "zwave-js-ui"
    case esphome, tasmota, homie
    case ring = "ring-mqtt"
    case homekey = "homekey-esp32"

    /// Whether a bridge connects all locks of the dialect. If not, each lock has its own connection.
    var hasBridge: Bool {
        var random = SeededRandom(seed: 0, stream: 0)
        return type(of: dialect(number: 1, &random)).bridge(of: [], publishesDiscovery: false) != nil
    }

    /// - Parameters:
    ///   - number: the lock's number among the locks of its profile, from 1.
    ///   - random: for ids that the ecosystem generates itself.
    func dialect(number: Int, _ random: inout SeededRandom) -> any Dialect {
        let name = "\(rawValue)-\(number)"
        return switch self {
        case .homeassistant: HomeAssistantLock(name: name, isDeviceForm: number.isMultiple(of: 2))
        case .zigbee2mqtt: ZigbeeLock(name: name)
        case .nukiNative: NukiLock(name: name, id: random.hexadecimal(8))
        case .nukiHub: NukiHubLock(name: name, id: random.hexadecimal(8))
        case .zwave: ZWaveLock(name: name, node: number + 1)
        case .esphome: ESPHomeLock(node: name)
        case .tasmota: TasmotaLock(topic: name)
        case .homie: HomieLock(device: name)
        case .ring: RingLock(name: name, device: random.uuid())
        case .homekey: HomeKeyLock(client: name)
        }
    }
}
