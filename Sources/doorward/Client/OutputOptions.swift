import ArgumentParser
import FoundationEssentials

/// The option for the output format of a command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document, as programs read it.")
    var json = false

    /// Prints the gateway's own JSON, or text lines.
    func print(json bytes: [UInt8], lines: (OutputStyle) -> [String]) {
        let lines = json ? [String(decoding: bytes, as: UTF8.self)] : lines(.output)
        if !lines.isEmpty { StandardStream.output.line(lines.joined(separator: "\n")) }
    }
}

/// The option for tables on a terminal.
struct TableOptions: ParsableArguments {
    @Flag(help: "On a terminal, show ids and long texts in full, even if the table is wider than the window.")
    var wide = false

    /// Returns the style for a table. With `--wide` the table has no maximum width.
    func style(_ style: OutputStyle) -> OutputStyle {
        var style = style
        if wide { style.columns = nil }
        return style
    }
}

/// The JSON documents of commands: keys are sorted, and slashes are not escaped.
enum JSONOutput {
    static func document(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }
}
