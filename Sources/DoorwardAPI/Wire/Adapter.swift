extension Wire {
    /// A kind of lock that the gateway can control.
    package struct Adapter: Decodable, Equatable, Sendable {
        /// The value of `adapter` in `POST /devices`.
        package var kind: String
        /// `ok`, `degraded` or `down`.
        package var health: String
        /// The reason why the health is not `ok`, as a sentence.
        package var problem: String?
        /// The number of its locks in all portfolios.
        package var deviceCount: Int
        /// The number of its locks that are online.
        package var onlineCount: Int
        /// The fields of an address of its locks.
        package var address: [AddressField]
        /// The transports to its locks; empty for an adapter that needs none.
        package var transports: [Transport]

        /// A field of an address.
        package struct AddressField: Decodable, Equatable, Sendable {
            /// The name; a dot separates a member from its object.
            package var field: String
            /// A type of JSON, or `integer`.
            package var type: String
            /// Whether an address must have it.
            package var required: Bool
            /// The minimum of a number.
            package var minimum: Value?
            /// The maximum of a number.
            package var maximum: Value?
            /// The allowed values, if only certain values are allowed.
            package var values: [String]?
            /// The default value if the field is absent.
            package var `default`: Value?
            /// The description, one sentence.
            package var meaning: String
        }

        /// A broker or a bridge.
        package struct Transport: Decodable, Equatable, Sendable {
            /// The name in the configuration.
            package var name: String
            /// As in `Adapter.health`.
            package var health: String
            /// The reason why it cannot be used.
            package var problem: String?
            /// The portfolio that it belongs to; `nil` if it belongs to none.
            package var portfolioId: String?
        }
    }

    /// `data` of `GET /adapters`.
    package struct AdaptersAnswer: Decodable, Sendable {
        /// The adapters in the order of their kinds.
        package var adapters: [Adapter]
    }
}
