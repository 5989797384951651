// libcurl's option and information calls are variadic, which Swift cannot call: one typed inline wrapper for each argument type.
#ifndef HTTPDNS_PROXY_CCURL_H
#define HTTPDNS_PROXY_CCURL_H

#include <curl/curl.h>

static inline CURLcode curl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode curl_set_string(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }

typedef curl_socket_t (*curl_open_socket_fn)(void *user, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*curl_close_socket_fn)(void *user, curl_socket_t socket);
typedef int (*curl_resolver_start_fn)(void *resolver, void *reserved, void *user);
typedef size_t (*curl_data_fn)(char *bytes, size_t size, size_t count, void *user);

static inline CURLcode curl_set_open_socket(CURL *handle, curl_open_socket_fn fn) { return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, fn); }
static inline CURLcode curl_set_close_socket(CURL *handle, curl_close_socket_fn fn) { return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, fn); }
static inline CURLcode curl_set_resolver_start(CURL *handle, curl_resolver_start_fn fn) { return curl_easy_setopt(handle, CURLOPT_RESOLVER_START_FUNCTION, fn); }
static inline CURLcode curl_set_write(CURL *handle, curl_data_fn fn) { return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, fn); }
static inline CURLcode curl_set_header(CURL *handle, curl_data_fn fn) { return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, fn); }

static inline CURLcode curl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode curl_get_pointer(CURL *handle, CURLINFO info, void **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode curl_get_socket(CURL *handle, curl_socket_t *value) { return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value); }

static const unsigned long curl_auth_basic = CURLAUTH_BASIC;

typedef int (*curl_multi_socket_fn)(CURL *easy, curl_socket_t socket, int what, void *user, void *socket_user);
typedef int (*curl_multi_timer_fn)(CURLM *multi, long milliseconds, void *user);

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }
static inline CURLMcode curl_multi_set_socket(CURLM *multi, curl_multi_socket_fn fn, void *user) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, fn);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, user);
}
static inline CURLMcode curl_multi_set_timer(CURLM *multi, curl_multi_timer_fn fn, void *user) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, fn);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, user);
}

static inline void curl_share_sessions(CURLSH *share) { curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION); }

static inline CURLcode curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
