/// A discovery topic of Home Assistant: `homeassistant/<component>/[<node>/]<object>/config`.
struct HomeAssistantTopic: Hashable {
    /// `lock`, or `device` for a device with all its components.
    var component: Component
    var node: String?
    var object: String

    enum Component: String { case lock, device }

    /// The first level. It can be configured in Home Assistant; announcing programs use this one by default.
    static let prefix = "homeassistant"
    /// Maximum characters of a node id or an object id.
    static let maxIDLength = 256

    /// - Returns: `nil` for any other topic, and if an id contains characters other than letters, digits, `_` and `-`.
    init?(_ topic: String) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4 || levels.count == 5, levels[0] == Self.prefix, levels.last == "config",
            let component = Component(rawValue: String(levels[1])), levels[2..<levels.count - 1].allSatisfy(Self.isLegal)
        else { return nil }
        self.component = component
        node = levels.count == 5 ? String(levels[2]) : nil
        object = String(levels[levels.count - 2])
    }

    /// Unique among the discovery topics of the broker: `abc`, `node/abc`, `device/abc`.
    var id: String {
        (component == .device ? ["device"] : []).appending(node).appending(object).joined(separator: "/")
    }

    private static func isLegal(_ id: Substring) -> Bool {
        !id.isEmpty && id.utf8.count <= maxIDLength
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension [String] {
    fileprivate func appending(_ element: String?) -> [String] { element.map { self + [$0] } ?? self }
}
