#ifndef HTTPDNS_PROXY_CARES_H
#define HTTPDNS_PROXY_CARES_H

#include <arpa/nameser.h>
#include <ares.h>
#include <netinet/in.h>

#endif
