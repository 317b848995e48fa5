/// A `value_template` of the forms that can be read without a template language: the whole payload, or one value of a JSON
/// object; each with `| default('')` or not.
package struct ValueTemplate: Hashable, Sendable {
    /// Keys from the root of the payload's JSON inwards; empty for the payload itself as text.
    package let path: [String]

    /// - Returns: `nil` for every other form: `{{ value }}`, `{{ value_json.a.b }}`, `{{ value_json["a"] }}`,
    ///   `{{ value_json['a'] }}`.
    package init?(_ text: String) {
        let form =
            #/\s*\{\{\s*value(?:_json(?:(?<dotted>(?:\.[A-Za-z_][A-Za-z0-9_]*)+)|\["(?<double>[^"'\]\\]+)"\]|\['(?<single>[^"'\]\\]+)'\]))?\s*(?:\|\s*default\(\s*''\s*\)\s*)?\}\}\s*/#
        guard text.utf8.count <= Self.longest, let match = text.wholeMatch(of: form) else { return nil }
        if let dotted = match.dotted {
            path = dotted.split(separator: ".").map(String.init)
        } else {
            path = (match.double ?? match.single).map { [String($0)] } ?? []
        }
    }

    /// Bytes. The forms need no more.
    private static let longest = 512
}
