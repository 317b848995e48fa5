internal import DoorwardDomain
internal import HTTPTypes

// The document for people: the rows of its tables, the page `/docs`, and its index `docs/api.md`.

/// A row about a parameter, a member of a body or a field of an object.
struct DocumentRow: Sendable {
    let name: String
    /// The form of the value in words, such as `list of Device`.
    let form: String
    /// Whether it is required, and what is special about it.
    let note: String
}

extension APIDocument {
    /// The groups of the operations, in alphabetical order.
    var groups: [(name: String, operations: [Operation])] {
        Dictionary(grouping: operations, by: \.group).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The schemas of successful responses; those of errors are explained once for all.
    static var objectSchemas: [(name: String, schema: JSONSchema)] { schemas.filter { !$0.name.hasPrefix("Error") } }

    /// The text of `docs/api.md`: what each operation does, in a line.
    var index: String {
        var text = """
            # The HTTP API

            The operations in a line each. Parameters, bodies, responses and objects are at a running gateway: as a page at `/docs`, and as
            OpenAPI 3.1 at `/api/v1/openapi.json`. All are written from the gateway's routes and field tables. Limits are in
            [api-limits.md](api-limits.md).

            \(Self.introduction)

            A request with a body sends it as `application/json`. Send the token of a sign-in, or the secret of an API key, as
            `Authorization: Bearer …`; the operations marked with * need none.

            | operation | |
            |---|---|

            """
        for operation in groups.flatMap(\.operations) {
            let mark = operation.needsSignIn ? "" : " *"
            text += "| `\(operation.method.rawValue) \(operation.path)`\(mark) | \(operation.description.summary) |\n"
        }
        return text
    }

    /// The page `/docs`.
    var page: APIResponse {
        let index = groups.map { "<li><a href=\"#\($0.name)\">\($0.name)</a></li>" }.joined(separator: "\n")
        var content = """
            <p>\(Self.introduction.html)</p>
            <p>The same list as OpenAPI 3.1: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></p>
            <nav aria-label="Groups"><ul>
            \(index)
            <li><a href="#objects">objects</a></li>
            </ul></nav>

            """
        for group in groups {
            content += "<section aria-labelledby=\"\(group.name)\"><h2 id=\"\(group.name)\">\(group.name)</h2>\n"
            for operation in group.operations { content += operation.html }
            content += "</section>\n"
        }
        content += "<section aria-labelledby=\"objects\"><h2 id=\"objects\">objects</h2>\n"
        for (name, schema) in Self.objectSchemas {
            content += "<article><h3 id=\"\(name)\">\(name)</h3>\n\(schema.rows().html(of: "field"))</article>\n"
        }
        return HTMLPage(style: .text(PageStyle.documentation)).response(headed: "The HTTP API", content + "</section>")
    }
}

extension APIDocument.Operation {
    /// The tables of the operation: a title and rows for each.
    private var tables: [(title: String, rows: [DocumentRow])] {
        var tables: [(String, [DocumentRow])] = []
        let rows = parameters.map { parameter in
            let place = parameter.place == .header ? "headers" : parameter.place.rawValue
            let note = "in the \(place)\(parameter.isRequired ? ", required" : "")"
            return DocumentRow(
                name: parameter.name, form: parameter.schema.words, note: note + (parameter.summary.map { ". \($0)" } ?? ""))
        }
        if !rows.isEmpty { tables.append(("parameter", rows)) }
        let forms = if case .oneOf(let forms)? = input.body { forms } else { [input.body].compactMap(\.self) }
        return tables + forms.enumerated().map { ($0 == 0 ? "field of the body" : "or, field of the body", $1.rows()) }
    }

    /// The successful responses, one line each.
    private var answerLines: [String] {
        description.answers.map { answer in
            let fields = answer.data.map { ": `data` is \($0.words)" } ?? answer.form
            return "\(answer.status)\(fields). \(answer.summary)"
        }
    }

    fileprivate var html: String {
        var text = "<article><h3 id=\"\(id)\"><code>\(method.rawValue) \(path.html)</code></h3>\n<p>\(description.summary.html)"
        text += needsSignIn ? "</p>\n" : " It needs no sign-in.</p>\n"
        for table in tables { text += table.rows.html(of: table.title) }
        let errorLine = "Errors: \(errors.map(String.init).joined(separator: ", "))."
        let lines = (answerLines + [errorLine]).map { "<li>\($0.html)</li>" }.joined(separator: "\n")
        return text + "<ul>\n\(lines)\n</ul></article>\n"
    }
}

extension [DocumentRow] {
    fileprivate func html(of title: String) -> String {
        guard !isEmpty else { return "<p>No fields.</p>\n" }
        let lines = map {
            "<tr><th scope=\"row\"><code>\($0.name.html)</code></th><td>\($0.form.html)</td><td>\($0.note.html)</td></tr>"
        }
        return """
            <div class="table" tabindex="0" role="region" aria-label="\(title)"><table><caption>\(title)</caption>
            \(lines.joined(separator: "\n"))
            </table></div>

            """
    }
}

extension JSONSchema {
    /// The rows for the members of an object; the members of an inner object have the object's name as a prefix.
    ///
    /// - Parameter prefix: the name of the object with a full stop; empty for the outermost one.
    fileprivate func rows(_ prefix: String = "") -> [DocumentRow] {
        switch self {
        case .object(let members):
            members.flatMap { member in
                [
                    DocumentRow(name: prefix + member.name, form: member.schema.words, note: member.isRequired ? "required" : "")
                ] + member.schema.rows("\(prefix)\(member.name).")
            }
        case .nullable(let schema): schema.rows(prefix)
        case .array(let element, _): element.rows(prefix)
        default: []
        }
    }

    /// The form in words.
    fileprivate var words: String {
        switch self {
        case .any: "any value"
        case .null: "`null`"
        case .boolean: "`true` or `false`"
        case .integer(nil): "integer"
        case .integer(let range?):
            range.upperBound == .max ? "integer from \(range.lowerBound)" : "integer, \(range.lowerBound) to \(range.upperBound)"
        case .number: "number"
        case .string(let rules): rules.words
        case .words(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .array(let element, _): "list of \(element.words)"
        case .object(let members):
            members.isEmpty
                ? "an empty object" : "{\(members.map { "\($0.name): \($0.schema.briefly)" }.joined(separator: ", "))}"
        case .map: "object with any keys"
        case .reference(let name): name
        case .oneOf(let forms): forms.map(\.words).joined(separator: " or ")
        case .nullable(let schema): "\(schema.words), or `null`"
        }
    }

    /// The form in one or two words, for the description of an object.
    private var briefly: String {
        switch self {
        case .object: "object"
        case .array(.object, _): "list of objects"
        case .array(let element, _): "list of \(element.briefly)"
        case .nullable(let schema): "\(schema.briefly) or `null`"
        case .words: "word"
        default: words
        }
    }
}

extension StringSchema {
    fileprivate var words: String {
        if format == "uuid" { return "id" }
        if format == "date-time" { return "instant" }
        return switch (minLength, maxLength) {
        case (let min?, let max?): "text of \(min) to \(max) characters"
        case (nil, let max?): "text of at most \(max) characters"
        default: "text"
        }
    }
}

extension String {
    /// The text in HTML, with `…` as code.
    fileprivate var html: String {
        escapedInHTML.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "<code>\($0.element)</code>" }.joined()
    }
}

extension DocumentedAnswer {
    /// The form of a body without an envelope.
    fileprivate var form: String {
        switch mediaTypes {
        case []: ", without a body"
        case ["text/plain"]: ", as text"
        default: ", as \(mediaTypes.map { "`\($0)`" }.joined(separator: " or "))"
        }
    }
}
