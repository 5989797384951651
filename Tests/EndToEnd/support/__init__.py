"""What the end-to-end tests stand on: real servers, a stand-in for the HTTPDNS service, raw sockets. Loopback only."""
