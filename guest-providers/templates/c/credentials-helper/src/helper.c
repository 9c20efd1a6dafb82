/* The `{{name}}` credentials helper: read-only, with the tokens that stand in
 * keyhost's configuration. */
#include <stdlib.h>
#include <string.h>

#include "credentials_helper_plugin.h"

#define ERROR(name) EXPORTS_KEYHOST_PLUGIN_CREDENTIALS_HELPER_ERROR_##name

typedef credentials_helper_plugin_string_t string;
typedef exports_keyhost_plugin_credentials_helper_error_t helper_error;

typedef struct {
    string host;
    keyhost_plugin_secrets_own_secret_t token;
} entry;

struct exports_keyhost_plugin_credentials_helper_helper_t {
    size_t count;
    entry entries[];
};

typedef exports_keyhost_plugin_credentials_helper_helper_t helper;

/* What is returned is freed by the bindings afterwards, and so is a copy. */
static bool fail(helper_error *error, uint8_t tag, const char *text) {
    error->tag = tag;
    credentials_helper_plugin_string_dup(&error->val.failure, text);
    return false;
}

static uint32_t length(keyhost_plugin_secrets_own_secret_t secret) {
    return keyhost_plugin_secrets_method_secret_length(
        keyhost_plugin_secrets_borrow_secret(secret));
}

void exports_keyhost_plugin_credentials_helper_describe(
    exports_keyhost_plugin_credentials_helper_descriptor_t *descriptor) {
    keyhost_plugin_config_attribute_t *attribute = calloc(1, sizeof *attribute);
    if (!attribute) abort();
    credentials_helper_plugin_string_dup(&attribute->name, "tokens");
    attribute->kind = KEYHOST_PLUGIN_CONFIG_ATTRIBUTE_TYPE_MAP_OF_STRING;
    attribute->required = true;
    attribute->sensitive = true;
    credentials_helper_plugin_string_dup(
        &attribute->description,
        "The token of each host, such as { \"example.com\" = var.token }.");

    credentials_helper_plugin_string_dup(&descriptor->id, "{{name}}");
    credentials_helper_plugin_string_dup(&descriptor->version, "0.1.0");
    descriptor->attributes.ptr = attribute;
    descriptor->attributes.len = 1;
}

/* keyhost asks for hosts in lower case, such as example.com or example.com:8443. */
static bool is_host(const string *text) {
    for (size_t i = 0; i < text->len; i++) {
        uint8_t character = text->ptr[i];
        bool letter = character >= 'a' && character <= 'z';
        bool number = character >= '0' && character <= '9';
        if (!letter && !number && character != '-' && character != '.' && character != ':') {
            return false;
        }
    }
    return text->len > 0;
}

bool exports_keyhost_plugin_credentials_helper_build(
    exports_keyhost_plugin_credentials_helper_config_t *config,
    exports_keyhost_plugin_credentials_helper_own_helper_t *result, helper_error *error) {
    /* The values of the one sensitive map are named `tokens.HOST`. */
    static const char PREFIX[] = "tokens.";
    size_t prefix = strlen(PREFIX);
    helper *built = calloc(1, sizeof *built + config->secrets.len * sizeof *built->entries);
    if (!built) abort();
    for (size_t i = 0; i < config->secrets.len; i++) {
        const string *name = &config->secrets.ptr[i].f0;
        if (name->len < prefix || memcmp(name->ptr, PREFIX, prefix) != 0) continue;
        entry *added = &built->entries[built->count++];
        credentials_helper_plugin_string_dup_n(&added->host, (const char *)name->ptr + prefix,
                                               name->len - prefix);
        added->token = config->secrets.ptr[i].f1;
        if (!is_host(&added->host)) {
            return fail(error, ERROR(INVALID_CONFIGURATION),
                        "tokens has a name that is no host in lower case, such as example.com");
        }
    }
    *result = exports_keyhost_plugin_credentials_helper_helper_new(built);
    return true;
}

/* The host drops the handles with the instance, after the call. */
void exports_keyhost_plugin_credentials_helper_helper_destructor(helper *self) {
    for (size_t i = 0; i < self->count; i++) {
        credentials_helper_plugin_string_free(&self->entries[i].host);
    }
    free(self);
}

bool exports_keyhost_plugin_credentials_helper_method_helper_get(
    helper *self, string *host, exports_keyhost_plugin_credentials_helper_option_own_secret_t *result,
    helper_error *error) {
    result->is_some = false;
    for (size_t i = 0; i < self->count; i++) {
        const entry *known = &self->entries[i];
        if (known->host.len != host->len || memcmp(known->host.ptr, host->ptr, host->len) != 0) {
            continue;
        }
        /* A variable that is not set leaves an empty text. */
        if (length(known->token) == 0) return true;
        keyhost_plugin_credentials_credentials_error_t by_host;
        result->is_some = true;
        if (keyhost_plugin_credentials_from_token(keyhost_plugin_secrets_borrow_secret(known->token),
                                                  &result->val, &by_host)) {
            return true;
        }
        error->tag = ERROR(FAILURE);
        error->val.failure = by_host.val.invalid_token;
        return false;
    }
    return true;
}

static bool read_only(helper_error *error) {
    return fail(error, ERROR(UNSUPPORTED),
                "the tokens of this helper stand in keyhost's configuration: change them there");
}

bool exports_keyhost_plugin_credentials_helper_method_helper_store(
    helper *self, string *host,
    exports_keyhost_plugin_credentials_helper_credentials_t *credentials, helper_error *error) {
    (void)self, (void)host, (void)credentials;
    return read_only(error);
}

bool exports_keyhost_plugin_credentials_helper_method_helper_forget(helper *self, string *host,
                                                                    helper_error *error) {
    (void)self, (void)host;
    return read_only(error);
}

bool exports_keyhost_plugin_credentials_helper_method_helper_hosts(
    helper *self, credentials_helper_plugin_list_string_t *result, helper_error *error) {
    (void)error;
    result->len = 0;
    result->ptr = calloc(self->count + 1, sizeof *result->ptr);
    if (!result->ptr) abort();
    for (size_t i = 0; i < self->count; i++) {
        const entry *known = &self->entries[i];
        if (length(known->token) == 0) continue;
        credentials_helper_plugin_string_dup_n(&result->ptr[result->len++],
                                               (const char *)known->host.ptr, known->host.len);
    }
    return true;
}
