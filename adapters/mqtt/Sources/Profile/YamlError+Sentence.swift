internal import Yams

extension YamlError {
    /// Where it is, counted from 1; of keys that stand twice, where the first of them stands again.
    func line(in yaml: String) -> Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(let keys, let context):
            keys.compactMap { Self.secondLine(of: $0, inMappingAt: context.mark, yaml) }.min() ?? context.mark.line
        default: nil
        }
    }

    /// What is wrong, without the place; `nil` for what is no mistake of the text's form.
    var problem: String? {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _): problem
        case .duplicatedKeysInMapping(let keys, _): "`\(keys.sorted().joined(separator: "`, `"))` stands there more than once"
        default: nil
        }
    }

    /// Yams tells where the mapping begins. In one that is written a line a key, the keys begin at one column.
    private static func secondLine(of key: String, inMappingAt start: Mark, _ yaml: String) -> Int? {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        var seen = 0
        for (index, line) in lines.enumerated().dropFirst(start.line - 1) {
            let indent = line.prefix { $0 == " " }.count
            let isFirst = index == start.line - 1
            guard isFirst || indent >= start.column - 1 || line.allSatisfy({ $0 == " " }) || line.hasPrefix("#") else {
                return nil
            }
            guard isFirst || indent == start.column - 1, begins(line.dropFirst(start.column - 1), with: key) else { continue }
            seen += 1
            if seen == 2 { return index + 1 }
        }
        return nil
    }

    private static func begins(_ line: Substring, with key: String) -> Bool {
        ["", "'", "\""].contains { quote in
            let written = quote + key + quote
            return line.hasPrefix(written) && line.dropFirst(written.count).drop { $0 == " " }.hasPrefix(":")
        }
    }
}
