/* The `pbkdf2` key provider: a key derived from a passphrase, or from another
 * provider's key, with PBKDF2 (RFC 8018). New data gets a key with a fresh salt,
 * old data the key that its metadata's parameters give. */
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "settings.h"

#define ERROR(name) EXPORTS_KEYHOST_PLUGIN_KEY_PROVIDER_ERROR_##name

typedef exports_keyhost_plugin_key_provider_error_t provider_error;
typedef keyhost_plugin_crypto_pbkdf2_job_t job;

struct exports_keyhost_plugin_key_provider_provider_t {
    settings settings;
};

bool exports_keyhost_plugin_key_provider_build(
    exports_keyhost_plugin_key_provider_config_t *config,
    exports_keyhost_plugin_key_provider_own_provider_t *result, provider_error *error) {
    settings checked;
    if (!settings_of(config, &checked, &error->val.invalid_configuration)) {
        error->tag = ERROR(INVALID_CONFIGURATION);
        return false;
    }
    exports_keyhost_plugin_key_provider_provider_t *provider = malloc(sizeof *provider);
    if (!provider) abort();
    provider->settings = checked;
    *result = exports_keyhost_plugin_key_provider_provider_new(provider);
    return true;
}

/* The host drops the handles with the instance, after the call. */
void exports_keyhost_plugin_key_provider_provider_destructor(
    exports_keyhost_plugin_key_provider_provider_t *provider) {
    free(provider);
}

bool exports_keyhost_plugin_key_provider_method_provider_keeps_metadata(
    exports_keyhost_plugin_key_provider_borrow_provider_t provider) {
    (void)provider;
    return true;
}

static bool failure(provider_error *error, const char *text) {
    error->tag = ERROR(KEY_PROVIDER_FAILURE);
    return fail(&error->val.key_provider_failure, "%s", text);
}

/* The host's own text becomes the error's. */
static bool crypto_failure(provider_error *error, const keyhost_plugin_crypto_crypto_error_t *from) {
    if (from->tag == KEYHOST_PLUGIN_CRYPTO_CRYPTO_ERROR_AUTHENTICATION_FAILED) {
        return failure(error, "authentication failed");
    }
    error->tag = ERROR(KEY_PROVIDER_FAILURE);
    error->val.key_provider_failure = from->tag == KEYHOST_PLUGIN_CRYPTO_CRYPTO_ERROR_LIMIT_EXCEEDED
        ? from->val.limit_exceeded
        : from->val.invalid_parameter;
    return false;
}

static secret encryption_password(const settings *from) {
    return from->chained ? from->chain.encryption_key : from->passphrase;
}

static bool decryption_password(const settings *from, secret *password, provider_error *error) {
    if (from->chained && !from->chain.decryption_key.is_some) {
        return failure(error, "chain supplies no decryption key");
    }
    *password = from->chained ? from->chain.decryption_key.val : from->passphrase;
    return true;
}

static job job_of(secret password, const metadata *with) {
    return (job){
        .password = keyhost_plugin_secrets_borrow_secret(password),
        .salt = with->salt,
        .iterations = with->iterations,
        .key_length = with->key_length,
        .hash = with->hash,
    };
}

/* Derives both keys in one call, so that the host does it side by side.
 * `stored` may be NULL. */
static bool derive(const settings *from, const metadata *fresh, const metadata *stored,
                   key_pair *keys, provider_error *error) {
    job jobs[2] = {job_of(encryption_password(from), fresh)};
    keyhost_plugin_crypto_list_pbkdf2_job_t list = {jobs, 1};
    if (stored) {
        secret password;
        if (!decryption_password(from, &password, error)) return false;
        jobs[list.len++] = job_of(password, stored);
    }
    keyhost_plugin_crypto_list_own_secret_t derived;
    keyhost_plugin_crypto_crypto_error_t refused;
    if (!keyhost_plugin_crypto_pbkdf2(&list, &derived, &refused)) {
        return crypto_failure(error, &refused);
    }
    if (derived.len != list.len) return failure(error, "the host derived no key");
    keys->encryption_key = derived.ptr[0];
    keys->decryption_key.is_some = stored != NULL;
    if (stored) keys->decryption_key.val = derived.ptr[1];
    free(derived.ptr);
    return true;
}

static bool fresh_metadata(const settings *from, metadata *fresh, provider_error *error) {
    keyhost_plugin_crypto_crypto_error_t refused;
    fresh->iterations = from->iterations;
    fresh->hash = from->hash;
    fresh->key_length = from->key_length;
    return keyhost_plugin_crypto_random_bytes(from->salt_length, &fresh->salt, &refused)
        || crypto_failure(error, &refused);
}

bool exports_keyhost_plugin_key_provider_method_provider_provide(
    exports_keyhost_plugin_key_provider_borrow_provider_t provider, string *maybe_metadata,
    exports_keyhost_plugin_key_provider_tuple2_key_pair_option_string_t *result,
    provider_error *error) {
    metadata stored = {0};
    if (maybe_metadata && !metadata_parse(maybe_metadata, &stored, &error->val.invalid_metadata)) {
        error->tag = ERROR(INVALID_METADATA);
        return false;
    }
    metadata fresh = {0};
    bool provided = fresh_metadata(&provider->settings, &fresh, error)
        && derive(&provider->settings, &fresh, maybe_metadata ? &stored : NULL, &result->f0, error);
    if (provided) {
        result->f1.is_some = true;
        if (!metadata_to_json(&fresh, &result->f1.val)) abort();
    }
    metadata_free(&fresh);
    metadata_free(&stored);
    return provided;
}
