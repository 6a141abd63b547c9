import AsyncHTTPClient
import HTTPSession
import Hummingbird
import MicroHTTPServer

// Both libraries export their types: a name that two of them had would be ambiguous here.
let dispositions: [Any.Type] = [ResponseDisposition.self, RequestDisposition.self, BufferedDisposition.self]
print(dispositions.map { "\($0)" }.joined(separator: ", "))
print("The targets of these packages have distinct names.")
