/* The `{{name}}` key provider: a key derived from a secret with HKDF-SHA-256 and
 * a random salt, which the metadata keeps. */
#include <stdlib.h>
#include <string.h>

#include "key_provider_plugin.h"
#include "yyjson.h"

#define ERROR(name) EXPORTS_KEYHOST_PLUGIN_KEY_PROVIDER_ERROR_##name

/* In bytes. */
#define MINIMUM_SECRET_LENGTH 16
#define SALT_LENGTH 32
#define KEY_LENGTH 32

/* What the key is for: another use of the same secret has another key. */
#define INFO "keyhost"

typedef key_provider_plugin_string_t string;
typedef keyhost_plugin_secrets_own_secret_t secret;
typedef exports_keyhost_plugin_key_provider_error_t provider_error;

struct exports_keyhost_plugin_key_provider_provider_t {
    secret secret;
};

/* What is returned is freed by the bindings afterwards, and so is a copy. */
static bool fail(provider_error *error, uint8_t tag, const char *text) {
    error->tag = tag;
    key_provider_plugin_string_dup(&error->val.key_provider_failure, text);
    return false;
}

static bool refused(provider_error *error, keyhost_plugin_crypto_crypto_error_t *by_host) {
    if (by_host->tag == KEYHOST_PLUGIN_CRYPTO_CRYPTO_ERROR_AUTHENTICATION_FAILED) {
        return fail(error, ERROR(KEY_PROVIDER_FAILURE), "authentication failed");
    }
    error->tag = ERROR(KEY_PROVIDER_FAILURE);
    error->val.key_provider_failure = by_host->val.invalid_parameter;
    return false;
}

void exports_keyhost_plugin_key_provider_describe(
    exports_keyhost_plugin_key_provider_descriptor_t *descriptor) {
    keyhost_plugin_config_attribute_t *attribute = calloc(1, sizeof *attribute);
    if (!attribute) abort();
    key_provider_plugin_string_dup(&attribute->name, "secret");
    attribute->kind = KEYHOST_PLUGIN_CONFIG_ATTRIBUTE_TYPE_STRING;
    attribute->required = true;
    attribute->sensitive = true;
    key_provider_plugin_string_dup(&attribute->description, "The secret, at least 16 bytes.");

    key_provider_plugin_string_dup(&descriptor->id, "{{name}}");
    key_provider_plugin_string_dup(&descriptor->version, "0.1.0");
    descriptor->attributes.ptr = attribute;
    descriptor->attributes.len = 1;
}

bool exports_keyhost_plugin_key_provider_build(
    exports_keyhost_plugin_key_provider_config_t *config,
    exports_keyhost_plugin_key_provider_own_provider_t *result, provider_error *error) {
    /* The one sensitive attribute, which is required. */
    if (config->secrets.len != 1) {
        return fail(error, ERROR(INVALID_CONFIGURATION), "secret is missing");
    }
    secret given = config->secrets.ptr[0].f1;
    if (keyhost_plugin_secrets_method_secret_length(keyhost_plugin_secrets_borrow_secret(given))
        < MINIMUM_SECRET_LENGTH) {
        return fail(error, ERROR(INVALID_CONFIGURATION),
                    "secret is too short: at least 16 bytes are needed");
    }
    exports_keyhost_plugin_key_provider_provider_t *provider = malloc(sizeof *provider);
    if (!provider) abort();
    provider->secret = given;
    *result = exports_keyhost_plugin_key_provider_provider_new(provider);
    return true;
}

void exports_keyhost_plugin_key_provider_provider_destructor(
    exports_keyhost_plugin_key_provider_provider_t *provider) {
    keyhost_plugin_secrets_secret_drop_own(provider->secret);
    free(provider);
}

bool exports_keyhost_plugin_key_provider_method_provider_keeps_metadata(
    exports_keyhost_plugin_key_provider_borrow_provider_t provider) {
    (void)provider;
    return true;
}

static bool derive(secret from, const uint8_t *salt, secret *key, provider_error *error) {
    key_provider_plugin_list_u8_t salt_list = {(uint8_t *)salt, SALT_LENGTH};
    key_provider_plugin_list_u8_t info = {(uint8_t *)INFO, strlen(INFO)};
    keyhost_plugin_crypto_crypto_error_t by_host;
    return keyhost_plugin_crypto_hkdf(keyhost_plugin_secrets_borrow_secret(from), &salt_list, &info,
                                      KEY_LENGTH, KEYHOST_PLUGIN_CRYPTO_HASH_FUNCTION_SHA256, key,
                                      &by_host)
        || refused(error, &by_host);
}

static int digit(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    return -1;
}

static bool decode_salt(yyjson_val *text, uint8_t *salt) {
    if (!yyjson_is_str(text) || yyjson_get_len(text) != 2 * SALT_LENGTH) return false;
    const char *digits = yyjson_get_str(text);
    for (size_t i = 0; i < SALT_LENGTH; i++) {
        int high = digit(digits[2 * i]);
        int low = digit(digits[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        salt[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Metadata lies in the clear: anybody may have written it. */
static bool read_metadata(const string *metadata, uint8_t *salt, provider_error *error) {
    yyjson_doc *document
        = yyjson_read((const char *)metadata->ptr, metadata->len, YYJSON_READ_NOFLAG);
    bool valid = decode_salt(yyjson_obj_get(yyjson_doc_get_root(document), "salt"), salt);
    yyjson_doc_free(document);
    return valid || fail(error, ERROR(INVALID_METADATA), "salt is not 64 hexadecimal digits");
}

static void write_metadata(const uint8_t *salt, string *metadata) {
    static const char DIGITS[] = "0123456789abcdef";
    char text[2 * SALT_LENGTH + 1] = {0};
    for (size_t i = 0; i < SALT_LENGTH; i++) {
        text[2 * i] = DIGITS[salt[i] >> 4];
        text[2 * i + 1] = DIGITS[salt[i] & 15];
    }
    yyjson_mut_doc *document = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(document);
    yyjson_mut_doc_set_root(document, object);
    yyjson_mut_obj_add_str(document, object, "salt", text);
    metadata->ptr = (uint8_t *)yyjson_mut_write(document, YYJSON_WRITE_NOFLAG, &metadata->len);
    yyjson_mut_doc_free(document);
    if (!metadata->ptr) abort();
}

bool exports_keyhost_plugin_key_provider_method_provider_provide(
    exports_keyhost_plugin_key_provider_borrow_provider_t provider, string *maybe_metadata,
    exports_keyhost_plugin_key_provider_tuple2_key_pair_option_string_t *result,
    provider_error *error) {
    exports_keyhost_plugin_key_provider_key_pair_t *keys = &result->f0;
    keys->decryption_key.is_some = maybe_metadata != NULL;
    if (maybe_metadata) {
        uint8_t stored[SALT_LENGTH];
        if (!read_metadata(maybe_metadata, stored, error)
            || !derive(provider->secret, stored, &keys->decryption_key.val, error)) {
            return false;
        }
    }
    key_provider_plugin_list_u8_t fresh;
    keyhost_plugin_crypto_crypto_error_t by_host;
    if (!keyhost_plugin_crypto_random_bytes(SALT_LENGTH, &fresh, &by_host)) {
        return refused(error, &by_host);
    }
    bool derived = derive(provider->secret, fresh.ptr, &keys->encryption_key, error);
    if (derived) {
        result->f1.is_some = true;
        write_metadata(fresh.ptr, &result->f1.val);
    }
    key_provider_plugin_list_u8_free(&fresh);
    return derived;
}
