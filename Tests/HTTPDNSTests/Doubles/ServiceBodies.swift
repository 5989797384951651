import HTTPDNS

/// Response bodies as the service writes them.
enum ServiceBodies {
    static func addresses(_ question: Question, _ addresses: [String], ttl: Int = 60) -> String {
        let records = addresses.map { #"{"name":"\#(question.name).","TTL":\#(ttl),"type":\#(question.type.rawValue),"data":"\#($0)"}"# }
        return message(question, status: 0, #""Answer":[\#(records.joined(separator: ","))]"#)
    }

    static func noSuchName(_ question: Question, ttl: Int = 45) -> String {
        message(question, status: 3, soa(ttl: ttl, minimum: ttl))
    }

    static func noRecord(_ question: Question, ttl: Int = 45) -> String {
        message(question, status: 0, #""Answer":[],"# + soa(ttl: ttl, minimum: ttl))
    }

    static func status(_ question: Question, _ status: Int) -> String {
        message(question, status: status, nil)
    }

    static func soa(ttl: Int, minimum: Int) -> String {
        #""Authority":[{"name":"example.","TTL":\#(ttl),"type":6,"data":"ns1.example. host.example. 1 7200 900 86400 \#(minimum)"}]"#
    }

    static func message(_ question: Question, status: Int, _ sections: String?) -> String {
        let head = #""Status":\#(status),"TC":false,"RD":true,"RA":true,"AD":false,"CD":false"#
        let echo = #""Question":{"name":"\#(question.name).","type":\#(question.type.rawValue)}"#
        return "{" + [head, echo, sections].compactMap(\.self).joined(separator: ",") + "}"
    }
}
