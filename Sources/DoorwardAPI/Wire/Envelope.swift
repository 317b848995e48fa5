extension Wire {
    /// The envelope of every error response.
    package struct ErrorEnvelope: Decodable, Sendable {
        /// The stable code for programs.
        package var code: String
        /// One sentence for users.
        package var message: String
        /// The details of the error; `nil` if the response contains none.
        package var details: Details?
        /// The id of the request, by which it can be found in the gateway's own log.
        package var requestId: String?

        /// The known members of `details`; the error's code determines which of them are present.
        package struct Details: Decodable, Sendable {
            /// The fields of an `invalid_request`.
            package var fields: [FieldProblem]?
            /// The command that the error is about; `nil` if there is none.
            package var command: Command?
            /// The number of objects of each kind that an object to delete contains, for `has_dependents`.
            package var dependents: [String: Int]?
            /// The details of a denied request. For any other error, the `reason` of the denial is `nil`.
            package var denial: Denial

            private enum CodingKeys: String, CodingKey { case fields, command, dependents }

            /// Decodes the known members; others are ignored.
            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                fields = try container.decodeIfPresent([FieldProblem].self, forKey: .fields)
                command = try container.decodeIfPresent(Command.self, forKey: .command)
                dependents = try container.decodeIfPresent([String: Int].self, forKey: .dependents)
                denial = try Denial(from: decoder)
            }
        }
    }
}

extension Wire {
    /// `data.pagination` of a response with one page of a list.
    package struct Pagination: Decodable, Equatable, Sendable {
        /// The number of items that the caller may see, on all pages together.
        package var totalItems: Int
        /// The number of pages; 0 for an empty list.
        package var totalPages: Int
        /// The number of this page, from 1.
        package var currentPage: Int
        /// The maximum number of items on a page.
        package var pageSize: Int
    }

    /// An object that the API returns in pages.
    package protocol ListItem: Decodable, Sendable {
        /// The key of the items in `data`.
        static var listKey: String { get }
    }

    /// `data` of one page of a list.
    package struct Page<Item: ListItem>: Decodable, Sendable {
        /// The items of this page, in the requested order.
        package let items: [Item]
        /// The position of the page in the whole list.
        package let pagination: Pagination

        /// Reads the items under their key.
        package init(from decoder: any Decoder) throws {
            let data = try decoder.container(keyedBy: Key.self)
            items = try data.decode([Item].self, forKey: Key(stringValue: Item.listKey))
            pagination = try data.decode(Pagination.self, forKey: Key(stringValue: "pagination"))
        }

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }
}

extension Wire {
    /// Any JSON value, for objects whose form an adapter defines.
    package enum Value: Codable, Equatable, Sendable {
        /// JSON's `null`.
        case null
        /// `true` or `false`, never a number.
        case bool(Bool)
        /// A number without a fraction that fits into 64 bits, in any notation.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// A string.
        case string(String)
        /// The elements in order.
        case array([Value])
        /// The members by key; their order is not kept.
        case object([String: Value])

        /// Decodes any JSON value, including one that is neither an object nor an array.
        package init(from decoder: any Decoder) throws {
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
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        /// Encodes integers without a fraction.
        package func encode(to encoder: any Encoder) throws {
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
    }
}

extension Wire {
    /// The state of the gateway's clock.
    package struct Clock: Decodable, Equatable, Sendable {
        /// Whether the clock is trusted; if not, guest accesses are denied.
        package var isTrusted: Bool
        /// `below_mark`, `stepped_forward` or `agreeing`; `nil` for a trusted clock.
        package var reason: String?
        /// The time that the clock shows.
        package var at: String
        /// The latest time that the trusted clock has shown.
        package var mark: String
        /// Whether the operating system reports that its clock is synchronised.
        package var isSynchronised: Bool
        /// The largest step that leaves the clock trusted.
        package var maxStepSeconds: Int
        /// The last step since the start of the gateway.
        package var lastStep: Step?

        /// A step of the clock.
        package struct Step: Decodable, Equatable, Sendable {
            /// The time that the clock would have shown without the step.
            package var before: String
            /// The time that it showed after the step.
            package var after: String
            /// The size in milliseconds; negative for a step back.
            package var stepMs: Int
        }
    }

    /// `data` of `GET /clock` and `POST /clock/accept`.
    package struct ClockAnswer: Decodable, Sendable {
        /// The present state.
        package var clock: Clock
    }
}
