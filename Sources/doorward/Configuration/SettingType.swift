import Configuration
import DoorwardDomain

/// What the value of a key must look like.
enum SettingType: Equatable, Sendable {
    case text
    /// The name that logs carry as their origin: letters, digits, dots and hyphens.
    case hostName
    /// `https://…` or `http://…`.
    case webAddress
    case integer(ClosedRange<Int>)
    case boolean
    case choice([String])
    /// A list of IP addresses or networks: `10.0.0.1`, `10.0.0.0/8`.
    case addresses
    /// A list of texts, none of them empty.
    case texts
    /// `mqtt://…` or `mqtts://…`, with nothing but host and port.
    case brokerAddress
    /// An id of something in the gateway.
    case id

    var isList: Bool { self == .addresses || self == .texts }

    /// Whether the value is a number or a truth, which YAML tells from a text in quotes.
    var isUnquoted: Bool {
        switch self {
        case .integer, .boolean: true
        default: false
        }
    }

    /// What the value must be, to follow "must be".
    var demand: String {
        switch self {
        case .text: "a text"
        case .hostName: "a name of letters, digits, dots and hyphens, at most 253 long"
        case .webAddress: "a web address such as https://doors.example"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .addresses: "a list of IP addresses or networks such as 10.0.0.0/8"
        case .texts: "a list of texts"
        case .brokerAddress: "a broker's address such as mqtt://127.0.0.1:1883 or mqtts://broker.example"
        case .id: "an id as the gateway gives them"
        }
    }

    /// The value that a text stands for; `nil` when it is not of this form.
    func content(of text: String) -> ConfigContent? {
        switch self {
        case .text: text.isEmpty ? nil : .string(text)
        case .hostName: Self.isHostName(text) ? .string(text) : nil
        case .webAddress: Self.isWebAddress(text) ? .string(text) : nil
        case .integer(let range): Int(text).flatMap { range.contains($0) ? .int($0) : nil }
        case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .choice(let words): words.contains(text) ? .string(text) : nil
        case .brokerAddress: BrokerAddress(text) == nil ? nil : .string(text)
        case .id: PortfolioID(text) == nil ? nil : .string(text)
        case .addresses, .texts: content(of: text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// The value that a list stands for; `nil` when this form is no list, or an item is wrong.
    func content(of items: [String]) -> ConfigContent? {
        guard isList, items.allSatisfy({ self == .texts ? !$0.isEmpty : IPNetwork($0) != nil }) else { return nil }
        return .stringArray(items)
    }

    private static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        return !rest.isEmpty && !rest.hasPrefix("/") && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            && !rest.contains(where: { $0 == "?" || $0 == "#" })
    }
}
