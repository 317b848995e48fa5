/// The path of a value in the details. Its text is the field name in the value's commitment.
///
/// A key follows a full stop, and an index is in brackets: `details.after.names[0]`. Inside a key, a full stop, an opening
/// bracket, a backslash and a zero character are escaped by a backslash (`\.`, `\[`, `\\`, `\0`), so that different paths have
/// different texts and a text never contains a zero byte.
struct DetailsPath {
    enum Step {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    /// The number of containers around the value, including the details themselves.
    var depth: Int { steps.count }

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    /// The text of the path; computed only for personal values.
    var field: String {
        steps.reduce(into: "details") { text, step in
            switch step {
            case .key(let key): text += "." + Self.escaped(key)
            case .index(let index): text += "[\(index)]"
            }
        }
    }

    private static func escaped(_ key: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            switch scalar {
            case ".", "[", "\\": text.append(contentsOf: ["\\", scalar])
            case "\0": text.append(contentsOf: ["\\", "0"])
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
