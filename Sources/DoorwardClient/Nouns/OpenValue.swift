internal import FoundationEssentials

/// A value of an enumeration of the API that a newer gateway may extend. Values that this library does not know are kept as they
/// were received, so that decoding and encoding an object changes nothing.
public protocol OpenValue: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
    /// Creates a value from its text in the API, known or not.
    init(rawValue: String)
    /// The values that this library knows.
    static var known: [Self] { get }
}

extension OpenValue {
    /// The text in the API, such as `LOCKED`.
    public var description: String { rawValue }
    /// A value by its text in the API, for one that has no name here.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// Whether this library knows the value.
    public var isKnown: Bool { Self.known.contains(self) }
    /// Decodes any text.
    public init(from decoder: any Decoder) throws { self.init(rawValue: try String(from: decoder)) }
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension Doorward {
    /// The state of a lock's bolt. Only `locked` is secure; treat a value that you do not know as `unknown`.
    public struct LockState: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bolt is extended.
        public static let locked = Self(rawValue: "LOCKED")
        /// The bolt is withdrawn.
        public static let unlocked = Self(rawValue: "UNLOCKED")
        /// The bolt is being extended.
        public static let locking = Self(rawValue: "LOCKING")
        /// The bolt is being withdrawn.
        public static let unlocking = Self(rawValue: "UNLOCKING")
        /// The latch is withdrawn, too: the door can be pushed open.
        public static let unlatched = Self(rawValue: "UNLATCHED")
        /// The bolt is stuck.
        public static let jammed = Self(rawValue: "JAMMED")
        /// The gateway does not know the state.
        public static let unknown = Self(rawValue: "UNKNOWN")
        /// The values that this library knows.
        public static let known = [locked, unlocked, locking, unlocking, unlatched, jammed, unknown]
    }

    /// How the gateway knows the state of a lock.
    public struct StateQuality: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Reported by the lock since the gateway is connected to it.
        public static let confirmed = Self(rawValue: "CONFIRMED")
        /// Reported by the lock earlier, and retained by a broker.
        public static let retained = Self(rawValue: "RETAINED")
        /// Follows from a command that the lock has not confirmed.
        public static let assumed = Self(rawValue: "ASSUMED")
        /// Too old to be relied on.
        public static let stale = Self(rawValue: "STALE")
        /// The values that this library knows.
        public static let known = [confirmed, retained, assumed, stale]
    }

    /// The state of a door contact.
    public struct DoorState: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The door is open.
        public static let open = Self(rawValue: "OPEN")
        /// The door is closed.
        public static let closed = Self(rawValue: "CLOSED")
        /// The gateway does not know the state.
        public static let unknown = Self(rawValue: "UNKNOWN")
        /// The values that this library knows.
        public static let known = [open, closed, unknown]
    }

    /// The state of a command to a lock.
    public struct CommandState: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The intent is durable; nothing has been sent.
        public static let accepted = Self(rawValue: "ACCEPTED")
        /// The command was handed to the lock's transport.
        public static let dispatched = Self(rawValue: "DISPATCHED")
        /// The lock reported the requested state.
        public static let confirmed = Self(rawValue: "CONFIRMED")
        /// The command had no effect; `outcomeDetail` names the cause.
        public static let failed = Self(rawValue: "FAILED")
        /// The lock did not confirm in time; the command may still have had an effect.
        public static let timedOut = Self(rawValue: "TIMED_OUT")
        /// The outcome is not known.
        public static let unknown = Self(rawValue: "UNKNOWN")
        /// The second decision, right before sending, denied the command.
        public static let denied = Self(rawValue: "DENIED")
        /// The values that this library knows.
        public static let known = [accepted, dispatched, confirmed, failed, timedOut, unknown, denied]

        /// Whether the command is still in progress. A value that this library does not know counts as ended.
        public var isInProgress: Bool { self == .accepted || self == .dispatched }
    }

    /// A person's role on a portfolio, property or unit, or on the gateway.
    public struct Role: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Administers the gateway and operates no lock.
        public static let superAdmin = Self(rawValue: "SUPER_ADMIN")
        /// Full rights in a portfolio, including its admins.
        public static let owner = Self(rawValue: "OWNER")
        /// All rights in a portfolio except over its owners and admins.
        public static let portfolioAdmin = Self(rawValue: "PORTFOLIO_ADMIN")
        /// Full rights in one property.
        public static let propertyManager = Self(rawValue: "PROPERTY_MANAGER")
        /// Views and operates the locks of a property.
        public static let maintenance = Self(rawValue: "MAINTENANCE")
        /// Reads locks and the access log; operates nothing.
        public static let auditor = Self(rawValue: "AUDITOR")
        /// Operates the locks of a unit and its common areas.
        public static let tenant = Self(rawValue: "TENANT")
        /// Holds a guest access.
        public static let guest = Self(rawValue: "GUEST")
        /// The values that this library knows.
        public static let known = [superAdmin, owner, portfolioAdmin, propertyManager, maintenance, auditor, tenant, guest]
    }

    /// A module of a portfolio's subscription.
    public struct Module: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Guest accesses.
        public static let guestAccess = Self(rawValue: "guestAccess")
        /// Guest accesses with recurring hours.
        public static let recurringSchedules = Self(rawValue: "recurringSchedules")
        /// Links of guest accesses.
        public static let guestLinks = Self(rawValue: "guestLinks")
        /// Operations on many locks.
        public static let bulkOperations = Self(rawValue: "bulkOperations")
        /// Exports of the access log.
        public static let accessLogExport = Self(rawValue: "accessLogExport")
        /// The compliance report. A person's compliance pack replaces it.
        public static let complianceReport = Self(rawValue: "complianceReport")
        /// Webhooks.
        public static let webhooks = Self(rawValue: "webhooks")
        /// The values that this library knows.
        public static let known = [
            guestAccess, recurringSchedules, guestLinks, bulkOperations, accessLogExport, complianceReport, webhooks,
        ]
    }

    /// A limit of a portfolio's subscription.
    public struct Limit: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The number of properties.
        public static let properties = Self(rawValue: "maxProperties")
        /// The number of units.
        public static let units = Self(rawValue: "maxUnits")
        /// The number of locks.
        public static let devices = Self(rawValue: "maxDevices")
        /// The number of guest accesses that have not ended.
        public static let activeGuestAccess = Self(rawValue: "maxActiveGuestAccess")
        /// The values that this library knows.
        public static let known = [properties, units, devices, activeGuestAccess]

        /// The key of `Subscription.usage` that counts towards this limit: `maxUnits` limits `units`.
        package var usageKey: String {
            guard rawValue.hasPrefix("max"), let first = rawValue.dropFirst(3).first else { return rawValue }
            return first.lowercased() + rawValue.dropFirst(4)
        }
    }
}

extension Doorward {
    /// Any JSON value, for members whose form the API leaves open.
    public enum JSONValue: Codable, Hashable, Sendable {
        /// JSON's `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number without a fraction that fits into 64 bits.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// A string.
        case string(String)
        /// The elements in order.
        case array([JSONValue])
        /// The members by key.
        case object([String: JSONValue])

        /// Decodes any JSON value.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([JSONValue].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: JSONValue].self))
            }
        }

        /// Encodes the value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let values): try container.encode(values)
            case .object(let members): try container.encode(members)
            }
        }

        /// The value as JSON, with the members of objects in the order of their names.
        package func sortedJSON() throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }

        /// Reads a text as JSON; `nil` if it is not JSON.
        package init?(json text: String) {
            guard let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
            self = value
        }

        /// Creates a string, or `nil` from `nil`.
        static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
        static func flag(_ flag: Bool?) -> JSONValue? { flag.map { .bool($0) } }
    }
}
