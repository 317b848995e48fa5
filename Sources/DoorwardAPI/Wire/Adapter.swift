extension Wire {
    /// A kind of lock that the gateway can control.
    package struct Adapter: Decodable, Equatable, Sendable {
        /// The value of `adapter` in `POST /devices`.
        package var kind: String
        /// `ok`, `degraded` or `down`.
        package var health: String
        /// The reason why the health is not `ok`, as a sentence.
        package var problem: String?
        /// The number of the adapter's locks in all portfolios.
        package var deviceCount: Int
        /// The number of the adapter's locks that are online.
        package var onlineCount: Int
        /// The fields of an address for this adapter.
        package var address: [AddressField]
        /// The configured transports; empty for an adapter without transports.
        package var transports: [Transport]

        /// A field of an address.
        package struct AddressField: Decodable, Equatable, Sendable {
            /// The name of the field. A dot separates a member from its object.
            package var field: String
            /// The type of the value: a JSON type, or `integer`.
            package var type: String
            /// Whether the field is required in an address.
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
            /// The health of the transport, with the values of `Adapter.health`.
            package var health: String
            /// The problem of the transport, as a sentence; `nil` if no problem is known.
            package var problem: String?
            /// The portfolio that owns the transport; `nil` if no portfolio owns it.
            package var portfolioId: String?
        }
    }

    /// `data` of `GET /adapters`.
    package struct AdaptersAnswer: Decodable, Sendable {
        /// The adapters in the order of their kinds.
        package var adapters: [Adapter]
    }
}
