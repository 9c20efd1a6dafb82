/* The `{{name}}` ephemeral resource: a random password, made when it is needed
 * and kept nowhere. */
#include <stdlib.h>

#include "ephemeral_resource_plugin.h"
#include "yyjson.h"

#define ERROR(name) EXPORTS_KEYHOST_PLUGIN_EPHEMERAL_RESOURCE_ERROR_##name

/* In bytes. */
#define MINIMUM_LENGTH 16
#define MAXIMUM_LENGTH 1024

typedef ephemeral_resource_plugin_string_t string;
typedef exports_keyhost_plugin_ephemeral_resource_error_t resource_error;

struct exports_keyhost_plugin_ephemeral_resource_ephemeral_t {
    uint32_t length;
};

typedef exports_keyhost_plugin_ephemeral_resource_ephemeral_t ephemeral;

/* What is returned is freed by the bindings afterwards, and so is a copy. */
static bool fail(resource_error *error, uint8_t tag, const char *text) {
    error->tag = tag;
    ephemeral_resource_plugin_string_dup(&error->val.failure, text);
    return false;
}

static bool refused(resource_error *error, keyhost_plugin_crypto_crypto_error_t *by_host) {
    if (by_host->tag == KEYHOST_PLUGIN_CRYPTO_CRYPTO_ERROR_AUTHENTICATION_FAILED) {
        return fail(error, ERROR(FAILURE), "authentication failed");
    }
    error->tag = ERROR(FAILURE);
    error->val.failure = by_host->val.invalid_parameter;
    return false;
}

void exports_keyhost_plugin_ephemeral_resource_describe(
    exports_keyhost_plugin_ephemeral_resource_description_t *description) {
    keyhost_plugin_config_attribute_t *attribute = calloc(1, sizeof *attribute);
    exports_keyhost_plugin_ephemeral_resource_output_t *output = calloc(1, sizeof *output);
    if (!attribute || !output) abort();
    ephemeral_resource_plugin_string_dup(&attribute->name, "length");
    attribute->kind = KEYHOST_PLUGIN_CONFIG_ATTRIBUTE_TYPE_NUMBER;
    attribute->default_.is_some = true;
    ephemeral_resource_plugin_string_dup(&attribute->default_.val, "24");
    ephemeral_resource_plugin_string_dup(&attribute->description,
                                         "How many random bytes the password spells.");
    ephemeral_resource_plugin_string_dup(&output->name, "password");
    output->kind = KEYHOST_PLUGIN_CONFIG_ATTRIBUTE_TYPE_STRING;
    output->sensitive = true;
    ephemeral_resource_plugin_string_dup(&output->description,
                                         "The password: random bytes in URL-safe base64.");

    ephemeral_resource_plugin_string_dup(&description->descriptor.id, "{{name}}");
    ephemeral_resource_plugin_string_dup(&description->descriptor.version, "0.1.0");
    description->descriptor.attributes.ptr = attribute;
    description->descriptor.attributes.len = 1;
    description->outputs.ptr = output;
    description->outputs.len = 1;
}

bool exports_keyhost_plugin_ephemeral_resource_build(
    exports_keyhost_plugin_ephemeral_resource_config_t *config,
    exports_keyhost_plugin_ephemeral_resource_own_ephemeral_t *result, resource_error *error) {
    yyjson_doc *document = yyjson_read((const char *)config->attributes.ptr, config->attributes.len,
                                       YYJSON_READ_NOFLAG);
    yyjson_val *value = yyjson_obj_get(yyjson_doc_get_root(document), "length");
    /* Zero where it is no whole number, such as 16.5. */
    uint64_t length = yyjson_is_uint(value) ? yyjson_get_uint(value) : 0;
    yyjson_doc_free(document);
    if (length < MINIMUM_LENGTH || length > MAXIMUM_LENGTH) {
        return fail(error, ERROR(INVALID_CONFIGURATION),
                    "length is not a whole number from 16 to 1024");
    }
    ephemeral *built = malloc(sizeof *built);
    if (!built) abort();
    built->length = (uint32_t)length;
    *result = exports_keyhost_plugin_ephemeral_resource_ephemeral_new(built);
    return true;
}

void exports_keyhost_plugin_ephemeral_resource_ephemeral_destructor(ephemeral *self) {
    free(self);
}

bool exports_keyhost_plugin_ephemeral_resource_method_ephemeral_open(
    ephemeral *self, exports_keyhost_plugin_ephemeral_resource_opened_t *result,
    resource_error *error) {
    keyhost_plugin_secrets_own_secret_t bytes, password;
    keyhost_plugin_crypto_crypto_error_t by_host;
    if (!keyhost_plugin_crypto_random_secret(self->length, &bytes, &by_host)
        || !keyhost_plugin_crypto_encode(keyhost_plugin_secrets_borrow_secret(bytes),
                                         KEYHOST_PLUGIN_CRYPTO_ENCODING_BASE64_URL, &password,
                                         &by_host)) {
        return refused(error, &by_host);
    }
    keyhost_plugin_secrets_secret_drop_own(bytes);

    result->secrets.ptr = calloc(1, sizeof *result->secrets.ptr);
    if (!result->secrets.ptr) abort();
    result->secrets.len = 1;
    ephemeral_resource_plugin_string_dup(&result->secrets.ptr[0].f0, "password");
    result->secrets.ptr[0].f1 = password;
    ephemeral_resource_plugin_string_dup(&result->values, "{}");
    /* Nothing to remember and nothing to renew: the password has no end. */
    result->lease = (exports_keyhost_plugin_ephemeral_resource_lease_t){0};
    return true;
}

bool exports_keyhost_plugin_ephemeral_resource_method_ephemeral_renew(
    ephemeral *self, ephemeral_resource_plugin_list_u8_t *private_bytes,
    exports_keyhost_plugin_ephemeral_resource_lease_t *result, resource_error *error) {
    (void)self, (void)private_bytes, (void)result;
    return fail(error, ERROR(FAILURE), "a password has no end, and is never renewed");
}

/* Nothing is kept, and so nothing is left to end. */
bool exports_keyhost_plugin_ephemeral_resource_method_ephemeral_close(
    ephemeral *self, ephemeral_resource_plugin_list_u8_t *private_bytes, resource_error *error) {
    (void)self, (void)private_bytes, (void)error;
    return true;
}
