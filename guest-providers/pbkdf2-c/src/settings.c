#include "settings.h"

#include <string.h>

/* OpenTofu refuses fewer when encrypting. */
#define MINIMUM_ITERATIONS 200000

/* OpenTofu's minimum for a passphrase and for chained keys, in bytes. */
#define MINIMUM_PASSPHRASE_LENGTH 16

static bool is_named(const string *text, const char *name) {
    return text->len == strlen(name) && memcmp(text->ptr, name, text->len) == 0;
}

static bool long_enough(const char *what, secret key, string *error) {
    uint32_t length = keyhost_plugin_secrets_method_secret_length(
        keyhost_plugin_secrets_borrow_secret(key));
    if (length >= MINIMUM_PASSPHRASE_LENGTH) return true;
    return fail(error, "%s is too short: at least %d bytes are needed", what,
                MINIMUM_PASSPHRASE_LENGTH);
}

static bool source(const exports_keyhost_plugin_key_provider_config_t *config, settings *result,
                   string *error) {
    bool has_passphrase = false;
    result->chained = false;
    for (size_t i = 0; i < config->secrets.len; i++) {
        if (!is_named(&config->secrets.ptr[i].f0, "passphrase")) continue;
        result->passphrase = config->secrets.ptr[i].f1;
        has_passphrase = true;
    }
    for (size_t i = 0; i < config->keys.len; i++) {
        if (!is_named(&config->keys.ptr[i].f0, "chain")) continue;
        result->chain = config->keys.ptr[i].f1;
        result->chained = true;
    }
    if (has_passphrase && result->chained) {
        return fail(error, "passphrase and chain exclude each other");
    }
    if (has_passphrase) return long_enough("passphrase", result->passphrase, error);
    if (!result->chained) return fail(error, "either passphrase or chain is needed");
    return long_enough("the encryption key of chain", result->chain.encryption_key, error)
        && (!result->chain.decryption_key.is_some
            || long_enough("the decryption key of chain", result->chain.decryption_key.val, error));
}

static bool read(const parameters *attributes, settings *result, string *error) {
    if (!parameters_positive(attributes, "iterations", &result->iterations, error)) return false;
    if (result->iterations < MINIMUM_ITERATIONS) {
        return fail(error, "iterations is %u, dangerously low: at least %d are needed",
                    (unsigned)result->iterations, MINIMUM_ITERATIONS);
    }
    return parameters_positive(attributes, "key_length", &result->key_length, error)
        && parameters_positive(attributes, "salt_length", &result->salt_length, error)
        && parameters_hash_function(attributes, &result->hash, error);
}

bool settings_of(exports_keyhost_plugin_key_provider_config_t *config, settings *result,
                 string *error) {
    if (!source(config, result, error)) return false;
    parameters attributes;
    if (!parameters_parse(&config->attributes, &attributes, error)) return false;
    bool valid = read(&attributes, result, error);
    parameters_free(&attributes);
    return valid;
}
