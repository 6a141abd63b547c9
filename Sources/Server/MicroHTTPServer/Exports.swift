// A program that imports the server imports the types of its handlers with it.
@_exported public import ErrandHTTPServer
@_exported public import HTTPTypes
