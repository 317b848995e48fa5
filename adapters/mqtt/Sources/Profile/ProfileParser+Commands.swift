internal import DoorwardDomain
internal import Yams

extension ProfileParser {
    func readCommands(_ file: ProfileSection, _ parts: inout ProfileBody) {
        let toggle = ["toggle": "its effect depends on the bolt's position"]
        if let section = file.section("commands", keys: ProfileKeys.commands, refused: toggle) {
            let words: [(String, LockOperation)] = [("lock", .lock), ("unlock", .unlock), ("open", .unlatch)]
            for (key, operation) in words {
                let forms = section.items(key, orOne: true).compactMap { command($0, section, ProfileKeys.command) }
                if !forms.isEmpty { parts.commands[operation] = forms }
            }
            if parts.commands.isEmpty, mistakes.all.isEmpty { section.note("`commands` needs `lock`, `unlock` or `open`") }
            parts.commandTopics = section.texts("alsoOn").compactMap { item in item.text.flatMap { topic($0, item) } }
            parts.idle = Set(section.texts("idle").compactMap(\.text))
        }
        parts.refresh = file.items("refresh", orOne: true).compactMap { field in
            guard let section = file.section(field, keys: ProfileKeys.refresh) else { return nil }
            parts.retriesStateRequest = section.truth("again") ?? parts.retriesStateRequest
            return command(field, file, ProfileKeys.refresh)
        }
    }

    private func command(_ field: ProfileSection.Field, _ parent: ProfileSection, _ keys: [String]) -> CommandTemplate? {
        let retain = ["retain": "a lock obeys a retained command again whenever it connects"]
        guard let section = parent.section(field, keys: keys, refused: retain) else { return nil }
        section.require("topic", "payload")
        let topic = topic(section) ?? ProfileTemplate(literal: "?")
        guard let payload = section.field("payload"), let text = section.text("payload") else { return nil }
        let isJSON = section.word("source", CommandSource.self) == .json
        var part = CommandTemplate(topic: topic, payload: ProfileTemplate(text), isJSON: isJSON, condition: condition(section))
        check(part.payload, payload, isJSON, open: [CommandTemplate.reference])
        if let field = section.field("payloadWithCode"), let text = section.text("payloadWithCode") {
            part.payloadWithCode = ProfileTemplate(text)
            check(ProfileTemplate(text), field, isJSON, open: CommandTemplate.open)
            if !ProfileTemplate(text).names.contains(CommandTemplate.code) {
                mistakes.add(field.line, field.path, "`\(field.path)` needs the code: `{code}`")
            }
        }
        return part
    }

    private enum CommandSource: String, CaseIterable { case raw, json }

    private func check(_ template: ProfileTemplate, _ field: ProfileSection.Field, _ isJSON: Bool, open: Set<String>) {
        _ = checked(template, field, isTopic: false, open: open)
        if template.text.lowercased().contains("toggle") {
            mistakes.add(
                field.line, field.path, "`\(field.path)`: a toggle is never sent: its effect depends on the bolt's position")
        }
        guard isJSON else {
            if JSONText(trial(template)).map({ $0.isContainer }) == true {
                mistakes.add(field.line, field.path, "`\(field.path)` looks like JSON; write `source: json` beside it")
            }
            return
        }
        if JSONText(trial(template)) == nil { mistakes.add(field.line, field.path, "`\(field.path)` is no JSON") }
        for name in bareNames(template) where names.variables[name]?.form != .integer && names.variables[name]?.form != .boolean {
            mistakes.add(
                field.line, field.path, "`\(field.path)`: `{\(name)}` needs quotation marks around it, as it is no number")
        }
    }

    /// The payload with a harmless value for each variable, to check that it is valid JSON.
    private func trial(_ template: ProfileTemplate) -> String {
        template.pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let part): text += part
            case .variable: text += "0"
            }
        }
    }

    /// The variables outside of JSON strings.
    private func bareNames(_ template: ProfileTemplate) -> [String] {
        var isInside = false
        var isEscaped = false
        var bare: [String] = []
        for piece in template.pieces {
            switch piece {
            case .variable(let name): if !isInside { bare.append(name) }
            case .text(let text):
                for sign in text {
                    if isEscaped {
                        isEscaped = false
                    } else if sign == "\\" {
                        isEscaped = true
                    } else if sign == "\"" {
                        isInside.toggle()
                    }
                }
            }
        }
        return bare
    }

    // MARK: Answers

    func readAnswers(_ file: ProfileSection, _ parts: inout ProfileBody, _ timeout: inout Int?) {
        for field in file.items("ack", orOne: true) {
            guard let section = file.section(field, keys: ProfileKeys.ack) else { continue }
            let reader = reader(section)
            var part = AckMapping(reader: reader, condition: condition(section))
            part.conditions = conditions(section)
            part.correlation = correlation(section)
            part.words = words(section, reader.type)
            timeout =
                section.value("timeoutSeconds", "a number of seconds, 1–600") {
                    Int($0).flatMap { (1...600).contains($0) ? $0 : nil }
                } ?? timeout
            parts.answers.append(part)
        }
    }

    private func words(_ section: ProfileSection, _ type: ValueType) -> [AckMapping.Entry] {
        let accepted = section.texts("accepted").compactMap { item in
            item.text.flatMap { pattern($0, item, type) }.map { AckMapping.Entry(pattern: $0, word: .accepted) }
        }
        guard let map = section.section("rejected", keys: nil) else {
            if accepted.isEmpty { section.note("`\(section.path)` needs `accepted` or `rejected`") }
            return accepted
        }
        return accepted
            + map.rest.compactMap { field in
                guard let pattern = pattern(field.key, field, type),
                    let reason = map.word(field, field.text, RejectionReason.self)
                else {
                    return nil
                }
                return AckMapping.Entry(pattern: pattern, word: .rejected(reason))
            }
    }

    private func correlation(_ section: ProfileSection) -> AckMapping.Correlation {
        let expected = "`none`, `payload` or `echoJson:PATH`, which says what `requestId:PATH` said"
        return section.value("correlation", expected) { text in
            switch text {
            case "none": return AckMapping.Correlation.none
            case "payload": return .payload
            default:
                let parts = text.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0] == "echoJson" else { return nil }
                return .reference(JSONPath(String(parts[1])))
            }
        } ?? .none
    }

    // MARK: Quality

    func readQuality(_ file: ProfileSection, _ parts: inout ProfileBody) {
        guard let section = file.section("qos", keys: ProfileKeys.quality) else { return }
        parts.subscribeQuality =
            section.value("subscribe", "0 or 1; 2 was asked for as 1") { ["0": .atMostOnce, "1": .atLeastOnce][$0] }
            ?? .atMostOnce
        parts.commandQuality =
            section.value("command", "0 or 1; 2 can send a command twice after a broken connection") {
                ["0": .atMostOnce, "1": .atLeastOnce][$0]
            } ?? .atMostOnce
    }
}

extension JSONText {
    fileprivate var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
