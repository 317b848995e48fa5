import DoorwardDomain
import Foundation
import Testing

@testable import DoorwardHTTP

/// `Sources/DoorwardConsole/api.d.ts`: the objects of the API as types for the comments of the console's modules, printed from the field
/// tables. The lint checks the modules against it, so that a field that is renamed or removed is an error there.
@Suite struct ConsoleTypesTests {
    @Test("The console's types are those that the field tables print")
    func upToDate() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Sources/DoorwardConsole/api.d.ts")
        let text = Self.declarations
        if (try? String(contentsOf: file, encoding: .utf8)) != text {
            let new = FileManager.default.temporaryDirectory.appending(path: "api.d.ts")
            try text.write(to: new, atomically: true, encoding: .utf8)
            Issue.record("\(file.path()) is not up to date: copy \(new.path()) to it")
        }
    }

    @Test("A member that not every reader gets is optional, one without a value is null, and a word is one of its words")
    func forms() {
        let schema = JSONSchema.object([
            .init("a", .integer()), .init("b", .nullable(.words(["X", "Y"])), isRequired: false),
            .init("c", .array(.oneOf([.reference("Unit"), .null]))), .init("d", .map(.boolean)),
            .init("e", .object([.init("x-y", .instant)])),
        ])
        #expect(
            Self.type(of: schema)
                == "{ a: number; b?: 'X' | 'Y' | null; c: (Unit | null)[]; d: Record<string, boolean>; e: { 'x-y': string } }")
    }

    /// The text of the file.
    static var declarations: String {
        let interfaces = APIDocument.objectSchemas.map { name, schema in
            guard case .object(let members) = schema else { return "  type \(name) = \(type(of: schema));\n" }
            return "  interface \(name) {\n\(members.map { "    \(member($0));\n" }.joined())  }\n"
        }
        return """
            // The objects of the API, for the types in the comments of the console's modules.
            // Printed from the field tables by ConsoleTypesTests; not edited by hand.
            declare namespace API {
            \(interfaces.joined())}

            """
    }

    private static func member(_ member: JSONSchema.Member) -> String {
        let name = member.name.allSatisfy { $0.isLetter || $0.isNumber } ? member.name : "'\(member.name)'"
        return "\(name)\(member.isRequired ? "" : "?"): \(type(of: member.schema))"
    }

    static func type(of schema: JSONSchema) -> String {
        switch schema {
        case .any: "any"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .number: "number"
        case .string: "string"
        case .words(let words): words.map { "'\($0)'" }.joined(separator: " | ")
        case .array(let element, _): elements(type(of: element))
        case .object(let members): "{ \(members.map(member).joined(separator: "; ")) }"
        case .map(let value): "Record<string, \(type(of: value))>"
        case .reference(let name): name
        case .oneOf(let forms): forms.map(type).joined(separator: " | ")
        case .nullable(let form): type(of: form) == "any" ? "any" : "\(type(of: form)) | null"
        }
    }

    /// A list of elements; a union needs parentheses.
    private static func elements(_ type: String) -> String { type.contains(" | ") ? "(\(type))[]" : "\(type)[]" }
}
