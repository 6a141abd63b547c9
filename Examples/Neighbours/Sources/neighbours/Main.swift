import AsyncHTTPClient
import HTTPSession
import Hummingbird
import MicroHTTPServer

print("The targets of these packages have distinct names.")
