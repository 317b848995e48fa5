/// Where a value stands inside the details. Its text is the field name of a commitment there.
///
/// A key follows a full stop and an index stands in brackets: `details.after.names[0]`. Inside a key, a full stop, an
/// opening bracket, a backslash and a zero character have a backslash before them (`\.`, `\[`, `\\`, `\0`), so that two
/// places never have one name and a name never holds a zero byte.
struct DetailsPath {
    enum Step {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    /// How many containers the value stands in, the details themselves being one.
    var depth: Int { steps.count }

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    /// The text; made only where there is a personal value.
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
