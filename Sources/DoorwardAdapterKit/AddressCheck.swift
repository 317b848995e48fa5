public import DoorwardDomain

extension [AddressField] {
    /// Checks that an address contains only keys of these fields, contains all required keys, and that each value has the form of
    /// its field. The adapter then checks everything else, for example whether a broker of that name exists.
    ///
    /// - Throws: all errors, sorted by field.
    public func check(_ address: [String: JSONValue]) throws(AddressErrors) {
        var mistakes = Set(address.keys).subtracting(map(\.name)).map {
            AddressErrors.Mistake(field: "address.\($0)", problem: "unknown_key")
        }
        for field in self {
            let problem = address[field.name].map(field.form.problem) ?? (field.isRequired ? "required" : nil)
            if let problem { mistakes.append(AddressErrors.Mistake(field: "address.\(field.name)", problem: problem)) }
        }
        if !mistakes.isEmpty { throw AddressErrors(mistakes.sorted { $0.field < $1.field }) }
    }
}

extension AddressField.Form {
    /// Returns the problem of a value in a field of this form, or `nil` if the value is valid.
    fileprivate func problem(of value: JSONValue) -> String? {
        switch (self, value) {
        case (.text, .string(let text)): text.isEmpty ? "too_short" : nil
        case (.boolean, .bool): nil
        case (.integer(let range), .integer(let number)): range.contains(number) ? nil : "out_of_range"
        case (.number(let range), .integer(let number)): range.contains(Double(number)) ? nil : "out_of_range"
        case (.number(let range), .number(let number)): range.contains(number) ? nil : "out_of_range"
        case (.word(let words), .string(let word)): words.contains(word) ? nil : "unknown_value"
        case (.words(let words), .array(let values)): Self.problem(of: values, among: words)
        case (.text, _), (.boolean, _), (.integer, _), (.number, _), (.word, _), (.words, _): "wrong_type"
        }
    }

    private static func problem(of values: [JSONValue], among words: [String]) -> String? {
        let found = values.compactMap { if case .string(let word) = $0 { word } else { nil } }
        if found.count < values.count { return "wrong_type" }
        return Set(found).count == found.count && Set(found).isSubset(of: words) ? nil : "unknown_value"
    }
}
