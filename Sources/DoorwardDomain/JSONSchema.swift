/// The form of a JSON value, with the keywords of JSON Schema 2020-12 that the description of the API needs.
package indirect enum JSONSchema: Hashable, Sendable {
    /// Any value, including `null`.
    case any
    /// `null` only.
    case null
    /// `true` or `false`.
    case boolean
    /// A whole number within the range, if there is one.
    case integer(ClosedRange<Int64>? = nil)
    /// A number within the range, if there is one.
    case number(ClosedRange<Double>? = nil)
    /// A text.
    case string(StringSchema = StringSchema())
    /// One of these texts.
    case words([String])
    /// A list. `maxItems` is the maximum number of elements; `nil` if there is none.
    case array(JSONSchema, maxItems: Int? = nil)
    /// An object with these members and no others.
    case object([Member])
    /// An object with any keys, whose values have this form.
    case map(JSONSchema)
    /// The schema with this name among the components of the document.
    case reference(String)
    /// Exactly one of these forms.
    case oneOf([JSONSchema])
    /// This form, or `null`.
    case nullable(JSONSchema)

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The key.
        package let name: String
        /// The form of the value.
        package let schema: JSONSchema
        /// Whether the object always has the key.
        package let isRequired: Bool
        /// A sentence about the member; `nil` if its name is enough.
        package let description: String?

        package init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true, description: String? = nil) {
            (self.name, self.schema, self.isRequired, self.description) = (name, schema, isRequired, description)
        }
    }

    /// An id, as the gateway generates them (RFC 9562).
    package static let id = JSONSchema.string(StringSchema(format: "uuid"))
    /// An instant (RFC 3339).
    package static let instant = JSONSchema.string(StringSchema(format: "date-time"))
    /// A text of any length.
    package static let text = JSONSchema.string()
}

/// The rules for a text.
package struct StringSchema: Hashable, Sendable {
    /// Minimum number of characters (Unicode code points).
    package var minLength: Int?
    /// Maximum number of characters (Unicode code points).
    package var maxLength: Int?
    /// A regular expression (ECMA-262) that matches some part of the text.
    package var pattern: String?
    /// A format of JSON Schema, such as `uuid`.
    package var format: String?

    package init(minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil, format: String? = nil) {
        (self.minLength, self.maxLength, self.pattern, self.format) = (minLength, maxLength, pattern, format)
    }
}
