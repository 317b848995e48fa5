internal import DoorwardDomain

extension [String: JSONValue] {
    /// Replaces `~`: at the beginning or end of the values of keys that end in `topic`, and of the topics of `availability`.
    /// Expects full keys.
    var withTopicBase: Self {
        guard let base = self["~"]?.string else { return self }
        var fields = self
        fields["~"] = nil
        for (key, value) in fields where key.hasSuffix("topic") { fields[key] = value.basedOn(base) }
        if let items = fields["availability"]?.array {
            fields["availability"] = .array(items.map { $0.availabilityItem(on: base) })
        }
        return fields
    }
}

extension JSONValue {
    fileprivate func basedOn(_ base: String) -> JSONValue {
        guard var text = string else { return self }
        if text.hasPrefix("~") { text = base + text.dropFirst() }
        if text.hasSuffix("~") { text = text.dropLast() + base }
        return .string(text)
    }

    fileprivate func availabilityItem(on base: String) -> JSONValue {
        guard var fields = object, let topic = fields["topic"] else { return self }
        fields["topic"] = topic.basedOn(base)
        return .object(fields)
    }
}

/// The short key names of Home Assistant's discovery that a lock's announcement may contain
/// (`homeassistant/components/mqtt/abbreviations.py`), by block.
enum Abbreviations {
    /// Keys of a component, of a device's root, and of an item of `availability`.
    static let component = [
        "avty": "availability", "avty_mode": "availability_mode", "avty_t": "availability_topic",
        "avty_tpl": "availability_template", "cmd_t": "command_topic", "cmd_tpl": "command_template", "cmps": "components",
        "cod_form": "code_format", "def_ent_id": "default_entity_id", "dev": "device", "dev_cla": "device_class", "e": "encoding",
        "en": "enabled_by_default", "ent_cat": "entity_category", "ic": "icon", "json_attr_t": "json_attributes_topic",
        "json_attr_tpl": "json_attributes_template", "migr_discvry": "migrate_discovery", "o": "origin", "obj_id": "object_id",
        "opt": "optimistic", "p": "platform", "pl_avail": "payload_available", "pl_lock": "payload_lock",
        "pl_not_avail": "payload_not_available", "pl_open": "payload_open", "pl_rst": "payload_reset",
        "pl_unlk": "payload_unlock", "ret": "retain", "stat_jam": "state_jammed", "stat_locked": "state_locked",
        "stat_locking": "state_locking", "stat_open": "state_open", "stat_opening": "state_opening", "stat_t": "state_topic",
        "stat_unlocked": "state_unlocked", "stat_unlocking": "state_unlocking", "t": "topic", "uniq_id": "unique_id",
        "val_tpl": "value_template",
    ]
    /// Keys of `device`.
    static let device = [
        "cns": "connections", "cu": "configuration_url", "hw": "hw_version", "ids": "identifiers", "mdl": "model",
        "mdl_id": "model_id", "mf": "manufacturer", "sa": "suggested_area", "sn": "serial_number", "sw": "sw_version",
    ]
}

extension [String: JSONValue] {
    /// Replaces short keys by full ones. If both are present, the short one counts, as in Home Assistant; `null` values are removed.
    func expanded(_ abbreviations: [String: String]) -> Self {
        var fields = filter { abbreviations[$0.key] == nil && $0.value != .null }
        for (key, value) in self where value != .null {
            if let full = abbreviations[key] { fields[full] = value }
        }
        return fields
    }
}
