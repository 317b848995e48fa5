/// The output of the commands that create and rename entities.
extension OutputOptions {
    /// Prints a created object: a sentence on a terminal; the name and the id in a pipe.
    func printCreated(_ json: [UInt8], _ noun: String, name: String, id: String) {
        print(json: json) { style in
            style.isInteractive
                ? ["Created \(noun) \(name.printable), id \(id.printable)."] : ["\(name.printable)\t\(id.printable)"]
        }
    }

    /// Prints a renamed object: a sentence on a terminal; the new name and the id in a pipe.
    func printRenamed(_ json: [UInt8], _ oldName: String, to name: String, id: String) {
        print(json: json) { style in
            style.isInteractive
                ? ["Renamed \(oldName.printable) to \(name.printable)."] : ["\(name.printable)\t\(id.printable)"]
        }
    }
}

extension FieldOption {
    /// Maps the field of a new name to the argument.
    static func newName(_ field: String) -> FieldOption? { field == "name" ? FieldOption("the new name") : nil }
}
