import DoorwardMQTT
import Foundation

/// Address of the broker: `mqtt://HOST[:PORT]`, or `mqtts://` for TLS.
struct BrokerAddress: Hashable, Sendable {
    let host: String
    let port: Int
    let isSecure: Bool

    init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.path.isEmpty || url.path == "/",
            url.user == nil, url.query == nil, url.fragment == nil
        else { return nil }
        switch url.scheme {
        case "mqtt": isSecure = false
        case "mqtts": isSecure = true
        default: return nil
        }
        port = url.port ?? (isSecure ? 8883 : 1883)
        guard (1...65_535).contains(port) else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }
}
