internal import DoorwardDomain

// The form of a schedule in its column: an object with the names of the API, in which the days of a period are a bit set and the
// times are seconds of the day.
extension Schedule {
    /// The object to store. Never empty, as the column of an access without a schedule is.
    var stored: [String: JSONValue] {
        var object: [String: JSONValue] = [
            "periods": .array(
                periods.map { period in
                    .object(period.hours.stored.merging(["days": .integer(Int64(period.days.rawValue))]) { $1 })
                })
        ]
        if let timeZone { object["timeZone"] = .string(timeZone) }
        if specialDayCut != .instant { object["specialDayCut"] = .string(specialDayCut.rawValue) }
        if !specialDays.isEmpty {
            object["specialDays"] = .array(
                specialDays.map { day in
                    .object([
                        "date": .string(day.date.description), "periods": .array(day.periods.map { .object($0.stored) }),
                    ])
                })
        }
        return object
    }

    /// Reads a stored object; `nil` if this program did not write it.
    init?(stored object: [String: JSONValue]) {
        guard case .array(let periods)? = object["periods"], let read = Self.all(periods, Period.init(stored:)) else {
            return nil
        }
        var (timeZone, cut, days): (String?, SpecialDayCut, [SpecialDay]) = (nil, .instant, [])
        switch object["timeZone"] {
        case nil: break
        case .string(let name)?: timeZone = name
        default: return nil
        }
        switch object["specialDayCut"] {
        case nil: break
        case .string(let text)?:
            guard let stored = SpecialDayCut(rawValue: text) else { return nil }
            cut = stored
        default: return nil
        }
        switch object["specialDays"] {
        case nil: break
        case .array(let values)?:
            guard let stored = Self.all(values, SpecialDay.init(stored:)) else { return nil }
            days = stored
        default: return nil
        }
        self.init(timeZone: timeZone, periods: read, specialDays: days, specialDayCut: cut)
    }

    /// Reads every element; `nil` if one is not an object, or `read` returns `nil` for it.
    fileprivate static func all<Element>(_ values: [JSONValue], _ read: ([String: JSONValue]) -> Element?) -> [Element]? {
        var elements: [Element] = []
        for value in values {
            guard case .object(let object) = value, let element = read(object) else { return nil }
            elements.append(element)
        }
        return elements
    }
}

extension Schedule.Period {
    fileprivate init?(stored object: [String: JSONValue]) {
        guard case .integer(let bits)? = object["days"], let days = UInt8(exactly: bits),
            days <= WeekdaySet.everyDay.rawValue, let hours = Schedule.Hours(stored: object)
        else { return nil }
        self.init(days: WeekdaySet(rawValue: days), from: hours.from, until: hours.until)
    }
}

extension Schedule.Hours {
    fileprivate var stored: [String: JSONValue] {
        ["from": .integer(Int64(from.seconds)), "until": .integer(Int64(until.seconds))]
    }

    fileprivate init?(stored object: [String: JSONValue]) {
        guard let from = LocalTime(stored: object["from"]), let until = LocalTime(stored: object["until"]) else { return nil }
        self.init(from: from, until: until)
    }
}

extension Schedule.SpecialDay {
    fileprivate init?(stored object: [String: JSONValue]) {
        guard case .string(let text)? = object["date"], let date = CivilDate(text), case .array(let values)? = object["periods"],
            let periods = Schedule.all(values, Schedule.Hours.init(stored:))
        else { return nil }
        self.init(date: date, periods: periods)
    }
}

extension LocalTime {
    fileprivate init?(stored value: JSONValue?) {
        guard case .integer(let number)? = value, let seconds = Int(exactly: number), (0...86_400).contains(seconds) else {
            return nil
        }
        self.init(hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    }
}
