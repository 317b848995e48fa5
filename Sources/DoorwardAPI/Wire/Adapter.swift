extension Wire {
    /// A kind of lock that the gateway can control.
    package struct Adapter: Decodable, Equatable, Sendable {
        /// What `POST /devices` takes as `adapter`.
        package var kind: String
        /// `ok`, `degraded` or `down`.
        package var health: String
        /// Why it is not `ok`, as a sentence.
        package var problem: String?
        /// Of all portfolios.
        package var deviceCount: Int
        /// How many of them are on line.
        package var onlineCount: Int
        /// What an address of its locks holds.
        package var address: [AddressField]
        /// By what it reaches locks; empty for an adapter that needs nothing between.
        package var transports: [Transport]

        /// One key of an address.
        package struct AddressField: Decodable, Equatable, Sendable {
            /// A dot leads into an object.
            package var field: String
            /// As in JSON, or `integer`.
            package var type: String
            /// Whether an address must have it.
            package var required: Bool
            /// Of a number.
            package var minimum: Value?
            /// Of a number.
            package var maximum: Value?
            /// The words that it takes, where it takes no others.
            package var values: [String]?
            /// What stands for an absent one.
            package var `default`: Value?
            /// One sentence.
            package var meaning: String
        }

        /// A broker or a bridge.
        package struct Transport: Decodable, Equatable, Sendable {
            /// As the configuration names it.
            package var name: String
            /// As `Adapter.health`.
            package var health: String
            /// Why it cannot be used.
            package var problem: String?
            /// Whose it is; `nil` where it belongs to no portfolio.
            package var portfolioId: String?
        }
    }

    /// `data` of `GET /adapters`.
    package struct AdaptersAnswer: Decodable, Sendable {
        /// In the order of their kinds.
        package var adapters: [Adapter]
    }
}
